package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/shared/core/text"
)

// IsRefusedInput reports whether the service refused the values that a command sent, so another command line is needed.
func IsRefusedInput(err error) bool {
	refused, ok := errors.AsType[*client.Error](err)
	return ok && refused.Code == client.ProblemCodeVALIDATIONERROR
}

// Explain returns the text of the error of a command: what happened, what to do, and the ID of a refused request.
func Explain(c *cobra.Command, err error) string {
	refused, isRefused := errors.AsType[*client.Error](err)
	_, isOfURL := errors.AsType[*url.Error](err)
	_, isOfConnection := errors.AsType[*net.OpError](err)
	switch {
	case errors.Is(err, context.Canceled):
		return "stopped"
	case isRefused:
		return Printable(strings.TrimSuffix(err.Error(), refused.Error()) + explainRefusal(c, refused))
	case errors.Is(err, client.ErrUnreadable):
		return "the answer does not come from Portside: check the address (" + cause(err) + ")"
	case isOfURL, isOfConnection, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("cannot reach the service: check its address and your connection (%s)", cause(err))
	}
	return Printable(cause(err))
}

// cause returns the text without the name of the client's package.
func cause(err error) string { return strings.TrimPrefix(err.Error(), "portside: ") }

func explainRefusal(c *cobra.Command, e *client.Error) string {
	var b strings.Builder
	b.WriteString(text.Shorten(summaryOf(e), maxSummary))
	for _, field := range e.Fields {
		fmt.Fprintf(&b, "; %s: %s", nameOfField(c, field.Pointer), strings.TrimSuffix(strings.TrimSuffix(field.Detail, "."), adviceForQueries))
	}
	if advice := adviceFor(e); advice != "" {
		b.WriteString("; " + advice)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " [request %s]", e.RequestID)
	}
	return b.String()
}

// maxSummary is how many characters an answer of another server may have in an error: some lines.
const maxSummary = 600

// summaryOf returns what happened. Some details of the service name headers and the list "errors", which a command line
// does not have.
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

// reasonOf returns in a few words why a call failed that is repeated.
func reasonOf(err error) string {
	if refused, ok := errors.AsType[*client.Error](err); ok {
		return Printable(text.Shorten(summaryOf(refused), maxSummary))
	}
	return Printable(cause(err))
}

// flagsOfField has the flags that set a field of another name, or a part of a field.
var flagsOfField = map[string][]string{
	"accessLevel": {"access"}, "actorId": {"actor"}, "conditions": {"condition", "any-of", "github"}, "contacts": {"contact"}, "customerId": {"customer"},
	"endDate": {"month", "last-month"}, "expirationDays": {"days"}, "expiration_days": {"days"}, "externalId": {"external-id"},
	"from": {"month", "last-month"}, "jwks": {"jwks-file"}, "limits/requestsPerMinute": {"requests-limit"}, "limits/users": {"users-limit"},
	"maxMinutes": {"max-minutes"}, "ownerId": {"owner"}, "scopes": {"scope"}, "sendActivationEmail": {"no-mail"},
	"startDate": {"month", "last-month"}, "target": {"user"}, "to": {"month", "last-month"}, "userId": {"user"},
}

// formVariable matches a field of a form for one value to extract.
var formVariable = regexp.MustCompile(`^variable\d+_`)

// nameOfField returns the flag that set the field of a pointer. If no flag did, it is the pointer without the part of
// the request.
func nameOfField(c *cobra.Command, pointer string) string {
	name := pointer
	for _, part := range []string{"/", "query/", "path/", "header/"} {
		if rest, isIn := strings.CutPrefix(pointer, part); isIn {
			name = rest
			break
		}
	}
	field, _, _ := strings.Cut(name, "/")
	for _, flag := range slices.Concat(flagsOfField[name], flagsOfField[field], []string{field}) {
		if c.Flags().Changed(flag) {
			return "--" + flag
		}
	}
	switch {
	case formVariable.MatchString(field):
		return "--var"
	case field == "q":
		return "the text"
	}
	return name
}

// adviceForQueries is a suffix that helps only callers who write the query themselves.
const adviceForQueries = "; in a query, write + as %2B"

// adviceFor returns what to do about a refusal. It is empty if the text of the service says it.
func adviceFor(e *client.Error) string {
	switch {
	case e.Status == http.StatusUnauthorized:
		return "run `portside login` with another key, or check " + KeyVariable
	case e.Status == http.StatusTooManyRequests && e.RetryAfter > 0:
		return "try again in " + e.RetryAfter.String()
	case e.Code == client.ProblemCodeFORBIDDEN && !strings.Contains(e.Detail, "Ask "):
		return "ask an admin to do it or to change your role"
	case e.Status == http.StatusPreconditionFailed:
		return "somebody else changed it: run the command again"
	case e.Status >= http.StatusInternalServerError && e.RequestID != "":
		return "try again; if it fails again, send the request ID to your operator"
	case e.Status >= http.StatusInternalServerError:
		return "try again"
	case e.Status == http.StatusRequestHeaderFieldsTooLarge:
		return "the text is too long"
	case e.Code == "":
		return "check that the address is that of a Portside deployment"
	}
	return ""
}
