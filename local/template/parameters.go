package template

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// parameter is a declaration under Parameters and the text it got.
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
		if err := p.read(s.options.Parameters); err != nil {
			return err
		}
		s.parameters[f.key] = p.node()
	}
	for _, name := range slices.Sorted(maps.Keys(s.options.Parameters)) {
		if _, ok := s.parameters[name]; !ok {
			return problem(root.lineOf("Parameters"), "there is no parameter %q to set; %s", name, instead(name, section))
		}
	}
	return nil
}

// instead says which of the declared parameters was perhaps meant.
func instead(name string, section *node) string {
	var names, near []string
	for _, f := range section.fields {
		names = append(names, f.key)
		if resembles(f.key, name) {
			near = append(near, f.key)
		}
	}
	switch {
	case len(names) == 0:
		return "the template declares none"
	case len(near) == 1:
		return "did you mean " + near[0] + "?"
	case len(near) > 1:
		return "did you mean one of " + strings.Join(near, ", ") + "?"
	}
	return "the template declares " + strings.Join(names, ", ")
}

var word = regexp.MustCompile(`[A-Z]*[^A-Z]*`)

// resembles is true for a slip of the finger, and for a name that has all words of the other: MediaModelUrl for MediaUrl.
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

func (p *parameter) read(overrides map[string]string) error {
	if p.source.kind != object {
		return problem(p.line, "the parameter %q must be a map with a Type", p.id)
	}
	typ, err := p.source.get("Type").required("the Type of parameter " + p.id)
	if err != nil {
		return err
	}
	p.typ = typ
	if err := p.known(); err != nil {
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

func (p *parameter) known() error {
	switch {
	case p.typ == "String", p.typ == "Number", p.typ == "CommaDelimitedList",
		strings.HasPrefix(p.typ, "AWS::") && !strings.HasPrefix(p.typ, "AWS::SSM::Parameter::Value"),
		strings.HasPrefix(p.typ, "List<") && strings.HasSuffix(p.typ, ">"):
		return nil
	}
	return problem(p.line, "the parameter %q has the type %q, which is not supported here; "+
		"use String, Number, CommaDelimitedList or List<…>", p.id, p.typ)
}

func (p *parameter) isList() bool {
	return p.typ == "CommaDelimitedList" || strings.HasPrefix(p.typ, "List<")
}

// parts are the values that constraints apply to.
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

// decimal leaves out what Go reads beyond CloudFormation's numbers: hexadecimal, infinity, NaN, _.
func decimal(s string) (float64, bool) {
	if s == "" || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// refuse words the failure as the template's author did, and keeps a NoEcho value to itself.
func (p *parameter) refuse(part, reason string) error {
	if said := p.source.get("ConstraintDescription"); said.kind == scalar {
		reason = oneLine(said.text)
	}
	if hidden, _ := p.source.get("NoEcho").boolean("NoEcho", false); hidden {
		return problem(p.line, "the value of parameter %q is refused: it %s", p.id, strings.TrimPrefix(reason, "it "))
	}
	return problem(p.line, "the value %q of parameter %q is refused: it %s", part, p.id, strings.TrimPrefix(reason, "it "))
}
