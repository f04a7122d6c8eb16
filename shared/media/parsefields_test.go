package media_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
)

func TestParseFieldsAndModelAgree(t *testing.T) {
	want := media.Question{
		Task: media.Compare, Shape: answers.AsParagraph, Length: answers.Medium, Lang: "de", Prompt: "only differences", MinConfidence: 0.9,
		Variables: []answers.Variable{
			{Name: "total", Type: answers.Number, Description: "what is to be paid"}, {Name: "due", Type: answers.Date},
		},
	}
	for name, fields := range map[string]map[string]string{
		"fields": {
			"lang": "de", "prompt": "only  differences", "minConfidence": "0.9",
			"variable2_name": "total", "variable2_type": "number", "variable2_description": "what is to be paid",
			"variable10_name": "due", "variable10_type": "date",
		},
		"model": {
			"model": `{"lang":"de","prompt":"only differences","minConfidence":0.9,"variables":{
				"total":{"type":"number","description":"what is to be paid"},"due":{"type":"date"}}}`,
			"lang": "ignored", "no_such_field": "ignored",
		},
		"model with a byte order mark": {
			"model": "\ufeff" + `{"lang":"de","prompt":"only differences","minConfidence":0.9,"variables":{
				"total":{"type":"number","description":"what is to be paid"},"due":{"type":"date"}}}`,
		},
	} {
		got, err := media.ParseFields(media.Compare, fields)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: error %v, difference (-want +got)\n%s", name, err, diff)
		}
	}
}

func TestParseFieldsHasDefaults(t *testing.T) {
	for _, task := range []media.Task{media.Summarize, media.Extract, media.Compare} {
		for _, fields := range []map[string]string{{}, {"model": "{}"}} {
			got, err := media.ParseFields(task, fields)
			if err != nil || len(got.Variables) > 0 || got.Shape != answers.AsParagraph || got.Length != answers.Medium || got.Lang != "" {
				t.Errorf("%s %v: %+v, %v", task, fields, got, err)
			}
		}
	}
}

func TestParseFieldsKeepsLastVariableOfAName(t *testing.T) {
	got, err := media.ParseFields(media.Extract, map[string]string{
		"variable1_name": "a", "variable1_type": "string", "variable100_name": "a", "variable100_type": "date",
	})
	if want := []answers.Variable{{Name: "a", Type: answers.Date}}; err != nil || !slices.Equal(got.Variables, want) {
		t.Errorf("variables %+v, error %v; want %+v", got.Variables, err, want)
	}
}

func TestParseFieldsReportsAllFailures(t *testing.T) {
	for _, c := range []struct {
		task     media.Task
		fields   map[string]string
		pointers string
	}{
		{media.Summarize, map[string]string{"format": "poem", "length": "endless", "lang": "xx", "summary_hint": strings.Repeat("é", 1001)}, "/format /lang /length /summary_hint"},
		{media.Summarize, map[string]string{"variable1_name": "a", "prompt": "b", "Format": "bullet", "": "x"}, "/ /Format /prompt /variable1_name"},
		{media.Summarize, map[string]string{"model": `{"variables":{},"length":5,"format":null}`}, "/model/format /model/length /model/variables"},
		{media.Extract, map[string]string{"variable1_name": "a", "variable2_type": "string", "variable0_name": "b", "variable101_name": "c", "variable01_name": "d"}, "/variable01_name /variable0_name /variable101_name /variable1_type /variable2_name"},
		{media.Extract, map[string]string{"model": `{"variables":{"a":{},"b":{"type":"money"},"c/d":{"type":"date","x":1},"e":5}}`}, "/model/variables/a/type /model/variables/b/type /model/variables/c~1d/x /model/variables/e"},
		{media.Extract, map[string]string{"model": `{"variables":{"":{"type":"date"}}}`}, "/model/variables/"},
		{media.Extract, map[string]string{"model": `{"variables":{"  ":{"type":"date"}}}`}, "/model/variables/  "},
		{media.Extract, map[string]string{"model": "\ufeff"}, "/model"},
		{media.Extract, map[string]string{"variable1_name": " \u00a0", "variable1_type": "date"}, "/variable1_name"},
		{media.Extract, map[string]string{"a/b": "x", "c~d": "y"}, "/a~1b /c~0d"},
		{media.Extract, map[string]string{"model": `{"metadata":"words"}`}, "/model/metadata"},
		{media.Extract, map[string]string{"model": `{"metadata":["ok","", "` + strings.Repeat("x", 51) + `"]}`}, "/model/metadata/1 /model/metadata/2"},
		{media.Extract, map[string]string{"model": `{`}, "/model"},
		{media.Extract, map[string]string{"model": `[]`}, "/model"},
		{media.Extract, map[string]string{"model": `{"lang":"en","lang":"de"}`}, "/model"},
		{media.Extract, map[string]string{"model": `{} {}`}, "/model"},
		{media.Extract, map[string]string{"model": strings.Repeat("[", 100_000)}, "/model"},
		{media.Compare, map[string]string{"prompt": strings.Repeat("x", 4001)}, "/prompt"},
	} {
		t.Run(string(c.task)+" "+c.pointers, func(t *testing.T) {
			_, err := media.ParseFields(c.task, c.fields)
			found := fault.As(err)
			if found == nil {
				t.Errorf("%v: error %v, want a validation fault", c.fields, err)
				return
			}
			var pointers []string
			for _, f := range found.Fields {
				pointers = append(pointers, f.Pointer)
			}
			if got := strings.Join(pointers, " "); got != c.pointers {
				t.Errorf("%.100v: failures at %s, want %s", c.fields, got, c.pointers)
			}
		})
	}
}

func TestParseFieldsLimitsVariables(t *testing.T) {
	var model strings.Builder
	for i := range media.MaxVariables + 1 {
		fmt.Fprintf(&model, `,"v%d":{"type":"string"}`, i)
	}
	_, err := media.ParseFields(media.Extract, map[string]string{"model": `{"variables":{` + model.String()[1:] + `}}`})
	if found := fault.As(err); found == nil || len(found.Fields) != 1 || found.Fields[0].Pointer != "/model/variables" {
		t.Errorf("error %v, want one failure at /model/variables", err)
	}
}

func FuzzParseFields(f *testing.F) {
	f.Add("extract", "model", `{"variables":{"a":{"type":"string"}},"metadata":["x"]}`)
	f.Add("summarize", "format", "bullet")
	f.Add("compare", "variable1_type", "date")
	f.Fuzz(func(t *testing.T, task, name, text string) {
		got, err := media.ParseFields(media.Task(task), map[string]string{name: text})
		if err != nil && fault.KindOf(err) != fault.Validation {
			t.Fatalf("error %v is not a validation fault", err)
		}
		for _, v := range got.Variables {
			if v.Name == "" || v.Type == "" {
				t.Fatalf("invalid variable %+v", v)
			}
		}
	})
}
