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
	Warnings  []string // about the schema
	root      *Schema
	days      []string          // JSON Pointers to the schemas of dates with a time
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
	s, warnings, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if s.Type != Object {
		return nil, &Problem{Keyword: "type", Reason: `must be object at the root: write {"type": "object", "properties": {…}}, and ` +
			"put this value into a property"}
	}
	p := &Plan{Warnings: warnings, root: s, names: map[string]string{}}
	if err := p.addObject(s, position{}, takenNames{}); err != nil {
		return nil, err
	}
	if len(p.days) > 0 {
		p.Warnings = append(p.Warnings, "Only the days of these values are looked for, so their time is always 00:00:00Z: "+listed(p.days)+".")
	}
	return p, nil
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
	t := answers.Table{Name: p.name(at, taken), Description: s.description(at), MaxRows: s.MaxItems}
	row := position{inSchema: at.inSchema + "/items"}
	if s.Items.Type != Object { // the table has one column, which gets the name of the array
		row.path = at.path[len(at.path)-1:]
	}
	columns, err := p.columns(s.Items, row, takenNames{})
	if err != nil {
		return err
	}
	if s.Items.Type != Object && columns[0].Variable.Description == "" {
		columns[0].Variable.Description = t.Description
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
		return nil, &Problem{Place: at.inSchema, Keyword: "type", Reason: "an array must not contain another array: " +
			"write a separate array with the items of all of them"}
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
	v := answers.Variable{Name: p.name(at, taken), Type: s.asked(), Description: s.description(at)}
	if v.Type == answers.Date && !slices.Contains(s.questionFormats(), "date") {
		p.days = append(p.days, shown(at.inSchema))
	}
	return v
}

// asked returns the type of the question for a single value. Dates and numbers are also asked for if the schema wants
// their text in a certain form, because a document may have it in another.
func (s *Schema) asked() answers.Type {
	formats := s.questionFormats()
	switch {
	case isNumber(s.Type):
		return answers.Number
	case s.Type == Boolean:
		return answers.Boolean
	case slices.Contains(formats, "date"), slices.Contains(formats, dateTime):
		return answers.Date
	case s.isNumeric():
		return answers.Number
	}
	return answers.String
}

// questionFormats returns the formats of the value that is asked for: those of the schema, and of the first schemas of
// its type in each anyOf or oneOf.
func (s *Schema) questionFormats() []string {
	all := slices.Clone(s.formats)
	for _, c := range s.choices {
		for _, one := range c.schemas {
			if one.types == nil || slices.Contains(one.types, s.Type) {
				all = append(all, one.questionFormats()...)
				break
			}
		}
	}
	return all
}

// description returns the title and the description of a schema, joined into one text. Programs write titles that only
// repeat the name of the property.
func (s *Schema) description(at position) string {
	title := s.Title
	if len(at.path) > 0 && withoutMarks(title) == withoutMarks(at.path[len(at.path)-1]) {
		title = ""
	}
	if title == "" || s.Description == "" {
		return title + s.Description
	}
	return fmt.Sprintf("%s. %s", strings.TrimRight(title, "."), s.Description)
}
