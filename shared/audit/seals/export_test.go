package seals

import (
	"crypto/sha256"
	"encoding/hex"
)

// MaxEvents is the limit of events of an object.
const MaxEvents = maxEvents

// HashOf returns the hash of a text.
func HashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// CheckFirstObject checks the first object of a chain.
func CheckFirstObject(content []byte, hour string) (Seal, error) {
	first, err := ParseHour(hour)
	if err != nil {
		return Seal{}, err
	}
	return checkObject(content, before(first))
}
