package main

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/sirupsen/logrus"
)

// errorFormatter writes what the registry reports of its own failures, a line each. The registry reports
// as an error also that it was asked for what it does not have, which clients do before every push;
// of that nothing is written.
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

// logLine keeps one line what has some, such as the errors of S3.
func logLine(text string) []byte {
	return fmt.Appendln(nil, "registryserver:", strings.Join(strings.Fields(text), " "))
}
