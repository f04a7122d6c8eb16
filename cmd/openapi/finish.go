package main

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

const (
	schemaPrefix   = "#/components/schemas/"
	responsePrefix = "#/components/responses/"
	headerPrefix   = "#/components/headers/"
)

// finish turns what a library writes for programs into what people like to read: each error once and in words, no wrapper
// types between an operation and its content, no leftovers.
func finish(whole object) error {
	var failures []error
	schemas := child(child(whole, "components"), "schemas")
	for path, item := range child(whole, "paths") {
		for method, operation := range item.(object) {
			if err := finishOperation(whole, operation.(object)); err != nil {
				failures = append(failures, fmt.Errorf("%s %s: %w", method, path, err))
			}
		}
	}
	maps.DeleteFunc(schemas, func(name string, _ any) bool { return isEnvelope(name) })
	loosen(whole, schemas)
	return errors.Join(failures...)
}

func finishOperation(whole, operation object) error {
	secured := operation["security"] != nil
	if !secured {
		operation["security"] = []any{} // says that no credential is needed, where nothing would leave it open
	}
	parameters, _ := operation["parameters"].([]any)
	for _, p := range parameters {
		finishParameter(p.(object))
	}
	schemas := child(child(whole, "components"), "schemas")
	if body, ok := operation["requestBody"].(object); ok {
		unwrap(body, schemas)
	}
	return errors.Join(checkTags(whole, operation), finishResponses(whole, operation, secured))
}

// finishParameter says a description once.
func finishParameter(parameter object) {
	delete(parameter, "explode")
	schema, _ := parameter["schema"].(object)
	if parameter["description"] == nil && schema["description"] != nil {
		parameter["description"] = schema["description"]
	}
	delete(schema, "description")
}

func checkTags(whole, operation object) error {
	tags, _ := operation["tags"].([]any)
	declared, _ := whole["tags"].([]any)
	for _, tag := range tags {
		if !slices.ContainsFunc(declared, func(d any) bool { return d.(object)["name"] == tag }) {
			return fmt.Errorf("the tag %s has no description in frame.yaml", tag)
		}
	}
	if len(tags) == 0 {
		return errors.New("has no tag")
	}
	return nil
}

func finishResponses(whole, operation object, secured bool) error {
	known := child(child(whole, "components"), "responses")
	responses := child(operation, "responses")
	for code, response := range responses {
		status, err := strconv.Atoi(code)
		if err != nil {
			return fmt.Errorf("the response %s is no status", code)
		}
		if status < http.StatusBadRequest {
			finishSuccess(child(child(whole, "components"), "schemas"), response.(object), secured)
			continue
		}
		name := strings.ReplaceAll(http.StatusText(status), " ", "")
		if known[name] == nil {
			return fmt.Errorf("the response %s is not described in frame.yaml as %s", code, name)
		}
		responses[code] = object{"$ref": responsePrefix + name}
	}
	return nil
}

func finishSuccess(schemas, response object, secured bool) {
	unwrap(response, schemas)
	headers := child(response, "headers")
	for _, header := range headers {
		finishParameter(header.(object))
	}
	headers["X-Request-Id"] = object{"$ref": headerPrefix + "X-Request-Id"}
	if secured {
		headers["RateLimit"] = object{"$ref": headerPrefix + "RateLimit"}
		headers["RateLimit-Policy"] = object{"$ref": headerPrefix + "RateLimit-Policy"}
	}
}

// isEnvelope tells the types that Go needs around a body from those that mean something: a body's type is named for it,
// by the library where it has no name.
func isEnvelope(schema string) bool { return strings.HasSuffix(schema, "Body") }

// unwrap puts an envelope itself where it is referred to: each is used in few places, and its name says nothing.
func unwrap(body, schemas object) {
	content, _ := body["content"].(object)
	for _, media := range content {
		schema, _ := media.(object)["schema"].(object)
		ref, _ := schema["$ref"].(string)
		name := strings.TrimPrefix(ref, schemaPrefix)
		if isEnvelope(name) {
			media.(object)["schema"] = schemas[name]
		}
	}
}

// loosen lets answers have fields that are not described, so that a client that checks them survives the next release.
// What a request may hold stays closed: unknown fields are refused.
func loosen(whole, schemas object) {
	closed := map[string]bool{}
	for _, item := range child(whole, "paths") {
		for _, operation := range item.(object) {
			references(operation.(object)["requestBody"], schemas, closed)
			open(operation.(object)["responses"])
		}
	}
	for name, schema := range schemas {
		if !closed[name] {
			open(schema)
		}
	}
}

// references notes the schemas that are needed for value, and those that they need.
func references(value any, schemas object, found map[string]bool) {
	each(value, func(o object) {
		ref, _ := o["$ref"].(string)
		name := strings.TrimPrefix(ref, schemaPrefix)
		if schemas[name] != nil && !found[name] {
			found[name] = true
			references(schemas[name], schemas, found)
		}
	})
}

func open(value any) {
	each(value, func(o object) {
		if o["additionalProperties"] == false {
			delete(o, "additionalProperties")
		}
	})
}

// each calls f for every object in value.
func each(value any, f func(object)) {
	switch v := value.(type) {
	case object:
		f(v)
		for _, inner := range v {
			each(inner, f)
		}
	case []any:
		for _, inner := range v {
			each(inner, f)
		}
	}
}
