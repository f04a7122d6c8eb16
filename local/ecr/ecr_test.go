package ecr_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"portside/local/ecr"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 500e6, time.UTC)

func api() http.Handler {
	return ecr.Config{
		Registry: "http://127.0.0.1:5000", Password: "pass:word", Now: func() time.Time { return now },
	}.API()
}

// request returns a request in the form of the AWS SDK for Go.
func request(t *testing.T, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("X-Amz-Target", "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken")
	r.Header.Set("X-Amz-Date", "20261121T120000Z")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=local/20261121/us-east-1/ecr/aws4_request, "+
		"SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-target, Signature=00")
	return r
}

func TestGetAuthorizationToken(t *testing.T) {
	for _, body := range []string{`{}`, `{"registryIds":[]}`, ` {"registryIds":null} `} {
		w := httptest.NewRecorder()
		api().ServeHTTP(w, request(t, body))
		const want = `{"authorizationData":[{"authorizationToken":"QVdTOnBhc3M6d29yZA==",` +
			`"expiresAt":1795305600.500,"proxyEndpoint":"http://127.0.0.1:5000"}]}`
		if w.Code != http.StatusOK || w.Body.String() != want || w.Header().
			Get("Content-Type") != "application/x-amz-json-1.1" {
			t.Errorf("%s: %d %v\n%s\nwant\n%s", body, w.Code, w.Header(), w.Body, want)
		}
	}
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	tests := []struct {
		name, body string
		change     func(*http.Request)
		want       string
	}{
		{"another operation", `{}`, header("X-Amz-Target", "AmazonEC2ContainerRegistry_V20150921.DescribeImages"), "UnknownOperationException"},
		{"another service", `{}`, header("X-Amz-Target", "secretsmanager.GetAuthorizationToken"), "UnknownOperationException"},
		{"no target", `{}`, header("X-Amz-Target", ""), "UnknownOperationException"},
		{"another protocol", `{}`, header("Content-Type", "application/json"), "UnknownOperationException"},
		{"another method", `{}`, func(r *http.Request) { r.Method = http.MethodGet }, "UnknownOperationException"},
		{"another path", `{}`, func(r *http.Request) { r.URL.Path = "/v2/" }, "UnknownOperationException"},
		{"no signature", `{}`, header("Authorization", ""), "MissingAuthenticationTokenException"},
		{"another authorization", `{}`, header("Authorization", "Basic QVdTOmE="), "MissingAuthenticationTokenException"},
		{"no body", ``, nil, "SerializationException"},
		{"no object", `null`, nil, "SerializationException"},
		{"more than an object", `{}{}`, nil, "SerializationException"},
		{"an unknown field", `{"registry":"1"}`, nil, "SerializationException"},
		{"too large", `{"registryIds":["` + strings.Repeat("0", 17<<10) + `"]}`, nil, "SerializationException"},
		{"another registry", `{"registryIds":["012345678910"]}`, nil, "InvalidParameterException"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := request(t, test.body)
			if test.change != nil {
				test.change(r)
			}
			w := httptest.NewRecorder()
			api().ServeHTTP(w, r)
			var refused struct {
				Kind    string `json:"__type"`
				Message string `json:"message"`
			}
			err := json.Unmarshal(w.Body.Bytes(), &refused)
			if err != nil || w.Code != http.StatusBadRequest || refused.Kind != test.want || refused.Message == "" ||
				w.Header().Get("X-Amzn-Errortype") != test.want {
				t.Errorf("%s: %d %v %s, want %s", test.name, w.Code, w.Header(), w.Body, test.want)
			}
		})
	}
}

func FuzzInput(f *testing.F) {
	for _, body := range []string{`{}`, `{"registryIds":["1"]}`, `null`, `[`, `{"registryIds":{}}`, ``} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		api().ServeHTTP(w, request(t, body))
		answered := w.Code == http.StatusOK && strings.Contains(w.Body.String(), "authorizationToken")
		refused := w.Code == http.StatusBadRequest && strings.Contains(w.Body.String(), "__type")
		if !answered && !refused || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
		if answered && !json.Valid([]byte(body)) {
			t.Errorf("invalid JSON %q was accepted", body)
		}
	})
}
