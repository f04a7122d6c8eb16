// Package apifuzz sends random requests to an HTTP API, and compares each answer with the API's OpenAPI 3.1 document:
// its status, its media type, and its body with the JSON Schema of that status. A property that the document does not
// name is a finding, too.
//
// Requests are partly valid, partly damaged, and partly garbage. They use IDs and names from earlier answers, so they
// reach existing resources.
package apifuzz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// Document is an OpenAPI document.
type Document struct {
	Operations []*Operation // sorted by path and method

	root     object
	compiler *jsonschema.Compiler
}

// Operation is one method of one path.
type Operation struct {
	Method, Path string
	IsPublic     bool     // needs no credential
	Schemes      []string // names of the accepted kinds of credentials, such as apiKey and session
	Permission   string   // that a key or session needs; "" for none
	IsOnlyStaff  bool     // users of customers are refused
	Description  string
	HasBody      bool

	parameters []object
	bodies     map[string]object // schemas by media type
	answers    map[string]answer // by status
}

// answer has the schemas of an answer by media type. A nil schema allows every body.
type answer map[string]*jsonschema.Schema

// object is a decoded YAML mapping.
type object = map[string]any

// location is the name of the document for the compiler of schemas.
const location = "https://portside.invalid/openapi.json"

// ReadDocument reads an OpenAPI document in YAML.
func ReadDocument(file string) (*Document, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	d := &Document{compiler: jsonschema.NewCompiler()}
	if err := yaml.Unmarshal(text, &d.root); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	forbidUnknown(d.root)
	if err := d.addSchemas(); err != nil {
		return nil, fmt.Errorf("read the schemas of the OpenAPI document: %w", err)
	}
	return d, d.addOperations()
}

// forbidUnknown makes every schema of an object forbid properties that it does not name.
func forbidUnknown(node any) {
	switch node := node.(type) {
	case object:
		_, names := node["properties"].(object)
		if _, decided := node["additionalProperties"]; names && !decided && node["type"] != nil {
			node["additionalProperties"] = false
		}
		for _, child := range node {
			forbidUnknown(child)
		}
	case []any:
		for _, child := range node {
			forbidUnknown(child)
		}
	}
}

func (d *Document) addSchemas() error {
	text, err := json.Marshal(d.root)
	if err != nil {
		return err
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	d.compiler.AssertFormat()
	return d.compiler.AddResource(location, decoded)
}

func (d *Document) addOperations() error {
	methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
	paths := d.root["paths"].(object)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range methods {
			found, ok := paths[path].(object)[strings.ToLower(method)].(object)
			if !ok {
				continue
			}
			operation := &Operation{Method: method, Path: path, bodies: map[string]object{}, answers: map[string]answer{}}
			if err := d.describe(operation, found); err != nil {
				return fmt.Errorf("%s %s: %w", method, path, err)
			}
			d.Operations = append(d.Operations, operation)
		}
	}
	return nil
}

func (d *Document) describe(o *Operation, found object) error {
	security, _ := found["security"].([]any)
	o.IsPublic = len(security) == 0
	for _, alternative := range security {
		o.IsPublic = o.IsPublic || len(alternative.(object)) == 0
		o.Schemes = slices.AppendSeq(o.Schemes, maps.Keys(alternative.(object)))
	}
	o.Permission, _ = found["x-permission"].(string)
	o.IsOnlyStaff, _ = found["x-only-staff"].(bool)
	o.Description, _ = found["description"].(string)
	parameters, _ := found["parameters"].([]any)
	for _, parameter := range parameters {
		resolved, _ := d.resolve(parameter.(object), "")
		o.parameters = append(o.parameters, resolved)
	}
	if body, ok := found["requestBody"].(object); ok {
		o.HasBody = true
		for media, content := range body["content"].(object) {
			o.bodies[media] = content.(object)["schema"].(object)
		}
	}
	at := "/paths/" + escape(o.Path) + "/" + strings.ToLower(o.Method) + "/responses/"
	for status, response := range found["responses"].(object) {
		resolved, where := d.resolve(response.(object), at+status)
		schemas, err := d.answer(resolved, where)
		if err != nil {
			return err
		}
		o.answers[status] = schemas
	}
	return nil
}

// answer compiles the schemas of a response, which is at the JSON pointer.
func (d *Document) answer(response object, pointer string) (answer, error) {
	content, _ := response["content"].(object)
	schemas := answer{}
	for media, described := range content {
		schemas[media] = nil
		if _, ok := described.(object)["schema"]; !ok || !strings.HasSuffix(media, "json") {
			continue
		}
		schema, err := d.compiler.Compile(location + "#" + pointer + "/content/" + escape(media) + "/schema")
		if err != nil {
			return nil, err
		}
		schemas[media] = schema
	}
	return schemas, nil
}

// resolve follows a $ref. It returns the object and its JSON pointer.
func (d *Document) resolve(o object, pointer string) (resolved object, at string) {
	ref, ok := o["$ref"].(string)
	if !ok {
		return o, pointer
	}
	at = strings.TrimPrefix(ref, "#")
	resolved = d.root
	for part := range strings.SplitSeq(strings.TrimPrefix(at, "/"), "/") {
		resolved = resolved[unescape(part)].(object)
	}
	return resolved, at
}

// escape and unescape are those of JSON pointers (RFC 6901).
func escape(text string) string   { return strings.NewReplacer("~", "~0", "/", "~1").Replace(text) }
func unescape(text string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(text) }
