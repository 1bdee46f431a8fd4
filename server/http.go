package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"oxo/lobby"
	"oxo/lobby/room"
	"oxo/server/wire"
)

// api turns a function that answers or fails into a handler. What fails is
// logged once, here, and answered as a problem.
func (s *Server) api(f func(*http.Request) (wire.Body, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.limits.Request)
		defer cancel()
		body, err := f(r.WithContext(ctx))
		if err == nil {
			respond(w, "application/json", http.StatusOK, body)
			return
		}
		problem := s.problem(r, err)
		if problem.Status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", "GET, HEAD")
		}
		respond(w, "application/problem+json", problem.Status, problem)
	})
}

func respond(w http.ResponseWriter, contentType string, status int, body wire.Body) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(wire.EncodeBody(body)) // the client has gone: nothing to do about it
}

// problem finds the words and the status for an error.
func (s *Server) problem(r *http.Request, err error) wire.Problem {
	p := wire.Problem{Status: http.StatusInternalServerError, Code: wire.CodeInternal, Detail: "Something went wrong on our side. It has been noted."}
	var refusal *room.Refusal
	var known *wire.Error
	switch {
	case errors.As(err, &refusal): // there is nothing else to refuse than an address

		p.Status, p.Code, p.Detail = http.StatusNotFound, refusal.Code, refusal.Text
	case errors.As(err, &known):
		p.Status, p.Code, p.Detail = http.StatusNotFound, known.Code, known.Text
	case errors.As(err, new(methodError)):
		p.Status, p.Code, p.Detail = http.StatusMethodNotAllowed, wire.CodeMethod, "Over HTTP rooms can only be read. Play over the WebSocket at /ws."
	case errors.Is(err, lobby.ErrUnavailable), errors.Is(err, lobby.ErrNewer):
		p.Status, p.Code, p.Detail = http.StatusServiceUnavailable, wire.CodeUnavailable, "The server is busy. Please try again in a moment."
		s.log.Warn("a request was not answered in time", "path", r.URL.Path, "err", err)
	default:
		s.log.Error("a request failed", "path", r.URL.Path, "err", err)
	}
	p.Title = http.StatusText(p.Status)
	return p
}

func noSuchResource(*http.Request) (wire.Body, error) {
	return nil, &wire.Error{Code: wire.CodeNotFound, Text: "There is nothing at this address. Known are GET /api/rooms, /api/rooms/{id}, /api/games/{room}/{game} and /api/variants."}
}

// methodError is a request to change what can only be read.
type methodError struct{}

func (methodError) Error() string { return "only GET is understood" }

func onlyGet(*http.Request) (wire.Body, error) { return nil, methodError{} }

func (s *Server) listRooms(r *http.Request) (wire.Body, error) {
	var list wire.RoomList
	open, err := s.lobby.List(r.Context(), room.OpenGames)
	if err != nil {
		return nil, err
	}
	for _, l := range open {
		// Nobody can play with a host who is not there. The room comes back
		// to the list with its host.
		if !s.hub.present(r.Context(), l.Room, l.Seats[room.Host].Player) {
			continue
		}
		list.Open = append(list.Open, wire.OpenRoom{
			Room: l.Room, Variant: l.Variant, Opening: l.Opening, Host: l.Seats[room.Host].Name, Created: l.Created,
		})
	}
	live, err := s.lobby.List(r.Context(), room.LiveGames)
	if err != nil {
		return nil, err
	}
	for _, l := range live {
		list.Live = append(list.Live, wire.LiveRoom{
			Room: l.Room, Variant: l.Variant, Opening: l.Opening, Moves: l.Moves, Created: l.Created,
			Seats: [2]string{occupantName(l.Seats[room.Host]), occupantName(l.Seats[room.Guest])},
		})
	}
	return list, nil
}

func occupantName(o room.Occupant) string {
	if o.Kind == room.Computer {
		return o.Level
	}
	return o.Name
}

func (s *Server) showRoom(r *http.Request) (wire.Body, error) {
	id := r.PathValue("room")
	if !wire.ValidRoom(id) {
		return nil, &room.Refusal{Code: room.CodeRoomUnknown, Text: "A room's name has 12 letters and digits."}
	}
	view, err := s.lobby.Room(r.Context(), room.ID(id))
	if err != nil {
		return nil, err
	}
	return wire.RoomView{Room: room.ID(id), Cursor: view.Cursor, State: view.State}, nil
}

func (s *Server) showGame(r *http.Request) (wire.Body, error) {
	id, number := r.PathValue("room"), r.PathValue("game")
	n, err := strconv.Atoi(number)
	if err != nil || !wire.ValidRoom(id) {
		return nil, &room.Refusal{Code: room.CodeGameUnknown, Text: "A game is named by its room's 12 letters and digits, and its number in the room, from 1."}
	}
	g, err := s.lobby.Game(r.Context(), room.ID(id), n)
	if err != nil {
		return nil, err
	}
	return wire.GameView{Room: room.ID(id), Game: g}, nil
}

func (s *Server) listVariants(*http.Request) (wire.Body, error) {
	var list wire.VariantList
	for _, p := range s.lobby.Presets() {
		list.Presets = append(list.Presets, wire.Preset{Name: p.Name, Variant: p.Variant, Levels: p.Levels})
	}
	return list, nil
}
