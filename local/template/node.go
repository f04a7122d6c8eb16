package template

import (
	"strconv"
	"strings"
)

type kind int

const (
	absent kind = iota
	scalar
	list
	object
)

// node is a value of the template or, before evaluation, a call of the intrinsic function fn with
// the argument arg. Nodes are immutable, because every reference to a parameter or mapping shares
// its node.
type node struct {
	kind   kind
	line   int
	fn     string
	arg    *node
	text   string
	items  []*node
	fields []field
}

type field struct {
	key   string
	line  int
	value *node
}

func text(line int, s string) *node { return &node{kind: scalar, line: line, text: s} }

// get returns the value under key, or an absent node with the line of n. n may have any kind.
func (n *node) get(key string) *node {
	for _, f := range n.fields {
		if f.key == key {
			return f.value
		}
	}
	return &node{line: n.line}
}

func (n *node) has(key string) bool { return n.get(key).kind != absent || n.get(key).fn != "" }

// present returns the fields without those whose value evaluated to AWS::NoValue.
func (n *node) present() []field {
	var kept []field
	for _, f := range n.fields {
		if f.value.kind != absent {
			kept = append(kept, f)
		}
	}
	return kept
}

// str returns the text of a scalar, or "" if the value is absent. what names the value in errors.
func (n *node) str(what string) (string, error) {
	if n.kind != scalar && n.kind != absent {
		return "", problem(n.line, "%s must be a single value, not a list or a map", what)
	}
	return n.text, nil
}

func (n *node) required(what string) (string, error) {
	s, err := n.str(what)
	if err == nil && s == "" {
		return "", problem(n.line, "%s is missing or empty; give it a value", what)
	}
	return s, err
}

// integer returns a whole number from lo to hi, or fallback if the value is absent.
func (n *node) integer(what string, fallback, lo, hi int) (int, error) {
	if n.kind == absent {
		return fallback, nil
	}
	i, err := strconv.Atoi(n.text)
	if n.kind != scalar || err != nil || i < lo || i > hi {
		return 0, problem(n.line, "%s must be a whole number from %d to %d", what, lo, hi)
	}
	return i, nil
}

func (n *node) boolean(what string, fallback bool) (bool, error) {
	if n.kind == absent {
		return fallback, nil
	}
	switch strings.ToLower(n.text) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, problem(n.line, "%s must be true or false", what)
}

// strings reads a list of scalars. A scalar counts as a list of one.
func (n *node) strings(what string) ([]string, error) {
	if n.kind == absent {
		return nil, nil
	}
	if n.kind == scalar {
		return []string{n.text}, nil
	}
	if n.kind != list {
		return nil, problem(n.line, "%s must be a list", what)
	}
	var texts []string
	for _, item := range n.items {
		if item.kind == absent {
			continue
		}
		s, err := item.str("an entry of " + what)
		if err != nil {
			return nil, err
		}
		texts = append(texts, s)
	}
	return texts, nil
}

// elements returns the entries of a list. An absent list counts as empty.
func (n *node) elements(what string) ([]*node, error) {
	if n.kind != list && n.kind != absent {
		return nil, problem(n.line, "%s must be a list", what)
	}
	return n.items, nil
}

// merged combines local with global as SAM does for Globals: it merges maps, concatenates lists and
// replaces scalars.
func merged(global, local *node) *node {
	switch {
	case global.kind == object && local.kind == object:
		return mergedObjects(global, local)
	case global.kind == list && local.kind == list:
		all := append(append([]*node(nil), global.items...), local.items...)
		return &node{kind: list, line: local.line, items: all}
	}
	return local
}

func mergedObjects(global, local *node) *node {
	result := &node{kind: object, line: local.line}
	for _, f := range global.fields {
		if !declares(local, f.key) {
			result.fields = append(result.fields, f)
		}
	}
	for _, f := range local.fields {
		if declares(global, f.key) {
			f.value = merged(global.get(f.key), f.value)
		}
		result.fields = append(result.fields, f)
	}
	return result
}

// lineOf returns the line of a key, which may be above the line of its value.
func (n *node) lineOf(key string) int {
	for _, f := range n.fields {
		if f.key == key {
			return f.line
		}
	}
	return n.line
}

// declares is true also for a key whose value evaluated to AWS::NoValue: that removes a value of
// Globals.
func declares(n *node, key string) bool {
	for _, f := range n.fields {
		if f.key == key {
			return true
		}
	}
	return false
}
