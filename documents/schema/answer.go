package schema

import (
	"fmt"
	"strconv"

	"portside/documents/answers"
)

// Answer is the values of a schema.
type Answer struct {
	Value    map[string]any                // by the names of the properties; null for what was not found
	Evidence map[string][]answers.Evidence // by the JSON Pointer to the value

	Candidates map[string][]answers.Candidate // of single values outside of arrays, by the JSON Pointer
	Warnings   []string
}

// Answer puts what was found in the place that the schema says. It replaces a value that does not fit the schema by null.
func (p *Plan) Answer(found answers.Extraction) Answer {
	b := builder{p, found, Answer{
		Evidence: map[string][]answers.Evidence{}, Candidates: map[string][]answers.Candidate{},
	}}
	b.answer.Value = b.object(p.root, spot{}, record{found.Values, found.Evidence})
	return b.answer
}

type builder struct {
	plan   *Plan
	found  answers.Extraction
	answer Answer
}

// record has the values of an object by the names of the plan.
type record struct {
	values   map[string]answers.Value
	evidence map[string][]answers.Evidence
}

func (b *builder) object(s *Schema, at spot, from record) map[string]any {
	value := map[string]any{}
	for _, property := range s.Properties {
		inner := at.property(property.Name)
		switch property.Schema.Type {
		case Object:
			value[property.Name] = b.object(property.Schema, inner, from)
		case Array:
			value[property.Name] = b.array(property.Schema, inner)
		default:
			value[property.Name] = b.single(inner, inner.pointer, from)
			if all := b.found.Candidates[b.plan.names[inner.schema]]; len(all) > 0 {
				b.answer.Candidates[inner.pointer] = all
			}
		}
	}
	return value
}

// single returns a value, or null. The evidence stands at the pointer.
func (b *builder) single(at spot, pointer string, from record) any {
	name := b.plan.names[at.schema]
	value := from.values[name]
	if !value.Found() {
		return nil
	}
	if !b.plan.checker.fits(at.schema, value) {
		b.answer.Warnings = append(b.answer.Warnings, fmt.Sprintf("The value at %s does not fit the schema, so it is null.", pointer))
		return nil
	}
	b.answer.Evidence[pointer] = from.evidence[name]
	return value
}

// array returns the rows of a table.
func (b *builder) array(s *Schema, at spot) []any {
	rows := b.found.Rows[b.plan.names[at.schema]]
	values := []any{}
	inner := spot{at.pointer, at.schema + "/items", nil}
	for _, row := range rows {
		from, pointer := record{row.Values, row.Evidence}, at.pointer+"/"+strconv.Itoa(len(values))
		if s.Items.Type != Object {
			if value := b.single(inner, pointer, from); value != nil {
				values = append(values, value)
			}
			continue
		}
		values = append(values, b.row(s.Items, inner, pointer, from))
	}
	if len(values) < s.MinItems {
		b.answer.Warnings = append(b.answer.Warnings,
			fmt.Sprintf("The document has %d of at least %d items for %s.", len(values), s.MinItems, at.pointer))
	}
	return values
}

// row returns the value of one row. Its place in the plan has no number, but its evidence has.
func (b *builder) row(s *Schema, at spot, pointer string, from record) map[string]any {
	value := map[string]any{}
	for _, property := range s.Properties {
		inner := at.property(property.Name)
		place := pointer + inner.pointer[len(at.pointer):]
		if property.Schema.Type == Object {
			value[property.Name] = b.row(property.Schema, inner, place, from)
			continue
		}
		value[property.Name] = b.single(inner, place, from)
	}
	return value
}
