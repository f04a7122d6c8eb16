package main

import (
	"bytes"
	_ "embed" // the frame
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

// document is the whole description in both notations; both have one order.
type document struct{ yaml, json []byte }

// part is what one function says of itself.
type part struct {
	function string
	content  object
}

// build makes the document of the project's frame and parts.
func build(root string) (document, error) {
	parts, err := readParts(root)
	if err != nil {
		return document{}, err
	}
	whole, err := readFrame()
	if err != nil {
		return document{}, err
	}
	for _, p := range parts {
		if err := add(whole, p); err != nil {
			return document{}, fmt.Errorf("functions/%s: %w", p.function, err)
		}
	}
	if err := finish(whole); err != nil {
		return document{}, err
	}
	return encode(whole)
}

func readFrame() (object, error) {
	var whole object
	if err := yaml.Unmarshal(frame, &whole); err != nil {
		return nil, fmt.Errorf("frame.yaml: %w", err)
	}
	child(whole, "info")["version"] = web.ReleaseVersion
	return whole, nil
}

func readParts(root string) ([]part, error) {
	files, err := filepath.Glob(filepath.Join(root, "functions", "*", "testdata", "openapi.json"))
	if err != nil {
		return nil, fmt.Errorf("find the parts: %w", err)
	}
	parts := make([]part, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a part: %w", err)
		}
		parts[i].function = filepath.Base(filepath.Dir(filepath.Dir(file)))
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber() // no number may change on its way through
		if err := decoder.Decode(&parts[i].content); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return parts, nil
}

// child returns the object under a key, which it makes where there is none.
func child(parent object, key string) object {
	if c, ok := parent[key].(object); ok {
		return c
	}
	c := object{}
	parent[key] = c
	return c
}
