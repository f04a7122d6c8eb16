// Package idempotency lets a client repeat a creation without creating twice. The client sends an
// idempotency key of its choice, and the same request with the same key gets the result of the
// first one.
//
// A key belongs to one caller. It is stored in the transaction that creates the resource, so that
// neither is ever stored without the other. Only a hash of its text is stored. So the text can
// protect a secret that a repeated request gets again; see Seal.
package idempotency

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
)

// Lifetime is how long a key is remembered.
const Lifetime = 24 * time.Hour

// The errors of a key.
var (
	ErrReused = fault.New(fault.Unprocessable,
		"This Idempotency-Key was used for another request. Use a new key for each request.").
		Coded(errorcode.IdempotencyKeyReused)
	// ErrExpired means that the key expired between the write that found it and the read of its
	// result. The next request creates anew.
	ErrExpired = fault.New(fault.Unavailable, "This Idempotency-Key has just expired. Send the request again.")
	// ErrRevoked means that the result was a credential that has been revoked or deleted since, so its secret no longer
	// works.
	ErrRevoked = fault.NewFinal(fault.Conflict, "The credential that this Idempotency-Key created was revoked. To create another one, "+
		"send a new Idempotency-Key.")
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

// Hash returns the stored form of the text.
func (k Key) Hash() string {
	sum := sha256.Sum256([]byte(k.Text))
	return hex.EncodeToString(sum[:])
}

// Seal encrypts a secret so that only the text of the key opens it. The text must have too much
// entropy to be guessed from its hash: the operation must accept only random keys.
func (k Key) Seal(secret string) []byte {
	return k.cipher().Seal(nil, nil, []byte(secret), k.Fingerprint) //nolint:gosec // the cipher makes a random nonce
}

// Open decrypts what a key with the same caller, text and fingerprint has sealed.
func (k Key) Open(sealed []byte) (string, error) {
	secret, err := k.cipher().Open(nil, nil, sealed, k.Fingerprint)
	if err != nil {
		return "", fmt.Errorf("idempotency: open a sealed secret: %w", err)
	}
	return string(secret), nil
}

// cipher returns AES-256-GCM with a random nonce before each sealed text. Its key is derived from the text and the
// caller. The functions that it calls fail only for keys of a wrong length.
func (k Key) cipher() cipher.AEAD {
	derived, err := hkdf.Key(sha256.New, []byte(k.Text), nil, "portside sealed secret of "+k.Caller, 32)
	if err != nil {
		panic(fmt.Sprintf("idempotency: derive a key: %v", err))
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		panic(fmt.Sprintf("idempotency: use a derived key: %v", err))
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(fmt.Sprintf("idempotency: use a derived key: %v", err))
	}
	return sealer
}
