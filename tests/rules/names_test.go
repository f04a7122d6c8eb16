package rules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestNamesAgree(t *testing.T) {
	reportViolations(t, checkNames, os.DirFS(root))
}

// minEvents is the minimum number of sample events for each function.
const minEvents = 2

// accessLogs is the only log group that does not belong to a function.
const accessLogs = "ApiAccessLogs"

// samTemplate holds the parts of template.yaml that have names. The nodes keep the tags of
// CloudFormation, such as !Ref.
type samTemplate struct {
	Resources map[string]samResource `yaml:"Resources"`
}

type samResource struct {
	Type      string `yaml:"Type"`
	Condition string `yaml:"Condition"`
	Metadata  struct {
		BuildMethod string `yaml:"BuildMethod"`
	} `yaml:"Metadata"`
	Properties yaml.Node `yaml:"Properties"`
}

type samFunction struct {
	LoggingConfig struct {
		LogGroup yaml.Node `yaml:"LogGroup"`
	} `yaml:"LoggingConfig"`
	Events map[string]struct {
		Type string `yaml:"Type"`
	} `yaml:"Events"`
}

func readTemplate(tree fs.FS) (samTemplate, error) {
	var template samTemplate
	src, err := fs.ReadFile(tree, "template.yaml")
	if err != nil {
		return template, fmt.Errorf("read the template: %w", err)
	}
	if err := yaml.Unmarshal(src, &template); err != nil {
		return template, fmt.Errorf("template.yaml: %w", err)
	}
	return template, nil
}

// checkNames compares in both directions: every function of the template has its folders, and every
// folder has its function.
func checkNames(tree fs.FS) ([]string, error) {
	template, err := readTemplate(tree)
	if err != nil {
		return nil, err
	}
	var violations []string
	dirs := make(map[string]bool)
	for _, id := range slices.Sorted(maps.Keys(template.Resources)) {
		if template.Resources[id].Type != "AWS::Serverless::Function" {
			continue
		}
		name, ok := strings.CutSuffix(id, "Function")
		if !ok || name == "" {
			violations = append(violations, "template.yaml: the logical ID "+id+" does not end in Function")
			continue
		}
		dirs[strings.ToLower(name)] = true
		found, err := checkFunction(tree, template, id)
		if err != nil {
			return nil, err
		}
		violations = append(violations, found...)
	}
	violations = append(violations, checkLogGroups(template)...)
	strays, err := checkUnknownFolders(tree, dirs)
	return append(violations, strays...), err
}

// checkFunction checks the binary, the log group, the routes and the events of one function.
func checkFunction(tree fs.FS, template samTemplate, id string) ([]string, error) {
	var function samFunction
	resource := template.Resources[id]
	if err := resource.Properties.Decode(&function); err != nil {
		return nil, fmt.Errorf("template.yaml: %s: %w", id, err)
	}
	violations := checkResource(template, id, function)
	name := strings.TrimSuffix(id, "Function")
	dir := strings.ToLower(name)
	for _, file := range wantedFiles(function) {
		if !exists(tree, path.Join("functions", dir, file)) {
			violations = append(violations, fmt.Sprintf("functions/%s/%s is missing; template.yaml has %s", dir, file, id))
		}
	}
	events, err := checkEvents(tree, dir, id)
	return append(violations, events...), err
}

func checkResource(template samTemplate, id string, function samFunction) []string {
	var violations []string
	if template.Resources[id].Metadata.BuildMethod != "makefile" {
		violations = append(violations, "template.yaml: "+id+" is not built by the Makefile (Metadata.BuildMethod)")
	}
	logs := strings.TrimSuffix(id, "Function") + "Logs"
	if template.Resources[logs].Type != "AWS::Logs::LogGroup" {
		violations = append(violations, "template.yaml: "+id+" has no log group "+logs)
	}
	if group := function.LoggingConfig.LogGroup; group.Tag != "!Ref" || group.Value != logs {
		violations = append(violations, "template.yaml: "+id+" does not log to !Ref "+logs)
	}
	return violations
}

// wantedFiles returns the files that a function must have. Only HTTP functions have routes.go.
func wantedFiles(function samFunction) []string {
	files := []string{"main.go"}
	for _, event := range function.Events {
		if event.Type == "HttpApi" {
			return append(files, "routes.go")
		}
	}
	return files
}

func checkEvents(tree fs.FS, dir, id string) ([]string, error) {
	cases, err := fs.Glob(tree, path.Join("events", dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	var violations []string
	if len(cases) < minEvents {
		violations = append(violations,
			fmt.Sprintf("events/%s: %d sample events (*.json) for %s, want at least %d", dir, len(cases), id, minEvents))
	}
	for _, file := range cases {
		src, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, fmt.Errorf("events: %w", err)
		}
		var event map[string]any
		if err := json.Unmarshal(src, &event); err != nil {
			violations = append(violations, fmt.Sprintf("%s: not a JSON object: %v", file, err))
		}
	}
	return violations, nil
}

func checkLogGroups(template samTemplate) []string {
	var violations []string
	for _, id := range slices.Sorted(maps.Keys(template.Resources)) {
		if template.Resources[id].Type != "AWS::Logs::LogGroup" || id == accessLogs {
			continue
		}
		name, ok := strings.CutSuffix(id, "Logs")
		if !ok || template.Resources[name+"Function"].Type != "AWS::Serverless::Function" {
			violations = append(violations, "template.yaml: the log group "+id+" belongs to no function")
		}
	}
	return violations
}

// checkUnknownFolders finds entries of functions/ and events/ without a function in the template.
func checkUnknownFolders(tree fs.FS, known map[string]bool) ([]string, error) {
	var violations []string
	for _, parent := range []string{"functions", "events"} {
		entries, err := fs.ReadDir(tree, parent)
		if errors.Is(err, fs.ErrNotExist) {
			violations = append(violations, parent+": the directory is missing")
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read a folder: %w", err)
		}
		for _, entry := range entries {
			if !known[entry.Name()] {
				violations = append(violations,
					fmt.Sprintf("%s/%s: template.yaml has no function of this name", parent, entry.Name()))
			}
		}
	}
	return violations, nil
}

func exists(tree fs.FS, file string) bool {
	_, err := fs.Stat(tree, file)
	return err == nil
}
