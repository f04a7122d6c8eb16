package gateway

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Record is one request, for the log. It has no query string and no headers.
type Record struct {
	Time      time.Time
	RequestID string
	Method    string
	// Path is decoded, so it can hold any character; Text makes it safe for a terminal.
	Path string
	// Function and RouteKey are empty when the gateway answered alone.
	Function string
	RouteKey string
	Status   int
	Cold     bool
	// Bytes is the size of the body that was sent.
	Bytes int
	// Duration is the whole time in the gateway.
	Duration time.Duration
	// Err says why the gateway answered with an error of its own; the client is not told.
	Err error
}

// Text is one line for a terminal, with the status coloured when colour is true.
func (r Record) Text(colour bool) string {
	status := strconv.Itoa(r.Status)
	if colour {
		status = fmt.Sprintf("\x1b[%dm%s\x1b[0m", statusColor(r.Status), status)
	}
	line := fmt.Sprintf("%s  %s  %-7s %-32s  %-18s %-26s  %8s  %-4s  %8s  %s",
		r.Time.Format("15:04:05.000"), status, printable(r.Method), printable(r.Path), dash(r.Function), dash(r.RouteKey),
		r.Duration.Round(10*time.Microsecond), r.startKind(), size(r.Bytes), r.RequestID)
	if r.Err != nil {
		line += "  " + printable(r.Err.Error())
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

// printable keeps a stranger's control characters from steering the terminal.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}
