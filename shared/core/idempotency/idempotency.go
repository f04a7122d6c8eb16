// Package idempotency lets a client repeat a creation without creating twice. The client sends an
// idempotency key of its choice, and the same request with the same key gets the result of the
// first one.
//
// A key belongs to one caller. It is stored in the transaction that creates the resource, so that
// neither is ever stored without the other.
package idempotency

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"portside/shared/core/fault"
)

// Lifetime is how long a key is remembered.
const Lifetime = 24 * time.Hour

// The errors of a key.
var (
	ErrReused = fault.New(fault.Unprocessable, "This Idempotency-Key was used for another request. Use a new key for each request.")
	// ErrExpired means that the key expired between the write that found it and the read of its
	// result. The next request creates anew.
	ErrExpired = fault.New(fault.Unavailable, "This Idempotency-Key has just expired. Send the request again.")
)

// Key makes one creation idempotent.
type Key struct {
	Caller      string // user id; equal keys of different callers are independent
	Text        string // as the client sent it
	Fingerprint []byte // hash of the request's input
}

// NewKey returns the key of a request, or nil if the client sent none. The input must encode as
// JSON.
func NewKey(caller, text string, input any) *Key {
	if text == "" {
		return nil
	}
	encoded, err := json.Marshal(input)
	if err != nil {
		panic(fmt.Sprintf("idempotency: encode a validated input: %v", err))
	}
	sum := sha256.Sum256(encoded)
	return &Key{Caller: caller, Text: text, Fingerprint: sum[:]}
}
