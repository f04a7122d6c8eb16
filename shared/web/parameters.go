package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"portside/shared/core/fault"
)

// checkParameters finds mistakes that huma ignores: empty headers that must have a value, unknown and repeated query
// parameters, empty values, and invalid escapes or UTF-8. A client that makes such a mistake would otherwise get a
// different page than it asked for. They are reported together with the failures of the schema.
func checkParameters(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	in := inputFrom(r.Context())
	in.url, in.response = r.URL, w.Header()
	in.failures = slices.Concat(
		queryFailures(r.URL.RawQuery, ctx.Operation()), headerFailures(r.Header, parameters(ctx.Operation(), "header")),
	)
	next(ctx)
}

// parameters returns the names of an operation's query or header parameters.
func parameters(op *huma.Operation, in string) []string {
	var names []string
	for _, p := range op.Parameters {
		if p.In == in {
			names = append(names, p.Name)
		}
	}
	return names
}

// takesList reports whether a query parameter of an operation can have several values.
func takesList(op *huma.Operation, name string) bool {
	return slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool {
		return p.In == "query" && p.Name == name && p.Schema != nil && p.Schema.Type == huma.TypeArray
	})
}

// nonEmptyHeaders are the headers that prevent harmful requests. They must not be empty: a script whose variable is
// unset sends an empty header, which must not count as no header.
var nonEmptyHeaders = []string{"If-Match", "Idempotency-Key"}

func headerFailures(sent http.Header, known []string) []fault.Field {
	var failures []fault.Field
	for _, name := range nonEmptyHeaders {
		values, present := sent[name]
		if present && slices.Contains(known, name) && strings.TrimSpace(strings.Join(values, "")) == "" {
			failures = append(failures, fault.Field{Pointer: "header/" + name, Detail: detailEmpty})
		}
	}
	return failures
}

const detailEmpty = "must not be empty; leave it out instead"

func queryFailures(raw string, op *huma.Operation) []fault.Field {
	if raw == "" {
		return nil
	}
	query, err := url.ParseQuery(raw)
	if err != nil || !utf8.ValidString(raw) {
		return []fault.Field{{Pointer: "query", Detail: "must be name=value pairs joined by &, percent-encoded UTF-8"}}
	}
	known := parameters(op, "query")
	var failures []fault.Field
	for name, values := range query {
		if detail := queryFailure(name, values, known, takesList(op, name)); detail != "" {
			failures = append(failures, fault.Field{Pointer: "query/" + name, Detail: detail})
		}
	}
	slices.SortFunc(failures, func(a, b fault.Field) int { return strings.Compare(a.Pointer, b.Pointer) })
	return failures
}

func queryFailure(name string, values, known []string, isList bool) string {
	switch {
	case !slices.Contains(known, name) && len(known) == 0:
		return "is not a parameter; this operation has none"
	case !slices.Contains(known, name):
		return "is not a parameter; this operation has " + strings.Join(known, ", ")
	case len(values) > 1 && isList:
		return "must be sent only once; separate its values with commas"
	case len(values) > 1:
		return "must be sent only once"
	case values[0] == "":
		return detailEmpty
	case !utf8.ValidString(values[0]):
		return "must be percent-encoded UTF-8"
	default:
		return ""
	}
}
