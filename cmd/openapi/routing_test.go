package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The test compares the document with template.yaml. Each operation of a function must reach that
// function, by a specific route and not by the catch-all.
//
//proves:docs/security.md
func TestEveryOperationIsRouted(t *testing.T) {
	routes := readRoutes(t)
	parts, err := readParts(root)
	if err != nil {
		t.Fatal(err)
	}
	operations := 0
	for _, p := range parts {
		for path, item := range p.content["paths"].(object) {
			if got := routes.function(path); got != p.function {
				t.Errorf("%s is described by functions/%s but routed to %q", path, p.function, got)
			}
			operations += len(item.(object))
		}
	}
	if operations < 10 {
		t.Errorf("the parts describe only %d operations", operations)
	}
}

func TestMostSpecificRouteWins(t *testing.T) {
	routes := routeTable{{"/v1/a", "a"}, {"/v1/a/{id}/b", "b"}, {"/v1/a/{proxy+}", "rest"}, {"/v1/a/{id}", "one"}}
	for path, want := range map[string]string{
		"/v1/a": "a", "/v1/a/{id}": "one", "/v1/a/x/b": "b", "/v1/a/{id}/b/{c}": "rest", "/v1/b": "", "/v1": "", "/v1/ab": "",
	} {
		t.Run(path, func(t *testing.T) {
			if got := routes.function(path); got != want {
				t.Errorf("%s is routed to %q, want %q", path, got, want)
			}
		})
	}
}

// route is a path that template.yaml routes to a function, with any method. The function itself
// rejects wrong methods.
type route struct{ path, function string }

type routeTable []route

var variable = regexp.MustCompile(`\\\{[^{}]*\\\}`)

// function returns the function that gets a path. API Gateway prefers the route with the most
// literal text, and a greedy variable last.
func (t routeTable) function(path string) string {
	best, weight := "", -1
	for _, r := range t {
		pattern := variable.ReplaceAllStringFunc(regexp.QuoteMeta(r.path), func(v string) string {
			if strings.Contains(v, "+") {
				return ".+"
			}
			return "[^/]+"
		})
		if w := r.weight(); w > weight && regexp.MustCompile("^"+pattern+"$").MatchString(path) {
			best, weight = r.function, w
		}
	}
	return best
}

func (r route) weight() int {
	literal := 2 * len(regexp.MustCompile(`\{[^{}]*\}`).ReplaceAllString(r.path, ""))
	if strings.Contains(r.path, "+}") {
		return literal
	}
	return literal + 1
}

type function struct {
	Events map[string]struct {
		Type       string `yaml:"Type"`
		Properties struct {
			Method string `yaml:"Method"`
			Path   string `yaml:"Path"`
		} `yaml:"Properties"`
	} `yaml:"Events"`
}

func readRoutes(tb testing.TB) routeTable {
	tb.Helper()
	text, err := os.ReadFile(root + "/template.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	var template struct {
		Resources map[string]struct {
			Type       string    `yaml:"Type"`
			Properties yaml.Node `yaml:"Properties"` // decoded only for functions, because other resources use more tags
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		tb.Fatal(err)
	}
	var all routeTable
	for _, id := range slices.Sorted(maps.Keys(template.Resources)) {
		resource := template.Resources[id]
		if resource.Type != "AWS::Serverless::Function" {
			continue
		}
		var f function
		if err := resource.Properties.Decode(&f); err != nil {
			tb.Fatal(err)
		}
		all = append(all, f.routes(tb, strings.ToLower(strings.TrimSuffix(id, "Function")))...)
	}
	return all
}

func (f function) routes(tb testing.TB, name string) routeTable {
	tb.Helper()
	var found routeTable
	for id, event := range f.Events {
		if event.Type != "HttpApi" || event.Properties.Path == "" {
			continue
		}
		if event.Properties.Method != "ANY" {
			tb.Errorf("template.yaml: %s of %s accepts only %s; other methods would get a 404 instead of a 405", id, name,
				event.Properties.Method)
		}
		found = append(found, route{event.Properties.Path, name})
	}
	return found
}
