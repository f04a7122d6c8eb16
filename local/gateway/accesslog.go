package gateway

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// AccessLog configures the access log of the API's stage.
type AccessLog struct {
	// Format is the format of a line, with variables such as $context.requestId.
	Format string
	// Put receives the lines, from several goroutines concurrently. It must not block.
	Put func(line string)
}

var contextVariable = regexp.MustCompile(`\$context\.[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*`)

// line replaces the variables in the format. It escapes values, so that a client cannot break out
// of the quotes in the format. Unknown variables and missing values become a dash.
func (l AccessLog) line(values map[string]string) string {
	return contextVariable.ReplaceAllStringFunc(l.Format, func(variable string) string {
		return escapeJSON(dash(values[strings.TrimPrefix(variable, "$context.")]))
	})
}

func escapeJSON(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return string(quoted[1 : len(quoted)-1])
}

// contextValues returns the variables of HTTP APIs without authorizers and custom domain names.
func (g *gateway) contextValues(c *call) map[string]string {
	r, event := c.request, g.context(c)
	milliseconds := strconv.FormatInt(c.record.Duration.Milliseconds(), 10)
	values := map[string]string{
		"accountId": event.AccountID, "apiId": event.APIID, "stage": event.Stage,
		"domainName": event.DomainName, "domainPrefix": event.DomainPrefix,
		"requestId": event.RequestID, "extendedRequestId": event.RequestID,
		"requestTime": event.Time, "requestTimeEpoch": strconv.FormatInt(event.TimeEpoch/1000, 10), // seconds, unlike in the event
		"httpMethod": r.Method, "path": c.path, "protocol": r.Proto, "routeKey": event.RouteKey,
		"identity.sourceIp": sourceIP(r), "identity.userAgent": r.UserAgent(),
		"status": strconv.Itoa(c.record.Status), "responseLatency": milliseconds,
		"responseLength": strconv.Itoa(c.record.Bytes), "dataProcessed": strconv.Itoa(len(c.body) + c.record.Bytes),
	}
	c.integration.addTo(values)
	if c.record.Err != nil || c.record.Function == "" && c.record.Status >= http.StatusBadRequest {
		values["error.message"] = http.StatusText(c.record.Status)
		values["error.messageString"] = strconv.Quote(values["error.message"])
	}
	if c.record.Err != nil {
		values["integrationErrorMessage"] = c.record.Err.Error()
		values["integration.error"] = c.record.Err.Error()
	}
	return values
}

// integration is the result of the function's invocation. The zero value means that no function was
// invoked.
type integration struct {
	called  bool
	latency time.Duration
	status  int // of the function's response; 0 without a response
}

func (i integration) addTo(values map[string]string) {
	if !i.called {
		return
	}
	latency := strconv.FormatInt(i.latency.Milliseconds(), 10)
	values["integrationLatency"], values["integration.latency"] = latency, latency
	if i.status != 0 {
		values["integration.status"] = strconv.Itoa(i.status)
		values["integrationStatus"] = strconv.Itoa(http.StatusOK) // Lambda's own
		values["integration.integrationStatus"] = values["integrationStatus"]
	}
}

// logAccess logs an answered request.
func (g *gateway) logAccess(c *call) {
	if g.AccessLog != nil {
		g.AccessLog.Put(g.AccessLog.line(g.contextValues(c)))
	}
}
