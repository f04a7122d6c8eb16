// Package logs sets up what a function writes: one JSON object a line on standard error, which CloudWatch Logs can query
// by field. It says nothing about what to log; see shared/web for the record of a request.
package start

import (
	"log/slog"
	"os"
)

// SetUp makes slog's default logger write JSON. Standard library's log goes through it too, as errors: functions use that to
// end when they cannot start, and the Lambda library when it cannot go on.
func LogJSON() {
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	slog.SetLogLoggerLevel(slog.LevelError)
}
