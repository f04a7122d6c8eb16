package schema_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"portside/documents/answers"
	"portside/documents/schema"
)

const order = `{"type":"object","properties":{
	"total":{"type":"number","title":"Sum","description":"with tax"},
	"paid":{"type":"boolean","title":"Paid"},
	"seller":{"type":"object","properties":{"name":{"type":"string"},"founded":{"type":"string","format":"date"}}},
	"seller name":{"type":"string"},
	"tags":{"type":"array","items":{"enum":["red","blue"],"type":"string"}},
	"lines":{"type":"array","minItems":3,"maxItems":1000,"items":{"type":"object","properties":{
		"name":{"type":"string"},"price":{"type":"object","properties":{"net":{"type":"integer"}}}}}}}}`

func plan(t *testing.T, text string) *schema.Plan {
	t.Helper()
	p, err := schema.NewPlan([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanAsksForEachValue(t *testing.T) {
	p := plan(t, order)
	want := []answers.Variable{
		{Name: "total", Type: answers.Number, Description: "Sum. with tax"},
		{Name: "paid", Type: answers.Boolean},
		{Name: "seller name", Type: answers.String},
		{Name: "seller founded", Type: answers.Date},
		{Name: "seller name 2", Type: answers.String}, // another property
	}
	if !slices.Equal(p.Variables, want) {
		t.Errorf("variables %+v", p.Variables)
	}
	if len(p.Tables) != 2 {
		t.Fatalf("tables %+v", p.Tables)
	}
	tags, lines := p.Tables[0], p.Tables[1]
	if tags.Name != "tags" || !slices.Equal(tags.Columns, []answers.Variable{{Name: "tags", Type: answers.String}}) {
		t.Errorf("tags %+v", tags)
	}
	columns := []answers.Variable{{Name: "name", Type: answers.String}, {Name: "price net", Type: answers.Number}}
	if lines.Name != "lines" || lines.MaxRows != schema.MaxRows || !slices.Equal(lines.Columns, columns) {
		t.Errorf("lines %+v", lines)
	}
}

func TestPlanRefusesWhatCannotBeAsked(t *testing.T) {
	for text, place := range map[string]string{
		`{"type":"string"}`: "",
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"array","items":{"type":"string"}}}}}`: "/properties/a/items",
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{
			"b":{"type":"array","items":{"type":"string"}}}}}}}`: "/properties/a/items/properties/b",
	} {
		_, err := schema.NewPlan([]byte(text))
		var p *schema.Problem
		if !errors.As(err, &p) || p.Place != place || p.Keyword != "type" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAnswerHasTheShapeOfTheSchema(t *testing.T) {
	text := func(s string) answers.Value { return answers.Value{Type: answers.String, Text: s} }
	number := func(s string) answers.Value { return answers.Value{Type: answers.Number, Text: s} }
	at := func(start int) []answers.Evidence { return []answers.Evidence{{Quote: "q", Start: start}} }
	found := answers.Extraction{
		Values: map[string]answers.Value{"total": number("12.5"), "seller name": text("Ada"),
			"seller name 2": text("Grace"), "paid": {}},
		Evidence: map[string][]answers.Evidence{"total": at(1), "seller name": at(2), "seller name 2": at(3)},
		Rows: map[string][]answers.Row{
			"tags": {
				{Values: map[string]answers.Value{"tags": text("red")}, Evidence: map[string][]answers.Evidence{"tags": at(4)}},
				{Values: map[string]answers.Value{"tags": text("bad")}, Evidence: map[string][]answers.Evidence{"tags": at(5)}},
			},
			"lines": {
				{Values: map[string]answers.Value{"name": text("Rope")}, Evidence: map[string][]answers.Evidence{"name": at(6)}},
				{
					Values:   map[string]answers.Value{"name": text("Sail"), "price net": number("9")},
					Evidence: map[string][]answers.Evidence{"name": at(7), "price net": at(8)},
				},
			},
		},
	}
	answer := plan(t, order).Answer(found)
	value, err := json.Marshal(answer.Object)
	const want = `{"lines":[{"name":"Rope","price":{"net":null}},{"name":"Sail","price":{"net":9}}],"paid":null,` +
		`"seller":{"founded":null,"name":"Ada"},"seller name":"Grace","tags":["red"],"total":12.5}`
	if err != nil || string(value) != want {
		t.Errorf("got  %s, %v\nwant %s", value, err, want)
	}
	for pointer, start := range map[string]int{
		"/total": 1, "/seller/name": 2, "/seller name": 3, "/tags/0": 4, "/lines/0/name": 6, "/lines/1/name": 7,
		"/lines/1/price/net": 8,
	} {
		if got := answer.Evidence[pointer]; len(got) != 1 || got[0].Start != start {
			t.Errorf("evidence of %s: %+v", pointer, got)
		}
	}
	if len(answer.Evidence) != 7 || len(answer.Warnings) != 2 {
		t.Errorf("evidence %v, warnings %q", answer.Evidence, answer.Warnings)
	}
}

// TestKeywordsAreChecked puts a value that does not fit in place of one that does.
func TestKeywordsAreChecked(t *testing.T) {
	for _, test := range []struct{ schema, fits, other string }{
		{`{"type":"integer"}`, "3", "3.5"},
		{`{"type":"number","minimum":2}`, "2", "1.9"},
		{`{"type":"number","maximum":2}`, "2", "2.1"},
		{`{"type":["number","null"],"enum":[1,2]}`, "2", "3"},
		{`{"type":"number","const":7}`, "7", "8"},
		{`{"type":["number","null"],"enum":[true,null,"e",1e2]}`, "100", "8"},
	} {
		t.Run(test.schema, func(t *testing.T) {
			for text, wants := range map[string]bool{test.fits: true, test.other: false} {
				found := answers.Extraction{
					Values:   map[string]answers.Value{"a": {Type: answers.Number, Text: text}},
					Evidence: map[string][]answers.Evidence{"a": {{Quote: text}}},
				}
				answer := plan(t, `{"type":"object","properties":{"a":`+test.schema+`}}`).Answer(found)
				if (answer.Object["a"] != nil) != wants || (len(answer.Warnings) == 0) != wants {
					t.Errorf("%s with %s: %v, %q", test.schema, text, answer.Object, answer.Warnings)
				}
			}
		})
	}
}

// TestNamesAreNotURLs checks that a name with a percent sign has the rules of the property with exactly this name.
func TestNamesAreNotURLs(t *testing.T) {
	p := plan(t, `{"type":"object","properties":{"tot%61l":{"type":"number","maximum":5},"total":{"type":"number","minimum":1},
		"VAT %":{"type":"number"},"a#b~c/d?":{"type":"number"}}}`)
	found := answers.Extraction{Values: map[string]answers.Value{}, Evidence: map[string][]answers.Evidence{}}
	for _, name := range []string{"tot%61l", "total", "VAT %", "a#b~c/d?"} {
		found.Values[name] = answers.Value{Type: answers.Number, Text: "19"}
		found.Evidence[name] = []answers.Evidence{{Quote: "19"}}
	}
	answer := p.Answer(found)
	for _, name := range []string{"total", "VAT %", "a#b~c/d?"} {
		if answer.Object[name] == nil {
			t.Errorf("%s is null: %q", name, answer.Warnings)
		}
	}
	if answer.Object["tot%61l"] != nil {
		t.Error("tot%61l is greater than its maximum")
	}
}
