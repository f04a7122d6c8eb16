package pagetest

import (
	"encoding/base64"
	"testing"
)

// hashBytes is how many bytes of a cursor belong to its list. The position follows.
const hashBytes = 8

// Position returns the position in a cursor of package web, as a caller can read it.
func Position(tb testing.TB, cursor string) string {
	tb.Helper()
	return string(decode(tb, cursor)[hashBytes:])
}

// Forge returns a cursor of the same list with another position, as a caller can make one.
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
