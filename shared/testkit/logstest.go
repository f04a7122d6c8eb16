// Package logstest shows tests what is logged.
package testkit

import (
	"bytes"
	"log/slog"
	"testing"
)

// Listen makes the default logger write to what it returns, as in a function, until the test ends.
func CaptureLogs(tb testing.TB) *bytes.Buffer {
	tb.Helper()
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&out, nil)))
	tb.Cleanup(func() { slog.SetDefault(before) })
	return &out
}
