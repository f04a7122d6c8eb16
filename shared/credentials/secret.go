package credentials

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"hash/crc32"
	"log/slog"
	"slices"
	"strings"

	"portside/shared/core/fault"
)

// Kind is the purpose of a credential. Its text starts with the kind.
type Kind string

// The kinds of credentials.
const (
	APIKey      Kind = "psk" // sent as X-API-Key; allows what its user's role permits
	AccessToken Kind = "pst" // sent as Bearer, or as Basic password with any user name; allows what its scopes say
	Password    Kind = "psp" // sent as Basic with its own user name; allows what its scopes say
	Link        Kind = "psl" // in a mailed address; works once, for one purpose
	Session     Kind = "pss" // in a cookie of a browser; allows what its user's role permits
	Browser     Kind = "psb" // in a cookie of a browser that asked for a sign-in link; only that browser can use the link
)

const (
	alphabet     = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	idLength     = 12
	secretLength = 30 // 62^30 > 2^178
	sumLength    = 6  // 62^6 > 2^32
	textLength   = 3 + 1 + idLength + 1 + secretLength + sumLength
)

// ErrMalformed is what Parse returns for text that Mint cannot have created. Clients get the
// response of any other failed credential.
var ErrMalformed = fault.New(fault.Unauthorized, unauthorized)

// Secret is the text of a credential: kind, public id, secret part and checksum. It prints and logs
// without the secret part, which only Reveal returns.
type Secret struct {
	kind Kind
	id   string
	text string
}

// Mint creates a credential text from the system's random source: <kind>_<id>_<secret><crc>.
func Mint(kind Kind) Secret {
	id := random(idLength)
	body := string(kind) + "_" + id + "_" + random(secretLength)
	return Secret{kind: kind, id: id, text: body + checksum(body)}
}

// lineEnds are ignored after credentials and user names, because files and encoded secrets often end with one.
const lineEnds = "\r\n"

// Parse parses a credential text without reading storage. It ignores line ends after it. Text with
// a wrong length, alphabet, kind or checksum is ErrMalformed, at the cost of one CRC.
func Parse(text string) (Secret, error) {
	text = strings.TrimRight(text, lineEnds)
	if len(text) != textLength || text[3] != '_' || text[4+idLength] != '_' {
		return Secret{}, ErrMalformed
	}
	kind, id, body := Kind(text[:3]), text[4:4+idLength], text[:textLength-sumLength]
	if !kind.known() || !base62(id) || !base62(text[5+idLength:]) || checksum(body) != text[textLength-sumLength:] {
		return Secret{}, ErrMalformed
	}
	return Secret{kind: kind, id: id, text: text}, nil
}

// IsID reports whether a text can be the public id of a credential. Stores treat any other text as
// unknown without a read.
func IsID(text string) bool { return len(text) == idLength && base62(text) }

// Kind returns the purpose of the credential.
func (s Secret) Kind() Kind { return s.kind }

// ID returns the public part, which finds the credential and may appear in logs and lists.
func (s Secret) ID() string { return s.id }

// Reveal returns the whole text. It belongs only into the response that hands it out, and into the
// mail that contains a link.
func (s Secret) Reveal() string { return s.text }

// Hash returns the stored form: SHA-256 of the whole text. The secret part has 178 random bits, so
// guessing fails even without a slow hash.
func (s Secret) Hash() []byte {
	sum := sha256.Sum256([]byte(s.text))
	return sum[:]
}

// Matches compares the stored hash with the hash of this text in constant time.
func (s Secret) Matches(hash []byte) bool { return subtle.ConstantTimeCompare(s.Hash(), hash) == 1 }

// String returns kind and id only.
func (s Secret) String() string { return string(s.kind) + "_" + s.id + "_…" }

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the secret from structured logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText hides the secret from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (k Kind) known() bool {
	return slices.Contains([]Kind{APIKey, AccessToken, Password, Link, Session, Browser}, k)
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

// random returns n base62 digits with equal probability. It draws bytes of 248 and above again,
// because 248 = 4 × 62.
func random(n int) string {
	digits := make([]byte, 0, n)
	draw := make([]byte, 2*n)
	for len(digits) < n {
		_, _ = rand.Read(draw) // never fails: it ends the program if the system has no random source
		for _, b := range draw {
			if b < 248 && len(digits) < n {
				digits = append(digits, alphabet[b%62])
			}
		}
	}
	return string(digits)
}
