package gateway_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portside/local/gateway"
	"portside/local/lambda"
	"portside/local/template"
)

// startWithAccessLog starts a gateway and returns a channel with the lines of its access log.
func startWithAccessLog(t *testing.T, format string, answer func([]byte) (lambda.Result, error)) (*fixture, chan string) {
	t.Helper()
	lines := make(chan string, 100)
	clock := time.Date(2026, 11, 21, 8, 30, 1, 5e6, time.UTC)
	f := start(t, answer, func(c *gateway.Config) {
		c.AccessLog = &gateway.AccessLog{Format: format, Put: func(line string) { lines <- line }}
		c.CORS = &template.CORS{AllowOrigins: []string{"*"}, AllowMethods: []string{"GET"}}
		c.Routes = routes[:3] // without the catch-all route
		c.Now = func() time.Time {
			clock = clock.Add(5 * time.Millisecond)
			return clock
		}
	})
	return f, lines
}

const projectsFormat = `{"requestId":"$context.requestId","time":"$context.requestTimeEpoch","method":"$context.httpMethod",` +
	`"route":"$context.routeKey","status":"$context.status","latencyMs":"$context.responseLatency",` +
	`"responseBytes":"$context.responseLength","path":"$context.path"}`

func TestAccessLogHasLineForEachRequest(t *testing.T) {
	f, lines := startWithAccessLog(t, projectsFormat, func(event []byte) (lambda.Result, error) {
		if strings.Contains(string(event), "/fails") {
			return lambda.Result{}, errors.New("it ended")
		}
		return lambda.Result{Payload: []byte(`{"statusCode":201,"body":"made"}`)}, nil
	})
	for _, c := range []struct {
		name, method, target, body string
		headers                    []string
		route, status              string
	}{
		{"served", "POST", "/v1/users/1?token=secret", "{}", []string{"X-Api-Key", "secret"}, "ANY /v1/users/{proxy+}", "201"},
		{"a function that fails", "POST", "/v1/users/fails", "", nil, "ANY /v1/users/{proxy+}", "500"},
		{"no such route", "GET", "/none?secret", "", nil, "-", "404"},
		{"a preflight", "OPTIONS", "/v1/users", "", []string{"Origin", "https://a", "Access-Control-Request-Method", "GET"}, "-", "204"},
		{"too large", "POST", "/v1/users", strings.Repeat("x", 11<<20), nil, "ANY /v1/users", "413"},
		{"long headers", "GET", "/v1/users", "", []string{"X-Long", strings.Repeat("secret", 2000)}, "-", "431"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.do(c.method, c.target, c.body, c.headers...)
			line := <-lines
			var got map[string]string
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if got["requestId"] != "WSg1ihmdliAEJXA=" || got["method"] != c.method || got["route"] != c.route ||
				!strings.HasPrefix(c.target, got["path"]) || got["status"] != c.status ||
				len(got["time"]) != 10 || len(got["latencyMs"]) > 2 || strings.Contains(line, "secret") {
				t.Errorf("%s: %s", c.name, line)
			}
		})
	}
	if len(lines) != 0 {
		t.Errorf("%d more lines than requests", len(lines))
	}
}

// The format has variables of the request, variables of the integration, and unknown ones.
func TestAccessLogVariables(t *testing.T) {
	f, lines := startWithAccessLog(t, "$context.requestId [$context.requestTime] $context.apiId.x $context.stage "+
		"$context.protocol $context.path "+
		"$context.identity.sourceIp \"$context.identity.userAgent\" $context.integration.status $context.integrationStatus "+
		"$context.integrationLatency/$context.responseLatency $context.error.message $context.authorizer.claims.sub $context.nothing $contexts $$",
		func(event []byte) (lambda.Result, error) {
			if strings.Contains(string(event), "/v1/users/fails") {
				return lambda.Result{}, errors.New("it ended")
			}
			return lambda.Result{Payload: []byte(`{"statusCode":404}`)}, nil
		})
	f.do(http.MethodGet, "/v1/users/1", "", "User-Agent", "a\"b\\\t$context.status")
	f.do(http.MethodGet, "/v1/users/fails", "", "User-Agent", "a")
	f.do(http.MethodGet, "/none", "", "User-Agent", "a")
	const begin = "WSg1ihmdliAEJXA= "
	for _, want := range []string{
		`[21/Nov/2026:08:30:01 +0000] - $default HTTP/1.1 /v1/users/1 127.0.0.1 "a\"b\\\t$context.status" 404 200 5/15 - - - $contexts $$`,
		`[21/Nov/2026:08:30:01 +0000] - $default HTTP/1.1 /v1/users/fails 127.0.0.1 "a" - - 5/15 Internal Server Error - - $contexts $$`,
		`[21/Nov/2026:08:30:01 +0000] - $default HTTP/1.1 /none 127.0.0.1 "a" - - -/5 Not Found - - $contexts $$`,
	} {
		if diff := cmp.Diff(begin+want, <-lines); diff != "" {
			t.Error(diff)
		}
	}
}
