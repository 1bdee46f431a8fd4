package storetest

import (
	"oxo/lobby"
	"oxo/lobby/room"
)

func playerTests() []test {
	return []test{
		{"a player is known by what was saved", playerSaved},
		{"nobody is not known", playerUnknown},
		{"a player is forgotten after his life", playerLife},
		{"saving again renews the life", playerRenewed},
	}
}

func playerSaved(w *world) {
	p, q := newPerson(), newPerson()
	q.Name = ""
	w.check(w.s.Save(w.ctx(), p, long))
	w.check(w.s.Save(w.ctx(), q, long))
	w.known(p)
	w.known(q)
	p.Name = "another: \x00 五目並べ"
	w.check(w.s.Save(w.ctx(), p, long))
	w.known(p)
}

func (w *world) known(p room.Person) {
	w.Helper()
	got, err := w.s.Player(w.ctx(), p.Player)
	w.check(err)
	if got != p {
		w.Fatalf("the player is %v, want %v", got, p)
	}
}

func playerUnknown(w *world) {
	_, err := w.s.Player(w.ctx(), newPerson().Player)
	w.wants(err, lobby.ErrUnknownPlayer)
	_, err = w.s.Player(w.ctx(), room.PlayerID{})
	w.wants(err, lobby.ErrUnknownPlayer)
}

func playerLife(w *world) {
	p := newPerson()
	w.check(w.s.Save(w.ctx(), p, w.short()))
	w.forgotten(p)
	w.check(w.s.Save(w.ctx(), p, long))
	w.known(p)
	// A life may be made shorter as well.
	w.check(w.s.Save(w.ctx(), p, w.short()))
	w.forgotten(p)
}

func (w *world) forgotten(p room.Person) {
	w.Helper()
	w.pass(w.short())
	w.eventually("the player is forgotten", func() bool {
		_, err := w.s.Player(w.ctx(), p.Player)
		if err != nil {
			w.wants(err, lobby.ErrUnknownPlayer)
		}
		return err != nil
	})
}

func playerRenewed(w *world) {
	p := newPerson()
	w.check(w.s.Save(w.ctx(), p, w.short()))
	w.check(w.s.Save(w.ctx(), p, long))
	w.pass(2 * w.short())
	w.known(p)
}
