package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// collectionFile is the collection of requests for Postman, Bruno and other API clients that import the Postman format.
const collectionFile = "client/portside.postman_collection.json"

// The types are the part of the Postman collection format v2.1.0 that the collection needs.
// Source: https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html
type (
	collection struct {
		Info      collectionInfo  `json:"info"`
		Auth      *requestAuth    `json:"auth"`
		Variables []keyValue      `json:"variable"`
		Folders   []requestFolder `json:"item"`
	}
	collectionInfo struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Schema      string `json:"schema"`
	}
	requestFolder struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Requests    []namedRequest `json:"item"`
	}
	namedRequest struct {
		Name    string  `json:"name"`
		Request request `json:"request"`
	}
	request struct {
		Method      string       `json:"method"`
		Description string       `json:"description,omitempty"`
		Auth        *requestAuth `json:"auth,omitempty"`
		Header      []keyValue   `json:"header"`
		URL         requestURL   `json:"url"`
		Body        *requestBody `json:"body,omitempty"`
	}
	requestURL struct {
		Raw       string     `json:"raw"`
		Host      []string   `json:"host"`
		Path      []string   `json:"path"`
		Query     []keyValue `json:"query,omitempty"`
		Variables []keyValue `json:"variable,omitempty"`
	}
	requestBody struct {
		Mode     string     `json:"mode"`
		Raw      string     `json:"raw,omitempty"`
		FormData []keyValue `json:"formdata,omitempty"`
		Fields   []keyValue `json:"urlencoded,omitempty"`
		Options  object     `json:"options,omitempty"`
	}
	requestAuth struct {
		Type   string     `json:"type"`
		APIKey []keyValue `json:"apikey,omitempty"`
		Bearer []keyValue `json:"bearer,omitempty"`
		Basic  []keyValue `json:"basic,omitempty"`
	}
	keyValue struct {
		Key         string `json:"key"`
		Value       string `json:"value,omitempty"`
		Type        string `json:"type,omitempty"`
		Description string `json:"description,omitempty"`
		Disabled    bool   `json:"disabled,omitempty"`
	}
)

var (
	apiKeyAuth = &requestAuth{Type: "apikey", APIKey: []keyValue{
		{Key: "key", Value: "X-API-Key"}, {Key: "value", Value: "{{apiKey}}"}, {Key: "in", Value: "header"},
	}}
	basicAuth = &requestAuth{Type: "basic", Basic: []keyValue{
		{Key: "username", Value: "{{username}}"}, {Key: "password", Value: "{{password}}"},
	}}
	noAuth = &requestAuth{Type: "noauth"}
)

// collectionOf returns the requests of the document as a collection with a folder for each tag. Optional parameters are
// disabled. Operations that only the portal's own pages can use are left out.
func collectionOf(document object) ([]byte, error) {
	info, _ := document["info"].(object)
	c := collection{
		Info: collectionInfo{
			Name: text(info["title"]), Schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
			Description: text(info["summary"]) +
				" Set the variable apiKey, and baseUrl if the service does not run on this machine.",
		},
		Auth: apiKeyAuth,
		Variables: []keyValue{
			{Key: "baseUrl", Value: "http://127.0.0.1:3000"}, {Key: "apiKey"}, {Key: "username"}, {Key: "password"},
		},
	}
	tags, _ := document["tags"].([]any)
	for _, each := range tags {
		tag, _ := each.(object)
		folder := requestFolder{Name: text(tag["name"]), Description: text(tag["description"])}
		folder.Requests = requestsOf(document, folder.Name)
		if len(folder.Requests) > 0 {
			c.Folders = append(c.Folders, folder)
		}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(c); err != nil {
		return nil, fmt.Errorf("encode the collection: %w", err)
	}
	return out.Bytes(), nil
}

// requestsOf returns the requests of the operations with a tag, in the order of their paths.
func requestsOf(document object, tag string) []namedRequest {
	var all []namedRequest
	paths, _ := document["paths"].(object)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		operations, _ := paths[path].(object)
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			operation, _ := operations[method].(object)
			tags, _ := operation["tags"].([]any)
			auth, isForPrograms := authOf(operation)
			if slices.Contains(tags, any(tag)) && isForPrograms {
				all = append(all, namedRequest{text(operation["summary"]), requestOf(method, path, operation, auth)})
			}
		}
	}
	return all
}

// authOf returns how a request is authenticated, or nil if it uses the API key of the collection. isForPrograms is
// false for operations that only the portal's own pages can use.
func authOf(operation object) (auth *requestAuth, isForPrograms bool) {
	ways, _ := operation["security"].([]any)
	if len(ways) == 0 {
		return noAuth, true
	}
	first, _ := ways[0].(object)
	switch {
	case first["apiKey"] != nil:
		return nil, true
	case first["basic"] != nil:
		return basicAuth, true
	}
	return nil, false
}

func requestOf(method, path string, operation object, auth *requestAuth) request {
	r := request{Method: strings.ToUpper(method), Description: text(operation["description"]), Auth: auth,
		Header: []keyValue{}}
	r.addParameters(operation)
	r.URL.Host = []string{"{{baseUrl}}"}
	colons := strings.NewReplacer("{", ":", "}", "")
	r.URL.Path = strings.Split(colons.Replace(strings.TrimPrefix(path, "/")), "/")
	r.URL.Raw = "{{baseUrl}}" + colons.Replace(path)
	body, _ := operation["requestBody"].(object)
	content, _ := body["content"].(object)
	for kind, media := range content {
		r.Body = bodyOf(kind, media.(object))
	}
	return r
}

// addParameters adds the parameters of an operation to the URL and the header. Those in the path cannot be disabled.
func (r *request) addParameters(operation object) {
	parameters, _ := operation["parameters"].([]any)
	for _, each := range parameters {
		p, _ := each.(object)
		value := keyValue{
			Key: text(p["name"]), Value: exampleOf(p), Description: text(p["description"]), Disabled: p["required"] != true,
		}
		switch p["in"] {
		case "path":
			value.Disabled = false
			r.URL.Variables = append(r.URL.Variables, value)
		case "query":
			r.URL.Query = append(r.URL.Query, value)
		case "header":
			r.Header = append(r.Header, value)
		}
	}
}

// bodyOf returns a body with the example of the document, or a form with the fields that are files.
func bodyOf(kind string, media object) *requestBody {
	if kind == "multipart/form-data" {
		schema, _ := media["schema"].(object)
		properties, _ := schema["properties"].(object)
		form := &requestBody{Mode: "formdata"}
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			p, _ := properties[name].(object)
			field := keyValue{Key: name, Type: "text", Value: exampleOf(p), Description: text(p["description"]), Disabled: true}
			if isFile(p) {
				field.Type, field.Value, field.Disabled = "file", "", false
			}
			form.FormData = append(form.FormData, field)
		}
		return form
	}
	if kind == "application/x-www-form-urlencoded" {
		return &requestBody{Mode: "urlencoded", Fields: fieldsOf(media)}
	}
	indented, err := json.MarshalIndent(media["example"], "", "  ")
	if err != nil {
		return nil
	}
	return &requestBody{Mode: "raw", Raw: string(indented), Options: object{"raw": object{"language": "json"}}}
}

// fieldsOf returns the fields of a form without files. Optional fields are disabled.
func fieldsOf(media object) []keyValue {
	schema, _ := media["schema"].(object)
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	var fields []keyValue
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p, _ := properties[name].(object)
		fields = append(fields, keyValue{
			Key: name, Type: "text", Value: exampleOf(p), Description: text(p["description"]),
			Disabled: !slices.Contains(required, any(name)),
		})
	}
	return fields
}

func isFile(property object) bool {
	items, _ := property["items"].(object)
	isBinary := func(schema object) bool { return schema["format"] == "binary" || schema["contentMediaType"] != nil }
	return isBinary(property) || isBinary(items)
}

// exampleOf returns the example of a parameter or a field, or its default, as text.
func exampleOf(p object) string {
	schema, _ := p["schema"].(object)
	for _, from := range []object{p, schema} {
		if examples, _ := from["examples"].([]any); len(examples) > 0 {
			return text(examples[0])
		}
		for _, key := range []string{"example", "default"} {
			if from[key] != nil {
				return text(from[key])
			}
		}
		if allowed, _ := from["enum"].([]any); len(allowed) > 0 && p["required"] == true {
			return text(allowed[0])
		}
	}
	return ""
}

// text returns a value as people write it, and an empty string for nothing.
func text(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}
