package main

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portside/shared/core/audit"
	"portside/shared/testkit/webtest"
)

// The golden file is this function's part of openapi.yaml; `make generate` merges the parts.
func TestDocument(t *testing.T) {
	document, err := routes(&handlers{}, nil).Document()
	if err != nil {
		t.Fatal(err)
	}
	webtest.GoldenJSON(t, "openapi.json", document)
}

// The tags of fields cannot use constants.
func TestKindsMatchTheEvents(t *testing.T) {
	field, _ := reflect.TypeFor[listInput]().FieldByName("Target")
	var kinds []string
	for _, group := range regexp.MustCompile(`\(([a-z_|]+)\)`).FindAllStringSubmatch(field.Tag.Get("pattern"), -1) {
		kinds = append(kinds, strings.Split(group[1], "|")...)
	}
	for _, action := range audit.Actions() {
		kind, _, _ := strings.Cut(string(action), ".")
		if !slices.Contains(kinds, kind) {
			t.Errorf("target does not accept the kind %s of the action %s", kind, action)
		}
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return k == kind })
		kinds = append(kinds, kind)
	}
	actors, _ := reflect.TypeFor[AuditActor]().FieldByName("Kind")
	want := []audit.ActorKind{audit.Person, audit.Workload, audit.Schedule, audit.Operator, audit.Anonymous}
	for i, kind := range strings.Split(actors.Tag.Get("enum"), ",") {
		if i >= len(want) || kind != string(want[i]) {
			t.Errorf("the kind of an actor %d is %s", i, kind)
		}
	}
}
