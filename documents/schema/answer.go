package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"portside/documents/answers"
)

// Answer is the object that a document fills for a schema, with its parts. The keys of the maps are JSON Pointers,
// except those of Object.
type Answer struct {
	Object   map[string]any           // the whole object, by property; nil for each value that was not found
	Values   map[string]answers.Value // the single values that were found
	Items    map[string][]any         // the items of each array
	Evidence map[string][]answers.Evidence

	Candidates map[string][]answers.Candidate // of single values outside of arrays
	Warnings   []string
}

// Answer arranges the answers to the plan's questions as the schema describes. It replaces a value that does not fit
// the schema by null.
func (p *Plan) Answer(found answers.Extraction) Answer {
	*p.root.budget = maxChecks
	b := builder{p, found, Answer{
		Values: map[string]answers.Value{}, Items: map[string][]any{},
		Evidence: map[string][]answers.Evidence{}, Candidates: map[string][]answers.Candidate{},
	}}
	b.answer.Object = b.object(p.root, position{}, record{found.Values, found.Evidence})
	return b.answer
}

type builder struct {
	plan   *Plan
	found  answers.Extraction
	answer Answer
}

// record has the answers to the plan's variables, or those of one row of a table to its columns, by name.
type record struct {
	values   map[string]answers.Value
	evidence map[string][]answers.Evidence
}

func (b *builder) object(s *Schema, at position, from record) map[string]any {
	value := map[string]any{}
	for _, property := range s.Properties {
		inner := at.property(property.Name)
		switch property.Schema.Type {
		case Object:
			value[property.Name] = b.object(property.Schema, inner, from)
		case Array:
			value[property.Name] = b.array(property.Schema, inner)
		default:
			value[property.Name] = b.single(property.Schema, inner, from)
			if all := b.found.Candidates[b.plan.names[inner.inSchema]]; len(all) > 0 {
				b.answer.Candidates[inner.inAnswer] = all
			}
		}
	}
	return value
}

// single returns a single value and adds it to the answer, with its evidence. It returns nil if the value was not found
// or does not fit.
func (b *builder) single(s *Schema, at position, from record) any {
	name := b.plan.names[at.inSchema]
	found := from.values[name]
	if !found.Found() {
		return nil
	}
	value, fits := s.shaped(found)
	if !fits {
		b.answer.Warnings = append(b.answer.Warnings,
			fmt.Sprintf("The value at %s does not fit the schema, so it is null.", at.inAnswer))
		return nil
	}
	b.answer.Values[at.inAnswer], b.answer.Evidence[at.inAnswer] = found, from.evidence[name]
	return value
}

const dateTime = "date-time"

// shaped returns a value in the form that the schema demands, if it fits: one of its enum, a number as text, or a date
// with a time.
func (s *Schema) shaped(found answers.Value) (value any, fits bool) {
	read, ok := encoded(found)
	if !ok {
		return nil, false
	}
	if s.fits(read) {
		return found, true
	}
	if s.Type != String || found.Type != s.asked() {
		return nil, false
	}
	shown := single{String, found.Text}
	switch found.Type {
	case answers.String:
		shown.text = s.match(found.Text)
	case answers.Date:
		shown.text += "T00:00:00Z"
	}
	return shown.text, s.fits(shown)
}

// match returns the value of the enum that a text stands for, or the text.
func (s *Schema) match(text string) string {
	text = s.allowed.match(text)
	for _, c := range s.choices {
		for _, one := range c.schemas {
			if s.budget.spend(len(text)) {
				text = one.match(text)
			}
		}
	}
	return text
}

// array returns the items of an array, from the rows of its table. It leaves out single values that were not found, and
// repeated items if the schema wants unique ones.
func (b *builder) array(s *Schema, at position) []any {
	values := []any{}
	seen := map[string]bool{}
	for _, found := range b.found.Rows[b.plan.names[at.inSchema]] {
		item := position{inAnswer: at.inAnswer + "/" + strconv.Itoa(len(values)), inSchema: at.inSchema + "/items"}
		from := record{found.Values, found.Evidence}
		var value any
		if s.Items.Type == Object {
			value = b.row(s.Items, item, from)
		} else if value = b.single(s.Items, item, from); value == nil {
			continue
		}
		if s.UniqueItems && isRepeated(seen, value) {
			b.forget(item)
			continue
		}
		values = append(values, value)
	}
	if len(values) < s.MinItems {
		b.answer.Warnings = append(b.answer.Warnings,
			fmt.Sprintf("The document has %d of at least %d items for %s.", len(values), s.MinItems, at.inAnswer))
	}
	b.answer.Items[at.inAnswer] = values
	return values
}

// isRepeated reports whether an item of an array was there before.
func isRepeated(seen map[string]bool, item any) bool {
	text, err := json.Marshal(item)
	if err != nil || seen[string(text)] {
		return true
	}
	seen[string(text)] = true
	return false
}

// forget removes the values of an item that is left out.
func (b *builder) forget(item position) {
	list := item.inAnswer[:strings.LastIndexByte(item.inAnswer, '/')]
	for _, l := range b.plan.Lists {
		if l.Pointer != list {
			continue
		}
		for _, c := range l.Columns {
			delete(b.answer.Values, item.inAnswer+c.Pointer)
			delete(b.answer.Evidence, item.inAnswer+c.Pointer)
		}
	}
}

// row returns an object in an array. Unlike other objects, it has neither arrays nor candidates.
func (b *builder) row(s *Schema, at position, from record) map[string]any {
	value := map[string]any{}
	for _, property := range s.Properties {
		inner := at.property(property.Name)
		if property.Schema.Type == Object {
			value[property.Name] = b.row(property.Schema, inner, from)
			continue
		}
		value[property.Name] = b.single(property.Schema, inner, from)
	}
	return value
}
