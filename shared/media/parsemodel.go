package media

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"portside/documents/answers"
)

// byteOrderMark is written by some editors at the beginning of a file. RFC 8259 lets parsers ignore
// it.
const byteOrderMark = "\ufeff"

// parseModel reads the settings of a request from its field model. It reports unknown keys, because
// a misspelled key would otherwise change the question silently.
func (p *questionParser) parseModel(text []byte) {
	const pointer = "/" + ModelField
	members, err := parseObject(bytes.TrimPrefix(text, []byte(byteOrderMark)))
	if err != nil {
		p.fail(pointer, "must be a JSON object: %v", err)
		return
	}
	parsers := p.memberParsers()
	for _, m := range members {
		at := pointer + "/" + escapePointer(m.key)
		if parse, isKnown := parsers[m.key]; isKnown {
			parse(at, m.value)
			continue
		}
		p.fail(at, "is not a known key; known are %s", strings.Join(slices.Sorted(maps.Keys(parsers)), ", "))
	}
}

// memberParsers returns the parsers of the task's keys.
func (p *questionParser) memberParsers() map[string]func(pointer string, value json.RawMessage) {
	parsers := map[string]func(string, json.RawMessage){"metadata": p.parseMetadata, "variables": p.parseVariables}
	if p.question.Task == Summarize {
		delete(parsers, "variables")
	}
	for name, set := range p.setters() {
		parsers[name] = func(pointer string, value json.RawMessage) {
			if name == minConfidenceField || name == schemaField {
				set(pointer, string(value))
				return
			}
			if text, ok := p.parseString(pointer, value); ok {
				set(pointer, text)
			}
		}
	}
	return parsers
}

func (p *questionParser) parseString(pointer string, value json.RawMessage) (text string, ok bool) {
	if json.Unmarshal(value, &text) != nil || !bytes.HasPrefix(value, []byte(`"`)) {
		p.fail(pointer, "must be a string")
		return "", false
	}
	return text, true
}

func (p *questionParser) parseMetadata(pointer string, value json.RawMessage) {
	var words []string
	if json.Unmarshal(value, &words) != nil || !bytes.HasPrefix(value, []byte(`[`)) {
		p.fail(pointer, "must be a list of strings")
		return
	}
	p.setKeywords(pointer, words)
}

func (p *questionParser) parseVariables(pointer string, value json.RawMessage) {
	members, err := parseObject(value)
	if err != nil {
		p.fail(pointer, "must be an object of variables: %v", err)
		return
	}
	if len(members) > MaxVariables {
		p.fail(pointer, "must have at most %d entries", MaxVariables)
		return
	}
	for _, m := range members {
		p.parseVariable(pointer+"/"+escapePointer(m.key), m)
	}
}

// parseVariable reads one variable, {"type": …, "description": …}.
func (p *questionParser) parseVariable(pointer string, m member) {
	parts, err := parseObject(m.value)
	if err != nil {
		p.fail(pointer, "must be an object with type and description: %v", err)
		return
	}
	v := answers.Variable{Name: m.key}
	for _, part := range parts {
		at := pointer + "/" + escapePointer(part.key)
		ok := true
		switch part.key {
		case "type":
			var name string
			name, ok = p.parseString(at, part.value)
			v.Type = answers.Type(name)
		case "description":
			v.Description, ok = p.parseString(at, part.value)
		default:
			p.fail(at, "is not a known key; known are type and description")
		}
		if !ok {
			return
		}
	}
	p.addVariable(variablePointers{pointer, pointer + "/"}, v)
}

// member is a key of a JSON object with its value.
type member struct {
	key   string
	value json.RawMessage
}

// parseObject returns the members of a JSON object in the order in which they are written. Its
// errors name the problem without repeating the text.
func parseObject(text []byte) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return nil, errors.New("it does not begin with {")
	}
	var members []member
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		key, isText := token.(string)
		if err != nil || !isText {
			return nil, syntaxError(decoder)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, syntaxError(decoder)
		}
		if seen[key] {
			return nil, fmt.Errorf("it has the same key twice, before byte %d", decoder.InputOffset())
		}
		seen[key] = true
		members = append(members, member{key, value})
	}
	if _, err := decoder.Token(); err != nil {
		return nil, syntaxError(decoder)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("there is more text after its end, at byte %d", decoder.InputOffset())
	}
	return members, nil
}

func syntaxError(decoder *json.Decoder) error {
	return fmt.Errorf("it has a syntax error after byte %d", decoder.InputOffset())
}
