package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestFunctionsHaveTheirTables compares the variables that sandboxes have with those of all functions in template.yaml,
// so that a function that needs another table still starts.
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

// TestBareFunctionHasOnlyTheLambdaLibrary fails if the baseline of starts has code that the ratios should measure.
func TestBareFunctionHasOnlyTheLambdaLibrary(t *testing.T) {
	files, err := filepath.Glob("bare/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			if !slices.Contains([]string{"context", "encoding/json", "github.com/aws/aws-lambda-go/lambda"}, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
