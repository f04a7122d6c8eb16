package testclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// Response is a response with assertions. Their failure messages name the request.
type Response struct {
	tb             testing.TB
	Method, Target string // of the request
	Status         int
	Header         http.Header
	Body           []byte
}

// Request returns the method and the target of the request, for messages.
func (r Response) Request() string {
	const maxTargetBytes = 200
	return r.Method + " " + r.Target[:min(len(r.Target), maxTargetBytes)]
}

// String returns the request, the status and the body, for messages.
func (r Response) String() string { return fmt.Sprintf("%s: %d %s", r.Request(), r.Status, r.Body) }

// WantStatus ends the test unless the response has the status.
func (r Response) WantStatus(status int) Response {
	r.tb.Helper()
	if r.Status != status {
		r.tb.Fatalf("%s: status %d, want %d: %s", r.Request(), r.Status, status, r.Body)
	}
	return r
}

// WantValue checks one value of the JSON body. The path consists of keys and indexes joined by dots.
func (r Response) WantValue(path string, want any) Response {
	r.tb.Helper()
	if n, isInt := want.(int); isInt {
		want = float64(n) // the type that encoding/json decodes
	}
	if got := r.JSON(path); !reflect.DeepEqual(got, want) {
		r.tb.Errorf("%s: %s is %#v, want %#v", r.Request(), path, got, want)
	}
	return r
}

// WantHeader checks one header.
func (r Response) WantHeader(name, want string) Response {
	r.tb.Helper()
	if got := r.Header.Get(name); got != want {
		r.tb.Errorf("%s: header %s is %q, want %q", r.Request(), name, got, want)
	}
	return r
}

// WantProblem checks that the response has problem details with all members, and that the type refers to the
// description of the code.
func (r Response) WantProblem() Response {
	r.tb.Helper()
	r.WantHeader("Content-Type", "application/problem+json")
	r.wantTexts("title", "detail", "code")
	r.WantValue("type", "/docs/errors#"+r.Text("code"))
	return r.WantValue("status", r.Status).WantValue("requestId", r.Header.Get("X-Request-Id"))
}

// WantRegistryError checks that the response has an error of the OCI distribution specification.
func (r Response) WantRegistryError() Response {
	r.tb.Helper()
	r.WantHeader("Content-Type", "application/json")
	r.wantTexts("errors.0.code", "errors.0.message")
	return r
}

// wantTexts checks that the values are strings and not empty.
func (r Response) wantTexts(paths ...string) {
	r.tb.Helper()
	for _, path := range paths {
		if r.Text(path) == "" {
			r.tb.Errorf("%s: %s is empty: %s", r.Request(), path, r.Body)
		}
	}
}

// Pointers returns the pointers of the errors in problem details, in order.
func (r Response) Pointers() []string {
	r.tb.Helper()
	all, _ := r.JSON("errors").([]any)
	pointers := make([]string, len(all))
	for i := range all {
		pointers[i] = r.Text("errors." + strconv.Itoa(i) + ".pointer")
	}
	return pointers
}

// Text returns one value of the JSON body, which must be a string.
func (r Response) Text(path string) string {
	r.tb.Helper()
	text, isText := r.JSON(path).(string)
	if !isText {
		r.tb.Fatalf("%s: %s is not a string: %s", r.Request(), path, r.Body)
	}
	return text
}

// Number returns one value of the JSON body, which must be a whole number.
func (r Response) Number(path string) int {
	r.tb.Helper()
	n, isNumber := r.JSON(path).(float64)
	if !isNumber || n != float64(int(n)) {
		r.tb.Fatalf("%s: %s is not a whole number: %s", r.Request(), path, r.Body)
	}
	return int(n)
}

// List returns one value of the JSON body, which must be an array.
func (r Response) List(path string) []any {
	r.tb.Helper()
	all, isList := r.JSON(path).([]any)
	if !isList {
		r.tb.Fatalf("%s: %s is not an array: %s", r.Request(), path, r.Body)
	}
	return all
}

// JSON returns one value of the JSON body, or nil if the path has no value. The empty path returns the whole body.
func (r Response) JSON(path string) any {
	r.tb.Helper()
	var value any
	if err := json.Unmarshal(r.Body, &value); err != nil {
		r.tb.Fatalf("%s: the response is not JSON: %v: %q", r.Request(), err, r.Body)
	}
	if path == "" {
		return value
	}
	for step := range strings.SplitSeq(path, ".") {
		value = child(value, step)
	}
	return value
}

// child returns the value under a key or index, or nil.
func child(value any, step string) any {
	switch v := value.(type) {
	case map[string]any:
		return v[step]
	case []any:
		if i, err := strconv.Atoi(step); err == nil && 0 <= i && i < len(v) {
			return v[i]
		}
	}
	return nil
}
