package mediatest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
)

// decodeStrict decodes JSON without unknown fields.
func decodeStrict(body []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(value); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more text after the end of the body")
	}
	return nil
}

// Limits of schemas for structured output.
const (
	maxProperties = 5_000
	maxLevels     = 10
)

// keywords has the keywords of JSON Schema that both services support, by type.
var keywords = map[string][]string{
	"object":  {"type", "description", "properties", "required", "additionalProperties"},
	"array":   {"type", "description", "items"},
	"string":  {"type", "description", "enum"},
	"number":  {"type", "description"},
	"integer": {"type", "description"},
	"boolean": {"type", "description"},
}

// schemaCheck counts properties during a check.
type schemaCheck struct{ properties int }

// checkSchema checks a schema against the rules for strict schemas.
func checkSchema(s map[string]any) error {
	if s["type"] != "object" {
		return errors.New("the root of a schema must be an object")
	}
	c := &schemaCheck{}
	if err := c.node(s, 1); err != nil {
		return err
	}
	if c.properties > maxProperties {
		return fmt.Errorf("%d properties", c.properties)
	}
	return nil
}

func (c *schemaCheck) node(node any, level int) error {
	s, ok := node.(map[string]any)
	kind, _ := s["type"].(string)
	known, valid := keywords[kind]
	if !ok || !valid || level > maxLevels {
		return fmt.Errorf("a schema at level %d of type %q", level, kind)
	}
	for keyword := range s {
		if !slices.Contains(known, keyword) {
			return fmt.Errorf("a schema of type %s has %q", kind, keyword)
		}
	}
	switch kind {
	case "object":
		return c.object(s, level)
	case "array":
		return c.node(s["items"], level+1)
	case "string":
		return checkEnum(s)
	}
	return nil
}

// checkEnum checks that an enum is a list of strings that is not empty.
func checkEnum(s map[string]any) error {
	all, hasEnum := s["enum"]
	values, isList := all.([]any)
	for _, value := range values {
		if _, ok := value.(string); !ok {
			return errors.New("an enum has values that are not strings")
		}
	}
	if hasEnum && (!isList || len(values) == 0) {
		return errors.New("an enum is empty")
	}
	return nil
}

var propertyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// object checks that an object allows only its properties, and requires all of them.
func (c *schemaCheck) object(s map[string]any, level int) error {
	if s["additionalProperties"] != false {
		return errors.New("additionalProperties must be false")
	}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	if len(properties) == 0 || len(required) != len(properties) {
		return errors.New("all properties must be required")
	}
	for name, property := range properties {
		if !propertyName.MatchString(name) || !slices.Contains(required, any(name)) {
			return fmt.Errorf("the property %q", name)
		}
		c.properties++
		if err := c.node(property, level+1); err != nil {
			return err
		}
	}
	return nil
}
