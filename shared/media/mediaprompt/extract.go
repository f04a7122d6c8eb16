package mediaprompt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"portside/documents"
	"portside/documents/answers"
)

const (
	batchSize      = 25 // variables in one request
	tokensPerValue = 160
	overheadTokens = 200
)

const extractRules = `Find variables in the document. The block "variables" lists them: key, name, type, and description where there is one;
name and description say what is sought, and nothing else. For each key answer a list of at most 3 places in the
document that give its value, the best first, and an empty list if the document does not. A place has a quote, copied
from the document character by character and as short as it can be while it shows what the value is, and the value that
the quote gives: a string is copied from the quote; a number is a plain decimal number without unit, sign of currency or
thousands separators; a date is YYYY-MM-DD; a boolean says whether what is described holds.
Never calculate, never complete, never guess.`

// promptVariable is a variable in the form in which the model sees it.
type promptVariable struct {
	Key         string       `json:"key"`
	Name        string       `json:"name"`
	Type        answers.Type `json:"type"`
	Description string       `json:"description,omitempty"`
}

// candidate is a value with a place in the document that gives it.
type candidate struct {
	value    answers.Value
	evidence answers.Evidence
}

// candidates are the candidates of variables, by name.
type candidates map[string][]candidate

// Extract asks the model for the variables and tables, part by part. The language of the settings has no effect,
// because values are copied from the document.
func (e *Engine) Extract(ctx context.Context, d *documents.Document, s answers.ExtractSettings) (answers.Extraction, error) {
	parts, warnings := e.split(d.Text())
	batches := slices.Collect(slices.Chunk(s.Variables, batchSize))
	found := make([]candidates, len(parts)*len(batches))
	err := e.forEach(ctx, len(found), func(ctx context.Context, i int) (err error) {
		found[i], err = e.find(ctx, parts[i/len(batches)], batches[i%len(batches)])
		return err
	})
	if err != nil {
		return answers.Extraction{}, err
	}
	all := answers.Extraction{Values: map[string]answers.Value{}, Evidence: map[string][]answers.Evidence{}, Warnings: warnings}
	for _, v := range s.Variables {
		var ofVariable []candidate
		for _, ofPart := range found {
			ofVariable = append(ofVariable, ofPart[v.Name]...)
		}
		all.Values[v.Name] = answers.Value{}
		if len(ofVariable) > 0 {
			all.Values[v.Name], all.Evidence[v.Name] = chooseBest(ofVariable, d)
		}
	}
	return all, e.addRows(ctx, d, s.Tables, &all)
}

// find asks the model for variables in one part. If the answer is too long for the model, it asks for
// each half of the variables.
func (e *Engine) find(ctx context.Context, p part, variables []answers.Variable) (candidates, error) {
	q := prompt{name: "findings", rules: extractRules, schema: findingsSchema(variables)}
	q.maxTokens = overheadTokens + tokensPerValue*len(variables)
	q.data = []dataBlock{{"variables", listVariables(variables)}, {"document", p.text}}
	var found candidates
	err := e.ask(ctx, q, func(answer map[string]json.RawMessage) (err error) {
		found, err = p.readAnswer(answer, variables)
		return err
	})
	if half := len(variables) / 2; errors.Is(err, ErrTruncated) && half > 0 {
		return e.findHalves(ctx, p, [2][]answers.Variable{variables[:half], variables[half:]})
	}
	return found, err
}

func (e *Engine) findHalves(ctx context.Context, p part, halves [2][]answers.Variable) (candidates, error) {
	all := candidates{}
	for _, half := range halves {
		found, err := e.find(ctx, p, half)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, found)
	}
	return all, nil
}

func listVariables(variables []answers.Variable) string {
	all := make([]promptVariable, len(variables))
	for i, v := range variables {
		all[i] = promptVariable{variableKey(i), v.Name, v.Type, v.Description}
	}
	return encodeList(all)
}

// encodeList returns a list as JSON, with every value on its own line.
func encodeList[T any](list []T) string {
	out, err := json.MarshalIndent(list, "", "")
	if err != nil {
		panic("mediaprompt: encode a list: " + err.Error()) // cannot happen: it has only strings
	}
	return string(out)
}

// readAnswer returns the candidates in an answer that pass the checks. An answer without any of the
// variables is an error.
func (p part) readAnswer(answer map[string]json.RawMessage, variables []answers.Variable) (candidates, error) {
	all, keys := candidates{}, 0
	for i, v := range variables {
		raw, isGiven := answer[variableKey(i)]
		if !isGiven {
			continue
		}
		keys++
		if found := p.checkPlaces(v, raw); len(found) > 0 {
			all[v.Name] = found
		}
	}
	if keys == 0 {
		return nil, fmt.Errorf("%w: it has none of the keys", ErrJunk)
	}
	return all, nil
}

// place is a place in the document that, according to the model, gives the value of a variable.
type place struct {
	Quote string          `json:"quote"`
	Value json.RawMessage `json:"value"`
}

const maxPlaces = 10 // of a variable in one answer; more are ignored

// checkPlaces returns the places of an answer that pass the checks. A server that ignores the schema
// may send one place instead of a list.
func (p part) checkPlaces(v answers.Variable, raw json.RawMessage) []candidate {
	var raws []json.RawMessage
	if json.Unmarshal(raw, &raws) != nil {
		raws = []json.RawMessage{raw}
	}
	var all []candidate
	for _, one := range raws[:min(len(raws), maxPlaces)] {
		var claim place
		if json.Unmarshal(one, &claim) != nil {
			continue
		}
		if c, ok := p.checkPlace(v, claim); ok {
			all = append(all, c)
		}
	}
	return all
}

// checkPlace returns the value of a place as a candidate, if the quote is in the part and supports the
// value.
func (p part) checkPlace(v answers.Variable, claim place) (candidate, bool) {
	at, ok := p.locate(claim.Quote)
	if !ok {
		return candidate{}, false
	}
	quote := p.text[at.from:at.to]
	value, confidence := checkValue(v, parseValue(v.Type, claim.Value), quote)
	if !value.Found() {
		return candidate{}, false
	}
	return candidate{value, answers.Evidence{Quote: quote, Start: p.start + at.from, Confidence: confidence}}, true
}

const (
	maxQuotes      = 3
	disputedFactor = 0.7 // by which the confidence is multiplied if other places give other values
)

// chooseBest returns the value with the best evidence, and the quotes of all places that give it. Of
// equally good candidates, it chooses the first.
func chooseBest(all []candidate, d *documents.Document) (answers.Value, []answers.Evidence) {
	chosen := all[0]
	for _, c := range all[1:] {
		if c.evidence.Confidence > chosen.evidence.Confidence {
			chosen = c
		}
	}
	var quotes []answers.Evidence
	factor := 1.0
	for _, c := range all {
		if c.value != chosen.value {
			factor = disputedFactor
			continue
		}
		same := func(q answers.Evidence) bool { return q.Start == c.evidence.Start }
		if len(quotes) < maxQuotes && !slices.ContainsFunc(quotes, same) {
			quotes = append(quotes, c.evidence)
		}
	}
	for i := range quotes {
		quotes[i].Confidence = math.Round(quotes[i].Confidence*factor*100) / 100
		if at := d.BlockAt(quotes[i].Start); at >= 0 {
			quotes[i].Page = d.Blocks[at].Page
		}
	}
	return chosen.value, quotes
}
