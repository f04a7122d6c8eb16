package gateway

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"portside/local/template"
)

// pattern is a compiled route.
type pattern struct {
	key, function string
	method        string
	segments      []segment
	greedy        bool
	fallback      bool
}

// segment is a fixed word or, if name is set, a parameter.
type segment struct{ word, name string }

// match is the route of a request and its parameters.
type match struct {
	key, function string
	parameters    map[string]string
}

// methods are the methods that HTTP APIs support. ANY matches only these.
var methods = [...]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

// compile sorts the routes by API Gateway's priority: full matches, then greedy ones with the
// longest prefix first, then $default. Within a group, from left to right, a fixed word comes
// before a parameter; then a method comes before ANY.
func compile(routes []template.Route) ([]pattern, error) {
	var table []pattern
	for _, route := range routes {
		p, err := compileRoute(route)
		if err != nil {
			return nil, err
		}
		table = append(table, p)
	}
	slices.SortStableFunc(table, compareRoutes)
	return table, nil
}

func compileRoute(route template.Route) (pattern, error) {
	p := pattern{key: route.Key(), function: route.Function, method: route.Method}
	if route.Path == template.DefaultPath {
		p.fallback = true
		return p, nil
	}
	if !strings.HasPrefix(route.Path, "/") {
		return p, fmt.Errorf("the route %q must have a path that begins with /", p.key)
	}
	for word := range strings.SplitSeq(route.Path[1:], "/") {
		if p.greedy {
			return p, fmt.Errorf("the route %q has segments after {…+}, which must come last", p.key)
		}
		s := segment{word: word}
		if inner, ok := strings.CutPrefix(word, "{"); ok {
			s.name = strings.TrimSuffix(inner, "}")
			s.name, p.greedy = strings.CutSuffix(s.name, "+")
		}
		p.segments = append(p.segments, s)
	}
	return p, nil
}

func compareRoutes(a, b pattern) int {
	if c := cmp.Or(compareBools(a.fallback, b.fallback), compareBools(a.greedy, b.greedy)); c != 0 {
		return c
	}
	if c := cmp.Compare(len(b.segments), len(a.segments)); c != 0 {
		return c
	}
	for i := range a.segments {
		if c := compareBools(a.segments[i].name != "", b.segments[i].name != ""); c != 0 {
			return c
		}
	}
	return compareBools(a.method == "ANY", b.method == "ANY")
}

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func findRoute(table []pattern, method, path string) (match, bool) {
	if !slices.Contains(methods[:], method) {
		return match{}, false
	}
	words := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for _, p := range table {
		if parameters, ok := p.match(method, words); ok {
			return match{key: p.key, function: p.function, parameters: parameters}, true
		}
	}
	return match{}, false
}

// match returns the parameters of a request, and whether p matches it. A parameter is never empty.
func (p pattern) match(method string, words []string) (map[string]string, bool) {
	if p.fallback {
		return nil, true
	}
	if p.method != "ANY" && p.method != method || len(words) < len(p.segments) || !p.greedy &&
		len(words) != len(p.segments) {
		return nil, false
	}
	var parameters map[string]string
	for i, s := range p.segments {
		value := words[i]
		if p.greedy && i == len(p.segments)-1 {
			value = strings.Join(words[i:], "/")
		}
		if s.name == "" {
			if value != s.word {
				return nil, false
			}
			continue
		}
		if value == "" {
			return nil, false
		}
		if parameters == nil {
			parameters = map[string]string{}
		}
		parameters[s.name] = value
	}
	return parameters, true
}
