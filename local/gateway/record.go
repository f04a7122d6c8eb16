package gateway

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Record describes one request for the log. It has no query string and no headers.
type Record struct {
	Time      time.Time
	RequestID string
	Method    string
	// Path is decoded, so it may contain any character. Text escapes it.
	Path string
	// Function and RouteKey are empty if no function was invoked.
	Function string
	RouteKey string
	Status   int
	Cold     bool
	// Bytes is the size of the response body.
	Bytes int
	// Duration is the total time in the gateway.
	Duration time.Duration
	// Err is the reason for an error response of the gateway. The client does not get it.
	Err error
}

// Text returns one line for a terminal. If color is true, the status is colored.
func (r Record) Text(color bool) string {
	status := strconv.Itoa(r.Status)
	if color {
		status = fmt.Sprintf("\x1b[%dm%s\x1b[0m", statusColor(r.Status), status)
	}
	line := fmt.Sprintf("%s  %s  %-7s %-32s  %-18s %-26s  %8s  %-4s  %8s  %s",
		r.Time.Format("15:04:05.000"), status, printable(r.Method), printable(maskSecrets(r.Path)), dash(r.Function), dash(r.RouteKey),
		r.Duration.Round(10*time.Microsecond), r.startKind(), size(r.Bytes), r.RequestID)
	if r.Err != nil {
		line += "  " + printable(maskSecrets(r.Err.Error()))
	}
	return line
}

func statusColor(status int) int {
	switch {
	case status >= 500:
		return 31
	case status >= 400:
		return 33
	case status >= 300:
		return 36
	}
	return 32
}

func (r Record) startKind() string {
	switch {
	case r.Function == "":
		return "-"
	case r.Cold:
		return "cold"
	}
	return "warm"
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func size(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " B"
	case n < 1_000_000:
		return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}

// credential matches the beginning of a credential, kind and ID, and its secret part.
var credential = regexp.MustCompile(`(ps[a-z]_[0-9A-Za-z]{12}_)[0-9A-Za-z]+`)

// maskSecrets replaces the secret parts of credentials, which a person can type into a path, by an ellipsis.
func maskSecrets(text string) string { return credential.ReplaceAllString(text, "${1}…") }

// printable escapes control characters, so that a client cannot control the terminal.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}
