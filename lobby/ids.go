package lobby

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"

	"oxo/lobby/room"
)

// crockford is the base32 alphabet without letters that are mistaken for
// digits or each other, in lower case (Douglas Crockford's).
var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// idLength is the length of a room id in characters: 60 bits, too many to
// guess a private room's.
const idLength = 12

// createdID derives a room's id from the command that makes it, so that the
// command sent twice makes one room.
func createdID(p room.PlayerID, id room.CommandID) room.ID {
	sum := sha256.Sum256(append(p[:], id[:]...))
	return room.ID(crockford.EncodeToString(sum[:])[:idLength])
}

// randomID draws an id for a room that two strangers will be paired in.
func randomID() room.ID {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return room.ID(crockford.EncodeToString(b[:])[:idLength])
}

// Token is a guest's secret: 128 random bits as 22 characters of base64url.
// Whoever has it is that guest.
type Token string

func newToken() Token {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return Token(base64.RawURLEncoding.EncodeToString(b[:]))
}

// player returns the public id that belongs to a token. It is a hash, so it
// can be shown to everybody.
func (t Token) player() room.PlayerID {
	sum := sha256.Sum256([]byte(t))
	return room.PlayerID(sum[:16])
}
