package main

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"go.yaml.in/yaml/v3"
)

const root = "../.."

//proves:docs/security.md
func TestCommittedDocumentIsCurrent(t *testing.T) {
	built, err := buildDocument(root)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range built.files() {
		got, err := os.ReadFile(root + "/" + file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is out of date (%v): run make generate", file, err)
		}
	}
}

func TestCommittedTableOfCodesIsCurrent(t *testing.T) {
	want, err := withErrorTable(root)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(root + "/" + errorsPage); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date (%v): run make generate", errorsPage, err)
	}
}

func TestYAMLAndJSONAreEqual(t *testing.T) {
	built, err := buildDocument(root)
	if err != nil {
		t.Fatal(err)
	}
	var fromYAML, fromJSON any
	if err := yaml.Unmarshal(built.yaml, &fromYAML); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(built.json, &fromJSON); err != nil { // JSON is YAML too
		t.Fatal(err)
	}
	if fmt.Sprint(fromYAML) != fmt.Sprint(fromJSON) {
		t.Error("openapi.yaml and openapi.json differ")
	}
}
