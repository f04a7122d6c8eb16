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

// client talks to a stack on behalf of one caller. It is immutable; with returns another.
type client struct {
	t       *testing.T
	api     string
	conns   *http.Transport
	header  http.Header
	secrets *secrets
	bare    bool // what answers is no function
}

// with sends one more header with every request.
func (c client) with(name, value string) client {
	c.header = c.header.Clone()
	c.header.Set(name, value)
	if name == "X-API-Key" || name == "Authorization" {
		c.secrets.keep(value)
	}
	return c
}

// as presents an API key.
func (c client) as(key string) client { return c.with("X-API-Key", key) }

// atGateway expects answers of API Gateway's own, which have the Apigw-Requestid alone, or of the pages under /_local.
func (c client) atGateway() client {
	c.bare = true
	return c
}

// at reports to another test, a subtest.
func (c client) at(t *testing.T) client {
	t.Helper()
	c.t = t
	return c
}

func (c client) get(target string) answer { c.t.Helper(); return c.do(http.MethodGet, target, "") }

func (c client) post(target, body string) answer {
	c.t.Helper()
	return c.do(http.MethodPost, target, body)
}

func (c client) put(target, body string) answer {
	c.t.Helper()
	return c.do(http.MethodPut, target, body)
}

func (c client) delete(target string) answer {
	c.t.Helper()
	return c.do(http.MethodDelete, target, "")
}

// do sends a request, a body as JSON unless with has named another type, and checks what holds of every answer.
func (c client) do(method, target, body string) answer {
	c.t.Helper()
	a, err := c.try(method, target, body)
	if err != nil {
		c.t.Fatal(err)
	}
	a.checkManners(c.bare)
	return a
}

// try is do for a server that may be gone.
func (c client) try(method, target, body string) (answer, error) {
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.api+target, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	r.Header = c.header.Clone()
	if body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := c.conns.RoundTrip(r) // which follows no redirect
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	c.secrets.find(text)
	return answer{
		t: c.t, what: method + " " + target[:min(len(target), 200)], method: method,
		status: response.StatusCode, header: response.Header, body: text,
	}, err
}

// answer is a response with assertions that name the request when they fail.
type answer struct {
	t      *testing.T
	what   string
	method string
	status int
	header http.Header
	body   []byte
}

// checkManners checks what the contract says of all answers. A function's X-Request-Id is the gateway's.
func (a answer) checkManners(bare bool) {
	a.t.Helper()
	if a.status >= http.StatusInternalServerError {
		a.t.Errorf("%s: status %d: %s", a.what, a.status, a.body)
	}
	if bare {
		return
	}
	if id := a.header.Get("X-Request-Id"); id == "" || id != a.header.Get("Apigw-Requestid") {
		a.t.Errorf("%s: X-Request-Id %q, the gateway's is %q", a.what, id, a.header.Get("Apigw-Requestid"))
	}
	if a.status >= http.StatusBadRequest && a.method != http.MethodHead {
		a.checkProblem()
	}
}

func (a answer) checkProblem() {
	a.t.Helper()
	if got := a.header.Get("Content-Type"); got != "application/problem+json" {
		a.t.Fatalf("%s: status %d with Content-Type %q, want problem details: %s", a.what, a.status, got, a.body)
	}
	for _, member := range []string{"type", "title", "detail", "code"} {
		if a.text(member) == "" {
			a.t.Errorf("%s: problem without %s: %s", a.what, member, a.body)
		}
	}
	a.has("status", a.status).has("requestId", a.header.Get("X-Request-Id"))
}

// is ends the test unless the status is as wanted.
func (a answer) is(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, want %d: %s", a.what, a.status, status, a.body)
	}
	return a
}

// has checks one value of the JSON body; path is keys and indexes joined by dots.
func (a answer) has(path string, want any) answer {
	a.t.Helper()
	if n, isInt := want.(int); isInt {
		want = float64(n) // as encoding/json reads numbers
	}
	if got := a.json(path); !reflect.DeepEqual(got, want) {
		a.t.Errorf("%s: %s is %#v, want %#v", a.what, path, got, want)
	}
	return a
}

// hasHeader checks one header.
func (a answer) hasHeader(name, want string) answer {
	a.t.Helper()
	if got := a.header.Get(name); got != want {
		a.t.Errorf("%s: header %s is %q, want %q", a.what, name, got, want)
	}
	return a
}

// pointers returns the pointers of a problem's failures, joined by commas.
func (a answer) pointers() string {
	a.t.Helper()
	all, _ := a.json("errors").([]any)
	list := make([]string, len(all))
	for i := range all {
		list[i] = a.text("errors." + strconv.Itoa(i) + ".pointer")
	}
	return strings.Join(list, ",")
}

// text returns one value of the JSON body that must be a string.
func (a answer) text(path string) string {
	a.t.Helper()
	text, isText := a.json(path).(string)
	if !isText {
		a.t.Fatalf("%s: %s is not a string: %s", a.what, path, a.body)
	}
	return text
}

// number returns one value of the JSON body that must be a whole number.
func (a answer) number(path string) int {
	a.t.Helper()
	n, isNumber := a.json(path).(float64)
	if !isNumber || n != float64(int(n)) {
		a.t.Fatalf("%s: %s is not a whole number: %s", a.what, path, a.body)
	}
	return int(n)
}

// list returns one value of the JSON body that must be an array.
func (a answer) list(path string) []any {
	a.t.Helper()
	all, isList := a.json(path).([]any)
	if !isList {
		a.t.Fatalf("%s: %s is not an array: %s", a.what, path, a.body)
	}
	return all
}

// json returns one value of the JSON body, nil where there is none; the empty path is the whole body.
func (a answer) json(path string) any {
	a.t.Helper()
	var value any
	if err := json.Unmarshal(a.body, &value); err != nil {
		a.t.Fatalf("%s: the answer is not JSON: %v: %q", a.what, err, a.body)
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
