package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"portside/documents/answers"
)

// Plan is what to ask for the values of a schema: variables for its single values and tables for its arrays. It is not safe for concurrent
// use.
type Plan struct {
	Variables []answers.Variable
	Tables    []answers.Table
	root      *Schema
	checker   *checker
	names     map[string]string // of variables, tables and columns, by the JSON Pointer to their schema
}

// NewPlan reads the schema of an object and returns its plan. All its errors are a *Problem.
func NewPlan(text []byte) (*Plan, error) {
	s, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if s.Type != Object {
		return nil, &Problem{Keyword: "type", Reason: "must be object at the root"}
	}
	checker, err := newChecker(text)
	if err != nil {
		return nil, err
	}
	p := &Plan{root: s, checker: checker, names: map[string]string{}}
	return p, p.object(s, spot{}, scope{})
}

// spot is the place of a value in the answer.
type spot struct {
	pointer string   // in the answer
	schema  string   // in the schema
	words   []string // the names of the properties above and of the value
}

func (at spot) property(name string) spot {
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	words := slices.Concat(at.words, []string{name})
	return spot{at.pointer + "/" + escaped, at.schema + "/properties/" + escaped, words}
}

// scope has the names of the variables, or of the columns of one table.
type scope map[string]bool

// object plans the properties of an object.
func (p *Plan) object(s *Schema, at spot, taken scope) error {
	for _, property := range s.Properties {
		inner := at.property(property.Name)
		var err error
		switch property.Schema.Type {
		case Object:
			err = p.object(property.Schema, inner, taken)
		case Array:
			err = p.table(property.Schema, inner, taken)
		default:
			p.Variables = append(p.Variables, p.variable(property.Schema, inner, taken))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// table plans an array of objects or of single values.
func (p *Plan) table(s *Schema, at spot, taken scope) error {
	t := answers.Table{Name: p.name(at, taken), Description: words(s), MaxRows: s.MaxItems}
	inner := spot{at.pointer, at.schema + "/items", nil}
	if s.Items.Type != Object {
		inner.words = at.words[len(at.words)-1:]
	}
	columns, err := p.columns(s.Items, inner, scope{})
	if err != nil {
		return err
	}
	t.Columns = columns
	p.Tables = append(p.Tables, t)
	return nil
}

// columns returns the columns of the rows of an array.
func (p *Plan) columns(s *Schema, at spot, taken scope) (all []answers.Variable, err error) {
	switch s.Type {
	case Array:
		return nil, &Problem{Place: at.schema, Keyword: "type", Reason: "an array must not contain another array"}
	case Object:
		for _, property := range s.Properties {
			inner, err := p.columns(property.Schema, at.property(property.Name), taken)
			if err != nil {
				return nil, err
			}
			all = append(all, inner...)
		}
		return all, nil
	}
	return []answers.Variable{p.variable(s, at, taken)}, nil
}

// name returns a name that is not taken, and keeps it for the place.
func (p *Plan) name(at spot, taken scope) string {
	words := strings.Join(at.words, " ")
	name := words
	for n := 2; taken[name]; n++ {
		name = words + " " + strconv.Itoa(n)
	}
	taken[name] = true
	p.names[at.schema] = name
	return name
}

// variable returns the question for a single value.
func (p *Plan) variable(s *Schema, at spot, taken scope) answers.Variable {
	v := answers.Variable{Name: p.name(at, taken), Type: answers.String, Description: words(s)}
	switch {
	case s.Type == Number || s.Type == Integer:
		v.Type = answers.Number
	case s.Type == Boolean:
		v.Type = answers.Boolean
	case s.Format == "date":
		v.Type = answers.Date
	}
	return v
}

// words returns the title and the description of a schema.
func words(s *Schema) string {
	if s.Title == "" || s.Description == "" {
		return s.Title + s.Description
	}
	return fmt.Sprintf("%s. %s", strings.TrimRight(s.Title, "."), s.Description)
}
