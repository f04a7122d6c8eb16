package testclient_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"portside/testclient"
)

// recorder is a test that records failures instead of failing.
type recorder struct {
	testing.TB

	failures []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// failures returns the failures that f reports.
func failures(t *testing.T, f func(tb testing.TB)) []string {
	t.Helper()
	r := &recorder{TB: t}
	func() {
		defer func() {
			if reason := recover(); reason != nil && reason != any(r) {
				panic(reason)
			}
		}()
		f(r)
	}()
	return r.failures
}

// serve returns a client that sends its requests to a handler and does not check the responses.
func serve(tb testing.TB, handler http.HandlerFunc) testclient.Client {
	tb.Helper()
	return testclient.Client{
		TB: tb, BaseURL: "http://example.com",
		RoundTrip: func(r *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			handler(w, r)
			return w.Result(), nil
		},
		Check: func(testing.TB, testclient.Response) {},
	}
}

// reply returns a handler that always sends the same response.
func reply(status int, body string, header http.Header) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestClientSendsMethodTargetHeaderAndBody(t *testing.T) {
	echo := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprintf(w, "%s %s key=%s type=%s body=%s", r.Method, r.URL.RequestURI(),
			r.Header.Get("X-API-Key"), r.Header.Get("Content-Type"), body)
	})
	withKey := echo.With("x-api-key", "k")
	for _, c := range []struct {
		response testclient.Response
		want     string
	}{
		{echo.Get("/a?b=%20"), "GET /a?b=%20 key= type= body="},
		{echo.Delete("/a%2fb"), "DELETE /a%2fb key= type= body="},
		{withKey.Post("/", "{}"), "POST / key=k type=application/json body={}"},
		{withKey.With("Content-Type", "text/plain").Put("/", "x"), "PUT / key=k type=text/plain body=x"},
		{withKey.Get("/"), "GET / key=k type= body="},
		{echo.Get("/"), "GET / key= type= body="},
	} {
		t.Run(c.want, func(t *testing.T) {
			if got := string(c.response.Body); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestDoChecksTheResponseAndSendDoesNot(t *testing.T) {
	c := serve(t, reply(http.StatusTeapot, "", nil))
	checked := 0
	c.Check = func(_ testing.TB, r testclient.Response) { checked += r.Status }
	if r, err := c.Send(http.MethodGet, "/", ""); err != nil || r.Status != http.StatusTeapot || checked != 0 {
		t.Errorf("Send: %v, %v, checked %d", r, err, checked)
	}
	if c.Get("/"); checked != http.StatusTeapot {
		t.Errorf("Get: checked %d", checked)
	}
}

func TestFailedRequestsEndTheTest(t *testing.T) {
	stopped := errors.New("stopped")
	c := serve(t, nil)
	c.RoundTrip = func(*http.Request) (*http.Response, error) { return nil, stopped }
	if _, err := c.Send(http.MethodGet, "/", ""); !errors.Is(err, stopped) {
		t.Errorf("Send: %v", err)
	}
	got := failures(t, func(tb testing.TB) { c.For(tb).Get("/a") })
	if !slices.Equal(got, []string{"GET /a: stopped"}) {
		t.Errorf("failures %q", got)
	}
}

func TestResponseReadsValues(t *testing.T) {
	r := serve(t, reply(http.StatusOK, `{"a":[{"b":"text"},2],"errors":[{"pointer":"/x"},{"pointer":"/y"}]}`, nil)).
		Get("/")
	r.WantStatus(http.StatusOK).WantValue("a.0.b", "text").WantValue("a.1", 2).WantValue("a.2", nil).
		WantValue("a.-1", nil).WantValue("a.x", nil).WantValue("a.1.x", nil).WantValue("none", nil)
	if r.Text("a.0.b") != "text" || r.Number("a.1") != 2 || len(r.List("a")) != 2 {
		t.Errorf("wrong values of %s", r)
	}
	if got := r.Pointers(); !slices.Equal(got, []string{"/x", "/y"}) {
		t.Errorf("pointers %q", got)
	}
	if body, isObject := r.JSON("").(map[string]any); !isObject || len(body) != 2 {
		t.Errorf("the whole body is %v", r.JSON(""))
	}
}

func TestAssertionsReportFailures(t *testing.T) {
	handler := reply(http.StatusOK, `{"a":1.5}`, http.Header{"Etag": {"x"}})
	for want, assert := range map[string]func(testclient.Response){
		`GET /: status 200, want 404: {"a":1.5}`:                    func(r testclient.Response) { r.WantStatus(http.StatusNotFound) },
		`GET /: a is 1.5, want 2`:                                   func(r testclient.Response) { r.WantValue("a", 2) },
		`GET /: header ETag is "x", want "y"`:                       func(r testclient.Response) { r.WantHeader("ETag", "y") },
		`GET /: a is not a string: {"a":1.5}`:                       func(r testclient.Response) { r.Text("a") },
		`GET /: a is not a whole number: {"a":1.5}`:                 func(r testclient.Response) { r.Number("a") },
		`GET /: a is not an array: {"a":1.5}`:                       func(r testclient.Response) { r.List("a") },
		`GET /: header Content-Type is "", want "application/json"`: func(r testclient.Response) { r.WantRegistryError() },
	} {
		got := failures(t, func(tb testing.TB) { assert(serve(tb, handler).Get("/")) })
		if len(got) == 0 || got[0] != want {
			t.Errorf("failures %q, want %q", got, want)
		}
	}
	got := failures(t, func(tb testing.TB) { serve(tb, reply(http.StatusOK, "<p>", nil)).Get("/").JSON("a") })
	if len(got) != 1 || !strings.HasPrefix(got[0], "GET /: the response is not JSON") {
		t.Errorf("failures %q", got)
	}
}

func TestWantProblemChecksAllMembers(t *testing.T) {
	const problem = `{"type":"/docs/errors#NOT_FOUND","title":"Not Found","status":404,"detail":"no user","code":"NOT_FOUND","requestId":"1"}`
	header := http.Header{"Content-Type": {"application/problem+json"}, "X-Request-Id": {"1"}}
	serve(t, reply(http.StatusNotFound, problem, header)).Get("/").WantProblem()
	for _, member := range []string{`"/docs/errors#NOT_FOUND"`, `"Not Found"`, `404`, `"no user"`, `"NOT_FOUND"`, `"1"`} {
		empty := strings.Replace(problem, member, `""`, 1)
		got := failures(t, func(tb testing.TB) { serve(tb, reply(http.StatusNotFound, empty, header)).Get("/").WantProblem() })
		if len(got) == 0 {
			t.Errorf("without %s: failures %q", member, got)
		}
	}
	blank := strings.Replace(problem, "/docs/errors#NOT_FOUND", "about:blank", 1)
	if got := failures(t, func(tb testing.TB) { serve(tb, reply(http.StatusNotFound, blank, header)).Get("/").WantProblem() }); len(got) != 1 {
		t.Errorf("a type that refers to nothing: failures %q", got)
	}
}

func TestWantRegistryErrorChecksCodeAndMessage(t *testing.T) {
	header := http.Header{"Content-Type": {"application/json"}}
	for body, want := range map[string]int{
		`{"errors":[{"code":"DENIED","message":"denied"}]}`: 0,
		`{"errors":[{"code":"","message":"denied"}]}`:       1,
		`{"errors":[{"code":"DENIED"}]}`:                    1,
	} {
		t.Run(body, func(t *testing.T) {
			got := failures(t, func(tb testing.TB) {
				serve(tb, reply(http.StatusForbidden, body, header)).Get("/").WantRegistryError()
			})
			if len(got) != want {
				t.Errorf("%s: failures %q", body, got)
			}
		})
	}
}
