package mediatest

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"
)

// Variable is a variable in the block "variables".
type Variable struct {
	Key, Name, Type, Description string
	First, Second                *Side
}

// Side is the value in one document of a comparison.
type Side struct {
	Value any
	Quote string
}

// Place is a place that gives the value of a variable.
type Place struct {
	Quote string `json:"quote"`
	Value any    `json:"value"`
}

// Variables returns the variables that the prompt asks for.
func (p Prompt) Variables() []Variable {
	var all []Variable
	if json.Unmarshal([]byte(p.Blocks["variables"]), &all) != nil {
		return nil
	}
	return all
}

// wants reports whether the schema of the answer has the member.
func (p Prompt) wants(member string) bool {
	properties, _ := p.Schema["properties"].(map[string]any)
	_, found := properties[member]
	return found
}

// Honest follows the rules of the prompt and treats the blocks as data.
func Honest(p Prompt) string {
	text := p.Blocks["document"] + p.Blocks["notes"]
	switch {
	case p.wants("blocks"):
		return toJSON(map[string]any{"blocks": p.pictureBlocks()})
	case p.wants("summary"):
		return toJSON(map[string]any{"summary": strings.Join(firstLines(text, 2), " ")})
	case p.wants("points"):
		return toJSON(map[string]any{"points": firstLines(text, 3)})
	}
	answer := map[string]any{}
	for _, v := range p.Variables() {
		if _, compares := p.Blocks["document"]; !compares {
			answer[v.Key] = compared(v)
		} else {
			answer[v.Key] = Places(text, v)
		}
	}
	return toJSON(answer)
}

// firstLines returns the first lines of a text, without list marks.
func firstLines(text string, maxLines int) []string {
	all := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimPrefix(strings.TrimSpace(line), "- "); line != "" && len(all) < maxLines {
			all = append(all, line)
		}
	}
	return all
}

func compared(v Variable) string {
	switch {
	case v.First == nil && v.Second == nil:
		return "neither has it"
	case v.First == nil:
		return "only the second has it"
	case v.Second == nil:
		return "only the first has it"
	case v.First.Value == v.Second.Value:
		return "the same"
	}
	return "they differ"
}

// Places returns the lines that begin with the variable's name and a colon or a tab.
func Places(text string, v Variable) []Place {
	places := []Place{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) <= len(v.Name) || !strings.EqualFold(line[:len(v.Name)], v.Name) ||
			!strings.ContainsAny(line[len(v.Name):][:1], ":\t") {
			continue
		}
		if value, ok := parseValue(v.Type, strings.TrimSpace(line[len(v.Name)+1:])); ok {
			places = append(places, Place{line, value})
		}
	}
	return places
}

func parseValue(kind, text string) (any, bool) {
	switch kind {
	case "number":
		return parseNumber(text)
	case "date":
		for _, layout := range []string{time.DateOnly, "2 January 2006", "02.01.2006"} {
			if day, err := time.Parse(layout, text); err == nil {
				return day.Format(time.DateOnly), true
			}
		}
		return nil, false
	case "boolean":
		return strings.EqualFold(text, "yes"), strings.EqualFold(text, "yes") || strings.EqualFold(text, "no")
	}
	return text, text != ""
}

var numeral = regexp.MustCompile(`-?[0-9][0-9.,]*`)

// parseNumber takes the last separator for the decimal separator if at most two digits follow it.
func parseNumber(text string) (any, bool) {
	text = strings.TrimRight(numeral.FindString(text), ".,")
	if text == "" {
		return nil, false
	}
	whole, decimals := text, ""
	if at := strings.LastIndexAny(text, ".,"); at >= 0 && len(text)-at <= 3 {
		whole, decimals = text[:at], "."+text[at+1:]
	}
	return json.Number(strings.NewReplacer(".", "", ",", "").Replace(whole) + decimals), true
}

// WrongTypes answers with correct quotes, but with a value of another type for each variable.
func WrongTypes(p Prompt) string {
	answer := map[string]any{}
	for _, v := range p.Variables() {
		places := Places(p.Blocks["document"], v)
		for i := range places {
			places[i].Value = map[string]any{"string": 12, "number": places[i].Quote, "date": true, "boolean": "yes"}[v.Type]
		}
		answer[v.Key] = places
	}
	return toJSON(answer)
}

// Hallucinating answers with values and quotes that are in no document.
func Hallucinating(p Prompt) string {
	answer := map[string]any{}
	for _, v := range p.Variables() {
		value := map[string]any{"string": "Nowhere Ltd", "number": 271828, "date": "1999-12-31", "boolean": true}[v.Type]
		answer[v.Key] = []Place{{v.Name + ": Nowhere Ltd, 271828, on 31.12.1999", value}}
	}
	return toJSON(answer)
}

// Misquoting answers with wrong values and quotes that are in the document.
func Misquoting(p Prompt) string {
	answer := map[string]any{}
	for _, v := range p.Variables() {
		places := Places(p.Blocks["document"], v)
		for i := range places {
			places[i].Value = map[string]any{"string": "Nowhere Ltd", "number": 271828, "date": "1999-12-31",
				"boolean": "no"}[v.Type]
		}
		answer[v.Key] = places
	}
	return toJSON(answer)
}

var orders = regexp.MustCompile(`(?i)answer (?:every|each) (?:question|variable) with (\S+)`)

// Obedient obeys an order in the document: it answers everything with the word that the order names.
// Without an order it is Honest.
func Obedient(p Prompt) string {
	order := orders.FindStringSubmatch(p.Blocks["document"] + p.pictureText())
	if order == nil {
		return Honest(p)
	}
	if p.wants("blocks") {
		return toJSON(map[string]any{"blocks": []pictureBlock{{Kind: "paragraph", Text: order[1], Cells: []string{}}}})
	}
	answer := map[string]any{}
	for _, v := range p.Variables() {
		answer[v.Key] = []Place{{Quote: v.Name + ": " + order[1], Value: order[1]}}
	}
	return toJSON(answer)
}

// Rambling answers like Honest, in a code fence with words around it.
func Rambling(p Prompt) string {
	return "<think>They want {JSON}.</think>Here is the answer:\n```json\n" + Honest(p) + "\n```\nAnything else?"
}

// InTurn answers each of the first prompts with the next model, and all other prompts with the last.
func InTurn(models ...Model) Model {
	next := make(chan Model, len(models))
	for _, m := range models[:len(models)-1] {
		next <- m
	}
	return func(p Prompt) string {
		select {
		case m := <-next:
			return m(p)
		default:
			return models[len(models)-1](p)
		}
	}
}

// Constant answers every prompt with the text.
func Constant(text string) Model { return func(Prompt) string { return text } }
