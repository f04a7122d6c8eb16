package audit

import (
	"fmt"
	"strconv"
	"time"
)

// idDigits is the number of hexadecimal digits of the time in an event ID. They last until the year 4253.
const idDigits = 14

// FirstID returns the lower bound of event IDs at a time: IDs of earlier events sort before it, and all others after
// it.
func FirstID(at time.Time) string { return fmt.Sprintf("%0*x", idDigits, max(0, at.UnixMicro())) }

// TimeOf returns the time in an event ID. It returns false for text that is not an event ID.
func TimeOf(id string) (time.Time, bool) {
	if len(id) < idDigits {
		return time.Time{}, false
	}
	micros, err := strconv.ParseInt(id[:idDigits], 16, 64)
	at := time.UnixMicro(micros).UTC()
	return at, err == nil && FirstID(at) == id[:idDigits]
}
