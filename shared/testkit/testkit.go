// Package testkit has helpers for tests of any package; its subpackages start engines and send requests.
package testkit

import (
	"bytes"
	"log/slog"
	"testing"
)

// CaptureLogs returns a buffer that receives the records of the default logger as JSON, as in a function, until the
// test ends.
func CaptureLogs(tb testing.TB) *bytes.Buffer {
	tb.Helper()
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&out, nil)))
	tb.Cleanup(func() { slog.SetDefault(before) })
	return &out
}
