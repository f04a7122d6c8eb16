package sessions

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"math/big"
	"strings"
)

// codeIterations makes it slow to find a code from its stored hash: a code has only 10^10 values, and someone who can
// read the table could otherwise compute it before it expires.
const codeIterations = 50_000

// newCode returns a random code.
func newCode() string {
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(CodeDigits), nil)
	n, err := rand.Int(rand.Reader, limit)
	if err != nil {
		panic("sessions: the system has no random source: " + err.Error())
	}
	return fmt.Sprintf("%0*d", CodeDigits, n)
}

func newSalt() []byte {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails: it ends the program if the system has no random source
	return salt
}

// hashCode returns the stored form of a code: PBKDF2 with SHA-256.
func hashCode(code string, salt []byte) []byte {
	hash, err := pbkdf2.Key(sha256.New, code, salt, codeIterations, sha256.Size)
	if err != nil {
		panic("sessions: " + err.Error()) // only with invalid lengths
	}
	return hash
}

// matchesCode compares a code that a person typed, which may have spaces, with the stored one.
func (r Request) matchesCode(code string) bool {
	code = strings.Join(strings.Fields(code), "")
	return subtle.ConstantTimeCompare(hashCode(code, r.CodeSalt), r.CodeHash) == 1
}
