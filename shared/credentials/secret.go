package credentials

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"hash/crc32"
	"log/slog"
	"strings"

	"portside/shared/core/fault"
)

// Kind is what a credential is for; its text starts with it.
type Kind string

// The kinds of credentials.
const (
	APIKey      Kind = "psk" // sent as X-API-Key; may do what its user's role permits
	AccessToken Kind = "pst" // sent as Bearer, or as Basic password with any user name; may do what its scopes say
	Password    Kind = "psp" // sent as Basic with exactly its user name; may do what its scopes say
	Link        Kind = "psl" // in a mailed address; does one thing once
)

const (
	alphabet     = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	idLength     = 12
	secretLength = 30 // 62^30 > 2^178
	sumLength    = 6  // 62^6 > 2^32
	textLength   = 3 + 1 + idLength + 1 + secretLength + sumLength
)

// ErrMalformed is what Parse says of text that no Mint ever made. Edges answer it like any other failed credential.
var ErrMalformed = fault.New(fault.Unauthorized, unauthorized)

// Secret is a credential's text: kind, public id, secret part and checksum. It prints and logs without the secret part;
// Reveal alone shows it.
type Secret struct {
	kind Kind
	id   string
	text string
}

// Mint makes a new credential text from the system's random source: <kind>_<id>_<secret><crc>.
func Mint(kind Kind) Secret {
	id := random(idLength)
	body := string(kind) + "_" + id + "_" + random(secretLength)
	return Secret{kind: kind, id: id, text: body + checksum(body)}
}

// Parse takes text apart. It reads no storage: a text with a wrong length, alphabet, kind or checksum is ErrMalformed at
// the cost of one CRC, which is what makes garbage cheap to refuse.
func Parse(text string) (Secret, error) {
	if len(text) != textLength || text[3] != '_' || text[4+idLength] != '_' {
		return Secret{}, ErrMalformed
	}
	kind, id, body := Kind(text[:3]), text[4:4+idLength], text[:textLength-sumLength]
	if !kind.known() || !base62(id) || !base62(text[5+idLength:]) || checksum(body) != text[textLength-sumLength:] {
		return Secret{}, ErrMalformed
	}
	return Secret{kind: kind, id: id, text: text}, nil
}

// IsID reports whether a text can be the public id of a credential. Stores answer any other as unknown, without a read.
func IsID(text string) bool { return len(text) == idLength && base62(text) }

// Kind returns what the credential is for.
func (s Secret) Kind() Kind { return s.kind }

// ID returns the public part, by which the credential is looked up and which may appear in logs and lists.
func (s Secret) ID() string { return s.id }

// Reveal returns the whole text. Its only rightful destinations are the response that hands it out and the mail that
// carries a link.
func (s Secret) Reveal() string { return s.text }

// Hash returns what is stored in place of the text: SHA-256 of the whole. The secret part has 178 random bits, so no
// slow hash is needed to withstand guessing.
func (s Secret) Hash() []byte {
	sum := sha256.Sum256([]byte(s.text))
	return sum[:]
}

// Matches compares the stored hash with this text's in constant time.
func (s Secret) Matches(hash []byte) bool { return subtle.ConstantTimeCompare(s.Hash(), hash) == 1 }

// String returns kind and id only.
func (s Secret) String() string { return string(s.kind) + "_" + s.id + "_…" }

// GoString keeps %#v from showing the secret.
func (s Secret) GoString() string { return s.String() }

// LogValue keeps structured logs from showing the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText keeps encoders from showing the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (k Kind) known() bool {
	return k == APIKey || k == AccessToken || k == Password || k == Link
}

func base62(s string) bool {
	for i := range len(s) {
		if strings.IndexByte(alphabet, s[i]) < 0 {
			return false
		}
	}
	return true
}

// checksum returns the IEEE CRC-32 of body as six base62 digits, most significant first.
func checksum(body string) string {
	n := crc32.ChecksumIEEE([]byte(body))
	digits := [sumLength]byte{}
	for i := sumLength - 1; i >= 0; i-- {
		digits[i] = alphabet[n%62]
		n /= 62
	}
	return string(digits[:])
}

// random returns n base62 digits, each equally likely: bytes of 248 and above are drawn again, since 248 = 4 × 62.
func random(n int) string {
	digits := make([]byte, 0, n)
	draw := make([]byte, 2*n)
	for len(digits) < n {
		_, _ = rand.Read(draw) // never fails: it ends the program where the system has no random source
		for _, b := range draw {
			if b < 248 && len(digits) < n {
				digits = append(digits, alphabet[b%62])
			}
		}
	}
	return string(digits)
}
