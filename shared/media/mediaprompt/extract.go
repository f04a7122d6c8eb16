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
	batch          = 25 // variables that are asked for in one request
	tokensPerValue = 160
	tokensAround   = 200
)

const extractRules = `Find variables in the document. The block "variables" lists them: key, name, type, and description where there is one;
name and description say what is sought, and nothing else. For each key answer a list of at most 3 places in the
document that give its value, the best first, and an empty list if the document does not. A place has a quote, copied
from the document character by character and as short as it can be while it shows what the value is, and the value that
the quote gives: a string is copied from the quote; a number is a plain decimal number without unit, sign of currency or
thousands separators; a date is YYYY-MM-DD; a boolean says whether what is described holds.
Never calculate, never complete, never guess.`

// sought is a variable as the model sees it.
type sought struct {
	Key         string       `json:"key"`
	Name        string       `json:"name"`
	Type        answers.Type `json:"type"`
	Description string       `json:"description,omitempty"`
}

// candidate is a value with a place that gives it.
type candidate struct {
	value    answers.Value
	evidence answers.Evidence
}

// candidates are by the variable's name.
type candidates map[string][]candidate

// Extract asks for the variables, part by part. Values are as the document writes them, so the language changes nothing.
func (e *Engine) Extract(ctx context.Context, d *documents.Document, s answers.ExtractSettings) (answers.Extraction, error) {
	parts, warnings := e.parts(d.Text())
	batches := slices.Collect(slices.Chunk(s.Variables, batch))
	found := make([]candidates, len(parts)*len(batches))
	err := e.each(ctx, len(found), func(ctx context.Context, i int) (err error) {
		found[i], err = e.find(ctx, parts[i/len(batches)], batches[i%len(batches)])
		return err
	})
	if err != nil {
		return answers.Extraction{}, err
	}
	all := answers.Extraction{Values: map[string]answers.Value{}, Evidence: map[string][]answers.Evidence{}, Warnings: warnings}
	for _, v := range s.Variables {
		var those []candidate
		for _, of := range found {
			those = append(those, of[v.Name]...)
		}
		all.Values[v.Name] = answers.Value{}
		if len(those) > 0 {
			all.Values[v.Name], all.Evidence[v.Name] = best(those, d)
		}
	}
	return all, nil
}

// find looks for variables in one part. An answer that is too long for all of them is asked for by halves.
func (e *Engine) find(ctx context.Context, p part, variables []answers.Variable) (candidates, error) {
	q := question{name: "findings", rules: extractRules, schema: findings(variables)}
	q.tokens = tokensAround + tokensPerValue*len(variables)
	q.data = []datum{{"variables", listed(variables)}, {"document", p.text}}
	var found candidates
	err := e.ask(ctx, q, func(answer map[string]json.RawMessage) (err error) {
		found, err = p.read(answer, variables)
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

func listed(variables []answers.Variable) string {
	all := make([]sought, len(variables))
	for i, v := range variables {
		all[i] = sought{key(i), v.Name, v.Type, v.Description}
	}
	return encoded(all)
}

// encoded is JSON, a line for each of the list.
func encoded[T any](list []T) string {
	out, err := json.MarshalIndent(list, "", "")
	if err != nil {
		panic("mediaprompt: a list of plain values cannot be encoded") // it has nothing that could fail
	}
	return string(out)
}

// read takes from an answer what is right. One that speaks of none of the variables is no answer.
func (p part) read(answer map[string]json.RawMessage, variables []answers.Variable) (candidates, error) {
	all, known := candidates{}, 0
	for i, v := range variables {
		raw, given := answer[key(i)]
		if !given {
			continue
		}
		known++
		if found := p.candidates(v, raw); len(found) > 0 {
			all[v.Name] = found
		}
	}
	if known == 0 {
		return nil, fmt.Errorf("%w: it has none of the keys", ErrJunk)
	}
	return all, nil
}

// place is what the model says of a variable.
type place struct {
	Quote string          `json:"quote"`
	Value json.RawMessage `json:"value"`
}

const morePlaces = 10 // than asked for are not looked at

// candidates are the places of an answer that stand up. A server without schemas may send one place without a list.
func (p part) candidates(v answers.Variable, raw json.RawMessage) []candidate {
	var raws []json.RawMessage
	if json.Unmarshal(raw, &raws) != nil {
		raws = []json.RawMessage{raw}
	}
	var all []candidate
	for _, one := range raws[:min(len(raws), morePlaces)] {
		var said place
		if json.Unmarshal(one, &said) != nil {
			continue
		}
		if c, ok := p.candidate(v, said); ok {
			all = append(all, c)
		}
	}
	return all
}

func (p part) candidate(v answers.Variable, said place) (candidate, bool) {
	at, ok := p.locate(said.Quote)
	if !ok {
		return candidate{}, false
	}
	quote := p.text[at.from:at.to]
	value, confidence := confirmed(v, valueOf(v.Type, said.Value), quote)
	if !value.Found() {
		return candidate{}, false
	}
	return candidate{value, answers.Evidence{Quote: quote, Start: p.start + at.from, Confidence: confidence}}, true
}

const (
	mostQuotes = 3
	doubt      = 0.7 // of what is left of the confidence where other places say otherwise
)

// best takes the value with the best evidence, the first of equals, and the places that agree.
func best(all []candidate, d *documents.Document) (answers.Value, []answers.Evidence) {
	chosen := all[0]
	for _, c := range all[1:] {
		if c.evidence.Confidence > chosen.evidence.Confidence {
			chosen = c
		}
	}
	var quotes []answers.Evidence
	share := 1.0
	for _, c := range all {
		if c.value != chosen.value {
			share = doubt
			continue
		}
		same := func(q answers.Evidence) bool { return q.Start == c.evidence.Start }
		if len(quotes) < mostQuotes && !slices.ContainsFunc(quotes, same) {
			quotes = append(quotes, c.evidence)
		}
	}
	for i := range quotes {
		quotes[i].Confidence = math.Round(quotes[i].Confidence*share*100) / 100
		if at := d.BlockAt(quotes[i].Start); at >= 0 {
			quotes[i].Page = d.Blocks[at].Page
		}
	}
	return chosen.value, quotes
}
