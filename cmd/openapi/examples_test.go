package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// withSchema returns a document whose only operation answers with a schema of this name.
func withSchema(t *testing.T, name, schemas string) object {
	t.Helper()
	var document object
	text := `{"paths": {"/x": {"get": {"responses": {` +
		`"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/` + name + `"}}}}, "400": {"content": {"application/json": {"schema": {"type": "string"}}}}}}}}, "components": {"schemas": ` + schemas + `}}`
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func TestExamplesAreMadeOfThoseOfProperties(t *testing.T) {
	document := withSchema(t, "User", `{
		"User": {"type": "object", "properties": {
			"name": {"type": "string", "examples": ["Ada", "Grace"]},
			"role": {"type": "string", "enum": ["admin", "user"]},
			"seen": {"type": ["string", "null"], "format": "date-time"},
			"made": {"type": "string", "format": "date-time"},
			"keys": {"type": "array", "items": {"$ref": "#/components/schemas/Key"}}}},
		"Key": {"type": "object", "properties": {"isActive": {"type": "boolean"}}}}`)
	if err := addExamples(document); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(document["paths"])
	const want = `"example":{"keys":[{"isActive":true}],"made":"2026-03-02T09:30:00Z","name":"Ada","role":"admin","seen":null}`
	if err != nil || !strings.Contains(string(text), want) || strings.Count(string(text), "example") != 1 {
		t.Errorf("got %s, want %s once", text, want)
	}
}

func TestExamplesNeedThoseOfProperties(t *testing.T) {
	for schemas, want := range map[string]string{
		`{"A": {"type": "object", "properties": {"name": {"type": "string"}}}}`:               "GET /x: A: name: no example",
		`{"A": {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}}}`:  "contains itself",
		`{"A": {"type": "object", "properties": {"b": {"$ref": "#/components/schemas/No"}}}}`: "the schema is missing",
	} {
		if err := addExamples(withSchema(t, "A", schemas)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", schemas, err, want)
		}
	}
}
