package gateway_test

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/local/gateway"
	"portside/local/template"
)

func TestMostSpecificRouteWins(t *testing.T) {
	table := []template.Route{
		{Path: "$default"},
		{Method: "ANY", Path: "/{proxy+}"},
		{Method: "GET", Path: "/pets/{proxy+}"},
		{Method: "GET", Path: "/pets/dog/{id}"},
		{Method: "GET", Path: "/pets/dog/1"},
		{Method: "ANY", Path: "/pets/dog/1"},
		{Method: "GET", Path: "/pets/{kind}/1"},
		{Method: "POST", Path: "/pets/{kind}/toys/{rest+}"},
		{Method: "ANY", Path: "/"},
		{Method: "ANY", Path: "/fish/{id}"},
		{Method: "GET", Path: "/fish/{rest+}"},
		{Method: "ANY", Path: "/v2"},
		{Method: "ANY", Path: "/v2/"},
		{Method: "ANY", Path: "/v2/{proxy+}"},
	}
	for _, test := range []struct {
		method, path, key string
		parameters        map[string]string
	}{
		{"GET", "/pets/dog/1", "GET /pets/dog/1", nil},
		{"PUT", "/pets/dog/1", "ANY /pets/dog/1", nil},
		{"GET", "/pets/dog/2", "GET /pets/dog/{id}", map[string]string{"id": "2"}},
		{"GET", "/pets/cat/1", "GET /pets/{kind}/1", map[string]string{"kind": "cat"}},
		{"GET", "/pets/cat/2", "GET /pets/{proxy+}", map[string]string{"proxy": "cat/2"}},
		{"POST", "/pets/cat/toys/a/b", "POST /pets/{kind}/toys/{rest+}", map[string]string{"kind": "cat", "rest": "a/b"}},
		{"POST", "/pets/cat/2", "ANY /{proxy+}", map[string]string{"proxy": "pets/cat/2"}},
		{"GET", "/", "ANY /", nil},
		{"GET", "/fish/1", "ANY /fish/{id}", map[string]string{"id": "1"}},
		{"GET", "/pets/", "ANY /{proxy+}", map[string]string{"proxy": "pets/"}},
		{"GET", "/v2", "ANY /v2", nil},
		{"GET", "/v2/", "ANY /v2/", nil},
		{"HEAD", "/v2/acme/app/manifests/1.0", "ANY /v2/{proxy+}", map[string]string{"proxy": "acme/app/manifests/1.0"}},
		{"GET", "/pets//", "GET /pets/{proxy+}", map[string]string{"proxy": "/"}},
	} {
		t.Run(test.method+" "+test.path, func(t *testing.T) {
			// The choice does not depend on the order in the template.
			for range 2 {
				slices.Reverse(table)
				key, parameters := chosenRoute(t, table, test.method, test.path)
				if key != test.key || cmp.Diff(test.parameters, parameters) != "" {
					t.Errorf("%s %s went to %q with %v, want %q", test.method, test.path, key, parameters, test.key)
				}
			}
		})
	}
}

func chosenRoute(t *testing.T, table []template.Route, method, path string) (key string, parameters map[string]string) {
	t.Helper()
	r := &recorder{answer: payload(`{"statusCode":200}`)}
	handler, err := gateway.New(gateway.Config{Routes: table, Invoker: r})
	if err != nil {
		t.Fatal(err)
	}
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), method, path, nil))
	var event struct {
		RouteKey       string
		PathParameters map[string]string
	}
	if err := json.Unmarshal(r.event, &event); err != nil {
		t.Fatal(err)
	}
	return event.RouteKey, event.PathParameters
}
