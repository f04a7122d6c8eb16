package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWork limits the work for the references of a schema, in bytes of the referenced texts. Twenty references to
// references to references… would otherwise be a million.
const maxWork = 32 * MaxBytes

// reader reads a schema and its subschemas.
type reader struct {
	resources  resources
	properties int            // number of properties that were read so far
	work       int            // bytes that were read so far
	active     map[*node]bool // the schemas around the current one
	notes      notes
	problems   []error
	steps      int    // instructions of patterns
	budget     budget // of the checks of values
	stopped    bool   // a limit was exceeded
}

func newReader(root *node) *reader {
	r := &reader{resources: resources{}, active: map[*node]bool{}, budget: maxChecks}
	r.resources.note(defaultBase, root)
	r.resources.add(root, defaultBase)
	return r
}

func (r *reader) newSchema(at *node) *Schema {
	return &Schema{MaxItems: MaxRows, at: at, budget: &r.budget}
}

func (r *reader) read(root *node) *Schema {
	s := r.newSchema(nil)
	if inner := wrapped(root); inner != nil {
		r.refuse(inner, "has the schema of a request to a language model: send only this value as the schema")
		return s
	}
	r.apply(s, root, 1)
	if len(r.problems) == 0 { // the other checks would report consequences
		r.finish(s, 1)
	}
	return s
}

// wrapped returns the member that has the schema, if a program has sent a request to a language model with it.
func wrapped(root *node) *node {
	const keywords = "type $ref properties allOf anyOf oneOf"
	has := func(n *node) bool {
		return slices.ContainsFunc(strings.Fields(keywords), func(k string) bool { return n.member(k) != nil })
	}
	if has(root) && root.member("type").isTypeName() {
		return nil
	}
	for _, name := range []string{"schema", "json_schema", "parameters", "input_schema", "function"} {
		inner := root.member(name)
		if inner == nil || !inner.isObject() {
			continue
		}
		if deeper := wrapped(inner); deeper != nil {
			return deeper
		}
		if has(inner) {
			return inner
		}
	}
	return nil
}

// refuse adds a problem with a keyword.
func (r *reader) refuse(keyword *node, format string, args ...any) {
	r.report(Problem{keyword.parent.pointer(), keyword.name, fmt.Sprintf(format, args...)})
}

// refuseSchema adds a problem with a schema.
func (r *reader) refuseSchema(n *node, format string, args ...any) {
	r.report(Problem{n.pointer(), "", fmt.Sprintf(format, args...)})
}

// report adds a problem once, even if several references lead to it.
func (r *reader) report(p Problem) {
	isKnown := slices.ContainsFunc(r.problems, func(err error) bool {
		known, isProblem := err.(*Problem) //nolint:errorlint // none is wrapped
		return isProblem && *known == p
	})
	if !isKnown && len(r.problems) < MaxProblems {
		r.problems = append(r.problems, &p)
	}
}

// apply adds what a schema demands of a value to what is known of it. depth counts the objects and arrays around the
// value, from 1.
func (r *reader) apply(s *Schema, n *node, depth int) {
	if s.at == nil {
		s.at = n
	}
	switch {
	case r.stopped || n.isTrue():
		return
	case depth > MaxDepth:
		r.refuseSchema(n, "is deeper than %d levels: move its values to an object further up", MaxDepth)
		return
	case n.value == false:
		r.refuseSchema(n, "allows no value: describe the value, or remove it")
		return
	case !n.isObject():
		r.refuseSchema(n, "must be an object")
		return
	}
	if !r.spend(n) {
		return
	}
	r.active[n] = true
	defer delete(r.active, n)
	for _, m := range n.members {
		r.applyKeyword(s, m, depth)
	}
	for _, m := range n.members {
		switch m.name {
		case "$ref":
			r.follow(s, m, depth)
		case "allOf":
			for _, one := range r.schemas(m) {
				r.apply(s, one, depth)
			}
		}
	}
	for _, m := range n.members {
		if m.name == "anyOf" || m.name == "oneOf" {
			r.choose(s, m, depth)
		}
	}
}

// spend counts the work for a schema without its subschemas, and reports whether more may follow.
func (r *reader) spend(n *node) bool {
	const each = 16
	for _, m := range n.members {
		r.work += each
		if !m.isObject() && !slices.Contains([]string{"allOf", "anyOf", "oneOf"}, m.name) {
			r.work += m.size
		}
	}
	if r.work += each; r.work > maxWork {
		r.refuseSchema(r.resources[defaultBase], "its references repeat more than can be read: refer to each part less often")
		r.stopped = true
	}
	return !r.stopped
}

// follow applies the schema that a $ref names.
func (r *reader) follow(s *Schema, reference *node, depth int) {
	target, reason := r.resources.target(reference)
	switch {
	case target == nil:
		r.refuse(reference, "%s", reason)
	case r.active[target]:
		r.refuse(reference, "refers to a schema around it, so the answer would have no end: "+
			"write out the levels that you want, the last one without the reference")
	default:
		r.apply(s, target, depth)
	}
}

// schemas returns the schemas in allOf, anyOf or oneOf.
func (r *reader) schemas(keyword *node) []*node {
	if !keyword.isArray() || len(keyword.members) == 0 {
		r.refuse(keyword, "must be an array with one or more schemas")
		return nil
	}
	return keyword.members
}

// applyKeyword applies a keyword other than those that combine schemas.
func (r *reader) applyKeyword(s *Schema, m *node, depth int) {
	switch m.name {
	case "type":
		r.applyType(s, m)
	case "properties":
		r.applyProperties(s, m, depth)
	case "items":
		if m.isArray() {
			r.refuseTuple(m)
			return
		}
		if s.Items == nil {
			s.Items = r.newSchema(nil)
		}
		r.apply(s.Items, m, depth+1)
	case "prefixItems":
		r.refuseTuple(m)
	case "additionalProperties":
		s.others = m
	case "required":
		s.required = append(s.required, r.texts(m)...)
	case "propertyNames":
		if names := m.member("enum"); names != nil {
			s.keys = append(s.keys, r.texts(names)...)
			return
		}
		r.notes.ignore(m, quoted(m.name))
	case "title":
		r.applyText(&s.Title, m)
	case "description":
		r.applyText(&s.Description, m)
	case "$dynamicRef", "$recursiveRef":
		r.refuse(m, "is not supported: write $ref")
	case "$schema":
		if uri, _ := m.text(); !strings.Contains(uri, "://json-schema.org/") {
			r.notes.ignore(m, quoted(m.name)+" "+quoted(uri))
		}
	case "$ref", "allOf", "anyOf", "oneOf", "$id", "$anchor", "$dynamicAnchor", "$defs", "definitions", "nullable":
		// have an effect elsewhere, or do not change what fits
	default:
		if !r.applyCheck(s, m) {
			r.notes.ignore(m, quoted(m.name))
		}
	}
}

// quoted returns a name that the client has chosen for a warning.
func quoted(name string) string { return `"` + shortened(name) + `"` }

func (r *reader) refuseTuple(m *node) {
	r.refuse(m, "asks for values by their positions: write an object with a property for each value, "+
		"or one schema in items if all of them have the same meaning")
}

// texts returns the items of an array of texts.
func (r *reader) texts(keyword *node) (all []*node) {
	if !keyword.isArray() {
		r.refuse(keyword, "must be an array of names")
		return nil
	}
	for _, m := range keyword.members {
		if _, isText := m.text(); !isText {
			r.refuse(keyword, "must be an array of names")
			return nil
		}
		all = append(all, m)
	}
	return all
}

// applyText sets the title or the description, unless a schema further out has set it. It cuts long texts.
func (r *reader) applyText(into *string, m *node) {
	text, isText := m.text()
	if !isText {
		r.refuse(m, "must be text")
		return
	}
	if utf8.RuneCountInString(text) > MaxTextChars {
		text = string([]rune(text)[:MaxTextChars])
		r.notes.ignore(m, fmt.Sprintf("the rest of %q after %d characters", m.name, MaxTextChars))
	}
	if *into == "" {
		*into = text
	}
}

func (r *reader) applyProperties(s *Schema, m *node, depth int) {
	if !m.isObject() {
		r.refuse(m, "must be an object with the names of the values")
		return
	}
	for _, one := range m.members {
		if r.stopped {
			return
		}
		r.apply(r.property(s, one.name, m), one, depth+1)
	}
}

// property returns the schema of a property, and adds the property if it is new. The keyword mentions its name.
func (r *reader) property(s *Schema, name string, keyword *node) *Schema {
	i := slices.IndexFunc(s.Properties, func(p Property) bool { return p.Name == name })
	if i >= 0 {
		return s.Properties[i].Schema
	}
	added := Property{Name: name, Schema: r.newSchema(nil)}
	if !isName(name) {
		r.refuse(keyword, "a name must have 1 to %d characters, more than spaces and no control characters", MaxNameChars)
		return added.Schema
	}
	if r.properties++; r.properties > MaxProperties {
		r.refuse(keyword, "the schema has more than %d properties, with those of referenced schemas: ask for less at once", MaxProperties)
		r.stopped = true
	}
	s.Properties = append(s.Properties, added)
	return added.Schema
}

func isName(text string) bool {
	return strings.TrimSpace(text) != "" && utf8.RuneCountInString(text) <= MaxNameChars &&
		!strings.ContainsFunc(text, unicode.IsControl)
}
