package main

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestFormsHaveEachField(t *testing.T) {
	for _, form := range []struct{ module, path, member string }{
		{"pages/users/fields.js", "/v1/users", "/{userId}"},
		{"pages/customers/fields.js", "/v1/customers", "/{customerId}"},
		{"pages/customers/entitlementfields.js", "/v1/customers/{customerId}/entitlements", "/{entitlementId}"},
		{"pages/customers/trustpolicyfields.js", "/v1/customers/{customerId}/trust-policies", "/{policyId}"},
		{"pages/projects/fields.js", "/v1/projects", "/{projectId}"},
	} {
		module := readModule(t, form.module)
		for _, field := range requestFields(t, form.path, "post") {
			if text := description(module, field); text == "" || strings.Contains(text, `only: "change"`) {
				t.Errorf("%s lacks the field %s of new resources", form.module, field)
			}
		}
		for _, field := range requestFields(t, form.path+form.member, "put") {
			if text := description(module, field); text == "" || strings.Contains(text, `only: "create"`) {
				t.Errorf("%s lacks the field %s of changes", form.module, field)
			}
		}
	}
}

func TestExampleOfImportHasEachField(t *testing.T) {
	module := readModule(t, "pages/users/fields.js")
	for _, field := range requestFields(t, "/v1/users", "post") {
		if !strings.Contains(description(module, field), "examples: ") {
			t.Errorf("pages/users/fields.js lacks examples of the field %s", field)
		}
	}
}

// description returns what a module says about a field of a form.
func description(module, field string) string {
	_, rest, _ := strings.Cut(module, `name: "`+field+`"`)
	text, _, _ := strings.Cut(rest, `name: "`)
	return text
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
