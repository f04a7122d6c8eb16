package main

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// mergePart adds the paths and schemas of one function. Two functions may share a schema but not a
// path, because template.yaml routes a path to one function.
func mergePart(merged object, p part) error {
	components, _ := p.content["components"].(object)
	for kind := range components {
		if kind != "schemas" {
			return fmt.Errorf("it has components/%s, but this command can merge only schemas", kind)
		}
	}
	schemas, _ := components["schemas"].(object)
	if err := mergeObjects(childObject(childObject(merged, "components"), "schemas"), schemas, "schema"); err != nil {
		return err
	}
	paths, _ := p.content["paths"].(object)
	return mergeObjects(childObject(merged, "paths"), paths, "path")
}

// mergeObjects copies new members and rejects existing members that differ.
func mergeObjects(into, from object, what string) error {
	var clashes []error
	for _, name := range slices.Sorted(maps.Keys(from)) {
		existing, exists := into[name]
		if exists && !reflect.DeepEqual(existing, from[name]) {
			clashes = append(clashes, fmt.Errorf("the %s %s differs from that of another function", what, name))
			continue
		}
		into[name] = from[name]
	}
	return errors.Join(clashes...)
}
