package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// client sends requests to a stack on behalf of one caller. It is immutable; with returns a copy.
type client struct {
	t         *testing.T
	api       string
	conns     *http.Transport
	header    http.Header
	secrets   *secrets
	isGateway bool // responses come from the gateway, not from a function
}

// with returns a client that also sends the header.
func (c client) with(name, value string) client {
	c.header = c.header.Clone()
	c.header.Set(name, value)
	if name == "X-API-Key" || name == "Authorization" {
		c.secrets.add(value)
	}
	return c
}

// as returns a client with an API key.
func (c client) as(key string) client { return c.with("X-API-Key", key) }

// fromGateway returns a client that expects responses of the gateway itself or of the pages below
// /_local. They lack the headers that functions set.
func (c client) fromGateway() client {
	c.isGateway = true
	return c
}

// withT returns a client that reports to another test.
func (c client) withT(t *testing.T) client {
	t.Helper()
	c.t = t
	return c
}

func (c client) get(target string) response { c.t.Helper(); return c.do(http.MethodGet, target, "") }

func (c client) post(target, body string) response {
	c.t.Helper()
	return c.do(http.MethodPost, target, body)
}

func (c client) put(target, body string) response {
	c.t.Helper()
	return c.do(http.MethodPut, target, body)
}

func (c client) delete(target string) response {
	c.t.Helper()
	return c.do(http.MethodDelete, target, "")
}

// do sends a request and checks the properties of every response. The body is JSON unless the
// client has a Content-Type.
func (c client) do(method, target, body string) response {
	c.t.Helper()
	a, err := c.send(method, target, body)
	if err != nil {
		c.t.Fatal(err)
	}
	a.checkCommonHeaders(c.isGateway)
	return a
}

// send is do without checks, for a server that may have stopped.
func (c client) send(method, target, body string) (response, error) {
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.api+target, strings.NewReader(body))
	if err != nil {
		return response{}, err
	}
	r.Header = c.header.Clone()
	if body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	reply, err := c.conns.RoundTrip(r) // does not follow redirects
	if err != nil {
		return response{}, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	c.secrets.addFrom(text)
	return response{
		t: c.t, request: method + " " + target[:min(len(target), 200)], method: method,
		status: reply.StatusCode, header: reply.Header, body: text,
	}, err
}

// response is a response with assertions. Their failures name the request.
type response struct {
	t       *testing.T
	request string
	method  string
	status  int
	header  http.Header
	body    []byte
}

// checkCommonHeaders checks the headers that every response must have. A function's X-Request-Id is
// the gateway's.
func (a response) checkCommonHeaders(bare bool) {
	a.t.Helper()
	if a.status >= http.StatusInternalServerError {
		a.t.Errorf("%s: status %d: %s", a.request, a.status, a.body)
	}
	if bare {
		return
	}
	if id := a.header.Get("X-Request-Id"); id == "" || id != a.header.Get("Apigw-Requestid") {
		a.t.Errorf("%s: X-Request-Id %q, the gateway's is %q", a.request, id, a.header.Get("Apigw-Requestid"))
	}
	if a.status >= http.StatusBadRequest && a.method != http.MethodHead {
		a.checkProblem()
	}
}

func (a response) checkProblem() {
	a.t.Helper()
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		a.t.Fatalf("%s: status %d with Content-Type %q, want problem details: %s", a.request, a.status, got, a.body)
	}
	for _, member := range []string{"type", "title", "detail", "code"} {
		if a.text(member) == "" {
			a.t.Errorf("%s: problem without %s: %s", a.request, member, a.body)
		}
	}
	a.wantValue("status", a.status).wantValue("requestId", a.header.Get("X-Request-Id"))
}

// wantStatus fails the test immediately unless the response has the status.
func (a response) wantStatus(status int) response {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, want %d: %s", a.request, a.status, status, a.body)
	}
	return a
}

// wantValue checks a value of the JSON body. path has keys and indexes joined by dots.
func (a response) wantValue(path string, want any) response {
	a.t.Helper()
	if n, isInt := want.(int); isInt {
		want = float64(n) // the type that encoding/json decodes
	}
	if got := a.json(path); !reflect.DeepEqual(got, want) {
		a.t.Errorf("%s: %s is %#v, want %#v", a.request, path, got, want)
	}
	return a
}

// wantHeader checks a header.
func (a response) wantHeader(name, want string) response {
	a.t.Helper()
	if got := a.header.Get(name); got != want {
		a.t.Errorf("%s: header %s is %q, want %q", a.request, name, got, want)
	}
	return a
}

// pointers returns the pointers of a problem's errors, joined by commas.
func (a response) pointers() string {
	a.t.Helper()
	all, _ := a.json("errors").([]any)
	list := make([]string, len(all))
	for i := range all {
		list[i] = a.text("errors." + strconv.Itoa(i) + ".pointer")
	}
	return strings.Join(list, ",")
}

// text returns a value of the JSON body, which must be a string.
func (a response) text(path string) string {
	a.t.Helper()
	text, isText := a.json(path).(string)
	if !isText {
		a.t.Fatalf("%s: %s is not a string: %s", a.request, path, a.body)
	}
	return text
}

// number returns a value of the JSON body, which must be a whole number.
func (a response) number(path string) int {
	a.t.Helper()
	n, isNumber := a.json(path).(float64)
	if !isNumber || n != float64(int(n)) {
		a.t.Fatalf("%s: %s is not a whole number: %s", a.request, path, a.body)
	}
	return int(n)
}

// list returns a value of the JSON body, which must be an array.
func (a response) list(path string) []any {
	a.t.Helper()
	all, isList := a.json(path).([]any)
	if !isList {
		a.t.Fatalf("%s: %s is not an array: %s", a.request, path, a.body)
	}
	return all
}

// json returns a value of the JSON body, or nil if it is missing. The empty path means the whole
// body.
func (a response) json(path string) any {
	a.t.Helper()
	var value any
	if err := json.Unmarshal(a.body, &value); err != nil {
		a.t.Fatalf("%s: the response is not JSON: %v: %q", a.request, err, a.body)
	}
	if path == "" {
		return value
	}
	for step := range strings.SplitSeq(path, ".") {
		value = child(value, step)
	}
	return value
}

func child(value any, step string) any {
	switch v := value.(type) {
	case map[string]any:
		return v[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && i < len(v) {
			return v[i]
		}
	}
	return nil
}
