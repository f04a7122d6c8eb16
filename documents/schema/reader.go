package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// draft is the only value of $schema that is accepted.
const draft = "https://json-schema.org/draft/2020-12/schema"

// keywords are the keywords of JSON Schema that this package supports.
const keywords = "type, properties, required, items, enum, const, title, description, format, minimum, maximum, minItems, maxItems, " +
	"additionalProperties and $schema"

// errReported ends the reading of properties after the schema had too many. It is not a *Problem, because one was
// reported where that began.
var errReported = errors.New("schema: too many properties")

// reader reads a schema and its subschemas.
type reader struct {
	properties int // number of properties that were read so far
}

// member is a name of a JSON object, with its value.
type member struct {
	name  string
	value json.RawMessage
}

// place locates a keyword.
type place struct {
	pointer string // JSON Pointer to the schema that has the keyword
	keyword string
	depth   int // of that schema, from 1
}

func (p place) problem(format string, args ...any) error {
	return &Problem{Place: p.pointer, Keyword: p.keyword, Reason: fmt.Sprintf(format, args...)}
}

func (r *reader) readSchema(text []byte, pointer string, depth int) (*Schema, error) {
	at := place{pointer: pointer, depth: depth}
	if depth > MaxDepth {
		return nil, at.problem("is deeper than %d levels", MaxDepth)
	}
	members, err := readMembers(text, at)
	if err != nil {
		return nil, err
	}
	s := &Schema{MaxItems: MaxRows}
	var required []string
	var problems []error
	for _, m := range members {
		at.keyword = m.name
		if m.name == "required" {
			err = decode(m.value, &required, at)
		} else {
			err = r.readKeyword(s, m.value, at)
		}
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil { // the other checks would report consequences
		return nil, err
	}
	return s, errors.Join(markRequired(s, required, at), checkType(s, at), checkBounds(s, at))
}

func (r *reader) readKeyword(s *Schema, value json.RawMessage, at place) (err error) {
	switch at.keyword {
	case "type":
		return readType(s, value, at)
	case "properties":
		return r.readProperties(s, value, at)
	case "items":
		s.Items, err = r.readSchema(value, at.pointer+"/items", at.depth+1)
		return err
	case "title":
		return readText(value, &s.Title, at)
	case "description":
		return readText(value, &s.Description, at)
	case "format":
		if err = decode(value, &s.Format, at); err == nil && s.Format != "date" {
			err = at.problem("must be date")
		}
		return err
	case "enum":
		return readEnum(s, value, at)
	case "additionalProperties":
		if string(value) != "false" {
			err = at.problem("must be false")
		}
		return err
	case "$schema":
		if string(value) != `"`+draft+`"` {
			err = at.problem("must be %s", draft)
		}
		return err
	case "const":
		constant, err := readAllowed(value, at)
		s.Const = &constant
		return err
	}
	return readBound(s, value, at)
}

func readEnum(s *Schema, value json.RawMessage, at place) error {
	var all []json.RawMessage
	if err := decode(value, &all, at); err != nil {
		return err
	}
	if len(all) == 0 || len(all) > MaxValues {
		return at.problem("must have 1 to %d values", MaxValues)
	}
	for _, one := range all {
		allowed, err := readAllowed(one, at)
		if err != nil {
			return err
		}
		s.Enum = append(s.Enum, allowed)
	}
	return nil
}

// readAllowed refuses arrays and objects, because a single value can never equal them, and numbers that are too large
// or too small.
func readAllowed(value json.RawMessage, at place) (single, error) {
	allowed, ok := readSingle(value)
	switch {
	case ok:
		return allowed, nil
	case value[0] == '[' || value[0] == '{':
		return single{}, at.problem("must have strings, numbers, booleans and null only")
	}
	return single{}, at.problem("has a number that is too large or too small")
}

func readBound(s *Schema, value json.RawMessage, at place) (err error) {
	switch at.keyword {
	case "minimum":
		s.Minimum, err = readNumber(value, at)
	case "maximum":
		s.Maximum, err = readNumber(value, at)
	case "minItems":
		s.MinItems, err = readCount(value, at)
	case "maxItems":
		s.MaxItems, err = readCount(value, at)
	default:
		err = at.problem("is not a supported keyword; supported are %s", keywords)
	}
	return err
}

func readType(s *Schema, value json.RawMessage, at place) error {
	var names []string
	if value[0] != '[' {
		value = slices.Concat([]byte("["), value, []byte("]"))
	}
	if err := decode(value, &names, at); err != nil {
		return err
	}
	for _, name := range names {
		switch {
		case name == "null" && !s.Nullable:
			s.Nullable = true
		case slices.Contains([]string{Object, Array, String, Number, Integer, Boolean}, name) && s.Type == "":
			s.Type = name
		default:
			return at.problem("must be object, array, string, number, integer or boolean, or an array of one of them and null")
		}
	}
	if s.Type == "" {
		return at.problem("must name a type other than null")
	}
	return nil
}

func (r *reader) readProperties(s *Schema, value json.RawMessage, at place) error {
	members, err := readMembers(value, at)
	if err != nil {
		return err
	}
	if r.properties > MaxProperties {
		return errReported
	}
	if r.properties += len(members); r.properties > MaxProperties {
		return at.problem("the schema has more than %d properties", MaxProperties)
	}
	var problems []error
	for _, m := range members {
		if !isName(m.name) {
			problems = append(problems,
				at.problem("a name must have 1 to %d characters, more than spaces and no control characters", MaxNameChars))
			continue
		}
		name := escape(m.name)
		child, err := r.readSchema(m.value, at.pointer+"/properties/"+name, at.depth+1)
		problems = append(problems, err)
		s.Properties = append(s.Properties, Property{Name: m.name, Schema: child})
	}
	return errors.Join(problems...)
}

func isName(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= MaxNameChars &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

func readText(value json.RawMessage, into *string, at place) error {
	err := decode(value, into, at)
	if err == nil && utf8.RuneCountInString(*into) > MaxTextChars {
		err = at.problem("must have at most %d characters", MaxTextChars)
	}
	return err
}

func markRequired(s *Schema, required []string, at place) error {
	at.keyword = "required"
	for _, name := range required {
		i := slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
		if i < 0 {
			return at.problem("must name properties of the object only")
		}
		if s.Properties[i].Required {
			return at.problem("must not name a property twice")
		}
		s.Properties[i].Required = true
	}
	return nil
}

// checkType checks that the other keywords match the type.
func checkType(s *Schema, at place) error {
	at.keyword = "type"
	switch {
	case s.Type == "":
		return at.problem("is missing")
	case s.Type == Object && len(s.Properties) == 0:
		return at.problem("an object needs properties")
	case s.Type == Array && s.Items == nil:
		return at.problem("an array needs items")
	case s.Type != Object && s.Properties != nil:
		return at.problem("must be object, because the schema has properties")
	case s.Type != Array && s.Items != nil:
		return at.problem("must be array, because the schema has items")
	case s.Format != "" && s.Type != String:
		return at.problem("must be string, because the schema has a format")
	}
	return nil
}

// checkBounds checks that the lower bounds are not above the upper ones.
func checkBounds(s *Schema, at place) error {
	if s.MinItems > s.MaxItems {
		at.keyword = "minItems"
		return at.problem("is greater than maxItems")
	}
	if s.Minimum != nil && s.Maximum != nil && s.Minimum.Cmp(s.Maximum) > 0 {
		at.keyword = "minimum"
		return at.problem("is greater than maximum")
	}
	return nil
}

func readNumber(value json.RawMessage, at place) (*big.Rat, error) {
	var n json.Number
	if value[0] == '"' { // json.Number accepts numbers in strings
		return nil, at.problem("has a value of the wrong type")
	}
	if err := decode(value, &n, at); err != nil {
		return nil, err
	}
	exact, ok := readExact(n.String())
	if !ok {
		return nil, at.problem("has a number that is too large or too small")
	}
	return exact, nil
}

func readCount(value json.RawMessage, at place) (int, error) {
	n := -1
	if err := decode(value, &n, at); err != nil {
		return 0, err
	}
	if n < 0 || n > MaxRows {
		return 0, at.problem("must be 0 to %d", MaxRows)
	}
	return n, nil
}

func decode(value json.RawMessage, into any, at place) error {
	if string(value) == "null" || json.Unmarshal(value, into) != nil {
		return at.problem("has a value of the wrong type")
	}
	return nil
}

// readMembers reads the members of an object. It keeps their order, which a map would lose, and refuses repeated names.
func readMembers(text []byte, at place) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, at.problem("must be an object")
	}
	var members []member
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		name, isName := t.(string)
		var m member
		if err != nil || !isName || d.Decode(&m.value) != nil {
			return nil, at.problem("is not JSON")
		}
		if seen[name] {
			return nil, at.problem("has the same name twice")
		}
		seen[name], m.name = true, name
		members = append(members, m)
	}
	return members, nil
}
