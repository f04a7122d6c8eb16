// Package once lets a client repeat a creation without creating twice: it sends an idempotency key of its choice, and the same
// request with the same key gets the first one's outcome.
//
// A key belongs to its caller, and is remembered in the transaction that creates, so that there is no moment at which one is
// stored without the other.
package idempotency

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"portside/shared/core/fault"
)

// Life is how long a key is remembered.
const Life = 24 * time.Hour

// The ways in which a key is refused.
var (
	ErrReused = fault.New(fault.Unprocessable, "This Idempotency-Key was used for another request. Send a new key with a new request.")
	// ErrEnded says that a key ended between being found and being read; the next request creates anew.
	ErrEnded = fault.New(fault.Unavailable, "This Idempotency-Key ended at this moment. Send the request again.")
)

// Key makes one creation idempotent.
type Key struct {
	Caller      string // user id; keys of different callers never meet
	Text        string // as sent
	Fingerprint []byte // hash of what was asked for
}

// For returns the key of a request, nil where none was sent. The input is what was asked for; it must encode as JSON.
func For(caller, text string, input any) *Key {
	if text == "" {
		return nil
	}
	wanted, err := json.Marshal(input)
	if err != nil {
		panic(fmt.Sprintf("once: a checked input does not encode: %v", err))
	}
	sum := sha256.Sum256(wanted)
	return &Key{Caller: caller, Text: text, Fingerprint: sum[:]}
}
