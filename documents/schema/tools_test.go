package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"portside/documents/answers"
	"portside/documents/internal/scale"
	"portside/documents/schema"
)

// TestSchemasOfToolsAreAccepted reads what Pydantic, Zod and TypeBox write for models of a ship's cargo, and fills the
// answers with values that fit and values that do not.
func TestSchemasOfToolsAreAccepted(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := plan(t, string(text))
			var questions []string
			for _, v := range p.Variables {
				questions = append(questions, v.Name+" "+string(v.Type))
			}
			for _, table := range p.Tables {
				questions = append(questions, "table "+table.Name)
			}
			for _, want := range asked[filepath.Base(file)] {
				if !slices.Contains(questions, want) {
					t.Errorf("%s: not asked for: %s\nbut %s", file, want, strings.Join(questions, ", "))
				}
			}
			draft := jsonschema.Draft2020
			if strings.Contains(file, "openapi3") || strings.Contains(file, "openai") {
				draft = jsonschema.Draft4 // in which exclusiveMinimum is a boolean
			}
			library := compileRaw(t, withoutMinimums(t, text), draft)
			rapid.Check(scale.Checks(t), func(r *rapid.T) {
				checkAnswer(r, p, library)
			})
		})
	}
}

// asked has some of the questions for each file.
var asked = map[string][]string{
	"pydantic1.json":        {"voyage string", "duty number", "agent name string", "owner name string", "berth string", "crew number", "table flags"},
	"pydantic2.json":        {"arrival date", "cleared_at date", "agent email string", "owner name string", "duty number", "ref number", "note string", "table containers", "table flags"},
	"pydantic2-output.json": {"arrival date", "owner email string", "table containers"},
	"typebox.json":          {"email string", "duty number", "crew master string", "crew size number", "table flags"},
	"zod3.json":             {"voyage string", "duty number", "arrival date", "cleared date", "owner email string", "ref string", "level number", "table flags"},
	"zod3-openai.json":      {"duty number", "owner email string", "level number", "table flags"},
	"zod3-openapi3.json":    {"duty number", "owner email string", "ref string", "table flags"},
	"zod4.json":             {"arrival date", "cleared date", "draught number", "fees pilot number", "fees tug number", "cleared_by_customs boolean", "owner country string"},
	"zod4-draft7.json":      {"arrival date", "fees pilot number", "owner country string", "table containers"},
	"zod4-openapi3.json":    {"fees tug number", "owner country string", "crew number", "cleared_by_customs boolean"},
}

// withoutMinimums returns a schema without the keywords that demand values, because a document may lack them.
func withoutMinimums(t interface{ Fatalf(string, ...any) }, text []byte) any {
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	var remove func(any)
	remove = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, one := range v {
				remove(one)
			}
		case map[string]any:
			delete(v, "required")
			delete(v, "$schema") // zod-to-json-schema names a draft to which its output for OpenAI does not conform
			delete(v, "minItems")
			for _, one := range v {
				remove(one)
			}
		}
	}
	remove(raw)
	return raw
}

// checkAnswer fills an answer with drawn values and validates it without its nulls, which stand for values that were not found.
func checkAnswer(r *rapid.T, p *schema.Plan, library *jsonschema.Schema) {
	found := answers.Extraction{Values: map[string]answers.Value{}, Rows: map[string][]answers.Row{}}
	for _, v := range p.Variables {
		found.Values[v.Name] = drawnValue(r, v)
	}
	for _, t := range p.Tables {
		for range rapid.IntRange(0, 3).Draw(r, t.Name) {
			row := answers.Row{Values: map[string]answers.Value{}}
			for _, c := range t.Columns {
				row.Values[c.Name] = drawnValue(r, c)
			}
			found.Rows[t.Name] = append(found.Rows[t.Name], row)
		}
	}
	answer := p.Answer(found)
	object := withoutNulls(decode(r, answer.Object))
	if err := library.Validate(object); err != nil {
		r.Errorf("%v: %v", object, err)
	}
	for _, list := range p.Lists {
		for item := range answer.Items[list.Pointer] {
			for _, c := range list.Columns {
				pointer := list.Pointer + "/" + strconv.Itoa(item) + c.Pointer
				if _, hasValue := answer.Values[pointer]; hasValue != (valueAt(answer.Object, pointer) != nil) {
					r.Errorf("%s: the answer has %v, the values %v", pointer, valueAt(answer.Object, pointer), answer.Values[pointer])
				}
			}
		}
	}
}

// drawnValue returns a value as a document may have it, or none.
func drawnValue(r *rapid.T, v answers.Variable) answers.Value {
	texts := map[answers.Type][]string{
		answers.String: {"", "Ada", "North Quay", "port", "import", "ABCD1234567", "ada@example.com", "https://example.com", "12", "no", "09:15",
			"3f2504e0-4f89-41d3-9a0c-0305e82c3301", "ES"},
		answers.Number:  {"", "0", "1", "2", "24.5", "1234.56", "-3", "70"},
		answers.Date:    {"", "2026-03-02", "2024-02-29"},
		answers.Boolean: {"", "true", "false"},
	}[v.Type]
	text := rapid.SampledFrom(texts).Draw(r, v.Name)
	if text == "" {
		return answers.Value{}
	}
	return answers.Value{Type: v.Type, Text: text}
}

func withoutNulls(value any) any {
	object, isObject := value.(map[string]any)
	if list, isList := value.([]any); isList {
		for i := range list {
			list[i] = withoutNulls(list[i])
		}
	}
	if isObject {
		maps.DeleteFunc(object, func(_ string, one any) bool { return one == nil })
		for name, one := range object {
			object[name] = withoutNulls(one)
		}
	}
	return value
}

// valueAt returns the value of an answer at a JSON Pointer.
func valueAt(value any, pointer string) any {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch v := value.(type) {
		case map[string]any:
			value = v[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		}
	}
	return value
}

// TestAnswersFitDrawnSchemas fills the answers for schemas with references, combinations, and arrays.
func TestAnswersFitDrawnSchemas(t *testing.T) {
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		object := drawnObject(r, 3)
		object["$defs"] = map[string]any{"a/b %": drawnRule(r), "O": drawnObject(r, 1), "Anchored": map[string]any{
			"$anchor": "here", "type": []string{"string", "null"}, "format": "date-time",
		}}
		text, err := json.Marshal(object)
		if err != nil {
			r.Fatal(err)
		}
		p, err := schema.NewPlan(text)
		if isContradiction(err) {
			return
		}
		if err != nil {
			r.Fatalf("%s: %v", text, err)
		}
		library := compileRaw(r, withoutMinimums(r, text), jsonschema.Draft2020)
		checkAnswer(r, p, library)
	})
}

// drawnObject returns the schema of an object with up to a number of levels of objects in it.
func drawnObject(r *rapid.T, levels int) map[string]any {
	properties := map[string]any{"always": map[string]any{"type": "string"}}
	for i := range rapid.IntRange(0, 3).Draw(r, "properties") {
		properties[fmt.Sprintf("p%d", i)] = drawnProperty(r, levels)
	}
	if levels > 1 && rapid.Bool().Draw(r, "in parts") {
		return map[string]any{"allOf": []any{
			map[string]any{"type": "object", "properties": properties}, map[string]any{"required": []string{"always", "more"}},
		}}
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

func drawnProperty(r *rapid.T, levels int) any {
	kind := rapid.IntRange(0, 7).Draw(r, "kind")
	if levels == 1 {
		return drawnRule(r)
	}
	switch kind {
	case 0:
		return map[string]any{"$ref": "#/$defs/a~1b%20%25", "description": "d"}
	case 1:
		return map[string]any{"anyOf": []any{map[string]any{"$ref": "#/$defs/O"}, map[string]any{"type": "null"}}}
	case 2:
		return map[string]any{"$ref": "#here"}
	case 3:
		return map[string]any{"type": "array", "items": drawnRule(r), "uniqueItems": rapid.Bool().Draw(r, "unique")}
	case 4:
		return map[string]any{"type": "array", "items": map[string]any{"$ref": "#/$defs/O"}, "uniqueItems": true}
	case 5:
		return drawnObject(r, levels-1)
	}
	return drawnRule(r)
}
