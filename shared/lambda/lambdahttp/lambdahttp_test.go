package lambdahttp_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"
	"github.com/google/go-cmp/cmp"

	"portside/shared/lambda/lambdahttp"
)

type (
	request  = events.APIGatewayV2HTTPRequest
	response = events.APIGatewayV2HTTPResponse
)

// readEvent reads testdata/name.json as the Lambda runtime would.
func readEvent(tb testing.TB, name string) request {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	var event request
	if err := json.Unmarshal(data, &event); err != nil {
		tb.Fatal(err)
	}
	return event
}

// serve answers event through the package under test.
func serve(t *testing.T, h http.HandlerFunc, event request) response {
	t.Helper()
	got, err := lambdahttp.Handler(h)(t.Context(), event)
	if err != nil {
		t.Fatalf("the invocation failed: %v", err)
	}
	return got
}

// bare answers event with the adapter alone, to show that it still has a defect.
func bare(t *testing.T, h http.HandlerFunc, event request) (response, error) {
	t.Helper()
	return httpadapter.NewV2(h).ProxyWithContext(t.Context(), event)
}

// header returns a handler that stores the request's header.
func header(h *http.Header) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*h = r.Header
		w.WriteHeader(http.StatusNoContent)
	}
}

// problemCode checks that got is a problem document and returns its status and code.
func problemCode(t *testing.T, got response) string {
	t.Helper()
	var p struct {
		Status    int    `json:"status"`
		Code      string `json:"code"`
		RequestID string `json:"requestId"`
	}
	if err := json.Unmarshal([]byte(got.Body), &p); err != nil {
		t.Fatalf("body %q: %v", got.Body, err)
	}
	if p.Status != got.StatusCode || got.Headers["Content-Type"] != "application/problem+json" {
		t.Errorf("got status %d, document %+v, headers %v", got.StatusCode, p, got.Headers)
	}
	if p.RequestID == "" || p.RequestID != got.Headers["X-Request-Id"] {
		t.Errorf("request ID %q in the document, %q in the header", p.RequestID, got.Headers["X-Request-Id"])
	}
	return fmt.Sprint(p.Status, " ", p.Code)
}

func TestRequestEqualsThatOfNetHTTP(t *testing.T) {
	var got *http.Request
	serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r }, readEvent(t, "get"))

	values := map[string]string{
		"Method":     got.Method,
		"Path":       got.URL.Path,
		"RawQuery":   got.URL.RawQuery,
		"RequestURI": got.RequestURI,
		"Host":       got.Host,
		"RemoteAddr": got.RemoteAddr,
	}
	want := map[string]string{
		"Method":     "GET",
		"Path":       "/v1/users/zoë smith",
		"RawQuery":   "b=%2f&a=1+1&a=%zz&empty&b=",
		"RequestURI": "/v1/users/zo%C3%AB%20smith?b=%2f&a=1+1&a=%zz&empty&b=",
		"Host":       "api.portside.example",
		"RemoteAddr": "203.0.113.9:0",
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Error(diff)
	}
	wantHeader := http.Header{
		"Accept":            {"application/json, text/html;q=0.8"},
		"Authorization":     {"Basic dTpw"},
		"Content-Length":    {"0"},
		"Cookie":            {"session=abc; theme=dark"},
		"Date":              {"Sat, 21 Nov 2026 08:00:00 GMT"},
		"User-Agent":        {"curl/8.5.0"},
		"X-Amzn-Trace-Id":   {"Root=1-6920208f-6d0a0b7c2f3d4e5f60718293"},
		"X-Filter":          {`{"role":"admin","status":"active"}`},
		"X-Forwarded-For":   {"198.51.100.7, 203.0.113.9"},
		"X-Forwarded-Port":  {"443"},
		"X-Forwarded-Proto": {"https"},
		"X-Request-Id":      {"Xb1yTh4xIAMEVqg="},
	}
	if diff := cmp.Diff(wantHeader, got.Header); diff != "" {
		t.Error(diff)
	}
}

func TestBodyReachesTheHandler(t *testing.T) {
	for name, want := range map[string]string{
		"post_json":   "{\"name\":\"Zoë\"}  ",
		"post_binary": "\x00\x01\x02\xff\xfe\xfd\x89PN",
		"get":         "",
	} {
		t.Run(name, func(t *testing.T) {
			var got []byte
			var length int64
			serve(t, func(_ http.ResponseWriter, r *http.Request) {
				got, _ = io.ReadAll(r.Body)
				length = r.ContentLength
			}, readEvent(t, name))
			if string(got) != want || length != int64(len(want)) {
				t.Errorf("body %q of length %d, want %q", got, length, want)
			}
		})
	}
}

func TestInvalidBase64Gets400(t *testing.T) {
	event := readEvent(t, "post_binary")
	event.Body = "not base64!"
	got := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the handler ran") }, event)
	if code := problemCode(t, got); code != "400 VALIDATION_ERROR" {
		t.Error(code)
	}
}

func TestHost(t *testing.T) {
	for _, c := range []struct{ domain, header, want string }{
		{"api.example.com", "", "api.example.com"},
		{"api.example.com", "api.example.com", "api.example.com"},
		{"api.example.com", "evil.example.net", "api.example.com"},
		{"api.example.com", "evil.example.net:443", "api.example.com"},
		{"api.example.com", "api.example.com:evil", "api.example.com"},
		{"127.0.0.1", "127.0.0.1:3000", "127.0.0.1:3000"},
		{"", "localhost:3000", "localhost:3000"},
	} {
		t.Run(c.domain+" "+c.header, func(t *testing.T) {
			for _, name := range []string{"host", "Host"} {
				event := readEvent(t, "get")
				event.RequestContext.DomainName = c.domain
				event.Headers = map[string]string{name: c.header}
				var got string
				serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Host }, event)
				if got != c.want {
					t.Errorf("domain %q, %s %q: got %q, want %q", c.domain, name, c.header, got, c.want)
				}
			}
		})
	}
}

func TestRemoteAddrHasAPort(t *testing.T) {
	for ip, want := range map[string]string{
		"203.0.113.9": "203.0.113.9:0",
		"2001:db8::7": "[2001:db8::7]:0",
		"":            ":0",
		"[garbled":    ":0",
	} {
		event := readEvent(t, "get")
		event.RequestContext.HTTP.SourceIP = ip
		var got string
		serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.RemoteAddr }, event)
		if got != want {
			t.Errorf("source address %q: got %q, want %q", ip, got, want)
		}
	}
}

func TestRequestIDIgnoresTheClientsHeader(t *testing.T) {
	lambda := lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "of-the-invocation"})
	for _, c := range []struct {
		name string
		ctx  context.Context
		id   string
		want []string
	}{
		{"from the gateway", lambda, "of-the-gateway", []string{"of-the-gateway"}},
		{"from the invocation", lambda, "", []string{"of-the-invocation"}},
		{"none", t.Context(), "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			event := readEvent(t, "get")
			event.RequestContext.RequestID = c.id
			var got http.Header
			if _, err := lambdahttp.Handler(header(&got))(c.ctx, event); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Values("X-Request-Id")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestContextEndsBeforeTheInvocation(t *testing.T) {
	deadline := time.Date(2126, 11, 21, 8, 0, 0, 0, time.UTC)
	ctx, cancel := context.WithDeadline(t.Context(), deadline)
	cancel()
	h := func(_ http.ResponseWriter, r *http.Request) {
		if got, ok := r.Context().Deadline(); !ok || !got.Equal(deadline.Add(-time.Second)) {
			t.Errorf("deadline %v, want a second before %v", got, deadline)
		}
		if r.Context().Err() == nil {
			t.Error("the context is not canceled with the context of the invocation")
		}
	}
	if _, err := lambdahttp.Handler(http.HandlerFunc(h))(ctx, readEvent(t, "get")); err != nil {
		t.Error(err)
	}
}

func TestHandlerPassesPanicsOn(t *testing.T) {
	defer func() {
		if got := recover(); got != "a bug" {
			t.Errorf("recovered %v", got)
		}
	}()
	serve(t, func(http.ResponseWriter, *http.Request) { panic("a bug") }, readEvent(t, "get"))
	t.Error("the panic was swallowed")
}

// FuzzHandler checks that no event fails the invocation, and that an echoed body is unchanged.
func FuzzHandler(f *testing.F) {
	for _, name := range []string{"get", "post_json", "post_binary"} {
		event, err := json.Marshal(readEvent(f, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(event)
	}
	for _, event := range []string{
		`{}`,
		`{"rawPath":"/echo/100%","requestContext":{"domainName":"a b\u0000%","http":{"method":"G T","sourceIp":"[::"}}}`,
		`{"rawPath":"//","rawQueryString":"#\u007f%","headers":{"\u0000":"\r\n","content-length":"-1"},"cookies":[""]}`,
		`{"body":"%","isBase64Encoded":true}`,
	} {
		f.Add([]byte(event))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/{path...}", echo)
	handler := lambdahttp.Handler(mux)
	f.Fuzz(func(t *testing.T, data []byte) {
		var event request
		if json.Unmarshal(data, &event) != nil {
			return
		}
		got, err := handler(t.Context(), event)
		if err != nil {
			t.Fatal(err)
		}
		checkEcho(t, event, got)
	})
}

func echo(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Path", r.PathValue("path"))
	_, _ = io.Copy(w, r.Body)
}

func checkEcho(t *testing.T, event request, got response) {
	t.Helper()
	if got.StatusCode < 200 || got.StatusCode >= 500 {
		t.Fatalf("status %d", got.StatusCode)
	}
	encoded, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var received response
	if err := json.Unmarshal(encoded, &received); err != nil {
		t.Fatal(err)
	}
	want, ok := decode(event.Body, event.IsBase64Encoded)
	body, sendable := decode(received.Body, received.IsBase64Encoded)
	if !sendable {
		t.Fatalf("body %q is not base64", received.Body)
	}
	if ok != (got.StatusCode != http.StatusBadRequest) {
		t.Fatalf("status %d for a body that can be decoded: %t", got.StatusCode, ok)
	}
	_, echoed := got.Headers["X-Path"]
	if echoed && event.RequestContext.HTTP.Method != http.MethodHead && !bytes.Equal(body, want) {
		t.Fatalf("sent %q, got %q", want, body)
	}
}

func decode(body string, isBase64 bool) ([]byte, bool) {
	if !isBase64 {
		return []byte(body), true
	}
	data, err := base64.StdEncoding.DecodeString(body)
	return data, err == nil
}
