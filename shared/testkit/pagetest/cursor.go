package pagetest

import (
	"encoding/base64"
	"testing"
)

// hashBytes is the length of the hash at the start of a cursor. The position follows.
const hashBytes = 8

// Position decodes the position in a cursor of package web, as any caller can.
func Position(tb testing.TB, cursor string) string {
	tb.Helper()
	return string(decode(tb, cursor)[hashBytes:])
}

// Forge returns a cursor of the same list with another position, as any caller can make it.
func Forge(tb testing.TB, cursor, position string) string {
	tb.Helper()
	return base64.RawURLEncoding.EncodeToString(append(decode(tb, cursor)[:hashBytes:hashBytes], position...))
}

func decode(tb testing.TB, cursor string) []byte {
	tb.Helper()
	decoded, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(decoded) < hashBytes {
		tb.Fatalf("%q is no cursor: %v", cursor, err)
	}
	return decoded
}
