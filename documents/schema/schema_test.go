package schema_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"portside/documents/answers"
	"portside/documents/schema"
)

const invoice = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"additionalProperties":false,"required":["lines"],"properties":{
	"number":{"type":["string","null"],"title":"Invoice number"},
	"lines":{"type":"array","maxItems":20,"items":{"type":"object","properties":{
		"description":{"type":"string"},"amount":{"type":"number","minimum":0}}}}}}`

func TestParseKeepsOrderAndMeaning(t *testing.T) {
	s, warnings, err := schema.Parse([]byte(invoice))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	number, lines := s.Properties[0], s.Properties[1]
	if number.Name != "number" || number.Schema.Type != schema.String || number.Schema.Title != "Invoice number" {
		t.Errorf("number = %+v", number)
	}
	if lines.Name != "lines" || lines.Schema.MaxItems != 20 {
		t.Errorf("lines = %+v", lines)
	}
	amount := lines.Schema.Items.Properties[1]
	if amount.Name != "amount" || amount.Schema.Type != schema.Number {
		t.Errorf("amount = %+v", amount)
	}
}

type refusal struct{ text, place, keyword string }

// refusals are schemas that are refused, with the place of their problem.
var refusals = []refusal{
	{`{"$ref":"#/properties/a~1b%20c","properties":{"a/b c":{"type":"tuple"}}}`, "/properties/a~1b c", "type"},
	{`{"$ref":"#"}`, "", "$ref"},
	{`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}}}}}`,
		"/$defs/A/properties/a/anyOf/0", "$ref"},
	{`{"$ref":"https://example.com/address.json"}`, "", "$ref"},
	{`{"$ref":"#/$defs/B","$defs":{"A":{}}}`, "", "$ref"},
	{`{"$ref":"#B","$defs":{"A":{"$anchor":"A"}}}`, "", "$ref"},
	{`{"$ref":7}`, "", "$ref"},
	{`{"$dynamicRef":"#a"}`, "", "$dynamicRef"},
	{`{"type":"null"}`, "", "type"},
	{`{"type":["string","money"]}`, "", "type"},
	{`{"type":"date"}`, "", "type"},
	{`{"anyOf":[{"type":"null"},{"const":null},{"enum":[null]}]}`, "", "anyOf"},
	{`{"oneOf":[]}`, "", "oneOf"},
	{`{"allOf":{}}`, "", "allOf"},
	{`{"anyOf":[{"type":"object","properties":{"a":{}}},{"type":"object","properties":{"b":{}}}]}`, "", "anyOf"},
	{`{"type":"string","anyOf":[{"type":"number"},{"type":"boolean"}]}`, "", "anyOf"},
	{`{"type":"string","allOf":[{"type":"number"}]}`, "/allOf/0", "type"},
	{`{"type":"object"}`, "", "type"},
	{`{"type":"object","additionalProperties":{"type":"string"}}`, "", "type"},
	{`{"type":"string","properties":{"a":{"type":"string"}}}`, "", "type"},
	{`{"type":"string","items":{"type":"string"}}`, "", "type"},
	{`{"type":"object","required":["b"],"additionalProperties":false,"properties":{"a":{"type":"string"}}}`, "", "required"},
	{`{"type":"object","required":"a","properties":{"a":{"type":"string"}}}`, "", "required"},
	{`{"type":"array","prefixItems":[{"type":"string"}]}`, "", "prefixItems"},
	{`{"type":"array","items":[{"type":"string"}]}`, "", "items"},
	{`{"type":"object","properties":{"a":false}}`, "/properties/a", ""},
	{`{"type":"string","enum":[]}`, "", "enum"},
	{`{"type":"string","enum":[["a"]]}`, "", "enum"},
	{`{"type":"number","enum":[1e999999999]}`, "", "enum"},
	{`{"type":"number","const":1e999999999}`, "", "const"},
	{`{"type":"number","maximum":1e999999999}`, "", "maximum"},
	{`{"type":"number","minimum":1e-999999999}`, "", "minimum"},
	{`{"type":"number","minimum":"1"}`, "", "minimum"},
	{`{"type":"number","multipleOf":0}`, "", "multipleOf"},
	{`{"type":"number","enum":[1,-1E-999999999]}`, "", "enum"},
	{`{"type":"number","const":{"a":1}}`, "", "const"},
	{`{"type":"array","minItems":3,"maxItems":2,"items":{"type":"string"}}`, "", "minItems"},
	{`{"type":"string","minLength":1.5}`, "", "minLength"},
	{`{"type":"string","format":1}`, "", "format"},
	{`{"type":"string","pattern":1}`, "", "pattern"},
	{`{"type":"object","properties":{"":{"type":"string"}}}`, "", "properties"},
	{`{"type":"number","minimum":2,"exclusiveMaximum":1}`, "", "minimum"},
	{`{"type":"string","title":null}`, "", "title"},
	{`{"type":"string","type":"number"}`, "", ""},
	{`{"default":{"a":1,"a":2}}`, "/default", ""},
	{`{"name":"a","strict":true,"schema":{"type":"object"}}`, "", "schema"},
	{`{"type":"json_schema","json_schema":{"name":"a","schema":{"$ref":"#/$defs/A"}}}`, "/json_schema", "schema"},
	{`{"type":"function","function":{"name":"a","parameters":{"properties":{}}}}`, "/function", "parameters"},
	{`7`, "", ""},
	{`{`, "", ""},
	{`{} {}`, "", ""},
	{strings.Repeat(" ", schema.MaxBytes) + `{"type":"string"}`, "", ""},
}

func TestParseNamesTheKeywordAndItsPlace(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, schema.MaxDepth) + `{"type":"string"}` + strings.Repeat("}",
		schema.MaxDepth)
	many := `{"type":"object","properties":{"last":{"type":"string"}`
	for i := range schema.MaxProperties {
		many += fmt.Sprintf(`,"p%d":{"type":"string"}`, i)
	}
	many += "}}"
	for _, c := range append(refusals,
		refusal{deep, strings.Repeat("/items", schema.MaxDepth), ""}, refusal{many, "", "properties"},
	) {
		t.Run(fmt.Sprintf("%.80s", c.text), func(t *testing.T) {
			_, _, err := schema.Parse([]byte(c.text))
			var p *schema.Problem
			if !errors.As(err, &p) || p.Place != c.place || p.Keyword != c.keyword {
				t.Errorf("Parse(%.80s) = %v, want a problem with %q at %q", c.text, err, c.keyword, c.place)
			}
		})
	}
}

func TestTooManyPropertiesAreReportedOnce(t *testing.T) {
	var objects []string
	for i := range schema.MaxProperties {
		objects = append(objects, fmt.Sprintf(`"o%d":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`, i))
	}
	text := `{"type":"object","properties":{` + strings.Join(objects, ",") + `}}`
	_, _, err := schema.Parse([]byte(text))
	if problems := schema.Problems(err); len(problems) != 1 || !strings.Contains(problems[0].Reason, "properties") {
		t.Errorf("%d problems: %v", len(problems), err)
	}
}

func TestParseReportsAllProblems(t *testing.T) {
	_, _, err := schema.Parse([]byte(`{"type":"object","oneOf":[],"properties":{"a":{"type":"string","minLength":"x"},"b":{"type":"money"},
		"c":{"type":"array","items":{"type":"string","format":7}},"d":{"$ref":"#/$defs/D"},"e":{"$ref":"#/$defs/D"}},
		"$defs":{"D":{"type":"x"}}}`))
	var got []string
	for _, p := range schema.Problems(err) {
		got = append(got, p.Place+" "+p.Keyword)
	}
	want := []string{"/properties/a minLength", "/properties/b type", "/properties/c/items format", "/$defs/D type", " oneOf"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	many := `{"type":"object","properties":{"a":{}`
	for i := range 2 * schema.MaxProblems {
		many += fmt.Sprintf(`,"x%d":1`, i)
	}
	if _, _, err := schema.Parse([]byte(many + "}}")); len(schema.Problems(err)) != schema.MaxProblems {
		t.Errorf("%d problems, want %d", len(schema.Problems(err)), schema.MaxProblems)
	}
}

// TestReferencesAreBounded reads schemas whose parts refer to each other so often that the answer would be huge.
//
//proves:docs/security.md
func TestReferencesAreBounded(t *testing.T) {
	chain := func(part string) string {
		text := `{"$ref":"#/$defs/0","$defs":{`
		for i := range 60 {
			text += fmt.Sprintf(`"%d":`+part+`,`, i, i+1, i+1)
		}
		return text + `"60":{"type":"string"}}}`
	}
	enum := `{"type":"string","enum":["` + strings.Repeat(`a","`, 10_000) + `b"]}`
	for name, test := range map[string]struct{ text, keyword string }{
		"properties": {chain(`{"type":"object","properties":{"a":{"$ref":"#/$defs/%d"},"b":{"$ref":"#/$defs/%d"}}}`), ""},
		"allOf":      {chain(`{"allOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]}`), ""},
		"anyOf":      {chain(`{"anyOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]}`), ""},
		"items":      {chain(`{"type":"array","items":{"allOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]}}`), ""},
		"required": {`{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","required":["a","b"],
			"additionalProperties":{"$ref":"#/$defs/A"}}}}`, ""},
		"enum": {`{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/$defs/E"}` + strings.Repeat(`,{"$ref":"#/$defs/E"}`, 500) +
			`]}},"$defs":{"E":` + enum + `}}`, ""},
		"bases around an anchor": {`{"properties":{"a":{"allOf":[` + strings.Repeat(`{"$ref":"?a#z"},`, 800) + `{}]}},"$defs":` +
			strings.Repeat(`{"$id":"?a","d":`, 2000) + `{"$anchor":"z"}` + strings.Repeat("}", 2000) + `}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := schema.Parse([]byte(test.text))
			if problems := schema.Problems(err); len(problems) == 0 {
				t.Error("accepted")
			}
		})
	}
	for name, text := range map[string]string{
		"enum":     `{"type":"object","properties":{"a":` + enum + `}}`,
		"patterns": `{"type":"object","properties":{"a":{"allOf":[{}` + strings.Repeat(`,{"pattern":"(a{900}){1,1}b{900}"}`, 1500) + `]}}}`,
		"not used": `{"type":"object","properties":{"a":{"default":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}}`,
		"unknown":  `{"type":"object","properties":{"a":{}},"x":{` + strings.TrimSuffix(strings.Repeat(`"":{},`, 1), ",") + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := schema.Parse([]byte(text)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestWarningsNameWhatHasNoEffect(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"object","properties":{"a":{"type":"string","default":"x"},"b":{"default":"y","x-\u0007b":1}}}`: "Keywords of the schema " +
			`that have no effect: "default" at /properties/a and one other place, "x- b" at /properties/b.`,
		`{"type":"object","properties":{"a":{"type":["string","number"]}}}`:             "The schema allows several types of values, and only the first was looked for: at /properties/a.",
		`{"type":"object","properties":{"a":{"type":["number","integer","null"]}}}`:     "",
		`{"type":"object","properties":{"a":{"type":"string","pattern":"(?<=a)b"}}}`:    `Keywords of the schema that have no effect: "pattern" "(?<=a)b" at /properties/a.`,
		`{"type":"object","properties":{"a":{"type":"integer","format":"int64"}}}`:      `Keywords of the schema that have no effect: "format" "int64" at /properties/a.`,
		`{"$schema":"http://127.0.0.1:1/x","type":"object","properties":{"a":{}}}`:      `Keywords of the schema that have no effect: "$schema" "http://127.0.0.1:1/x" at the root.`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{}}}`:   "",
		`{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"array"}]}}}`:           "",
		`{"properties":{"a":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`:       `Keywords of the schema that have no effect: "anyOf" at the root.`,
		`{"properties":{"a":{}},"additionalProperties":{"type":"string"}}`:              `Keywords of the schema that have no effect: "additionalProperties" at the root.`,
		`{"properties":{"a":{"anyOf":[{"items":{}},{"type":"string"}]}}}`:               "The schema allows several types of values, and only the first was looked for: at /properties/a.",
		`{"properties":{"a":{"type":"string","format":"date-time"}}}`:                   "Only the days of these values are looked for, so their time is always 00:00:00Z: /properties/a.",
		`{"properties":{"a":{"anyOf":[{"format":"date"},{"format":"date-time"}]}}}`:     "",
		`{"properties":{"a":{"type":"array","items":{"type":"string","if":{},"x":1}}}}`: `Keywords of the schema that have no effect: "if" at /properties/a/items, "x" at /properties/a/items.`,
	} {
		if got := strings.Join(plan(t, text).Warnings, "\n"); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(invoice))
	f.Add([]byte(`{"type":["null","string"],"enum":["a",null],"const":"a","format":"date","pattern":"^(?!a)[b-d]{2}$"}`))
	f.Add([]byte(`{"$ref":"#/$defs/A","$defs":{"A":{"$id":"a","properties":{"b":{"$ref":"#c"}},"required":["d"]},"B":{"$anchor":"c"}}}`))
	f.Add([]byte(`{"anyOf":[{"oneOf":[{"type":"integer","multipleOf":3},{"minimum":1,"exclusiveMinimum":true}]},{"type":"null"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, _, err := schema.Parse(text)
		var p *schema.Problem
		if err != nil && !errors.As(err, &p) {
			t.Fatalf("the error %v is no Problem", err)
		}
		if err == nil && s.Type == "" {
			t.Fatal("a schema without a type passed")
		}
		plan, err := schema.NewPlan(text)
		if err != nil {
			if !errors.As(err, &p) {
				t.Fatalf("the error %v is no Problem", err)
			}
			return
		}
		plan.Answer(answers.Extraction{})
	})
}

// TestChecksAreBounded fills an answer with thousands of texts that match thousands of patterns slowly.
//
//proves:docs/security.md
func TestChecksAreBounded(t *testing.T) {
	patterns := `{"type":"string"}` + strings.Repeat(`,{"pattern":"^(a|a?){20}$"}`, 500)
	factors := `{"type":"number"}` + strings.Repeat(`,{"multipleOf":1e-308}`, 1500)
	for name, test := range map[string]struct {
		items string
		value answers.Value
	}{
		"patterns":   {`{"allOf":[` + patterns + `]}`, answers.Value{Type: answers.String, Text: strings.Repeat("a", 20)}},
		"long texts": {`{"type":"string","pattern":"^(a|b)*$"}`, answers.Value{Type: answers.String, Text: strings.Repeat("a", 100_000)}},
		"factors":    {`{"allOf":[` + factors + `]}`, answers.Value{Type: answers.Number, Text: "0.5"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan(t, `{"type":"object","properties":{"a":{"type":"array","items":`+test.items+`}}}`)
			for range 2 { // each answer has its own budget
				row := answers.Row{Values: map[string]answers.Value{"a": test.value}}
				found := answers.Extraction{Rows: map[string][]answers.Row{"a": slices.Repeat([]answers.Row{row}, schema.MaxRows)}}
				answer := p.Answer(found)
				if n := len(answer.Items["/a"]); n == 0 || n == schema.MaxRows || len(answer.Warnings) == 0 {
					t.Errorf("%d items, %d warnings", n, len(answer.Warnings))
				}
			}
		})
	}
}
