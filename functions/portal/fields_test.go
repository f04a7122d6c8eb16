package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// namesInForms are the fields of forms for the members of objects in a request.
var namesInForms = map[string]string{"limits/users": "usersLimit", "limits/requestsPerMinute": "requestsLimit"}

func TestFormsHaveEachField(t *testing.T) {
	for _, form := range []struct{ path, method, module string }{
		{"/v1/users", "post", "pages/users/create.js"},
		{"/v1/users/{userId}", "put", "pages/users/user.js"},
		{"/v1/customers", "post", "pages/customers/fields.js"},
		{"/v1/customers/{customerId}", "put", "pages/customers/fields.js"},
		{"/v1/customers/{customerId}/entitlements", "post", "pages/customers/entitlementfields.js"},
		{"/v1/customers/{customerId}/entitlements/{entitlementId}", "put", "pages/customers/entitlementfields.js"},
		{"/v1/customers/{customerId}/trust-policies", "post", "pages/customers/trustpolicyfields.js"},
		{"/v1/customers/{customerId}/trust-policies/{policyId}", "put", "pages/customers/trustpolicyfields.js"},
		{"/v1/projects", "post", "pages/projects/fields.js"},
		{"/v1/projects/{projectId}", "put", "pages/projects/fields.js"},
	} {
		module := readModule(t, form.module)
		for _, field := range requestFields(t, form.path, form.method) {
			name := field
			if inForm, ok := namesInForms[field]; ok {
				name = inForm
			}
			if !strings.Contains(module, `set("`+name+`")`) {
				t.Errorf("%s lacks the field %s of %s %s", form.module, field, strings.ToUpper(form.method), form.path)
			}
		}
	}
}

func TestExampleOfImportHasEachField(t *testing.T) {
	_, rest, _ := strings.Cut(readModule(t, "pages/users/importing.js"), `exampleCSV = "`)
	header, _, _ := strings.Cut(rest, `\r\n`)
	const begin, end = "The file needs the columns ", " optional."
	_, help, _ := strings.Cut(readModule(t, "core/strings.js"), begin)
	help, _, _ = strings.Cut(help, end)
	for _, field := range requestFields(t, "/v1/users", "post") {
		if !slices.Contains(strings.Split(header, ","), field) {
			t.Errorf("the example of pages/users/importing.js lacks the column %s", field)
		}
		if !strings.Contains(help, field) {
			t.Errorf("the text %q of core/strings.js lacks the column %s", begin, field)
		}
	}
}

// requestFields returns the fields of the body of a request, from openapi.yaml: of an object in it, the members, such
// as limits/users.
func requestFields(t *testing.T, path, method string) []string {
	t.Helper()
	text, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Ref        string               `yaml:"$ref"`
		Properties map[string]yaml.Node `yaml:"properties"`
	}
	var document struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema schema `yaml:"schema"`
				} `yaml:"content"`
			} `yaml:"requestBody"`
		} `yaml:"paths"`
		Components struct {
			Schemas map[string]schema `yaml:"schemas"`
		} `yaml:"components"`
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	body := document.Paths[path][method].RequestBody.Content["application/json"].Schema
	if name, found := strings.CutPrefix(body.Ref, "#/components/schemas/"); found {
		body = document.Components.Schemas[name]
	}
	var names []string
	for name, node := range body.Properties {
		var field schema
		if err := node.Decode(&field); err != nil {
			t.Fatal(err)
		}
		object := document.Components.Schemas[strings.TrimPrefix(field.Ref, "#/components/schemas/")]
		for member := range object.Properties {
			names = append(names, name+"/"+member)
		}
		if name != "$schema" && len(object.Properties) == 0 {
			names = append(names, name)
		}
	}
	if len(names) < 3 {
		t.Fatalf("%s %s has the fields %v", method, path, names)
	}
	return names
}
