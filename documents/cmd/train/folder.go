package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

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
	found, errs := make([][]*example, len(paths)), make([]error, len(paths))
	inParallel(len(paths), func(i int) { found[i], errs[i] = readTruth(ctx, paths[i]) })
	return slices.Concat(found...), errors.Join(errs...)
}

// inParallel calls do with each number below n, as many at a time as there are processors.
func inParallel(n int, do func(i int)) {
	var running sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		running.Go(func() {
			free <- struct{}{}
			do(i)
			<-free
		})
	}
	running.Wait()
}

// readTruth reads a document and asks for the variables of the JSON file beside it.
func readTruth(ctx context.Context, path string) ([]*example, error) {
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
	return readFile(ctx, document, source{set: t.Set, family: cmp.Or(t.Family, filepath.Base(document))}, list)
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
	add("described ", "q1", v.EN) // by the description alone
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
