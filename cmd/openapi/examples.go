package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxNesting is how deep schemas may be nested in an example. A deeper schema contains itself.
const maxNesting = 24

// addExamples adds an example to each JSON request and each successful JSON answer that has none. It is made of the
// examples of the properties. A property without an example is an error, so that every example shows real values.
func addExamples(merged object) error {
	e := exampler{schemas: childObject(childObject(merged, "components"), "schemas")}
	var failures []error
	for _, path := range slices.Sorted(maps.Keys(childObject(merged, "paths"))) {
		for method, operation := range childObject(merged, "paths")[path].(object) {
			for _, content := range jsonContents(operation.(object)) {
				if content["example"] != nil || content["examples"] != nil {
					continue
				}
				example, err := e.example(content["schema"], 0)
				if err != nil {
					failures = append(failures, fmt.Errorf("%s %s: %w", strings.ToUpper(method), path, err))
					continue
				}
				content["example"] = example
			}
		}
	}
	return errors.Join(failures...)
}

// jsonContents returns the JSON contents of the request and of the successful answers of an operation.
func jsonContents(operation object) (contents []object) {
	bodies := []any{operation["requestBody"]}
	for status, response := range childObject(operation, "responses") {
		if strings.HasPrefix(status, "2") {
			bodies = append(bodies, response)
		}
	}
	for _, body := range bodies {
		described, _ := body.(object)
		content, _ := described["content"].(object)
		if media, ok := content["application/json"].(object); ok && media["schema"] != nil {
			contents = append(contents, media)
		}
	}
	return contents
}

// exampler makes examples of schemas.
type exampler struct{ schemas object }

// example returns a value that fits a schema.
func (e exampler) example(schema any, depth int) (any, error) {
	s, ok := schema.(object)
	if !ok || depth > maxNesting {
		return nil, errors.New("the schema is missing, or contains itself")
	}
	if ref, ok := s["$ref"].(string); ok {
		example, err := e.example(e.schemas[strings.TrimPrefix(ref, schemaPrefix)], depth+1)
		return example, inProperty(strings.TrimPrefix(ref, schemaPrefix), err)
	}
	for _, key := range []string{"examples", "enum"} {
		if all, ok := s[key].([]any); ok && len(all) > 0 {
			return all[0], nil
		}
	}
	for _, key := range []string{"example", "const", "default"} {
		if value, ok := s[key]; ok {
			return value, nil
		}
	}
	switch {
	case typeOf(s) == "object":
		return e.object(s, depth)
	case isNullable(s), len(s) == 0 || s["type"] == nil && s["properties"] == nil: // of any type
		return nil, nil //nolint:nilnil // null is a valid example
	case s["format"] == "date-time":
		return "2026-03-02T09:30:00Z", nil
	case typeOf(s) == "array":
		item, err := e.example(s["items"], depth+1)
		return []any{item}, inProperty("items", err)
	case typeOf(s) == "boolean":
		return true, nil
	}
	return nil, errors.New("no example")
}

func isNullable(s object) bool {
	names, _ := s["type"].([]any)
	return slices.Contains(names, any("null"))
}

// object returns an object with an example of each property. The example of a map has one member, total. An optional
// property whose example is an empty object is left out, because an empty object is rarely valid.
func (e exampler) object(s object, depth int) (any, error) {
	example := object{}
	properties, _ := s["properties"].(object)
	required, _ := s["required"].([]any)
	if values, isMap := s["additionalProperties"].(object); isMap && len(properties) == 0 {
		value, err := e.example(values, depth+1)
		if err != nil && typeOf(values) == "string" {
			return example, nil // such as the labels of an image
		}
		return object{"total": value}, inProperty("total", err)
	}
	var failures []error
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		value, err := e.example(properties[name], depth+1)
		failures = append(failures, inProperty(name, err))
		if content, isObject := value.(object); isObject && len(content) == 0 && !slices.Contains(required, any(name)) {
			continue
		}
		example[name] = value
	}
	return example, errors.Join(failures...)
}

// typeOf returns the type of a schema, without null.
func typeOf(s object) string {
	if name, ok := s["type"].(string); ok {
		return name
	}
	names, _ := s["type"].([]any)
	for _, name := range names {
		if name != "null" {
			return fmt.Sprint(name)
		}
	}
	return ""
}

func inProperty(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
