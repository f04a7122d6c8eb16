package schema

import (
	"fmt"
	"strconv"

	"portside/documents/answers"
)

// Answer has the values that a document has for a schema.
type Answer struct {
	Value    map[string]any                // by property; null if no value was found
	Values   map[string]answers.Value      // the single values that were found, by their JSON Pointers
	Items    map[string][]any              // of each array, by its JSON Pointer
	Evidence map[string][]answers.Evidence // by the JSON Pointer to the value

	Candidates map[string][]answers.Candidate // of single values outside of arrays, by the JSON Pointer
	Warnings   []string
}

// Answer arranges the answers to the plan's questions as the schema says. It replaces a value that does not fit the schema by null.
func (p *Plan) Answer(found answers.Extraction) Answer {
	b := builder{p, found, Answer{
		Values: map[string]answers.Value{}, Items: map[string][]any{},
		Evidence: map[string][]answers.Evidence{}, Candidates: map[string][]answers.Candidate{},
	}}
	b.answer.Value = b.object(p.root, position{}, record{found.Values, found.Evidence})
	return b.answer
}

type builder struct {
	plan   *Plan
	found  answers.Extraction
	answer Answer
}

// record has the answers to the plan's variables, or to the columns of a table for one row, by their names.
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
			value[property.Name] = b.single(inner, from)
			if all := b.found.Candidates[b.plan.names[inner.inSchema]]; len(all) > 0 {
				b.answer.Candidates[inner.inAnswer] = all
			}
		}
	}
	return value
}

// single returns a single value, or nil. It adds the evidence of the value to the answer.
func (b *builder) single(at position, from record) any {
	name := b.plan.names[at.inSchema]
	value := from.values[name]
	if !value.Found() {
		return nil
	}
	if !b.plan.checker.fits(at.inSchema, value) {
		b.answer.Warnings = append(b.answer.Warnings, fmt.Sprintf("The value at %s does not fit the schema, so it is null.", at.inAnswer))
		return nil
	}
	b.answer.Values[at.inAnswer], b.answer.Evidence[at.inAnswer] = value, from.evidence[name]
	return value
}

// array returns the rows of a table. It leaves out single values that were not found.
func (b *builder) array(s *Schema, at position) []any {
	values := []any{}
	for _, found := range b.found.Rows[b.plan.names[at.inSchema]] {
		item := position{inAnswer: at.inAnswer + "/" + strconv.Itoa(len(values)), inSchema: at.inSchema + "/items"}
		from := record{found.Values, found.Evidence}
		if s.Items.Type == Object {
			values = append(values, b.row(s.Items, item, from))
		} else if value := b.single(item, from); value != nil {
			values = append(values, value)
		}
	}
	if len(values) < s.MinItems {
		b.answer.Warnings = append(b.answer.Warnings,
			fmt.Sprintf("The document has %d of at least %d items for %s.", len(values), s.MinItems, at.inAnswer))
	}
	b.answer.Items[at.inAnswer] = values
	return values
}

// row returns an object of a row, which has neither arrays nor candidates.
func (b *builder) row(s *Schema, at position, from record) map[string]any {
	value := map[string]any{}
	for _, property := range s.Properties {
		inner := at.property(property.Name)
		if property.Schema.Type == Object {
			value[property.Name] = b.row(property.Schema, inner, from)
			continue
		}
		value[property.Name] = b.single(inner, from)
	}
	return value
}
