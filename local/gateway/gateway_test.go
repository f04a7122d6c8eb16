package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"portside/local/gateway"
	"portside/local/lambda"
	"portside/local/template"
)

// recorder is an Invoker that records its last invocation and returns the results of answer.
type recorder struct {
	mu       sync.Mutex
	function string
	event    []byte
	answer   func(payload []byte) (lambda.Result, error)
}

func (r *recorder) Invoke(_ context.Context, function string, payload []byte) (lambda.Result, error) {
	r.mu.Lock()
	r.function, r.event = function, payload
	r.mu.Unlock()
	return r.answer(payload)
}

func (r *recorder) last() (function string, event []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.function, r.event
}

func payload(s string) func([]byte) (lambda.Result, error) {
	return func([]byte) (lambda.Result, error) { return lambda.Result{Payload: []byte(s)}, nil }
}

var routes = []template.Route{
	{Method: "ANY", Path: "/v1/users", Function: "Users"},
	{Method: "ANY", Path: "/v1/users/{proxy+}", Function: "Users"},
	{Method: "GET", Path: "/v1/users/{id}", Function: "OneUser"},
	{Path: "$default", Function: "Anything"},
}

// fixture is a gateway on a real server.
type fixture struct {
	t        *testing.T
	recorder *recorder
	url      string
	records  chan gateway.Record
}

func start(t *testing.T, answer func([]byte) (lambda.Result, error), change func(*gateway.Config)) *fixture {
	t.Helper()
	f := &fixture{t: t, recorder: &recorder{answer: answer}, records: make(chan gateway.Record, 100)}
	config := gateway.Config{
		Routes: routes, Invoker: f.recorder, Log: func(r gateway.Record) { f.records <- r },
		Now:       func() time.Time { return time.Date(2026, 11, 21, 8, 30, 1, 5e6, time.UTC) },
		RequestID: func() string { return "WSg1ihmdliAEJXA=" },
	}
	if change != nil {
		change(&config)
	}
	handler, err := gateway.New(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	server.Config = gateway.NewServer(handler)
	server.Start()
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

type answer struct {
	status int
	header http.Header
	body   string
}

func (f *fixture) do(method, target, body string, headers ...string) answer {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), method, f.url+target, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return f.send(r)
}

func (f *fixture) send(r *http.Request) answer {
	f.t.Helper()
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(r)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(read)}
}

// TestFunctionThatDoesNotCompileAnswersWithTheError shows a developer what the compiler says.
func TestFunctionThatDoesNotCompileAnswersWithTheError(t *testing.T) {
	f := start(t, payload(`{"statusCode":200}`), func(c *gateway.Config) {
		c.Ready = func(_ context.Context, function string) (string, error) {
			return function + " does not build:\n\"x\"", nil
		}
	})
	got := f.do("GET", "/v1/users", "")
	if got.status != http.StatusBadGateway || !strings.Contains(got.body, `does not build:\n\"x\"`) {
		t.Errorf("got %d %s", got.status, got.body)
	}
}

// TestClientThatLeavesDuringABuildIsNoError checks the status in the log, which the dashboard counts as an error from
// 500 on.
func TestClientThatLeavesDuringABuildIsNoError(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	f := start(t, payload(`{"statusCode":200}`), func(c *gateway.Config) {
		c.Ready = func(ctx context.Context, _ string) (string, error) {
			leave()
			<-ctx.Done()
			return "", ctx.Err()
		}
	})
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url+"/v1/users", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultTransport.RoundTrip(r); !errors.Is(err, context.Canceled) {
		t.Fatalf("the request ended with %v", err)
	}
	if record := <-f.records; record.Status != 499 {
		t.Errorf("the log has the status %d", record.Status)
	}
}

func TestGatewayErrorResponses(t *testing.T) {
	fails := func(err error) func([]byte) (lambda.Result, error) {
		return func([]byte) (lambda.Result, error) { return lambda.Result{}, fmt.Errorf("wrapped: %w", err) }
	}
	for _, test := range []struct {
		name    string
		answer  func([]byte) (lambda.Result, error)
		status  int
		message string
	}{
		{"throttled", fails(lambda.ErrThrottled), 503, "Service Unavailable"},
		{"stopped", fails(lambda.ErrStopped), 503, "Service Unavailable"},
		{"unknown function", fails(lambda.ErrUnknownFunction), 500, "Internal Server Error"},
		{"the function's timeout", fails(lambda.ErrTimeout), 500, "Internal Server Error"},
		{"event too large", fails(lambda.ErrPayloadTooLarge), 413, "Request Entity Too Large"},
		{"response too large", fails(lambda.ErrResponseTooLarge), 500, "Internal Server Error"},
		{"function error", func([]byte) (lambda.Result, error) {
			return lambda.Result{FunctionError: lambda.Unhandled, Payload: []byte(`{"errorMessage":"secret"}`)}, nil
		}, 500, "Internal Server Error"},
		{"malformed response", payload(`{"statusCode":"x"}`), 500, "Internal Server Error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := start(t, test.answer, nil)
			got := f.do("GET", "/v1/users", "")
			if want := `{"message":"` + test.message + `"}`; got.status != test.status || got.body != want {
				t.Errorf("got %d %s, want %d %s", got.status, got.body, test.status, want)
			}
			if got.header.Get("Content-Type") != "application/json" || got.header.Get("Apigw-Requestid") != "WSg1ihmdliAEJXA=" {
				t.Errorf("headers %v", got.header)
			}
			if r := <-f.records; r.Status != test.status || r.Err == nil || r.Function != "Users" {
				t.Errorf("logged %+v", r)
			}
		})
	}
}

func TestGatewayTimesOutAfterThirtySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := &recorder{answer: func([]byte) (lambda.Result, error) {
			<-release
			return lambda.Result{}, nil
		}}
		handler, err := gateway.New(gateway.Config{Routes: routes, Invoker: r})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		start := time.Now() //nolint:forbidigo // the clock of the synctest bubble
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/v1/users", nil))
		if waited := time.Since(start); waited != 30*time.Second || w.Code != 503 {
			t.Errorf("after %v: %d", waited, w.Code)
		}
		// The function still runs. synctest fails if a goroutine is left after its end.
		close(release)
	})
}

func TestTooLargeRequests(t *testing.T) {
	f := start(t, payload(`{"statusCode":200}`), nil)
	large := strings.Repeat("x", 10<<20+1)
	if got := f.do("POST", "/v1/users", large); got.status != 413 || got.body != `{"message":"Request Entity Too Large"}` {
		t.Errorf("a body over 10 MB: %d %s", got.status, got.body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/v1/users",
		io.MultiReader(strings.NewReader(large)))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.send(r); got.status != 413 {
		t.Errorf("the same, of unknown length: %d", got.status)
	}
	if got := f.do("POST", "/v1/users", large[1:]); got.status != 200 {
		t.Errorf("a body of 10 MB: %d", got.status)
	}
	header := strings.Repeat("h", 10241)
	const tooLarge = `{"message":"Request Header Fields Too Large"}`
	if got := f.do("GET", "/v1/users", "", "X-Long", header); got.status != 431 || got.body != tooLarge {
		t.Errorf("headers over 10,240 bytes: %d %s", got.status, got.body)
	}
	if got := f.do("GET", "/v1/users?"+header, ""); got.status != 431 {
		t.Errorf("a target over 10,240 bytes: %d", got.status)
	}
	if got := f.do("GET", "/v1/users", "", "X-Long", header[:9000]); got.status != 200 {
		t.Errorf("headers below the quota: %d", got.status)
	}
}

func TestUnmatchedRoutes(t *testing.T) {
	f := start(t, payload(`{"statusCode":200}`), func(c *gateway.Config) { c.Routes = routes[:1] })
	if got := f.do("GET", "/nowhere?token=secret", ""); got.status != 404 || got.body != `{"message":"Not Found"}` {
		t.Errorf("got %d %s", got.status, got.body)
	}
	if r := <-f.records; r.Path != "/nowhere" || strings.Contains(fmt.Sprint(r), "secret") {
		t.Errorf("logged %+v", r)
	}
	if got := f.do("PURGE", "/v1/users", ""); got.status != 404 {
		t.Errorf("an unsupported method: %d", got.status)
	}
	if _, event := f.recorder.last(); event != nil {
		t.Error("a function was invoked")
	}
}

func TestClientDisconnectsDuringBody(t *testing.T) {
	f := start(t, payload(`{"statusCode":200}`), nil)
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection,
		"POST /v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf"); err != nil {
		t.Fatal(err)
	}
	if err := connection.Close(); err != nil {
		t.Fatal(err)
	}
	if r := <-f.records; r.Status != 400 || r.Err == nil {
		t.Errorf("logged %+v", r)
	}
}

func TestFunctionContinuesAfterClientDisconnects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, disconnect := context.WithCancel(t.Context())
		r := invokerFunc(func(ctx context.Context) (lambda.Result, error) {
			disconnect()
			synctest.Wait()
			return lambda.Result{Payload: []byte(`{"statusCode":204}`)}, ctx.Err()
		})
		handler, err := gateway.New(gateway.Config{Routes: routes, Invoker: r})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/v1/users", nil))
		if w.Code != 204 {
			t.Errorf("the function was stopped: %d", w.Code)
		}
	})
}

type invokerFunc func(context.Context) (lambda.Result, error)

func (f invokerFunc) Invoke(ctx context.Context, _ string, _ []byte) (lambda.Result, error) {
	return f(ctx)
}

func TestHead(t *testing.T) {
	f := start(t, payload(`{"statusCode":200,"body":"four"}`), nil)
	got := f.do("HEAD", "/v1/users", "")
	if got.status != 200 || got.body != "" || got.header.Get("Content-Length") != "4" {
		t.Errorf("got %+v", got)
	}
	_, event := f.recorder.last()
	if !strings.Contains(string(event), `"routeKey":"ANY /v1/users"`) {
		t.Errorf("event %s", event)
	}
	f.do("HEAD", "/v1/users/1", "")
	if function, _ := f.recorder.last(); function != "Users" {
		t.Errorf("HEAD went to %s, though GET routes do not take it", function)
	}
}

func TestRawRequests(t *testing.T) {
	f := start(t, payload(`{"statusCode":200}`), nil)
	for _, test := range []struct{ request, path, query string }{
		{"GET /v1/users/a%20b%25c%3Fd HTTP/1.1\r\nHost: h\r\n\r\n", "/v1/users/a b%c", ""},
		{"GET /v1/users/a%2Fb%252Fc HTTP/1.1\r\nHost: h\r\n\r\n", "/v1/users/a/b%2Fc", ""},
		{"GET /v1%2Fusers HTTP/1.1\r\nHost: h\r\n\r\n", "/v1/users", ""},
		{"GET /v1/users/%FFx?q=%FF HTTP/1.1\r\nHost: h\r\n\r\n", "/v1/users/\uFFFDx", "q=%FF"},
		{"GET http://other/v1/users?a=1 HTTP/1.1\r\nHost: h\r\n\r\n", "/v1/users", "a=1"},
		{"GET //v1/users/../x?? HTTP/1.1\r\nHost: h\r\n\r\n", "//v1/users/../x", "?"},
		{"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "*", ""},
	} {
		t.Run(test.path+"?"+test.query, func(t *testing.T) {
			connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(f.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(connection, test.request); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			_ = connection.Close()
			var event struct{ RawPath, RawQueryString string }
			_, raw := f.recorder.last()
			if err := json.Unmarshal(raw, &event); err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != http.StatusOK || event.RawPath != test.path || event.RawQueryString != test.query {
				t.Errorf("%q: %d, rawPath %q, rawQueryString %q", test.request, response.StatusCode, event.RawPath,
					event.RawQueryString)
			}
		})
	}
}

func TestNewRefusesInvalidConfig(t *testing.T) {
	if _, err := gateway.New(gateway.Config{}); err == nil {
		t.Error("no invoker, no error")
	}
	for _, path := range []string{"users", "/{a+}/b"} {
		_, err := gateway.New(gateway.Config{Invoker: &recorder{}, Routes: []template.Route{{Method: "GET", Path: path}}})
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestRecordText(t *testing.T) {
	r := gateway.Record{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC), RequestID: "ID=", Method: "GET", Path: "/a\x1b[2J",
		Function: "UsersFunction", RouteKey: "ANY /a", Status: 500, Cold: true, Bytes: 1500,
		Duration: 12345 * time.Microsecond, Err: errors.New("broken\nhere"),
	}
	want := `03:04:05.006  500  GET     /a\x1b[2J                         UsersFunction      ` +
		`ANY /a                       12.35ms  cold    1.5 kB  ID=  broken\nhere`
	if got := r.Text(false); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := r.Text(true); !strings.Contains(got, "\x1b[31m500\x1b[0m") {
		t.Errorf("no color in %q", got)
	}
	if got, want := r.Short(true),
		"03:04:05  GET     \x1b[31m500\x1b[0m     12 ms  /a\\x1b[2J  broken\\nhere"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	mistyped := gateway.Record{Path: "/v1/psk_0123456789ab_SECRET", Err: errors.New("no route /psk_0123456789ab_SECRET")}
	if got := mistyped.Text(false); strings.Contains(got, "SECRET") || strings.Count(got, "psk_0123456789ab_…") != 2 {
		t.Errorf("got %s", got)
	}
	for path, want := range map[string]string{
		"/v1/users/psk%5F0123456789ab%5FSECRET/x":                   "/v1/users/psk%5F0123456789ab%5F…/x",
		"/psk%255F0123456789ab%255fSECRET":                          "/psk%255F0123456789ab%255f…",
		"/PSK_0123456789AB_SECRET":                                  "/PSK_0123456789AB_…",
		"/psk_0123456789ab_SECRETpst_ba9876543210_SECRET/x":         "/psk_0123456789ab_…pst_ba9876543210_…/x",
		"/psk_0123456789ab_pst_ba9876543210_SECRET":                 "/psk_0123456789ab_pst_ba9876543210_…",
		"/psk_012345678psk_0123456789ab_SECRET":                     "/psk_012345678psk_…",
		"/pss_0123456789ab_SECRET and pss_0123456789ab_SECRET, pss": "/pss_0123456789ab_… and pss_0123456789ab_…, pss",
	} {
		if got := (gateway.Record{Path: path}).Text(false); !strings.Contains(got, " "+want+" ") {
			t.Errorf("the path %s is logged as %s, want %s", path, got, want)
		}
	}
	alone := gateway.Record{Method: "GET", Path: "/", Status: 404}
	if got := alone.Text(false); !strings.Contains(got, "404") || strings.Contains(got, "warm") {
		t.Errorf("got %s", got)
	}
}

// TestRefusedBodiesAreRead refuses a large body before it is read. The client reads the response only after it has sent
// the whole body.
func TestRefusedBodiesAreRead(t *testing.T) {
	f := start(t, payload(`{"statusCode":200}`), func(c *gateway.Config) { c.Routes = routes[:1] })
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/nowhere",
		strings.NewReader(strings.Repeat("x", 24<<20)))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", r.URL.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		t.Fatal(err)
	}
	if _ = response.Body.Close(); response.StatusCode != http.StatusNotFound {
		t.Errorf("got %s", response.Status)
	}
}
