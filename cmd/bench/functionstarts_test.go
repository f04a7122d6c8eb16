package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestFunctionsHaveTheirTables compares the variables that sandboxes have with those of all functions in template.yaml, so that a function
// that needs another table still starts.
func TestFunctionsHaveTheirTables(t *testing.T) {
	text, err := os.ReadFile("../../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var template struct {
		Resources map[string]struct {
			Type string `yaml:"Type"`
		} `yaml:"Resources"`
	}
	if err := yaml.Unmarshal(text, &template); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for id, resource := range template.Resources {
		if resource.Type == "AWS::DynamoDB::Table" || resource.Type == "AWS::S3::Bucket" {
			names[id] = id
		}
	}
	if len(names) < 10 {
		t.Fatalf("the template has only the tables and buckets %v", names)
	}
	variables := variablesOf(names)
	wanted := regexp.MustCompile(`(?m)^ +([A-Z_]+_(TABLE|BUCKET)): .*`).FindAllStringSubmatch(string(text), -1)
	if len(wanted) < 30 {
		t.Fatalf("the template has only %d variables with tables and buckets", len(wanted))
	}
	for _, variable := range wanted {
		if !slices.ContainsFunc(variables, func(v string) bool { return strings.HasPrefix(v, variable[1]+"=") }) {
			t.Errorf("no resource has the variable %s", variable[1])
		}
	}
}
