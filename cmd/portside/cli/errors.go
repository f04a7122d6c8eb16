package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"portside/client"
)

// Explain returns the text of an error: what happened, what to do, and the ID of a refused request.
func Explain(err error) string {
	refused, isRefused := errors.AsType[*client.Error](err)
	_, isLost := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		return "stopped"
	case isRefused:
		return printable(explainRefusal(refused))
	case isLost:
		return fmt.Sprintf("cannot reach the service: check its address and your connection (%s)", cause(err))
	}
	return printable(cause(err))
}

// cause returns the text without the name of the client's package.
func cause(err error) string { return strings.TrimPrefix(err.Error(), "portside: ") }

func explainRefusal(e *client.Error) string {
	var b strings.Builder
	b.WriteString(strings.TrimSuffix(e.Detail, "."))
	if e.Detail == "" {
		fmt.Fprintf(&b, "%s %s: %d %s", e.Method, e.Path, e.Status, e.Title)
	}
	for _, field := range e.Fields {
		fmt.Fprintf(&b, "; %s: %s", strings.TrimPrefix(field.Pointer, "/"), strings.TrimSuffix(field.Detail, "."))
	}
	if advice := adviceFor(e); advice != "" {
		b.WriteString("; " + advice)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " [request %s]", e.RequestID)
	}
	return b.String()
}

// adviceFor returns what to do about a refusal. It is empty if the text of the service says it.
func adviceFor(e *client.Error) string {
	switch {
	case e.Status == http.StatusUnauthorized:
		return "run `portside login` with a key that works, or check " + keyVariable
	case e.Code == client.ProblemCodeQUOTAEXCEEDED:
		return "the quota is for one day: try again tomorrow"
	case e.Status == http.StatusTooManyRequests:
		return "wait a minute and try again"
	case e.Code == client.ProblemCodeFORBIDDEN:
		return "ask an admin to do it or to change your role"
	case e.Status == http.StatusPreconditionFailed:
		return "somebody else changed it: run the command again"
	case e.Status >= http.StatusInternalServerError:
		return "try again; if it fails again, send the request ID to your operator"
	case e.Code == "":
		return "check that the address is that of a Portside deployment"
	}
	return ""
}
