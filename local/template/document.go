package template

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Limits on a template. They are far above CloudFormation's own, and low enough to refuse a
// hostile file quickly.
const (
	maxSourceBytes = 1 << 20
	maxDepth       = 60
	maxNodes       = 200_000
)

// parse turns YAML into nodes. It expands aliases, turns both forms of an intrinsic function (!Sub
// and Fn::Sub) into one, and refuses null, duplicate keys and merge keys as CloudFormation does.
func parse(source []byte) (*node, error) {
	if len(source) > maxSourceBytes {
		return nil, problem(1, "the template is larger than 1 MB, the most that CloudFormation accepts; make it smaller")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		return nil, yamlProblem(err)
	}
	var second yaml.Node
	if err := decoder.Decode(&second); err == nil {
		return nil, problem(second.Line, "a second YAML document begins here; keep the template in one document")
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlProblem(err)
	}
	reader := &reader{left: maxNodes}
	return reader.readNode(document.Content[0], 0)
}

// intrinsics are the intrinsic functions that apply and test implement.
var intrinsics = [...]string{
	"Ref", "GetAtt", "Sub", "If", "Equals", "And", "Or", "Not", "Contains", "Condition",
	"Join", "Select", "Split", "FindInMap",
}

var yamlError = regexp.MustCompile(`(?s)^yaml: (?:line (\d+): )?(.*)$`)

func yamlProblem(err error) error {
	if errors.Is(err, io.EOF) {
		return problem(1, "the template is empty; it needs at least a Resources section")
	}
	line, text := 1, err.Error()
	if found := yamlError.FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1])
		text = found[2]
	}
	return problem(line, "this is not valid YAML here or on the line before: %s", oneLine(text))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

type reader struct{ left int }

func (r *reader) readNode(y *yaml.Node, depth int) (*node, error) {
	if r.left--; r.left < 0 || depth > maxDepth {
		return nil, problem(y.Line, "the template is nested too deeply or too large from here on; "+
			"check for aliases that repeat or contain themselves")
	}
	if y.Kind == yaml.AliasNode {
		return r.readNode(y.Alias, depth+1)
	}
	n, err := r.content(y, depth)
	if err != nil {
		return nil, err
	}
	if fn, ok := strings.CutPrefix(y.Tag, "!"); ok && fn != "" && !strings.HasPrefix(fn, "!") {
		return call(y.Line, fn, n)
	}
	return longForm(n)
}

func (r *reader) content(y *yaml.Node, depth int) (*node, error) {
	switch y.Kind {
	case yaml.SequenceNode:
		return r.sequence(y, depth)
	case yaml.MappingNode:
		return r.mapping(y, depth)
	}
	if y.ShortTag() == "!!null" {
		return nil, problem(y.Line, "null is not allowed in a template; give a value or remove the key")
	}
	return text(y.Line, y.Value), nil
}

func (r *reader) sequence(y *yaml.Node, depth int) (*node, error) {
	n := &node{kind: list, line: y.Line}
	for _, item := range y.Content {
		value, err := r.readNode(item, depth+1)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, value)
	}
	return n, nil
}

func (r *reader) mapping(y *yaml.Node, depth int) (*node, error) {
	n := &node{kind: object, line: y.Line}
	seen := map[string]int{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, err := mappingKey(y.Content[i], seen)
		if err != nil {
			return nil, err
		}
		value, err := r.readNode(y.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		n.fields = append(n.fields, field{key: key, line: y.Content[i].Line, value: value})
	}
	return n, nil
}

func mappingKey(y *yaml.Node, seen map[string]int) (string, error) {
	switch {
	case y.Kind != yaml.ScalarNode:
		return "", problem(y.Line, "a key must be plain text")
	case y.ShortTag() == "!!merge":
		return "", problem(y.Line, "CloudFormation has no merge keys (<<); write the keys out, or use Globals")
	case seen[y.Value] > 0:
		return "", problem(y.Line, "duplicate key %q, first on line %d; keep one", y.Value, seen[y.Value])
	}
	seen[y.Value] = max(y.Line, 1)
	return y.Value, nil
}

// longForm recognizes {Ref: X} and {"Fn::Sub": X}.
func longForm(n *node) (*node, error) {
	if n.kind != object || len(n.fields) != 1 {
		return n, nil
	}
	f := n.fields[0]
	if f.key == "Ref" {
		return call(f.line, "Ref", f.value)
	}
	if fn, ok := strings.CutPrefix(f.key, "Fn::"); ok {
		return call(f.line, fn, f.value)
	}
	return n, nil
}

func call(line int, fn string, arg *node) (*node, error) {
	if !slices.Contains(intrinsics[:], fn) {
		return nil, problem(line, "the local stack does not support the intrinsic function %q; use one of %s",
			fn, strings.Join(intrinsics[:], ", "))
	}
	return &node{line: line, fn: fn, arg: arg}, nil
}
