package schema

import (
	"slices"
)

// isTypeName reports whether the value is missing, or can be the value of type.
func (n *node) isTypeName() bool {
	if n == nil || n.isArray() {
		return true
	}
	name, isText := n.text()
	return isText && (name == null || slices.Contains(typeNames, name))
}

const null = "null"

var typeNames = []string{Object, Array, String, Number, Integer, Boolean}

// applyType restricts the types to those of the keyword.
func (r *reader) applyType(s *Schema, m *node) {
	names := []*node{m}
	if m.isArray() {
		names = m.members
	}
	var types []string
	for _, n := range names {
		name, _ := n.text()
		switch {
		case name == null:
		case slices.Contains(typeNames, name):
			types = append(types, name)
		default:
			r.refuse(m, "must be object, array, string, number, integer, boolean or null, or an array of them; for a date, "+
				`write "type": "string" and "format": "date"`)
			return
		}
	}
	if len(types) == 0 {
		r.refuse(m, "allows no value other than null: remove this value, or name its other type")
		return
	}
	if types = commonTypes(s.types, types); len(types) == 0 {
		r.refuse(m, "contradicts the type that another part of the schema demands of the same value: write the same type in both")
		return
	}
	s.types = types
}

// commonTypes returns the types that are in both lists, of which nil has all. Integers are also numbers.
func commonTypes(a, b []string) []string {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	common := []string{}
	for _, one := range a {
		switch {
		case slices.Contains(b, one), one == Integer && slices.Contains(b, Number):
			common = append(common, one)
		case one == Number && slices.Contains(b, Integer):
			common = append(common, Integer)
		}
	}
	return common
}

// choose applies an anyOf or oneOf. The first schema that can be asked for determines the question.
func (r *reader) choose(s *Schema, m *node, depth int) {
	kept := slices.DeleteFunc(slices.Clone(r.schemas(m)), isNull)
	switch {
	case len(kept) == 1:
		r.apply(s, kept[0], depth)
		return
	case len(kept) == 0:
		if m.isArray() && len(m.members) > 0 {
			r.refuse(m, "allows no value other than null: remove this value, or describe it")
		}
		return
	}
	properties := r.properties
	var schemas []*Schema
	for _, one := range kept {
		alone := r.newSchema(nil)
		r.apply(alone, one, depth)
		schemas = append(schemas, alone)
	}
	if r.stopped {
		return
	}
	r.properties = properties // those that the answer will have are added below
	r.chooseFrom(s, m, schemas, depth)
}

// chooseFrom applies an anyOf or oneOf with several schemas.
func (r *reader) chooseFrom(s *Schema, m *node, schemas []*Schema, depth int) {
	objects := 0
	for _, one := range schemas {
		if len(one.Properties) > 0 {
			objects++
		}
	}
	first := max(0, slices.IndexFunc(schemas, func(one *Schema) bool { return len(one.Properties) > 0 || !one.isOnly(Object) }))
	switch {
	case objects == 0 && (len(s.Properties) > 0 || s.isOnly(Object)):
		r.notes.ignore(m, quoted(m.name)) // such as several required
	case objects > 1:
		r.refuse(m, "describes several kinds of objects: write one object that has the properties of all kinds which you want")
	case len(schemas[first].Properties) > 0, schemas[first].isOnly(Array), schemas[first].Items != nil:
		r.apply(s, schemas[first].at, depth)
		r.notes.choose(m.parent)
	default:
		r.chooseSingle(s, m, schemas)
	}
}

// chooseSingle applies an anyOf or oneOf with single values.
func (r *reader) chooseSingle(s *Schema, m *node, schemas []*Schema) {
	single := schemas[:0]
	types := []string{}
	for _, one := range schemas {
		if one.isOnly(Object) || one.isOnly(Array) || len(one.Properties) > 0 || one.Items != nil {
			continue
		}
		single = append(single, one)
		if s.Title == "" {
			s.Title = one.Title
		}
		if s.Description == "" {
			s.Description = one.Description
		}
		if one.types == nil {
			types = nil
		} else if types != nil {
			types = append(types, one.types...)
		}
	}
	if s.types = commonTypes(s.types, types); s.types != nil && len(s.types) == 0 {
		r.refuse(m, "contradicts the type that the schema demands of the same value: write the same type in both")
		return
	}
	s.choices = append(s.choices, choice{single, m.name == "oneOf"})
}

// isOnly reports whether all values that a schema allows have the type.
func (s *Schema) isOnly(name string) bool { return len(s.types) == 1 && s.types[0] == name }

// isNull reports whether a schema allows null only.
func isNull(n *node) bool {
	if name, isText := n.member("type").text(); isText && name == null {
		return true
	}
	if constant := n.member("const"); constant != nil && constant.value == nil {
		return true
	}
	values := n.member("enum")
	return values != nil && values.isArray() && len(values.members) > 0 &&
		!slices.ContainsFunc(values.members, func(one *node) bool { return one.value != nil })
}

// finish sets what follows from all keywords of a schema, and checks it.
func (r *reader) finish(s *Schema, depth int) {
	if r.stopped {
		return
	}
	s.Type = r.typeOf(s)
	switch {
	case s.Type != Object && len(s.Properties) > 0:
		r.report(Problem{s.at.pointer(), "type", "must be object, because the schema has properties"})
	case s.Type != Array && s.Items != nil:
		r.report(Problem{s.at.pointer(), "type", "must be array, because the schema has items"})
	case s.lower != nil && s.upper != nil && s.lower.value.Cmp(s.upper.value) > 0:
		r.report(Problem{s.at.pointer(), "minimum", "is greater than maximum: exchange them"})
	case s.MinItems > s.MaxItems && s.MaxItems < MaxRows:
		r.report(Problem{s.at.pointer(), "minItems", "is greater than maxItems: exchange them"})
	case s.Type == Object:
		r.finishObject(s, depth)
	case s.Type == Array:
		if s.Items == nil { // any values
			s.Items = r.newSchema(s.at)
		}
		r.finish(s.Items, depth+1)
	}
}

// typeOf returns the type to ask for. Without a type, the other keywords show it.
func (r *reader) typeOf(s *Schema) string {
	types := s.types
	switch {
	case (types == nil || slices.Contains(types, Object)) && (len(s.Properties) > 0 || len(s.required) > 0):
		return Object
	case (types == nil || slices.Contains(types, Array)) && s.Items != nil:
		return Array
	case types == nil && s.allowed.kind() != "":
		return s.allowed.kind()
	case types == nil && (s.lower != nil || s.upper != nil || s.factors != nil):
		return Number
	case types == nil:
		return String
	}
	single := slices.DeleteFunc(slices.Clone(types), func(name string) bool { return name == Object || name == Array })
	if len(single) == 0 {
		return types[0]
	}
	if slices.ContainsFunc(types, func(name string) bool {
		return isNumber(name) != isNumber(single[0]) || !isNumber(name) && name != single[0]
	}) {
		r.notes.choose(s.at)
	}
	return single[0]
}

func isNumber(name string) bool { return name == Number || name == Integer }

// finishObject adds the properties that only required or propertyNames mention.
func (r *reader) finishObject(s *Schema, depth int) {
	mentioned := len(s.Properties)
	isOpen := s.others != nil && s.others.isObject()
	names := s.required
	if isOpen {
		names = slices.Concat(names, s.keys)
	}
	for _, n := range names {
		name, _ := n.text()
		switch isKnown := slices.ContainsFunc(s.Properties, func(p Property) bool { return p.Name == name }); {
		case isKnown || r.stopped:
		case isOpen:
			r.apply(r.property(s, name, n.parent), s.others, depth+1)
		case s.others != nil && s.others.value == false:
			r.refuse(n.parent, "names %s, which properties lacks: add it to properties, or remove it from here", quoted(name))
		default:
			r.property(s, name, n.parent).at = n // any value
		}
	}
	if isOpen && mentioned > 0 && mentioned == len(s.Properties) {
		r.notes.ignore(s.others, quoted(s.others.name))
	}
	if len(s.Properties) == 0 && !r.stopped {
		r.report(Problem{s.at.pointer(), "type", "an object needs properties: name its values in properties. For names that only " +
			"the document has, ask for an array of objects with a name and a value"})
	}
	for _, p := range s.Properties {
		r.finish(p.Schema, depth+1)
	}
}
