package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// node is a JSON value in the text of a schema.
type node struct {
	value   any // a string, a json.Number, a bool or nil; '{' or '[' as a json.Delim for objects and arrays
	members []*node
	token   string // its name or index in the parent, as a reference token of a JSON Pointer
	name    string // its name in the parent, if that is an object
	parent  *node
	size    int // of its text, in bytes
	depth   int // number of values around it
}

// parseNode reads the text of a schema. It keeps the order of members, which a map would lose.
func parseNode(text []byte) (*node, *Problem) {
	if len(text) > MaxBytes {
		return nil, &Problem{Reason: "has more than " + strconv.Itoa(MaxBytes) + " bytes: ask for less at once"}
	}
	if !json.Valid(text) {
		return nil, &Problem{Reason: "is not JSON"}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	root := &node{}
	return root, root.read(d)
}

// maxNesting limits the depth of the text. Sixteen levels of objects with arrays have about 80.
const maxNesting = 128

func (n *node) read(d *json.Decoder) *Problem {
	start := d.InputOffset()
	token, err := d.Token()
	if err != nil {
		return n.notJSON()
	}
	if n.value = token; n.isObject() || n.isArray() {
		if problem := n.readMembers(d); problem != nil {
			return problem
		}
	}
	n.size = int(d.InputOffset() - start)
	return nil
}

func (n *node) notJSON() *Problem { return &Problem{Place: n.pointer(), Reason: "is not JSON"} }

// readMembers reads the members of an object or an array, to its end.
func (n *node) readMembers(d *json.Decoder) *Problem {
	seen := map[string]bool{}
	for d.More() {
		child := &node{parent: n, token: strconv.Itoa(len(n.members)), depth: n.depth + 1}
		if child.depth > maxNesting {
			return &Problem{Reason: "is nested more than " + strconv.Itoa(maxNesting) + " levels deep: ask for less at once"}
		}
		if n.isObject() {
			name, err := d.Token()
			if err != nil {
				return n.notJSON()
			}
			child.name, _ = name.(string)
			child.token = escape(child.name)
			if seen[child.name] {
				return &Problem{Place: n.pointer(), Reason: "has the name " + quoted(child.name) + " twice: remove one of them"}
			}
			seen[child.name] = true
		}
		if problem := child.read(d); problem != nil {
			return problem
		}
		n.members = append(n.members, child)
	}
	if _, err := d.Token(); err != nil {
		return n.notJSON()
	}
	return nil
}

func (n *node) isObject() bool { return n.value == json.Delim('{') }

func (n *node) isArray() bool { return n.value == json.Delim('[') }

// isTrue reports whether the value is true.
func (n *node) isTrue() bool { return n != nil && n.value == true }

// text returns the value, if it is a string.
func (n *node) text() (text string, isText bool) {
	if n != nil {
		text, isText = n.value.(string)
	}
	return text, isText
}

// member returns the member of an object with a name, or nil.
func (n *node) member(name string) *node {
	if n.isObject() {
		for _, m := range n.members {
			if m.name == name {
				return m
			}
		}
	}
	return nil
}

// pointer returns the JSON Pointer to the value.
func (n *node) pointer() string {
	var tokens []string
	size := 0
	for ; n.parent != nil; n = n.parent {
		tokens = append(tokens, n.token)
		size += 1 + len(n.token)
	}
	var out strings.Builder
	out.Grow(size)
	for _, token := range slices.Backward(tokens) {
		out.WriteByte('/')
		out.WriteString(token)
	}
	return out.String()
}

// at returns the value at a JSON Pointer that begins here, or nil.
func (n *node) at(pointer string) *node {
	for pointer != "" && n != nil {
		rest, isPointer := strings.CutPrefix(pointer, "/")
		if !isPointer {
			return nil
		}
		end := strings.IndexByte(rest, '/')
		if end < 0 {
			end = len(rest)
		}
		n, pointer = n.child(rest[:end]), rest[end:]
	}
	return n
}

// child returns the member of an object or of an array with a reference token, or nil.
func (n *node) child(token string) *node {
	for _, m := range n.members {
		if m.token == token {
			return m
		}
	}
	return nil
}

// escape returns a name as a reference token of a JSON Pointer (RFC 6901).
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
