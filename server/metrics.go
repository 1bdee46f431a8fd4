package server

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"oxo/lobby"
	"oxo/server/wire"
)

// metrics are what the server counts and times. What it has at the moment is
// counted by census, when somebody asks.
type metrics struct {
	opened        *prometheus.CounterVec
	closed        *prometheus.CounterVec
	duration      prometheus.Histogram
	rtt           prometheus.Histogram
	reconnects    *prometheus.CounterVec
	received      *prometheus.CounterVec
	receivedBytes prometheus.Counter
	sent          map[string]prometheus.Counter // by type
	sentBytes     prometheus.Counter
	limited       *prometheus.CounterVec
	slow          prometheus.Counter
	waited        *prometheus.HistogramVec
	moves         *prometheus.HistogramVec
	stages        *prometheus.HistogramVec
	broadcast     prometheus.Histogram
	recipients    prometheus.Histogram
	gaps          *prometheus.CounterVec
	panics        prometheus.Counter
}

// other is the label value of whatever is not in a closed set.
const other = "other"

// The closed sets of label values.
var (
	openedLabels    = []string{"accepted", "limit", "auth", "origin", "draining", "error"}
	closeLabels     = []string{"1000", "1001", "1005", "1006", "1008", "1009", "1012", "1013", other}
	initiatorLabels = []string{byServer, byClient}
	resumedLabels   = []string{"resumed", "reset", "unknown"}
	limitLabels     = []string{"message", "connect", "create_room", "hint"}
	waitLabels      = []string{matched, gaveUp, leftWaiting}
	stageLabels     = []string{"queue", "decide", "persist", "publish"}
	gapLabels       = []string{refilled, bySnapshot, lost}
	sentLabels      = []string{"welcome", "snapshot", "events", "presence", "ticket", "hint", "done", "pong", "error", other}
	// clientMessages has one of each, for the label values.
	clientMessages = []wire.ClientMessage{
		wire.Hello{}, wire.Rename{}, wire.Create{}, wire.Join{}, wire.Watch{}, wire.Unwatch{}, wire.Play{}, wire.Choose{},
		wire.Resign{}, wire.Leave{}, wire.Rematch{}, wire.Claim{}, wire.Hint{}, wire.Seek{}, wire.Cancel{}, wire.Ping{},
	}
)

// Label values that stand in more than one place.
const (
	byServer    = "server"
	byClient    = "client"
	matched     = "matched"
	gaveUp      = "cancelled"
	leftWaiting = "timeout"
	refilled    = "refilled"
	bySnapshot  = "snapshot"
	lost        = "lost"
)

// stageBuckets reach from a computer's room in memory to a store that is away.
var stageBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}

func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	counter := func(name, help string) prometheus.Counter {
		return f.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	// labelled makes a counter with one label and all its values at zero.
	labelled := func(name, help, label string, values []string) *prometheus.CounterVec {
		c := f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
		for _, v := range values {
			c.WithLabelValues(v)
		}
		return c
	}
	histogram := func(name, help string, buckets ...float64) prometheus.Histogram {
		return f.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	histograms := func(name, help, label string, values []string, buckets ...float64) *prometheus.HistogramVec {
		h := f.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, []string{label})
		for _, v := range values {
			h.WithLabelValues(v)
		}
		return h
	}
	messages := []string{other}
	for _, m := range clientMessages {
		messages = append(messages, messageLabel(m))
	}
	m := &metrics{
		opened: labelled("oxo_connections_opened_total", "Connections asked for, by what became of it. accepted: it said who it is; auth: it ended before it did; error: no WebSocket request at all.",
			"result", openedLabels),
		closed: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oxo_connections_closed_total", Help: "Connections ended, by close code (1006: without one) and by who ended it.",
		}, []string{"code", "initiator"}),
		duration: histogram("oxo_connection_duration_seconds", "Life of a connection in seconds, when it has ended.", 1, 10, 60, 300, 900, 3600, 4*3600, 24*3600),
		rtt:      histogram("oxo_ping_rtt_seconds", "Time in seconds from a ping to its pong.", .001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5),
		reconnects: labelled("oxo_reconnects_total", "Rooms taken up again by cursor: resumed where the client stood, reset because the stored history is another one, or unknown because the room is gone.",
			"result", resumedLabels),
		received:      labelled("oxo_messages_received_total", "Messages from clients. other: not understood.", "type", messages),
		receivedBytes: counter("oxo_received_bytes_total", "Bytes of messages from clients."),
		sent:          make(map[string]prometheus.Counter),
		sentBytes:     counter("oxo_sent_bytes_total", "Bytes of messages to clients."),
		limited:       labelled("oxo_rate_limited_total", "What was refused for coming too fast.", "limit", limitLabels),
		slow:          counter("oxo_slow_consumer_disconnects_total", "Connections cut because they took nothing for too long."),
		waited: histograms("oxo_matchmaking_wait_seconds", "Time in seconds that a player waited for an opponent: until matched, until the player cancelled, or until the player's last connection ended (timeout).",
			"outcome", waitLabels, .1, 1, 2.5, 5, 10, 20, 30, 60, 120, 300),
		moves: histograms("oxo_move_duration_seconds", "Time in seconds from a move's frame being read to its event being queued for the mover, of accepted moves of people.",
			"mode", lobby.ModeLabels(), stageBuckets...),
		stages: histograms("oxo_move_stage_duration_seconds", "Parts of oxo_move_duration_seconds: queue (read to lobby), decide (room read, move judged), persist (stored), publish (queued for the mover).",
			"stage", stageLabels, stageBuckets...),
		broadcast: histogram("oxo_broadcast_duration_seconds", "Time in seconds from a change of a room coming out of the feed, which is right after its commit, to its last write to a connection of this node.",
			stageBuckets...),
		recipients: histogram("oxo_broadcast_recipients", "Connections of this node that a change of a room went to.", 1, 2, 5, 10, 50, 100, 500, 1000),
		gaps: labelled("oxo_pubsub_gaps_total", "Gaps in the feed of a room, by how they were closed: refilled event by event, by a snapshot because there were many, or lost: the store has forgotten what clients had seen.",
			"resolution", gapLabels),
		panics: f.NewCounter(prometheus.CounterOpts{
			Name: "oxo_panics_total", Help: lobby.PanicsHelp, ConstLabels: prometheus.Labels{"component": "request"},
		}),
	}
	sent := labelled("oxo_messages_sent_total", "Messages to clients.", "type", sentLabels)
	for _, l := range sentLabels {
		m.sent[l] = sent.WithLabelValues(l)
	}
	for _, code := range closeLabels {
		for _, initiator := range initiatorLabels {
			m.closed.WithLabelValues(code, initiator)
		}
	}
	return m
}

// messageLabel is the message's type in lower case, as on the wire.
func messageLabel(m wire.ClientMessage) string {
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", m), "wire."))
}

// closedWith counts an end.
func (m *metrics) closedWith(code websocket.StatusCode, initiator string) {
	if code == -1 {
		code = websocket.StatusAbnormalClosure // it ended without a close frame
	}
	label := strconv.Itoa(int(code))
	if !slices.Contains(closeLabels, label) {
		label = other
	}
	m.closed.WithLabelValues(label, initiator).Inc()
}

// wrote counts a message that was sent.
func (m *metrics) wrote(frame []byte) {
	m.sentBytes.Add(float64(len(frame)))
	sent, ok := m.sent[string(typeOf(frame))]
	if !ok {
		sent = m.sent[other]
	}
	sent.Inc()
}

// typeOf is the type of a message, which stands between its third and fourth
// quotation mark. Frames are encoded once for many connections, so nothing
// else is known of them here.
func typeOf(frame []byte) []byte {
	for range 3 {
		_, frame, _ = bytes.Cut(frame, []byte{'"'})
	}
	kind, _, _ := bytes.Cut(frame, []byte{'"'})
	return kind
}

// since observes the time that has passed.
func since(h prometheus.Observer, start time.Time) { h.Observe(time.Since(start).Seconds()) }
