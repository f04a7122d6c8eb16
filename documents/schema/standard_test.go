package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"portside/documents/answers"
	"portside/documents/schema"
)

// compile returns what a library that implements the whole standard makes of a schema.
func compile(t interface{ Fatalf(string, ...any) }, text []byte) *jsonschema.Schema {
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // which fetches nothing
	if err := compiler.AddResource("schema.json", raw); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatalf("Parse accepts %s: %v", text, err)
	}
	return compiled
}

// The texts of values that are equal, or next to each other, in one of several ways.
var (
	numbers = []string{
		"0", "-0", "0.0", "1", "1.0", "1e0", "10E-1", "0.1", "0.10", "1e-1", "2.5", "-2.5", "100", "1e2", "1e300", "-1e-300",
		"12345678901234567890123", "12345678901234567890124", "0.30000000000000004", "0.3",
	}
	texts = []string{
		"a", "A", "é", "e\u0301", "1", "true", "null", "2026-03-02", "2026-02-30", "2026-3-2", "2026-03-02T00:00:00Z", " ", "\xff", "\ufffd",
	}
)

// TestValuesAreCheckedAsByTheStandard compares which values fit a schema with a library for the whole standard.
func TestValuesAreCheckedAsByTheStandard(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text, err := json.Marshal(drawnRule(r))
		if err != nil {
			r.Fatal(err)
		}
		library := compile(r, text)
		plan, err := schema.NewPlan(fmt.Appendf(nil, `{"type":"object","properties":{"a":%s}}`, text))
		if err != nil {
			r.Fatalf("%s: %v", text, err)
		}
		for _, value := range allValues() {
			encoded := encode(r, value)
			decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded))
			if err != nil {
				r.Fatal(err)
			}
			wants := library.Validate(decoded)
			answer := plan.Answer(answers.Extraction{
				Values: map[string]answers.Value{"a": value}, Evidence: map[string][]answers.Evidence{"a": {{Quote: value.Text}}},
			})
			if fits := answer.Object["a"] != nil; fits != (wants == nil) {
				r.Errorf("%s with %s: fits %v, but the library says %v", text, encoded, fits, wants)
			}
		}
	})
}

func allValues() []answers.Value {
	all := []answers.Value{{Type: answers.Boolean, Text: "true"}, {Type: answers.Boolean, Text: "false"}}
	for _, text := range numbers {
		all = append(all, answers.Value{Type: answers.Number, Text: text})
	}
	for _, text := range texts {
		all = append(all, answers.Value{Type: answers.String, Text: text})
	}
	return all
}

func encode(r *rapid.T, value answers.Value) json.RawMessage {
	text, err := value.MarshalJSON()
	if err != nil {
		r.Fatal(err)
	}
	return text
}

// drawnRule returns a schema of a single value.
func drawnRule(r *rapid.T) map[string]any {
	kind := rapid.SampledFrom([]string{schema.String, schema.Number, schema.Integer, schema.Boolean}).Draw(r, "type")
	rule := map[string]any{"type": kind}
	if rapid.Bool().Draw(r, "nullable") {
		rule["type"] = []string{kind, "null"}
	}
	if kind == schema.String && rapid.Bool().Draw(r, "date") {
		rule["format"] = "date"
	}
	has := func(keyword string) bool { return rapid.IntRange(0, 2).Draw(r, keyword) == 0 }
	number := rapid.SampledFrom(numbers)
	if has("minimum") {
		rule["minimum"] = json.RawMessage(number.Draw(r, "the minimum"))
	} else if has("maximum") { // both could contradict each other
		rule["maximum"] = json.RawMessage(number.Draw(r, "the maximum"))
	}
	if has("enum") {
		rule["enum"] = rapid.SliceOfN(rapid.Custom(drawnConstant), 1, 5).Draw(r, "the enum")
	}
	if has("const") {
		rule["const"] = drawnConstant(r)
	}
	return rule
}

// drawnConstant returns the JSON of a single value.
func drawnConstant(r *rapid.T) json.RawMessage {
	return encode(r, rapid.SampledFrom(append(allValues(), answers.Value{})).Draw(r, "constant")) // the last one is null
}
