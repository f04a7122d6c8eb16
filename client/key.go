package client

import (
	"crypto/rand"
	"encoding/hex"
)

const idempotencyHeader = "Idempotency-Key"

// newIdempotencyKey returns a random UUID, version 4. Nobody can guess it, because the service encrypts the secret of a
// repeated answer with it.
func newIdempotencyKey() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never returns an error
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
