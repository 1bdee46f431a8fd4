package redisstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"oxo/lobby"
	"oxo/lobby/room"
)

// Announce implements [lobby.Presence].
func (s *Store) Announce(ctx context.Context, id room.ID, a lobby.Attendance, lease time.Duration) error {
	if lease <= 0 {
		return errors.New("an attendance needs a lease")
	}
	_, err := s.do.run(ctx, s.scripts.announce, request{
		[]string{s.keys.presence(id)},
		[]any{s.node, encodeAttendance(a), ms(lease), s.publish, s.keys.channel(id), presenceNotice(s.node)},
	})
	return err
}

// Attending implements [lobby.Presence].
func (s *Store) Attending(ctx context.Context, id room.ID) ([]lobby.Attendance, error) {
	nodes := redis.NewMapStringStringCmd(ctx, "hgetall", s.keys.presence(id))
	if err := s.do.do(ctx, "attending", nodes); err != nil {
		return nil, err
	}
	now := s.Now().UnixMilli()
	var all []lobby.Attendance
	for node, value := range nodes.Val() {
		ends, a, err := decodeAttendance(value)
		switch {
		case err != nil:
			return nil, err
		case node != s.node && ends >= now:
			all = append(all, a)
		}
	}
	return all, nil
}

// encodeAttendance writes the number of spectators (4 bytes) and the players
// in order, so that equal attendances are equal bytes; nothing for nobody.
func encodeAttendance(a lobby.Attendance) []byte {
	if len(a.Players) == 0 && a.Spectators == 0 {
		return nil
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(a.Spectators))
	players := slices.Clone(a.Players)
	slices.SortFunc(players, func(x, y room.PlayerID) int { return bytes.Compare(x[:], y[:]) })
	for _, p := range players {
		b = append(b, p[:]...)
	}
	return b
}

// decodeAttendance reads what lua/announce.lua stores: when it ends (ms, as
// text), a colon and the attendance.
func decodeAttendance(value string) (ends int64, a lobby.Attendance, err error) {
	number, rest, _ := strings.Cut(value, ":")
	ends, err = strconv.ParseInt(number, 10, 64)
	const size = len(room.PlayerID{})
	if err != nil || len(rest) < 4 || (len(rest)-4)%size != 0 {
		return 0, a, fmt.Errorf("%w: an attendance of %d bytes", lobby.ErrCorrupt, len(value))
	}
	b := []byte(rest)
	a.Spectators = int(binary.BigEndian.Uint32(b))
	for p := range slices.Chunk(b[4:], size) {
		a.Players = append(a.Players, room.PlayerID(p))
	}
	return ends, a, nil
}
