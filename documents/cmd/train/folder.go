package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"portside/documents/answers"
)

// truth is the JSON file beside a document.
type truth struct {
	Set    string                   `json:"set"`
	Family string                   `json:"family"`
	Vars   map[string]truthVariable `json:"vars"`
}

// truthVariable is a variable with its values and its wordings.
type truthVariable struct {
	Type   answers.Type `json:"type"`
	Match  string       `json:"match"`
	Truth  []any        `json:"truth"`
	EN     string       `json:"en"`    // description
	Short  string       `json:"short"` // a label
	DE     string       `json:"de"`
	NameDE string       `json:"name_de"`
}

// readFolder reads a folder of documents with their answers.
func readFolder(ctx context.Context, dir string) ([]*example, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []*example
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var t truth
		if err := json.Unmarshal(data, &t); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		var list []asked
		for _, name := range slices.Sorted(maps.Keys(t.Vars)) {
			list = append(list, t.Vars[name].asked(name)...)
		}
		document := strings.TrimSuffix(path, ".json")
		more, err := readFile(ctx, document, source{set: t.Set, family: cmp.Or(t.Family, filepath.Base(document))}, list)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// asked returns the variable in all wordings, which share its weight.
func (v truthVariable) asked(name string) []asked {
	right := make([]string, len(v.Truth))
	for i, value := range v.Truth {
		right[i] = fmt.Sprint(value)
	}
	var all []asked
	add := func(wording, name, description string) {
		variable := answers.Variable{Name: name, Type: v.Type, Description: description}
		all = append(all, asked{wording: wording, variable: variable, match: v.Match, right: right})
	}
	add("", name, v.EN)
	add("name ", name, "")
	if v.Short != "" {
		add("short ", name, v.Short)
	}
	if v.DE != "" {
		add("german ", v.NameDE, v.DE)
	}
	for i := range all {
		all[i].weight = 1 / float64(len(all))
	}
	return all
}
