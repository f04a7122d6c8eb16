package main

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"portside/shared/web"
)

const (
	schemaPrefix   = "#/components/schemas/"
	responsePrefix = "#/components/responses/"
	headerPrefix   = "#/components/headers/"
)

// simplify makes the generated document easier to read. Each error response becomes a reference to
// the frame, wrapper types between an operation and its content are inlined, and leftovers are
// removed.
func simplify(merged object) error {
	var failures []error
	schemas := childObject(childObject(merged, "components"), "schemas")
	for path, item := range childObject(merged, "paths") {
		for method, operation := range item.(object) {
			if err := simplifyOperation(merged, operation.(object)); err != nil {
				failures = append(failures, fmt.Errorf("%s %s: %w", method, path, err))
			}
		}
	}
	maps.DeleteFunc(schemas, func(name string, _ any) bool { return isEnvelope(name) })
	allowUnknownResponseFields(merged, schemas)
	removePatternDescriptions(merged)
	return errors.Join(failures...)
}

func simplifyOperation(merged, operation object) error {
	needsCredential := operation["security"] != nil
	if !needsCredential {
		operation["security"] = []any{} // no credential is needed; a missing member would say nothing
	}
	parameters, _ := operation["parameters"].([]any)
	for _, p := range parameters {
		simplifyParameter(p.(object))
	}
	schemas := childObject(childObject(merged, "components"), "schemas")
	if body, ok := operation["requestBody"].(object); ok {
		inlineEnvelope(body, schemas)
	}
	return errors.Join(checkTags(merged, operation), simplifyResponses(merged, operation, needsCredential))
}

// simplifyParameter moves the description from the schema to the parameter, and removes explode except for lists. For a
// list, it is false: commas separate the values. Without it, clients would repeat the parameter, which the API refuses.
func simplifyParameter(parameter object) {
	schema, _ := parameter["schema"].(object)
	if parameter["in"] == "query" {
		refuseEmpty(schema)
	}
	if schema["type"] != "array" {
		delete(parameter, "explode")
	}
	if parameter["description"] == nil && schema["description"] != nil {
		parameter["description"] = schema["description"]
	}
	delete(schema, "description")
}

// refuseEmpty describes that shared/web refuses empty parameters of a query.
func refuseEmpty(schema object) {
	limit := map[any]string{"string": "minLength", "array": "minItems"}[schema["type"]]
	if limit != "" && schema[limit] == nil && schema["enum"] == nil {
		schema[limit] = 1.0 // the type of numbers in parsed JSON
	}
}

func checkTags(merged, operation object) error {
	tags, _ := operation["tags"].([]any)
	declared, _ := merged["tags"].([]any)
	for _, tag := range tags {
		if !slices.ContainsFunc(declared, func(d any) bool { return d.(object)["name"] == tag }) {
			return fmt.Errorf("the tag %s has no description in frame.yaml", tag)
		}
	}
	if len(tags) == 0 {
		return errors.New("it has no tag")
	}
	return nil
}

func simplifyResponses(merged, operation object, needsCredential bool) error {
	known := childObject(childObject(merged, "components"), "responses")
	responses := childObject(operation, "responses")
	hasOwnLimit := operation[web.OwnLimit] != nil
	delete(operation, web.OwnLimit)
	for code, response := range responses {
		status, err := strconv.Atoi(code)
		if err != nil {
			return fmt.Errorf("the response %s is not a status code", code)
		}
		if status < http.StatusBadRequest {
			simplifySuccess(childObject(childObject(merged, "components"), "schemas"), response.(object), needsCredential)
			continue
		}
		name := strings.ReplaceAll(http.StatusText(status), " ", "")
		if status == http.StatusTooManyRequests && hasOwnLimit {
			name = "LimitReached"
		}
		if known[name] == nil {
			return fmt.Errorf("the response %s is not described in frame.yaml as %s", code, name)
		}
		responses[code] = object{"$ref": responsePrefix + name}
	}
	return nil
}

func simplifySuccess(schemas, response object, needsCredential bool) {
	inlineEnvelope(response, schemas)
	headers := childObject(response, "headers")
	for _, header := range headers {
		simplifyParameter(header.(object))
	}
	headers["X-Request-Id"] = object{"$ref": headerPrefix + "X-Request-Id"}
	if needsCredential {
		headers["RateLimit"] = object{"$ref": headerPrefix + "RateLimit"}
		headers["RateLimit-Policy"] = object{"$ref": headerPrefix + "RateLimit-Policy"}
	}
}

// isEnvelope reports whether a schema is only the Go type of a body. The library names such types after the operation,
// with the suffix Body.
func isEnvelope(schema string) bool { return strings.HasSuffix(schema, "Body") }

// inlineEnvelope replaces the reference to an envelope with the envelope itself. An envelope is
// used in few places, and its name has no meaning for readers.
func inlineEnvelope(body, schemas object) {
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

// allowUnknownResponseFields permits undocumented fields in responses, so a client that validates
// responses keeps working after the next release. Requests stay strict: unknown fields are
// rejected.
func allowUnknownResponseFields(merged, schemas object) {
	inRequests := map[string]bool{}
	for _, item := range childObject(merged, "paths") {
		for _, operation := range item.(object) {
			collectReferences(operation.(object)["requestBody"], schemas, inRequests)
			allowUnknownFields(operation.(object)["responses"])
		}
	}
	for name, schema := range schemas {
		if !inRequests[name] {
			allowUnknownFields(schema)
		}
	}
}

// collectReferences adds the schemas that value refers to, directly or through other schemas.
func collectReferences(value any, schemas object, found map[string]bool) {
	eachObject(value, func(o object) {
		ref, _ := o["$ref"].(string)
		name := strings.TrimPrefix(ref, schemaPrefix)
		if schemas[name] != nil && !found[name] {
			found[name] = true
			collectReferences(schemas[name], schemas, found)
		}
	})
}

func allowUnknownFields(value any) {
	eachObject(value, func(o object) {
		if o["additionalProperties"] == false {
			delete(o, "additionalProperties")
		}
	})
}

// removePatternDescriptions removes a keyword that is not in the standard, because strict readers refuse it. Its text
// is for this service's error messages.
func removePatternDescriptions(value any) {
	eachObject(value, func(o object) {
		if _, isKeyword := o["patternDescription"].(string); isKeyword {
			delete(o, "patternDescription")
		}
	})
}

// eachObject calls f for every object in value.
func eachObject(value any, f func(object)) {
	switch v := value.(type) {
	case object:
		f(v)
		for _, inner := range v {
			eachObject(inner, f)
		}
	case []any:
		for _, inner := range v {
			eachObject(inner, f)
		}
	}
}
