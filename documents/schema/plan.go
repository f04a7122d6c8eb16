package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"portside/documents/answers"
)

// Plan has the questions that fill the object of a schema: a variable for each single value, and a table for each
// array. It is not safe for concurrent use.
type Plan struct {
	Variables []answers.Variable
	Tables    []answers.Table
	Singles   []Single // the values that the variables ask for, in the same order
	Lists     []List   // the arrays that the tables fill, in the same order
	root      *Schema
	names     map[string]string // the names of the variables, tables and columns, by the JSON Pointer to their part of the schema
}

// Single is a single value of an answer.
type Single struct {
	Pointer  string // JSON Pointer to the value; in an array, relative to an item
	Variable answers.Variable
}

// List is an array of an answer.
type List struct {
	Pointer string // JSON Pointer to the array
	Columns []Single
}

// NewPlan reads the schema of an object and returns its plan. All its errors are a *Problem, or several
// joined ones.
func NewPlan(text []byte) (*Plan, error) {
	s, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if s.Type != Object {
		return nil, &Problem{Keyword: "type", Reason: "must be object at the root"}
	}
	p := &Plan{root: s, names: map[string]string{}}
	return p, p.addObject(s, position{}, takenNames{})
}

// position locates a value.
type position struct {
	inAnswer string   // JSON Pointer to the value
	inSchema string   // JSON Pointer to its part of the schema
	path     []string // the names of the enclosing properties, and of the value
}

// property returns the position of a property of the object.
func (at position) property(name string) position {
	escaped := escape(name)
	return position{at.inAnswer + "/" + escaped, at.inSchema + "/properties/" + escaped,
		slices.Concat(at.path, []string{name})}
}

// escape returns a name as a reference token of a JSON Pointer (RFC 6901).
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// takenNames are the names of the variables and tables, or of the columns of one table.
type takenNames map[string]bool

// addObject adds the questions for the properties of an object.
func (p *Plan) addObject(s *Schema, at position, taken takenNames) error {
	for _, property := range s.Properties {
		inner := at.property(property.Name)
		var err error
		switch property.Schema.Type {
		case Object:
			err = p.addObject(property.Schema, inner, taken)
		case Array:
			err = p.addTable(property.Schema, inner, taken)
		default:
			v := p.variable(property.Schema, inner, taken)
			p.Variables, p.Singles = append(p.Variables, v), append(p.Singles, Single{inner.inAnswer, v})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// addTable adds the table for an array of objects or of single values.
func (p *Plan) addTable(s *Schema, at position, taken takenNames) error {
	t := answers.Table{Name: p.name(at, taken), Description: description(s), MaxRows: s.MaxItems}
	row := position{inSchema: at.inSchema + "/items"}
	if s.Items.Type != Object { // the table has one column, which gets the name of the array
		row.path = at.path[len(at.path)-1:]
	}
	columns, err := p.columns(s.Items, row, takenNames{})
	if err != nil {
		return err
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Variable)
	}
	p.Tables, p.Lists = append(p.Tables, t), append(p.Lists, List{at.inAnswer, columns})
	return nil
}

// columns returns the columns for an item of an array. It calls itself for the objects in an item.
func (p *Plan) columns(s *Schema, at position, taken takenNames) (all []Single, err error) {
	switch s.Type {
	case Array:
		return nil, &Problem{Place: at.inSchema, Keyword: "type", Reason: "an array must not contain another array"}
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
	return []Single{{at.inAnswer, p.variable(s, at, taken)}}, nil
}

// name chooses a free name for the question at a position, and records it in taken and p.names. The name is the path,
// because engines match the words of names.
func (p *Plan) name(at position, taken takenNames) string {
	joined := strings.Join(at.path, " ")
	name := joined
	for n := 2; taken[name]; n++ {
		name = joined + " " + strconv.Itoa(n)
	}
	taken[name] = true
	p.names[at.inSchema] = name
	return name
}

// variable returns the question for a single value.
func (p *Plan) variable(s *Schema, at position, taken takenNames) answers.Variable {
	v := answers.Variable{Name: p.name(at, taken), Type: answers.String, Description: description(s)}
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

// description returns the title and the description of a schema, joined into one text.
func description(s *Schema) string {
	if s.Title == "" || s.Description == "" {
		return s.Title + s.Description
	}
	return fmt.Sprintf("%s. %s", strings.TrimRight(s.Title, "."), s.Description)
}
