package main

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// add puts one function's paths and schemas into the whole. Two functions may share a schema, not a path: template.yaml
// sends a path to one of them.
func add(whole object, p part) error {
	components, _ := p.content["components"].(object)
	for kind := range components {
		if kind != "schemas" {
			return fmt.Errorf("has components/%s, which this command cannot merge", kind)
		}
	}
	schemas, _ := components["schemas"].(object)
	if err := join(child(child(whole, "components"), "schemas"), schemas, "schema"); err != nil {
		return err
	}
	paths, _ := p.content["paths"].(object)
	return join(child(whole, "paths"), paths, "path")
}

// join copies what is new and refuses what is there already and differs.
func join(into, from object, what string) error {
	var clashes []error
	for _, name := range slices.Sorted(maps.Keys(from)) {
		there, known := into[name]
		if known && !reflect.DeepEqual(there, from[name]) {
			clashes = append(clashes, fmt.Errorf("the %s %s differs from that of another function", what, name))
			continue
		}
		into[name] = from[name]
	}
	return errors.Join(clashes...)
}
