package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parse returns parts with the given JSON texts, named a, b and so on.
func parse(tb testing.TB, texts ...string) []part {
	tb.Helper()
	parts := make([]part, len(texts))
	for i, text := range texts {
		parts[i].function = string(rune('a' + i))
		if err := json.Unmarshal([]byte(text), &parts[i].content); err != nil {
			tb.Fatal(err)
		}
	}
	return parts
}

func merge(tb testing.TB, texts ...string) (object, error) {
	tb.Helper()
	whole := object{}
	for _, p := range parse(tb, texts...) {
		if err := mergePart(whole, p); err != nil {
			return whole, err
		}
	}
	return whole, nil
}

func TestMergeParts(t *testing.T) {
	got, err := merge(t,
		`{"paths": {"/a": {"get": 1}}, "components": {"schemas": {"A": {"type": "string"}, "Both": {"type": "object"}}}}`,
		`{"paths": {"/b": {"get": 2}}, "components": {"schemas": {"B": {"type": "string"}, "Both": {"type": "object"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	want := parse(t, `{"paths": {"/a": {"get": 1}, "/b": {"get": 2}},
		"components": {"schemas": {"A": {"type": "string"}, "B": {"type": "string"}, "Both": {"type": "object"}}}}`)[0].content
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
}

func TestMergeRejectsConflictingParts(t *testing.T) {
	for name, parts := range map[string][2]string{
		"the path /a differs":   {`{"paths": {"/a": {"get": 1}}}`, `{"paths": {"/a": {"put": 2}}}`},
		"the schema A differs":  {`{"components": {"schemas": {"A": {"type": "string"}}}}`, `{"components": {"schemas": {"A": {"type": "object"}}}}`},
		"components/parameters": {`{}`, `{"components": {"parameters": {}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := merge(t, parts[0], parts[1]); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("got the error %v, want one that contains %q", err, name)
			}
		})
	}
}

const small = `{
	"tags": [{"name": "Known"}],
	"paths": {"/a": {"post": {
		"tags": ["Known"],
		"security": [{"apiKey": []}],
		"parameters": [{"name": "n", "in": "query", "explode": false, "description": "How many.",
			"schema": {"type": "integer", "patternDescription": "digits", "description": "How many."}},
			{"name": "list", "in": "query", "explode": false, "schema": {"type": "array"}}],
		"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/AInputBody"}}}},
		"responses": {
			"200": {"description": "OK", "headers": {"ETag": {"schema": {"type": "string", "description": "Version."}}},
				"content": {"application/json": {"schema": {"$ref": "#/components/schemas/AOutputBody"}}}},
			"400": {"description": "Bad Request", "content": {}}
		}
	}}},
	"components": {
		"responses": {"BadRequest": {"description": "All failures."}},
		"schemas": {
			"AInputBody": {"additionalProperties": false, "properties": {"x": {"$ref": "#/components/schemas/X"}}},
			"AOutputBody": {"additionalProperties": false, "properties": {
				"x": {"$ref": "#/components/schemas/X"}, "y": {"$ref": "#/components/schemas/Y"}}},
			"X": {"additionalProperties": false}, "Y": {"additionalProperties": false, "properties": {"any": {"additionalProperties": true}}}
		}
	}
}`

func TestSimplify(t *testing.T) {
	whole := parse(t, small)[0].content
	if err := simplify(whole); err != nil {
		t.Fatal(err)
	}
	want := parse(t, `{
		"tags": [{"name": "Known"}],
		"paths": {"/a": {"post": {
			"tags": ["Known"],
			"security": [{"apiKey": []}],
			"parameters": [{"name": "n", "in": "query", "description": "How many.", "schema": {"type": "integer"}},
				{"name": "list", "in": "query", "explode": false, "schema": {"type": "array", "minItems": 1}}],
			"requestBody": {"content": {"application/json": {"schema": {
				"additionalProperties": false, "properties": {"x": {"$ref": "#/components/schemas/X"}}}}}},
			"responses": {
				"200": {"description": "OK",
					"headers": {
						"ETag": {"description": "Version.", "schema": {"type": "string"}},
						"RateLimit": {"$ref": "#/components/headers/RateLimit"},
						"RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
						"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}
					},
					"content": {"application/json": {"schema": {"properties": {
						"x": {"$ref": "#/components/schemas/X"}, "y": {"$ref": "#/components/schemas/Y"}}}}}},
				"400": {"$ref": "#/components/responses/BadRequest"}
			}
		}}},
		"components": {
			"responses": {"BadRequest": {"description": "All failures."}},
			"schemas": {"X": {"additionalProperties": false}, "Y": {"properties": {"any": {"additionalProperties": true}}}}
		}
	}`)[0].content
	if diff := cmp.Diff(want, whole); diff != "" {
		t.Errorf("simplified (-want +got):\n%s", diff)
	}
}

// TestSimplifyDescribesLimits gives the operation a 429, with and without additional limits.
func TestSimplifyDescribesLimits(t *testing.T) {
	document := strings.NewReplacer(`"400"`, `"429"`, `"responses": {"BadRequest"`,
		`"responses": {"TooManyRequests": {}, "LimitReached": {}, "BadRequest"`)
	for extension, want := range map[string]string{"": "TooManyRequests", `"x-own-limit": true,`: "LimitReached"} {
		text := strings.Replace(document.Replace(small), `"tags": ["Known"]`, extension+`"tags": ["Known"]`, 1)
		whole := parse(t, text)[0].content
		if err := simplify(whole); err != nil {
			t.Fatal(err)
		}
		operation := childObject(childObject(childObject(whole, "paths"), "/a"), "post")
		got := childObject(childObject(operation, "responses"), "429")["$ref"]
		if got != responsePrefix+want || operation["x-own-limit"] != nil {
			t.Errorf("with %q, the 429 is %v, want %s, without the extension", extension, got, want)
		}
	}
}

func TestSimplifyRejectsUndescribedTagsAndStatuses(t *testing.T) {
	for old, replacement := range map[string]string{`"tags": ["Known"]`: `"tags": ["Unknown"]`, `"400"`: `"418"`,
		`["Known"]`: `[]`} {
		t.Run(old, func(t *testing.T) {
			whole := parse(t, strings.Replace(small, old, replacement, 1))[0].content
			if err := simplify(whole); err == nil || !strings.Contains(err.Error(), "post /a") {
				t.Errorf("with %s: %v, want an error that names the operation", replacement, err)
			}
		})
	}
}

func TestEncodeOrdersKeys(t *testing.T) {
	whole := parse(t, `{
		"paths": {"/b": {}, "/a": {"put": {}, "get": {"responses": {"404": {}, "200": {}}, "summary": "s", "operationId": "o"}}},
		"components": {"schemas": {"A": {"properties": {"type": {}, "id": {}, "extra": {}}, "required": ["id", "type"]}}},
		"openapi": "3.1.0"
	}`)[0].content
	got, err := encode(whole)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"openapi":"3.1.0",` +
		`"paths":{"/a":{"get":{"summary":"s","operationId":"o","responses":{"200":{},"404":{}}},"put":{}},"/b":{}},` +
		`"components":{"schemas":{"A":{"required":["id","type"],"properties":{"id":{},"type":{},"extra":{}}}}}}`
	if compacted := compact(t, got.json); compacted != want {
		t.Errorf("encoded\n%s\nwant\n%s", compacted, want)
	}
}

func compact(tb testing.TB, text []byte) string {
	tb.Helper()
	return strings.NewReplacer("\n", "", " ", "").Replace(string(text))
}
