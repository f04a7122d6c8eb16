package web

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"portside/shared/core/fault"
)

// nameKnownFields adds the known fields of the object to each failure about an unknown one.
func (in *input) nameKnownFields(errs []error) []error {
	named := slices.Clone(errs)
	for i, err := range errs {
		var detail *huma.ErrorDetail
		if in.bodyType == nil || !errors.As(err, &detail) || detail.Message != validation.MsgUnexpectedProperty {
			continue
		}
		pointer := pointerOf(detail.Location)
		if known := knownFields(in.bodyType, pointer); len(known) > 0 {
			named[i] = failure{fault.Field{Pointer: pointer, Detail: detail.Message + "; known are " + strings.Join(known, ", ")}}
		}
	}
	return named
}

// knownFields returns the names of the fields of the object that contains the value at a pointer, or nil if its type
// does not have them.
func knownFields(t reflect.Type, pointer string) (names []string) {
	parts := strings.Split(pointer, "/")
	for _, part := range parts[1 : len(parts)-1] {
		t = inner(t, part)
	}
	if t = structOf(t); t == nil {
		return nil
	}
	for _, f := range reflect.VisibleFields(t) {
		if name := jsonName(f); name != "" && f.Tag.Get("hidden") == "" {
			names = append(names, name)
		}
	}
	return names
}

// inner returns the type of a field or of the elements of a type, or nil if it has none.
func inner(t reflect.Type, name string) reflect.Type {
	if object := structOf(t); object != nil {
		for _, f := range reflect.VisibleFields(object) {
			if jsonName(f) == name {
				return f.Type
			}
		}
		return nil
	}
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) {
		return t.Elem()
	}
	return nil
}

// structOf returns the struct that a type is or points to, or nil.
func structOf(t reflect.Type) reflect.Type {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}

// jsonName returns the name of a field in JSON, or "" if it has none.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	return name
}
