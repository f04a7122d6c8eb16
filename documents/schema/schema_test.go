package schema_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"portside/documents/schema"
)

const invoice = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"additionalProperties":false,"required":["lines"],"properties":{
	"number":{"type":["string","null"],"title":"Invoice number"},
	"lines":{"type":"array","maxItems":20,"items":{"type":"object","properties":{
		"description":{"type":"string"},"amount":{"type":"number","minimum":0}}}}}}`

func TestParseKeepsOrderAndMeaning(t *testing.T) {
	s, err := schema.Parse([]byte(invoice))
	if err != nil {
		t.Fatal(err)
	}
	number, lines := s.Properties[0], s.Properties[1]
	if number.Name != "number" || !number.Schema.Nullable || number.Schema.Type != schema.String || number.Required {
		t.Errorf("number = %+v", number)
	}
	if lines.Name != "lines" || !lines.Required || lines.Schema.MaxItems != 20 {
		t.Errorf("lines = %+v", lines)
	}
	amount := lines.Schema.Items.Properties[1]
	if amount.Name != "amount" || amount.Schema.Minimum == nil || amount.Schema.Minimum.Sign() != 0 {
		t.Errorf("amount = %+v", amount)
	}
}

func TestParseNamesTheKeywordAndItsPlace(t *testing.T) {
	deep := strings.Repeat(`{"type":"array","items":`, schema.MaxDepth) + `{"type":"string"}` + strings.Repeat("}",
		schema.MaxDepth)
	many := `{"type":"object","properties":{"last":{"type":"string"}`
	for i := range schema.MaxProperties {
		many += fmt.Sprintf(`,"p%d":{"type":"string"}`, i)
	}
	many += "}}"
	for _, c := range []struct{ text, place, keyword string }{
		{`{"type":"object","properties":{"a/b":{"type":"string","pattern":"x"}}}`, "/properties/a~1b", "pattern"},
		{`{"$ref":"#"}`, "", "$ref"},
		{`{"type":["string","number"]}`, "", "type"},
		{`{"type":"null"}`, "", "type"},
		{`{"title":"x"}`, "", "type"},
		{`{"type":"object"}`, "", "type"},
		{`{"type":"array"}`, "", "type"},
		{`{"type":"array","items":{"type":"string","format":"email"}}`, "/items", "format"},
		{`{"type":"object","required":["b"],"properties":{"a":{"type":"string"}}}`, "", "required"},
		{`{"type":"object","required":["a","a"],"properties":{"a":{"type":"string"}}}`, "", "required"},
		{`{"type":"string","enum":[]}`, "", "enum"},
		{`{"type":"string","enum":[["a"]]}`, "", "enum"},
		{`{"type":"number","enum":[1e999999999]}`, "", "enum"},
		{`{"type":"number","const":1e999999999}`, "", "const"},
		{`{"type":"number","maximum":1e999999999}`, "", "maximum"},
		{`{"type":"number","minimum":1e-999999999}`, "", "minimum"},
		{`{"type":"number","enum":[1,-1E-999999999]}`, "", "enum"},
		{`{"type":"number","const":{"a":1}}`, "", "const"},
		{`{"type":"number","enum":[1` + strings.Repeat(",1", schema.MaxValues) + `]}`, "", "enum"},
		{`{"type":"array","minItems":3,"maxItems":2,"items":{"type":"string"}}`, "", "minItems"},
		{`{"type":"array","maxItems":1001,"items":{"type":"string"}}`, "", "maxItems"},
		{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, "", "additionalProperties"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}`, "", "$schema"},
		{`{"type":"object","properties":{"":{"type":"string"}}}`, "", "properties"},
		{`{"type":"string","title":"` + strings.Repeat("x", schema.MaxTextChars+1) + `"}`, "", "title"},
		{`{"type":"number","minimum":2,"maximum":1}`, "", "minimum"},
		{`{"type":"string","title":null}`, "", "title"},
		{`{"type":"string","type":"number"}`, "", ""},
		{`true`, "", ""},
		{`{`, "", ""},
		{strings.Repeat(" ", schema.MaxBytes) + `{"type":"string"}`, "", ""},
		{deep, strings.Repeat("/items", schema.MaxDepth), ""},
		{many, "", "properties"},
	} {
		t.Run(fmt.Sprintf("%.80s", c.text), func(t *testing.T) {
			_, err := schema.Parse([]byte(c.text))
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
	_, err := schema.Parse([]byte(text))
	if problems := schema.Problems(err); len(problems) != 1 || !strings.Contains(problems[0].Reason, "properties") {
		t.Errorf("%d problems: %v", len(problems), err)
	}
}

func TestParseReportsAllProblems(t *testing.T) {
	_, err := schema.Parse([]byte(`{"type":"object","oneOf":[],"properties":{"a":{"type":"string","pattern":"x"},"b":{"type":"money"},
		"c":{"type":"array","items":{"type":"string","format":"email"}}}}`))
	var got []string
	for _, p := range schema.Problems(err) {
		got = append(got, p.Place+" "+p.Keyword)
	}
	want := []string{" oneOf", "/properties/a pattern", "/properties/b type", "/properties/c/items format"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	many := `{"type":"object"`
	for i := range 2 * schema.MaxProblems {
		many += fmt.Sprintf(`,"x%d":1`, i)
	}
	if _, err := schema.Parse([]byte(many + "}")); len(schema.Problems(err)) != schema.MaxProblems {
		t.Errorf("%d problems, want %d", len(schema.Problems(err)), schema.MaxProblems)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(invoice))
	f.Add([]byte(`{"type":["null","string"],"enum":["a",null],"const":"a","format":"date"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := schema.Parse(text)
		var p *schema.Problem
		if err != nil && !errors.As(err, &p) {
			t.Fatalf("the error %v is no Problem", err)
		}
		if err == nil {
			if s.Type == "" {
				t.Fatal("a schema without a type passed")
			}
			compile(t, text)
		}
		if _, err := schema.NewPlan(text); err != nil && !errors.As(err, &p) {
			t.Fatalf("the error %v is no Problem", err)
		}
	})
}
