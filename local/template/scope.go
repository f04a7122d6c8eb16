package template

import (
	"maps"
	"slices"
	"strings"
)

// maxWork bounds the bytes and values that all expressions produce together. Without it, nested
// !Sub could double a text at every level.
const maxWork = 16 << 20

// scope holds everything to which an expression can refer.
type scope struct {
	options    Options
	parameters map[string]*node
	mappings   *node
	conditions map[string]*condition
	resources  map[string]*resource
	// from is the ID of the resource whose expressions are being evaluated; edges maps each
	// resource to the resources to which it refers.
	from  string
	edges map[string][]edge
	work  int
}

type edge struct {
	to   string
	line int
}

type condition struct {
	id     string
	source *node
	line   int
	state  progress
	value  bool
}

type progress int

const (
	untouched progress = iota
	running
	done
)

// eval resolves every intrinsic function in n. AWS::NoValue becomes an absent node.
func (s *scope) eval(n *node) (*node, error) {
	s.work += 1 + len(n.text)
	if s.work > maxWork {
		return nil, problem(n.line, "the expressions of this template produce more than %d MB; simplify the one here", maxWork>>20)
	}
	switch {
	case n.fn != "":
		return s.apply(n)
	case n.kind == list:
		return s.evalList(n)
	case n.kind == object:
		return s.evalObject(n)
	}
	return n, nil
}

func (s *scope) evalList(n *node) (*node, error) {
	result := &node{kind: list, line: n.line}
	for _, item := range n.items {
		value, err := s.eval(item)
		if err != nil {
			return nil, err
		}
		if value.kind != absent {
			result.items = append(result.items, value)
		}
	}
	return result, nil
}

func (s *scope) evalObject(n *node) (*node, error) {
	result := &node{kind: object, line: n.line}
	for _, f := range n.fields {
		value, err := s.eval(f.value)
		if err != nil {
			return nil, err
		}
		result.fields = append(result.fields, field{key: f.key, line: f.line, value: value})
	}
	return result, nil
}

func (s *scope) apply(n *node) (*node, error) {
	switch n.fn {
	case "Ref":
		return s.ref(n)
	case "GetAtt":
		return s.getAtt(n)
	case "Sub":
		return s.sub(n)
	case "If":
		return s.choose(n)
	case "Join":
		return s.join(n)
	case "Select":
		return s.pick(n)
	case "Split":
		return s.split(n)
	case "FindInMap":
		return s.findInMap(n)
	}
	truth, err := s.test(n)
	if err != nil {
		return nil, err
	}
	return text(n.line, map[bool]string{true: "true", false: "false"}[truth]), nil
}

func (s *scope) ref(n *node) (*node, error) {
	name, err := n.arg.required("the name that !Ref refers to")
	if err != nil {
		return nil, err
	}
	return s.resolveRef(name, n.line)
}

// resolveRef returns the value of !Ref name.
func (s *scope) resolveRef(name string, line int) (*node, error) {
	if value, ok := s.pseudo(name, line); ok {
		return value, nil
	}
	if value, ok := s.parameters[name]; ok {
		s.work += len(value.text)
		return value, nil
	}
	if api, isStage := strings.CutSuffix(name, ".Stage"); isStage && s.isAPI(api) {
		_, err := s.target(api, line)
		return text(line, defaultStage), err
	}
	r, err := s.target(name, line)
	if err != nil {
		return nil, err
	}
	id, err := s.physicalID(r)
	return text(line, id), err
}

// defaultStage is the name of the stage that SAM creates for each HTTP API. !Ref of the API's name with .Stage refers
// to it.
const defaultStage = "$default"

func (s *scope) isAPI(id string) bool {
	r, found := s.resources[id]
	return found && r.typ == apiType
}

func (s *scope) pseudo(name string, line int) (*node, bool) {
	o := s.options
	switch name {
	case "AWS::NoValue":
		return &node{line: line}, true
	case "AWS::Region":
		return text(line, o.Region), true
	case "AWS::AccountId":
		return text(line, o.AccountID), true
	case "AWS::Partition":
		return text(line, "aws"), true
	case "AWS::StackName":
		return text(line, o.StackName), true
	case "AWS::URLSuffix":
		return text(line, urlSuffix), true
	case "AWS::StackId":
		return text(line, s.arn("cloudformation", "stack/"+o.StackName+"/local")), true
	}
	return nil, false
}

// target returns the resource called id and records that the resource under evaluation depends on
// it.
func (s *scope) target(id string, line int) (*resource, error) {
	r, ok := s.resources[id]
	if !ok {
		return nil, problem(line, "the template has no resource or parameter %q; %s", id, s.suggestName(id))
	}
	if !r.exists {
		return nil, problem(line, "%q does not exist because its Condition is false; refer to it within !If", id)
	}
	if s.from != "" {
		s.edges[s.from] = append(s.edges[s.from], edge{id, line})
	}
	return r, nil
}

// suggestName returns a hint for an unknown reference.
func (s *scope) suggestName(id string) string {
	names := slices.Sorted(maps.Keys(s.resources))
	names = append(names, slices.Sorted(maps.Keys(s.parameters))...)
	if name := nearest(id, names); name != "" {
		return "did you mean " + name + "?"
	}
	return "declare it under Resources or Parameters, or correct the name"
}

func (s *scope) getAtt(n *node) (*node, error) {
	id, attribute, err := s.attributeName(n.arg)
	if err != nil {
		return nil, err
	}
	return s.attribute(id, attribute, n.line)
}

func (s *scope) attributeName(arg *node) (id, attribute string, err error) {
	if arg.kind == list && len(arg.items) == 2 {
		parts, err := s.evalList(arg)
		if err != nil {
			return "", "", err
		}
		names, err := parts.strings("!GetAtt")
		if err == nil && len(names) == 2 {
			return names[0], names[1], nil
		}
	}
	id, attribute, ok := strings.Cut(arg.text, ".")
	if arg.kind != scalar || !ok {
		return "", "", problem(arg.line, "!GetAtt takes Resource.Attribute, for example !GetAtt UsersTable.Arn")
	}
	return id, attribute, nil
}

// attribute returns the value of !GetAtt id.name.
func (s *scope) attribute(id, name string, line int) (*node, error) {
	r, err := s.target(id, line)
	if err != nil {
		return nil, err
	}
	value, err := s.attributeOf(r, name)
	if err != nil {
		return nil, err
	}
	if value == "" {
		return nil, problem(line, "the local stack knows no attribute %q of %s %q; check the name", name, r.typ, id)
	}
	return text(line, value), nil
}

// single evaluates n, which must yield one scalar.
func (s *scope) single(n *node, what string) (string, error) {
	value, err := s.eval(n)
	if err != nil {
		return "", err
	}
	if value.kind != scalar {
		return "", problem(n.line, "%s must be a single value, not a list, a map or AWS::NoValue", what)
	}
	return value.text, nil
}

// arguments returns the arguments of n, not yet evaluated, and refuses any number of them but want.
func (n *node) arguments(want int, form string) ([]*node, error) {
	if n.arg.kind != list || len(n.arg.items) != want {
		return nil, problem(n.line, "!%s takes %s", n.fn, form)
	}
	return n.arg.items, nil
}
