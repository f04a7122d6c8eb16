package gateway_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"portside/local/gateway"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fixed has headers whose values would otherwise vary between runs.
var fixed = []string{"User-Agent", "curl/8.14", "X-Amzn-Trace-Id", "Root=1-6921a0f9-0123456789abcdef01234567"}

func TestEvents(t *testing.T) {
	for _, test := range []struct {
		name, method, target, body string
		headers                    []string
	}{
		{"list", "GET", "/v1/users?limit=20&role=admin&role=viewer&q=a%20b%2Bc+d&empty&bad=%zz&&=v", "", []string{"Accept", "a/b", "Accept", "c/d"}},
		{"get", "GET", "/v1/users/0190f5b2?x=%E2%98%95", "", nil},
		{"create", "POST", "/v1/users", `{"name":"A <b> & ☕"}`, []string{"Content-Type", "application/json; charset=utf-8", "Idempotency-Key", "k, 1"}},
		{"cookies", "GET", "/v1/users/a/b%20c", "", []string{"Cookie", "a=1; b=2", "Cookie", "c=3;"}},
		{"form", "PUT", "/v1/users/1", "a=1&b=2", []string{"Content-Type", "application/x-www-form-urlencoded"}},
		{"binary", "POST", "/anything", "\x00\xff", []string{"Content-Type", "image/png"}},
		{"connection", "DELETE", "/x", "", []string{"Connection", "keep-alive, X-Y", "Te", "trailers", "X-Forwarded-For", "10.0.0.8", "X-Forwarded-For", "10.0.0.9", "X-Forwarded-Port", "9", "X-Forwarded-Proto", "ftp"}},
		{"invalid utf-8", "POST", "/v1/users", "a\xffb", []string{"Content-Type", "text/plain", "X-Latin", "\xe9"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := start(t, payload(`{"statusCode":200}`), nil)
			f.do(test.method, test.target, test.body, append(test.headers, fixed...)...)
			_, event := f.recorder.last()
			compareGolden(t, test.name, f.url, event)
		})
	}
}

// Functions decode events with the types of aws-lambda-go, so these must have all our fields.
func TestEventMatchesAWSLambdaGo(t *testing.T) {
	f := start(t, payload(`{"statusCode":200}`), nil)
	f.do("POST", "/v1/users/a?b=c", "body", "Content-Type", "text/plain", "Cookie", "d=e")
	_, raw := f.recorder.last()
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	var event events.APIGatewayV2HTTPRequest
	if err := decoder.Decode(&event); err != nil {
		t.Fatal(err)
	}
	if event.Body != "body" || event.Cookies[0] != "d=e" || event.QueryStringParameters["b"] != "c" ||
		event.PathParameters["proxy"] != "a" ||
		event.RequestContext.HTTP.Method != http.MethodPost || event.RequestContext.TimeEpoch == 0 ||
		event.RequestContext.APIID == "" {
		t.Errorf("got %+v", event)
	}
}

func compareGolden(t *testing.T, name, url string, event []byte) {
	t.Helper()
	address := strings.TrimPrefix(url, "http://")
	_, port, _ := strings.Cut(address, ":")
	event = bytes.ReplaceAll(event, []byte(address), []byte("127.0.0.1:3000"))
	event = bytes.ReplaceAll(event, []byte(`"x-forwarded-port":"`+port), []byte(`"x-forwarded-port":"3000`))
	var got bytes.Buffer
	if err := json.Indent(&got, event, "", "  "); err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	file := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".json")
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got.Bytes()) {
		t.Errorf("got %s\nwant %s", got.Bytes(), want)
	}
}

func TestBodyEncodingByContentType(t *testing.T) {
	f := start(t, payload(`{"statusCode":200}`), nil)
	for typ, text := range map[string]bool{
		"text/csv": true, "TEXT/HTML; charset=x": true, "application/json": true, "application/xml": true,
		"application/javascript": true,
		"":                       false, "application/problem+json": false, "application/x-www-form-urlencoded": false,
		"multipart/form-data; boundary=b": false,
		"application/octet-stream":        false,
	} {
		headers := []string{"Content-Type", typ}
		if typ == "" {
			headers = nil
		}
		f.do("POST", "/v1/users", "body", headers...)
		var event struct {
			Body            string
			IsBase64Encoded bool
		}
		_, raw := f.recorder.last()
		if err := json.Unmarshal(raw, &event); err != nil {
			t.Fatal(err)
		}
		want := base64.StdEncoding.EncodeToString([]byte("body"))
		if text {
			want = "body"
		}
		if event.IsBase64Encoded == text || event.Body != want {
			t.Errorf("%q: %+v", typ, event)
		}
	}
	f.do("POST", "/v1/users", "body", "Content-Type", "application/json", "Content-Encoding", "gzip")
	if _, raw := f.recorder.last(); !strings.Contains(string(raw), `"isBase64Encoded":true`) {
		t.Error("a compressed body was sent as text")
	}
}

func TestGeneratedIDs(t *testing.T) {
	f := start(t, payload(`{"statusCode":200}`), func(c *gateway.Config) { c.RequestID, c.Now = nil, nil })
	got := f.do("GET", "/v1/users", "")
	id := got.header.Get("Apigw-Requestid")
	_, raw := f.recorder.last()
	var event struct {
		Headers        map[string]string
		RequestContext struct{ RequestID string }
	}
	if err := json.Unmarshal(raw, &event); err != nil {
		t.Fatal(err)
	}
	if len(id) != 16 || id[15] != '=' || event.RequestContext.RequestID != id {
		t.Errorf("request ID %q, in the event %q", id, event.RequestContext.RequestID)
	}
	if trace := event.Headers["x-amzn-trace-id"]; len(trace) != len("Root=1-67891233-abcdef012345678912345678") {
		t.Errorf("trace ID %q", trace)
	}
}

func FuzzEvent(f *testing.F) {
	f.Add("GET", "/v1/users", "a=1", "application/json", "value", []byte("{}"))
	f.Add("POST", "/v1/users/\xff/%zz", "%zz=%ff&;&&=", "text/\xff", "\x00\xff", []byte("\xff\x00"))
	f.Fuzz(func(t *testing.T, method, path, query, typ, header string, body []byte) {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "http://host/", bytes.NewReader(body))
		r.Method, r.URL.Path, r.URL.RawQuery, r.Host = method, path, query, header
		r.Header.Set("Content-Type", typ)
		r.Header.Set("Cookie", header)
		r.Header.Set("X-Header", header)
		recorder := &recorder{answer: payload(string(body))}
		handler, err := gateway.New(gateway.Config{Routes: routes, Invoker: recorder})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		_, event := recorder.last()
		if event != nil && (!json.Valid(event) || !utf8.Valid(event)) {
			t.Fatalf("not a JSON event: %q", event)
		}
		if w.Code < 200 || w.Code > 599 {
			t.Fatalf("status %d", w.Code)
		}
	})
}
