package mediaprompt

import (
	"encoding/json"
	"strconv"

	"portside/documents/answers"
)

// schema is the part of JSON Schema that every kind of constrained decoding takes: no unions, nothing optional, no patterns.
// So "not found" is an empty list rather than null: one service takes 16 unions in a schema, and there are up to 100 variables.
type schema struct {
	Type        string            `json:"type"`
	Description string            `json:"description,omitempty"` // ours
	Properties  map[string]schema `json:"properties,omitempty"`
	Required    []string          `json:"required,omitempty"`
	Additional  *bool             `json:"additionalProperties,omitempty"`
	Items       *schema           `json:"items,omitempty"`
	Enum        []string          `json:"enum,omitempty"`
}

// property is one of an object, in the order in which it is to be written.
type property struct {
	name string
	of   schema
}

// objectOf is an object with exactly these properties.
func objectOf(properties ...property) schema {
	s := schema{Type: "object", Properties: map[string]schema{}, Additional: new(bool)}
	for _, p := range properties {
		s.Properties[p.name] = p.of
		s.Required = append(s.Required, p.name)
	}
	return s
}

func listOf(item schema) schema { return schema{Type: "array", Items: &item} }

func text(description string) schema { return schema{Type: "string", Description: description} }

// encoded is the same for the same schema, so that servers can keep what they make of it.
func (s schema) encoded() []byte {
	out, err := json.Marshal(s)
	if err != nil {
		panic("mediaprompt: a schema of plain values cannot be encoded") // it has nothing that could fail
	}
	return out
}

// findings is the schema of what is found for variables: for each, the places that give its value.
func findings(variables []answers.Variable) schema {
	properties := make([]property, len(variables))
	for i, v := range variables {
		place := objectOf(property{"quote", text("copied from the document, character by character")}, property{"value", valueSchema(v.Type)})
		properties[i] = property{key(i), listOf(place)}
	}
	return objectOf(properties...)
}

// key stands for a variable, whose own name is a stranger's word.
func key(i int) string { return "v" + strconv.Itoa(i+1) }

func valueSchema(t answers.Type) schema {
	switch t {
	case answers.Number:
		return schema{Type: "number", Description: "as a plain decimal number"}
	case answers.Boolean:
		return schema{Type: "boolean"}
	case answers.Date:
		return text("as YYYY-MM-DD")
	default:
		return text("copied from the quote")
	}
}
