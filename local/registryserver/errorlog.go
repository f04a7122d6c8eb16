package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/sirupsen/logrus"
)

// errorFormatter writes one line for each failure of the registry. The registry also logs requests
// for missing content as errors, although clients make them before every push; the formatter omits
// these.
type errorFormatter struct{}

// Format implements [logrus.Formatter].
func (errorFormatter) Format(e *logrus.Entry) ([]byte, error) {
	status, answered := e.Data["http.response.status"].(int)
	if !answered {
		return logLine(e.Message), nil
	}
	if status < http.StatusInternalServerError {
		return nil, nil
	}
	return logLine(fmt.Sprintf("%v %v was answered with %d: %v",
		e.Data["http.request.method"], e.Data["http.request.uri"], status, e.Data["err.detail"])), nil
}

// logLine returns text as one line. Errors of S3 have several.
func logLine(text string) []byte {
	return fmt.Appendln(nil, "registryserver:", strings.Join(strings.Fields(text), " "))
}
