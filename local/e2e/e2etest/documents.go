package e2etest

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// DocumentReader returns the machine of a new user who follows a document.
func (p *Stack) DocumentReader(t *testing.T, role string) Machine {
	t.Helper()
	c := p.Machine(t, Login{})
	_, key := p.Users.Create(t, "reader", role)
	c.WriteFile(t, ".portside/api-key", key)
	return c
}

var (
	// Runnable matches the blocks of a document that tests run.
	Runnable = regexp.MustCompile("(?s)\n```sh run\n(.*?)\n```\n")
	// answered matches such a block, and the response below it with its format.
	answered = regexp.MustCompile("(?s)\n```sh run\n(.*?)\n```\n(?:\n```(json|csv)\n(.*?)\n```\n)?")
	// answersOf matches the beginning of each answer in a document.
	answersOf = regexp.MustCompile("\n```(json|csv)\n")
)

// RunDocument runs the marked blocks of a document of docs/ in order and compares their output with the document. At
// least minAnswers of the blocks must have a documented output.
func (c Machine) RunDocument(t *testing.T, name string, minAnswers int) {
	t.Helper()
	text := FromRepository(t, "docs", name)
	answers := 0
	for _, block := range answered.FindAllStringSubmatch(text, -1) {
		got := c.Shell(t, block[1])
		if got.WantExit(t, 0); block[3] == "" {
			continue
		}
		answers++
		parse := Parsed
		if block[2] == "csv" {
			parse = parsedCSV
		}
		if want := parse(t, block[3]); !Agrees(want, parse(t, got.Output)) {
			t.Errorf("documented output\n%s\nof\n%s\ndiffers from\n%s", block[3], block[1], got.Output)
		}
	}
	if all := len(answersOf.FindAllString(text, -1)); answers != all || answers < minAnswers {
		t.Errorf("%d of the %d answers are checked", answers, all)
	}
}

// parsedCSV returns a list of lists of texts.
func parsedCSV(t *testing.T, text string) any {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	rows := make([]any, len(records))
	for i, record := range records {
		row := make([]any, len(record))
		for j, cell := range record {
			row[j] = cell
		}
		rows[i] = row
	}
	return rows
}

// Parsed returns the value of a JSON text.
func Parsed(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// Agrees reports whether a value equals the wanted one. A wanted string that ends in … is a prefix.
func Agrees(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, is := got.(map[string]any)
		for key := range want {
			if value, there := object[key]; !there || !Agrees(want[key], value) {
				return false
			}
		}
		return is && len(object) == len(want)
	case []any:
		list, is := got.([]any)
		if !is || len(list) != len(want) {
			return false
		}
		for i := range want {
			if !Agrees(want[i], list[i]) {
				return false
			}
		}
		return true
	case string:
		text, is := got.(string)
		start, open := strings.CutSuffix(want, "…")
		return is && (text == want || open && strings.HasPrefix(text, start))
	}
	return want == got
}
