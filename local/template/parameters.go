package template

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// parameter is an entry of Parameters and its value.
type parameter struct {
	id     string
	typ    string
	line   int
	source *node
	value  string
}

func (s *scope) readParameters(root *node) error {
	section := root.get("Parameters")
	for _, f := range section.fields {
		p := &parameter{id: f.key, line: f.line, source: f.value}
		if err := p.readTypeAndValue(s.options.Parameters); err != nil {
			return err
		}
		s.parameters[f.key] = p.node()
	}
	for _, name := range slices.Sorted(maps.Keys(s.options.Parameters)) {
		if _, ok := s.parameters[name]; !ok {
			return problem(root.lineOf("Parameters"), "the template has no parameter %q; %s", name, suggestParameter(name, section))
		}
	}
	return nil
}

// suggestParameter returns a hint for an unknown parameter: similar names, or all of them.
func suggestParameter(name string, section *node) string {
	var names, near []string
	for _, f := range section.fields {
		names = append(names, f.key)
		if resembles(f.key, name) {
			near = append(near, f.key)
		}
	}
	switch {
	case len(names) == 0:
		return "it declares no parameters"
	case len(near) == 1:
		return "did you mean " + near[0] + "?"
	case len(near) > 1:
		return "did you mean one of " + strings.Join(near, ", ") + "?"
	}
	return "it declares " + strings.Join(names, ", ")
}

var word = regexp.MustCompile(`[A-Z]*[^A-Z]*`)

// resembles is true if name is declared with one typing error, or if declared contains all words of
// name, as MediaModelUrl contains those of MediaUrl.
func resembles(declared, name string) bool {
	if nearest(name, []string{declared}) != "" {
		return true
	}
	for _, part := range word.FindAllString(name, -1) {
		if !strings.Contains(strings.ToLower(declared), strings.ToLower(part)) {
			return false
		}
	}
	return true
}

func (p *parameter) readTypeAndValue(overrides map[string]string) error {
	if p.source.kind != object {
		return problem(p.line, "the parameter %q must be a map with a Type", p.id)
	}
	typ, err := p.source.get("Type").required("the Type of parameter " + p.id)
	if err != nil {
		return err
	}
	p.typ = typ
	if err := p.checkType(); err != nil {
		return err
	}
	value, ok := overrides[p.id]
	if !ok {
		if !p.source.has("Default") {
			return problem(p.line, "the parameter %q has no Default; set it, or give it one", p.id)
		}
		if value, err = p.source.get("Default").str("the Default of parameter " + p.id); err != nil {
			return err
		}
	}
	p.value = value
	return p.check()
}

func (p *parameter) checkType() error {
	switch {
	case p.typ == "String", p.typ == "Number", p.typ == "CommaDelimitedList",
		strings.HasPrefix(p.typ, "AWS::") && !strings.HasPrefix(p.typ, "AWS::SSM::Parameter::Value"),
		strings.HasPrefix(p.typ, "List<") && strings.HasSuffix(p.typ, ">"):
		return nil
	}
	return problem(p.line, "the local stack does not support the type %[2]q of the parameter %[1]q; "+
		"use String, Number, CommaDelimitedList or List<…>", p.id, p.typ)
}

func (p *parameter) isList() bool {
	return p.typ == "CommaDelimitedList" || strings.HasPrefix(p.typ, "List<")
}

// parts returns the values to which the constraints apply: the entries of a list, or the only
// value.
func (p *parameter) parts() []string {
	if !p.isList() {
		return []string{p.value}
	}
	parts := strings.Split(p.value, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

func (p *parameter) node() *node {
	if !p.isList() {
		return text(p.line, p.value)
	}
	n := &node{kind: list, line: p.line}
	for _, part := range p.parts() {
		n.items = append(n.items, text(p.line, part))
	}
	return n
}

func (p *parameter) check() error {
	allowed, err := p.source.get("AllowedValues").strings("AllowedValues")
	if err != nil {
		return err
	}
	for _, part := range p.parts() {
		if err := p.checkPart(part, allowed); err != nil {
			return err
		}
	}
	return nil
}

func (p *parameter) checkPart(part string, allowed []string) error {
	if len(allowed) > 0 && !slices.Contains(allowed, part) {
		return p.refuse(part, "must be one of "+strings.Join(allowed, ", "))
	}
	if p.typ == "Number" || p.typ == "List<Number>" {
		return p.checkNumber(part)
	}
	return p.checkText(part)
}

func (p *parameter) checkNumber(part string) error {
	number, ok := decimal(part)
	if !ok {
		return p.refuse(part, "must be a number")
	}
	for _, bound := range []struct {
		key, words string
		sign       float64
	}{{"MinValue", "must be at least ", 1}, {"MaxValue", "must be at most ", -1}} {
		limit, set, err := p.number(bound.key)
		if err != nil {
			return err
		}
		if set && bound.sign*number < bound.sign*limit {
			return p.refuse(part, bound.words+p.source.get(bound.key).text)
		}
	}
	return nil
}

func (p *parameter) checkText(part string) error {
	for _, bound := range []struct {
		key, words string
		sign       float64
	}{{"MinLength", "must have at least ", 1}, {"MaxLength", "must have at most ", -1}} {
		limit, set, err := p.number(bound.key)
		if err != nil {
			return err
		}
		if set && bound.sign*float64(len([]rune(part))) < bound.sign*limit {
			return p.refuse(part, bound.words+p.source.get(bound.key).text+" characters")
		}
	}
	return p.checkPattern(part)
}

func (p *parameter) checkPattern(part string) error {
	source := p.source.get("AllowedPattern")
	if source.kind == absent {
		return nil
	}
	pattern, err := regexp.Compile(`\A(?:` + source.text + `)\z`)
	if source.kind != scalar || err != nil {
		return problem(source.line, "the AllowedPattern of parameter %q is not a regular expression that Go understands; simplify it", p.id)
	}
	if !pattern.MatchString(part) {
		return p.refuse(part, "must match "+source.text)
	}
	return nil
}

func (p *parameter) number(key string) (float64, bool, error) {
	n := p.source.get(key)
	if n.kind == absent {
		return 0, false, nil
	}
	limit, ok := decimal(n.text)
	if !ok {
		return 0, false, problem(n.line, "%s of parameter %q must be a number", key, p.id)
	}
	return limit, true, nil
}

// decimal parses a decimal number. It refuses other syntax that Go accepts: hexadecimal, infinity,
// NaN and underscores.
func decimal(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// refuse reports an invalid value. It uses the ConstraintDescription if there is one, and never
// repeats a NoEcho value.
func (p *parameter) refuse(part, reason string) error {
	if description := p.source.get("ConstraintDescription"); description.kind == scalar {
		reason = oneLine(description.text)
	}
	if hidden, _ := p.source.get("NoEcho").boolean("NoEcho", false); hidden {
		return problem(p.line, "the value of parameter %q is invalid: it %s", p.id, strings.TrimPrefix(reason, "it "))
	}
	return problem(p.line, "the value %q of parameter %q is invalid: it %s", part, p.id, strings.TrimPrefix(reason, "it "))
}
