package media

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"portside/documents/answers"
)

// mark is the byte order mark that some editors begin a file with, and RFC 8259 lets readers ignore.
const mark = "\ufeff"

// model reads the settings of a request from its model field. Keys that are not known are refused, since a misspelt one
// would silently mean something else.
func (d *draft) model(text []byte) {
	const pointer = "/" + ModelField
	members, err := objectOf(bytes.TrimPrefix(text, []byte(mark)))
	if err != nil {
		d.fail(pointer, "must be a JSON object: %v", err)
		return
	}
	known := d.members()
	for _, m := range members {
		at := pointer + "/" + escaped(m.key)
		if read, ok := known[m.key]; ok {
			read(at, m.value)
			continue
		}
		d.fail(at, "is not a key that is known here")
	}
}

// members are the keys of a model for the task.
func (d *draft) members() map[string]func(pointer string, value json.RawMessage) {
	all := map[string]func(string, json.RawMessage){"metadata": d.metadata, "variables": d.variables}
	if d.Task == Summarize {
		delete(all, "variables")
	}
	for name, set := range d.setters() {
		all[name] = func(pointer string, value json.RawMessage) {
			if text, ok := d.text(pointer, value); ok {
				set(pointer, text)
			}
		}
	}
	return all
}

func (d *draft) text(pointer string, value json.RawMessage) (text string, ok bool) {
	if json.Unmarshal(value, &text) != nil || !bytes.HasPrefix(value, []byte(`"`)) {
		d.fail(pointer, "must be a string")
		return "", false
	}
	return text, true
}

func (d *draft) metadata(pointer string, value json.RawMessage) {
	var words []string
	if json.Unmarshal(value, &words) != nil || !bytes.HasPrefix(value, []byte(`[`)) {
		d.fail(pointer, "must be a list of strings")
		return
	}
	d.keywords(pointer, words)
}

func (d *draft) variables(pointer string, value json.RawMessage) {
	members, err := objectOf(value)
	if err != nil {
		d.fail(pointer, "must be an object of variables: %v", err)
		return
	}
	if len(members) > MaxVariables {
		d.fail(pointer, "must have at most %d entries", MaxVariables)
		return
	}
	for _, m := range members {
		d.member(pointer+"/"+escaped(m.key), m)
	}
}

// member reads one variable, {"type": …, "description": …}.
func (d *draft) member(pointer string, m member) {
	parts, err := objectOf(m.value)
	if err != nil {
		d.fail(pointer, "must be an object with type and description: %v", err)
		return
	}
	v := answers.Variable{Name: m.key}
	for _, part := range parts {
		at := pointer + "/" + escaped(part.key)
		ok := true
		switch part.key {
		case "type":
			var name string
			name, ok = d.text(at, part.value)
			v.Type = answers.Type(name)
		case "description":
			v.Description, ok = d.text(at, part.value)
		default:
			d.fail(at, "is not a key that is known here")
		}
		if !ok {
			return
		}
	}
	d.variable(pointers{pointer, pointer + "/"}, v)
}

// member is one key of an object with its value.
type member struct {
	key   string
	value json.RawMessage
}

// objectOf reads an object in the order in which it is written. Its errors say what is wrong without repeating it.
func objectOf(text []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.New("it does not begin with {")
	}
	var all []member
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		key, isText := token.(string)
		if err != nil || !isText {
			return nil, unreadable(decoder)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, unreadable(decoder)
		}
		if seen[key] {
			return nil, fmt.Errorf("a key is given twice, before byte %d", decoder.InputOffset())
		}
		seen[key] = true
		all = append(all, member{key, value})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, unreadable(decoder)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("it goes on after its end at byte %d", decoder.InputOffset())
	}
	return all, nil
}

func unreadable(decoder *json.Decoder) error {
	return fmt.Errorf("it cannot be read beyond byte %d", decoder.InputOffset())
}

func escaped(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

// Pointer is the RFC 6901 pointer to a field of a form.
func Pointer(field string) string { return "/" + escaped(field) }
