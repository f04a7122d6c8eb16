package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/local/gateway"
	"portside/local/template"
)

func TestResponses(t *testing.T) {
	const text, js = "text/plain; charset=utf-8", "application/json"
	for _, test := range []struct {
		name, payload string
		status        int
		body, typ     string
	}{
		{"plain", `{"statusCode":201,"body":"hi"}`, 201, "hi", text},
		{"typed", `{"statusCode":200,"headers":{"content-type":"a/b"},"body":"hi"}`, 200, "hi", "a/b"},
		{"base64", `{"statusCode":200,"isBase64Encoded":true,"body":"aGk="}`, 200, "hi", text},
		{"no body", `{"statusCode":204}`, 204, "", ""},
		{"204 with a body", `{"statusCode":204,"body":"x"}`, 204, "", text},
		{"304", `{"statusCode":304,"headers":{"etag":"\"1\""}}`, 304, "", ""},
		{"nulls", `{"statusCode":200,"headers":null,"cookies":null,"body":null,"isBase64Encoded":null}`, 200, "", ""},
		{"multiValueHeaders", `{"statusCode":200,"multiValueHeaders":{"content-type":["x/y"]},"body":"a"}`, 200, "a", text},
		{"an object", `{"a": 1}`, 200, `{"a": 1}`, js},
		{"a list", `[1,2]`, 200, `[1,2]`, js},
		{"a text", `"he said \"hi\""`, 200, `he said "hi"`, js},
		{"a number", `42`, 200, `42`, js},
		{"not JSON", `{"a": `, 200, `{"a": `, js},
		{"nothing", ``, 200, ``, js},
		{"another case", `{"StatusCode":201}`, 200, `{"StatusCode":201}`, js},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := start(t, payload(test.payload), nil)
			got := f.do("GET", "/v1/users", "")
			if got.status != test.status || got.body != test.body || got.header.Get("Content-Type") != test.typ {
				t.Errorf("got %d %q %q", got.status, got.body, got.header.Get("Content-Type"))
			}
		})
	}
}

func TestMalformedResponses(t *testing.T) {
	for _, p := range []string{
		`{"statusCode":0}`, `{"statusCode":null}`, `{"statusCode":200.5}`, `{"statusCode":"200"}`, `{"statusCode":101}`, `{"statusCode":600}`,
		`{"statusCode":200,"body":{"a":1}}`, `{"statusCode":200,"headers":[]}`, `{"statusCode":200,"headers":{"a":["b"]}}`,
		`{"statusCode":200,"headers":{"a b":"c"}}`, `{"statusCode":200,"headers":{"a":"b\r\nc: d"}}`,
		`{"statusCode":200,"cookies":"a=1"}`, `{"statusCode":200,"cookies":["a=\n"]}`,
		`{"statusCode":200,"isBase64Encoded":true,"body":"*"}`, `{"statusCode":200,"isBase64Encoded":"yes","body":""}`,
	} {
		f := start(t, payload(p), nil)
		if got := f.do("GET", "/v1/users", ""); got.status != 500 || got.body != `{"message":"Internal Server Error"}` {
			t.Errorf("%s: %d %s", p, got.status, got.body)
		}
	}
}

func TestResponseHeaders(t *testing.T) {
	f := start(t, payload(`{"statusCode":200,"body":"four","cookies":["a=1; Path=/","b=2"],"headers":{
		"x-one":"1,2","x-number":5,"x-flag":true,"content-length":"99","connection":"close","transfer-encoding":"chunked","date":"never",
		"apigw-requestid":"mine","access-control-allow-origin":"https://own.example","www-authenticate":"Basic realm=\"x\""}}`), nil)
	got := f.do("GET", "/v1/users", "", "Origin", "https://a.example")
	if got.header.Get("Date") == "never" {
		t.Error("the function set the date")
	}
	got.header.Del("Date")
	want := http.Header{
		"X-One": {"1,2"}, "X-Number": {"5"}, "X-Flag": {"true"}, "Content-Length": {"4"}, "Set-Cookie": {"a=1; Path=/", "b=2"},
		"Apigw-Requestid": {"WSg1ihmdliAEJXA="}, "Content-Type": {"text/plain; charset=utf-8"},
		"Www-Authenticate": {`Basic realm="x"`}, "Access-Control-Allow-Origin": {"https://own.example"},
	}
	if diff := cmp.Diff(want, got.header); diff != "" {
		t.Error(diff)
	}
}

func withCORS(c template.CORS) func(*gateway.Config) {
	return func(config *gateway.Config) { config.CORS = &c }
}

func corsOf(h http.Header) http.Header {
	picked := http.Header{}
	for name, values := range h {
		if name == "Vary" || len(name) > 15 && name[:15] == "Access-Control-" {
			picked[name] = values
		}
	}
	return picked
}

func TestPreflight(t *testing.T) {
	f := start(t, payload(`{"statusCode":200,"body":"function"}`), withCORS(template.CORS{
		AllowOrigins: []string{"https://a.example", "http://*"}, AllowMethods: []string{"GET", "PUT"},
		AllowHeaders: []string{"x-a", "x-b"}, ExposeHeaders: []string{"etag"}, MaxAge: 600, AllowCredentials: true,
	}))
	permitted := func(origin string) http.Header {
		return http.Header{
			"Access-Control-Allow-Origin": {origin}, "Access-Control-Allow-Methods": {"GET,PUT"},
			"Access-Control-Allow-Headers": {"x-a,x-b"}, "Access-Control-Expose-Headers": {"etag"},
			"Access-Control-Max-Age": {"600"}, "Access-Control-Allow-Credentials": {"true"}, "Vary": {"Origin"},
		}
	}
	for origin, want := range map[string]http.Header{
		"https://a.example": permitted("https://a.example"),
		"http://any.where":  permitted("http://any.where"),
		"https://b.example": {},
	} {
		got := f.do("OPTIONS", "/nowhere/at/all", "", "Origin", origin, "Access-Control-Request-Method", "PUT")
		if diff := cmp.Diff(want, corsOf(got.header)); got.status != 204 || diff != "" {
			t.Errorf("%s: %d %s", origin, got.status, diff)
		}
	}
	if _, event := f.recorder.last(); event != nil {
		t.Error("a preflight reached the function")
	}
	if got := f.do("OPTIONS", "/v1/users", "", "Origin", "https://a.example"); got.body != "function" {
		t.Errorf("OPTIONS without preflight headers: %+v", got)
	}
}

func TestCORSHeadersOfResponses(t *testing.T) {
	f := start(t, payload(`{"statusCode":200,"headers":
		{"access-control-allow-origin":"https://own","access-control-max-age":"1","vary":"Accept"}}`),
		withCORS(template.CORS{AllowOrigins: []string{"*"}, AllowMethods: []string{"GET"}, ExposeHeaders: []string{"etag", "location"}}))
	want := http.Header{"Access-Control-Allow-Origin": {"*"}, "Access-Control-Expose-Headers": {"etag,location"},
		"Vary": {"Accept"}}
	if diff := cmp.Diff(want, corsOf(f.do("GET", "/v1/users", "", "Origin", "https://x").header)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(http.Header{"Vary": {"Accept"}}, corsOf(f.do("GET", "/v1/users", "").header)); diff != "" {
		t.Error("without an Origin: " + diff)
	}
}

func FuzzResponse(f *testing.F) {
	for _, p := range []string{
		`{"statusCode":200,"headers":{"a":"b"},"cookies":["c"],"body":"d"}`, `"x"`, `{`,
		`{"statusCode":204,"isBase64Encoded":true,"body":"aGk="}`,
	} {
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		handler, err := gateway.New(gateway.Config{Routes: routes, Invoker: &recorder{answer: payload(string(p))}})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/v1/users", nil))
		if w.Code < 200 || w.Code > 599 || w.Header().Get("Apigw-Requestid") == "" {
			t.Fatalf("%d %v", w.Code, w.Header())
		}
	})
}
