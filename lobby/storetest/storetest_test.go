package storetest

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"oxo/lobby"
	"oxo/lobby/room"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// faultEnv names the mistake that the naive store makes in this process.
const faultEnv = "OXO_STORETEST_FAULT"

// TestNaive runs the suite against the naive store.
func TestNaive(t *testing.T) {
	fault := os.Getenv(faultEnv)
	var patience time.Duration
	if fault != "" {
		patience = 300 * time.Millisecond
	}
	Run(t, Harness{
		Open: func(*testing.T) lobby.Store { return newNaive(fault) },
		Reopen: func(_ *testing.T, s lobby.Store) lobby.Store {
			n := s.(*naive)
			_ = n.Close() // always nil
			if n.fault == "a restart forgets" {
				return newNaive(fault)
			}
			return &naive{fault: fault, disk: n.disk}
		},
		Second: func(_ *testing.T, s lobby.Store) lobby.Store {
			if fault == "nodes keep to themselves" {
				return newNaive(fault)
			}
			return &naive{fault: fault, disk: s.(*naive).disk}
		},
		Damage: func(_ *testing.T, s lobby.Store, id room.ID) {
			n := s.(*naive)
			n.mu.Lock()
			defer n.mu.Unlock()
			n.damaged[id] = true
		},
		Advance: func(_ *testing.T, s lobby.Store, d time.Duration) {
			n := s.(*naive)
			n.mu.Lock()
			defer n.mu.Unlock()
			n.now = n.now.Add(d)
		},
		Patience: patience,
	})
}

// TestFaultsAreFound has the naive store make mistakes, each of which the
// suite must find in the test that is there for it.
func TestFaultsAreFound(t *testing.T) {
	if os.Getenv(faultEnv) != "" {
		t.Skip("this is the faulty process")
	}
	for fault, test := range map[string]string{
		"tags are not compared":         "Append/append to another history diverges",
		"retries are not recognised":    "Append/retry is recognised",
		"retries change the options":    "Append/retry changes nothing",
		"conflicts lose the tail":       "Append/conflict returns the tail",
		"late appends are taken":        "Time/late create is refused",
		"nothing expires":               "Time/expired room is gone",
		"the dead are claimed":          "Time/expired room is gone",
		"both racers win":               "Race/two racers for one cursor: exactly one wins",
		"notices get lost":              "Feed/every append is told in order",
		"told before it is stored":      "Feed/only what is stored is told",
		"other rooms are told of":       "Feed/other rooms are not told of",
		"cancel does nothing":           "Feed/a cancelled subscription is told nothing",
		"claims are not exclusive":      "Agenda/claim is exclusive and comes back after the lease",
		"claims do not come back":       "Agenda/claim is exclusive and comes back after the lease",
		"claims have no limit":          "Agenda/the limit holds",
		"the due time stays":            "Agenda/append moves the due time",
		"the oldest come first":         "Directory/the newest come first, up to the limit",
		"the shelf stays":               "Directory/append moves a room to another shelf",
		"every append renews the place": "Directory/append on the same shelf keeps the place",
		"lives are not renewed":         "Players/saving again renews the life",
		"people play themselves":        "Tickets/nobody is paired with himself",
		"variants are mixed":            "Tickets/other variants are not paired",
		"the first wish stays":          "Tickets/second seek replaces the variant",
		"the dead are paired":           "Tickets/expired ticket is not paired",
		"who waits is paired again":     "PairingRaces/50 seek at once: each plays one, nobody twice",
		"withdrawals are final":         "Tickets/renewal after a withdrawal",
		"the cancelled come back":       "Tickets/renewal after a cancellation",
		"a late wish comes true":        "Tickets/a wish that arrives after its cancellation",
		"cancel breaks pairs":           "PairingRaces/cancel races with pairing",
		"pairs last for ever":           "Tickets/paired ticket is returned until the lease ends",
		"drop takes any ticket":         "Tickets/drop takes out the ticket of that room only",
		"pairs are not told":            "Tickets/pairs are told",
		"damage is read":                "Append/a damaged log is named",
		"tails are shuffled":            "Tails/tails come in the order asked",
		"nodes hear themselves":         "Presence/nobody is told of himself",
		"renewals are told":             "Presence/a change is told, a renewal is not",
		"presence is not told":          "Presence/a change is told, a renewal is not",
		"the dead attend":               "Presence/attendance ends with its lease",
		"games are replaced":            "Archive/archiving again changes nothing",
		"nodes keep to themselves":      "Nodes/what one node appends the other reads and hears",
		"close does nothing":            "Life/a closed store answers with errors",
		"a restart forgets":             "Life/reopen keeps logs",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			var parts []string
			for part := range strings.SplitSeq("TestNaive/"+strings.ReplaceAll(test, " ", "_"), "/") {
				parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+strings.Join(parts, "/"), "-test.count=1")
			cmd.Env = append(os.Environ(), faultEnv+"="+fault)
			out, err := cmd.CombinedOutput()
			if _, ended := err.(*exec.ExitError); !ended || !strings.Contains(string(out), "--- FAIL: TestNaive") {
				t.Errorf("not found: %v\n%s", err, out)
			}
		})
	}
}
