package main

import (
	"bytes"
	_ "embed" // frame.yaml
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"portside/shared/web"
)

//go:embed frame.yaml
var frame []byte

// object is a JSON object.
type object = map[string]any

// openAPIDocument is the complete document as YAML and as JSON, with the keys in the same order, and as a collection of
// requests.
type openAPIDocument struct{ yaml, json, collection []byte }

// files returns the content of each file that has the document, by its path in the project.
func (d openAPIDocument) files() map[string][]byte {
	return map[string][]byte{"openapi.yaml": d.yaml, "functions/system/openapi.json": d.json, collectionFile: d.collection}
}

// part is the document of one function.
type part struct {
	function string
	content  object
}

// buildDocument merges the parts of the project into the frame.
func buildDocument(root string) (openAPIDocument, error) {
	parts, err := readParts(root)
	if err != nil {
		return openAPIDocument{}, err
	}
	merged, err := readFrame()
	if err != nil {
		return openAPIDocument{}, err
	}
	for _, p := range parts {
		if err := mergePart(merged, p); err != nil {
			return openAPIDocument{}, fmt.Errorf("functions/%s: %w", p.function, err)
		}
	}
	if err := simplify(merged); err != nil {
		return openAPIDocument{}, err
	}
	if err := addExamples(merged); err != nil {
		return openAPIDocument{}, err
	}
	document, err := encode(merged)
	if err != nil {
		return openAPIDocument{}, err
	}
	document.collection, err = collectionOf(merged)
	return document, err
}

func readFrame() (object, error) {
	var merged object
	if err := yaml.Unmarshal(frame, &merged); err != nil {
		return nil, fmt.Errorf("frame.yaml: %w", err)
	}
	childObject(merged, "info")["version"] = web.ReleaseVersion
	return merged, nil
}

func readParts(root string) ([]part, error) {
	files, err := filepath.Glob(filepath.Join(root, "functions", "*", "testdata", "openapi.json"))
	if err != nil {
		return nil, fmt.Errorf("list the parts: %w", err)
	}
	parts := make([]part, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a part: %w", err)
		}
		parts[i].function = filepath.Base(filepath.Dir(filepath.Dir(file)))
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber() // keeps numbers exactly as they are
		if err := decoder.Decode(&parts[i].content); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return parts, nil
}

// childObject returns the object under a key, and creates it if it does not exist.
func childObject(parent object, key string) object {
	if c, ok := parent[key].(object); ok {
		return c
	}
	c := object{}
	parent[key] = c
	return c
}
