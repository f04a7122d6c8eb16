package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
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
	return compileRaw(t, raw, jsonschema.Draft2020)
}

func compileRaw(t interface{ Fatalf(string, ...any) }, raw any, draft *jsonschema.Draft) *jsonschema.Schema {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(draft)
	compiler.AssertFormat()
	compiler.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) { return lenient{text}, nil })
	compiler.UseLoader(jsonschema.SchemeURLLoader{}) // which fetches nothing
	if err := compiler.AddResource("schema.json", raw); err != nil {
		t.Fatalf("%v: %v", raw, err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatalf("Parse accepts %v: %v", raw, err)
	}
	return compiled
}

// lenient is a regular expression that all texts match if Go does not support it. Warnings name such patterns.
type lenient struct{ text string }

func (e lenient) String() string { return e.text }

func (e lenient) MatchString(text string) bool {
	compiled, err := regexp.Compile(e.text)
	return err != nil || compiled.MatchString(text)
}

// The texts of values that are equal, or next to each other, in one of several ways.
var (
	numbers = []string{
		"0", "-0", "0.0", "1", "1.0", "1e0", "10E-1", "0.1", "0.10", "1e-1", "2.5", "-2.5", "100", "1e2", "1e300", "-1e-300",
		"12345678901234567890123", "12345678901234567890124", "0.30000000000000004", "0.3",
	}
	texts = []string{
		"a", "A", "é", "e\u0301", "1", "true", "null", "2026-03-02", "2026-02-30", "2026-3-2", "2026-03-02T00:00:00Z", "10:15:00Z", "10:15", "P3D", "30 days", " ",
		"ada@example.com", "ada@", "https://example.com/a", "example.com", "192.0.2.1", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "\xff", "\ufffd",
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
		if isContradiction(err) {
			return
		}
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
			switch kept := answer.Object["a"]; {
			case kept == nil && wants == nil:
				r.Errorf("%s with %s is null, but the library accepts it", text, encoded)
			case kept != nil && kept != value && wants == nil:
				r.Errorf("%s with %s is changed to %v", text, encoded, kept)
			case kept != nil:
				if err := library.Validate(decode(r, kept)); err != nil {
					r.Errorf("%s with %s: the answer is %v, but the library says %v", text, encoded, kept, err)
				}
			}
		}
	})
}

// isContradiction reports whether a drawn schema is refused because no value other than null fits.
func isContradiction(err error) bool {
	problems := schema.Problems(err)
	return len(problems) > 0 && !slices.ContainsFunc(problems, func(p *schema.Problem) bool {
		return p.Keyword != "minimum" && !strings.Contains(p.Reason, "no value other than null")
	})
}

// decode returns a value as the library reads it.
func decode(r *rapid.T, value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		r.Fatal(err)
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		r.Fatal(err)
	}
	return decoded
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

// drawnRule returns a schema of a single value, which may combine several.
func drawnRule(r *rapid.T) map[string]any {
	rule := drawnLimits(r)
	draw := func() map[string]any { return drawnLimits(r) }
	switch rapid.IntRange(0, 6).Draw(r, "combination") {
	case 0:
		rule = map[string]any{"anyOf": []any{rule, draw(), map[string]any{"type": "null"}}}
	case 1:
		rule = map[string]any{"oneOf": []any{rule, draw(), draw()}}
	case 2:
		for _, keyword := range []string{"type", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"} {
			delete(rule, keyword) // both schemas could contradict each other
		}
		rule = map[string]any{"allOf": []any{rule, draw()}, "description": "d"}
	case 3:
		rule["anyOf"] = []any{map[string]any{"minLength": 2}, map[string]any{"maximum": 2}}
	}
	return rule
}

// drawnLimits returns a schema of a single value.
func drawnLimits(r *rapid.T) map[string]any {
	kind := rapid.SampledFrom([]string{schema.String, schema.Number, schema.Integer, schema.Boolean}).Draw(r, "type")
	rule := map[string]any{"type": kind}
	if rapid.Bool().Draw(r, "nullable") {
		rule["type"] = []string{kind, "null"}
	}
	has := func(keyword string) bool { return rapid.IntRange(0, 3).Draw(r, keyword) == 0 }
	if has("several types") {
		rule["type"] = []string{kind, "number", "boolean", "string"}[:rapid.IntRange(2, 3).Draw(r, "number of types")]
		if kind != schema.Integer {
			delete(rule, "type")
		}
	}
	number := rapid.SampledFrom(numbers)
	if has("minimum") {
		rule[rapid.SampledFrom([]string{"minimum", "exclusiveMinimum"}).Draw(r, "lower")] = json.RawMessage(number.Draw(r, "the minimum"))
	} else if has("maximum") { // both could contradict each other
		rule[rapid.SampledFrom([]string{"maximum", "exclusiveMaximum"}).Draw(r, "upper")] = json.RawMessage(number.Draw(r, "the maximum"))
	}
	for _, limit := range []struct {
		keyword string
		values  []any
	}{
		{"format", []any{"date", "date-time", "time", "duration", "email", "uuid", "ipv4", "hostname", "uri"}},
		{"minLength", []any{0, 1, 2, 10}},
		{"maxLength", []any{1, 2, 10, 40}},
		{"multipleOf", []any{0.1, 1, 0.5, 1e300}},
		{"pattern", []any{"^a$", "a|1", "^[0-9-]+$", `\d{4}`, "^(?:x|é)"}},
	} {
		if has(limit.keyword) {
			rule[limit.keyword] = rapid.SampledFrom(limit.values).Draw(r, "the "+limit.keyword)
		}
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
