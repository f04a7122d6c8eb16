package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"portside/client"
)

// Explain returns the text of an error: what happened, what to do, and the ID of a refused request.
func Explain(err error) string {
	refused, isRefused := errors.AsType[*client.Error](err)
	_, isOfURL := errors.AsType[*url.Error](err)
	_, isOfConnection := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, context.Canceled):
		return "stopped"
	case isRefused:
		return printable(explainRefusal(refused))
	case isOfURL, isOfConnection:
		return fmt.Sprintf("cannot reach the service: check its address and your connection (%s)", cause(err))
	}
	return printable(cause(err))
}

// cause returns the text without the name of the client's package.
func cause(err error) string { return strings.TrimPrefix(err.Error(), "portside: ") }

func explainRefusal(e *client.Error) string {
	var b strings.Builder
	b.WriteString(summaryOf(e))
	for _, field := range e.Fields {
		fmt.Fprintf(&b, "; %s: %s", nameOfField(field.Pointer), strings.TrimSuffix(field.Detail, "."))
	}
	if advice := adviceFor(e); advice != "" {
		b.WriteString("; " + advice)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " [request %s]", e.RequestID)
	}
	return b.String()
}

// summaryOf returns what happened. The texts of the service for all clients name headers and the list "errors".
func summaryOf(e *client.Error) string {
	switch {
	case e.Code == client.ProblemCodeUNAUTHORIZED:
		return "the API key does not work: it is mistyped, expired or revoked, or its user is not active"
	case e.Code == client.ProblemCodeVALIDATIONERROR && len(e.Fields) > 0:
		return "the service refuses these values"
	case e.Detail == "":
		return fmt.Sprintf("%s %s: %d %s", e.Method, e.Path, e.Status, e.Title)
	}
	return strings.TrimSuffix(e.Detail, ".")
}

// nameOfField returns a pointer without the part of the request that it is in.
func nameOfField(pointer string) string {
	for _, part := range []string{"/", "query/", "path/", "header/"} {
		if name, isIn := strings.CutPrefix(pointer, part); isIn {
			return name
		}
	}
	return pointer
}

// adviceFor returns what to do about a refusal. It is empty if the text of the service says it.
func adviceFor(e *client.Error) string {
	switch {
	case e.Status == http.StatusUnauthorized:
		return "run `portside login` with another key, or check " + keyVariable
	case e.Code == client.ProblemCodeQUOTAEXCEEDED:
		return "the quota is for one day: try again tomorrow"
	case e.Status == http.StatusTooManyRequests:
		return "wait a minute and try again"
	case e.Code == client.ProblemCodeFORBIDDEN && !strings.Contains(e.Detail, "Ask "):
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
