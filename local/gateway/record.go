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
		r.Time.Format("15:04:05.000"), status, printable(r.Method), printable(maskSecrets(r.Path)), dash(r.Function),
		dash(r.RouteKey),
		r.Duration.Round(10*time.Microsecond), r.startKind(), size(r.Bytes), r.RequestID)
	if r.Err != nil {
		line += "  " + printable(maskSecrets(r.Err.Error()))
	}
	return line
}

// Short returns a line for people: the time, the method, the status, the duration and the path.
func (r Record) Short(color bool) string {
	status := strconv.Itoa(r.Status)
	if color {
		status = fmt.Sprintf("\x1b[%dm%s\x1b[0m", statusColor(r.Status), status)
	}
	line := fmt.Sprintf("%s  %-7s %s %6d ms  %s",
		r.Time.Format(time.TimeOnly), printable(r.Method), status, r.Duration.Milliseconds(), printable(maskSecrets(r.Path)))
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

// credentialHead matches a credential up to its secret part: kind_id_, in any case. An underscore may be encoded, also
// twice.
var credentialHead = regexp.MustCompile(`(?i)ps[a-z](?:_|%(?:25)*5f)[0-9a-z]{12}(?:_|%(?:25)*5f)`)

// secretCharacters also has those of an encoded or doubled underscore, behind which the secret of an overlapping
// credential could follow.
const secretCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_%"

// maskSecrets replaces the secret parts of credentials, which a person can type into a path, by an ellipsis. The
// functions mask the same in their logs (shared/core/text).
func maskSecrets(text string) string {
	var masked strings.Builder
	for {
		head := credentialHead.FindStringIndex(text)
		if head == nil {
			return masked.String() + text
		}
		masked.WriteString(text[:head[1]])
		text = text[head[1]:]
		secret := text
		if next := credentialHead.FindStringIndex(text); next != nil {
			secret = text[:next[0]]
		}
		rest := strings.TrimLeft(secret, secretCharacters)
		if rest != secret {
			masked.WriteString("…")
		}
		text = text[len(secret)-len(rest):]
	}
}

// printable escapes control characters, so that a client cannot control the terminal.
func printable(s string) string {
	if !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}
