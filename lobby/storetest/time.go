package storetest

import (
	"oxo/lobby"
	"oxo/lobby/room"
)

func timeTests() []test {
	return []test{
		{"expired room is gone", expiredRoom},
		{"append renews the expiry", appendRenews},
		{"append may shorten the expiry", appendShortens},
		{"create in time", createInTime},
		{"late create is refused", lateCreate},
		{"late append is refused", lateAppend},
		{"create retried late finds itself", lateRetry},
		{"create retried after expiry is refused", retryAfterExpiry},
		{"an expired id can be made anew", madeAnew},
	}
}

func (w *world) expiring() lobby.AppendOptions {
	return lobby.AppendOptions{Expiry: w.s.Now().Add(w.short())}
}

// gone waits until a room has expired.
func (w *world) gone(id room.ID) {
	w.Helper()
	w.pass(w.short())
	w.eventually("the room expires", func() bool {
		_, _, err := w.s.Read(w.ctx(), id, room.Cursor{})
		if err != nil {
			w.wants(err, lobby.ErrGone)
		}
		return err != nil
	})
}

func expiredRoom(w *world) {
	id := newRoom()
	opt := w.expiring()
	opt.Shelf, opt.Due = room.OpenGames, opt.Expiry
	c := w.add(id, room.Cursor{}, []string{"a"}, opt)
	w.gone(id)
	batch, _ := chain(c, "b")
	_, err := w.s.Append(w.ctx(), id, c, batch, w.options())
	w.wants(err, lobby.ErrGone)
	if w.listed(room.OpenGames, id) {
		w.Fatal("an expired room is listed")
	}
	if len(w.claim(id)) > 0 {
		w.Fatal("an expired room was claimed")
	}
}

func appendRenews(w *world) {
	id, start := newRoom(), w.s.Now()
	c := w.add(id, room.Cursor{}, []string{"a"}, w.expiring())
	batch, _ := chain(c, "b")
	_, err := w.s.Append(w.ctx(), id, c, batch, w.options())
	if !w.within(start, w.short()) {
		w.Skip("too slow")
	}
	w.check(err)
	w.pass(w.short())
	w.holds(id, room.Cursor{}, "a", "b")
}

func appendShortens(w *world) {
	id := newRoom()
	c := w.add(id, room.Cursor{}, []string{"a"})
	w.add(id, c, []string{"b"}, w.expiring())
	w.gone(id)
}

func (w *world) notAfter() lobby.AppendOptions {
	opt := w.options()
	opt.NotAfter = w.s.Now().Add(w.short())
	return opt
}

func createInTime(w *world) {
	id := newRoom()
	opt := w.options()
	opt.NotAfter = w.s.Now().Add(long)
	w.add(id, room.Cursor{}, []string{"a"}, opt)
	w.holds(id, room.Cursor{}, "a")
}

func lateCreate(w *world) {
	id := newRoom()
	opt := w.notAfter()
	w.pass(2 * w.short())
	batch, _ := chain(room.Cursor{}, "a")
	_, err := w.s.Append(w.ctx(), id, room.Cursor{}, batch, opt)
	w.wants(err, lobby.ErrGone)
	_, _, err = w.s.Read(w.ctx(), id, room.Cursor{})
	w.wants(err, lobby.ErrGone)
}

func lateAppend(w *world) {
	id := newRoom()
	c := w.add(id, room.Cursor{}, []string{"a"})
	opt := w.notAfter()
	w.pass(2 * w.short())
	batch, _ := chain(c, "b")
	_, err := w.s.Append(w.ctx(), id, c, batch, opt)
	w.wants(err, lobby.ErrGone)
	w.holds(id, room.Cursor{}, "a")
}

func lateRetry(w *world) {
	id := newRoom()
	opt := w.options()
	opt.NotAfter = w.s.Now().Add(w.short())
	batch, _ := chain(room.Cursor{}, "a")
	// With a real clock the first one may be late itself.
	if _, err := w.s.Append(w.ctx(), id, room.Cursor{}, batch, opt); err != nil {
		w.Skip("too slow: ", err)
	}
	w.pass(2 * w.short())
	w.add(id, room.Cursor{}, []string{"a"}, opt)
	w.holds(id, room.Cursor{}, "a")
}

func retryAfterExpiry(w *world) {
	id := newRoom()
	opt := w.expiring()
	opt.NotAfter = opt.Expiry
	batch, _ := chain(room.Cursor{}, "a")
	if _, err := w.s.Append(w.ctx(), id, room.Cursor{}, batch, opt); err != nil {
		w.Skip("too slow: ", err)
	}
	w.gone(id)
	w.pass(w.short())
	_, err := w.s.Append(w.ctx(), id, room.Cursor{}, batch, opt)
	w.wants(err, lobby.ErrGone)
	_, _, err = w.s.Read(w.ctx(), id, room.Cursor{})
	w.wants(err, lobby.ErrGone)
}

func madeAnew(w *world) {
	id := newRoom()
	opt := w.expiring()
	opt.Shelf, opt.Due = room.OpenGames, w.s.Now().Add(long)
	w.add(id, room.Cursor{}, []string{"old", "and", "long"}, opt)
	w.gone(id)
	opt = w.options()
	opt.Shelf = room.LiveGames
	c := w.add(id, room.Cursor{}, []string{"new"}, opt)
	w.add(id, c, []string{"and new"}, opt)
	w.holds(id, room.Cursor{}, "new", "and new")
	if w.listed(room.OpenGames, id) || !w.listed(room.LiveGames, id) {
		w.Fatal("the room stands where the old one stood")
	}
}
