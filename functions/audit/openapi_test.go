package main

import (
	"reflect"
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
func TestKindsOfActorsMatchTheEvents(t *testing.T) {
	actors, _ := reflect.TypeFor[AuditActor]().FieldByName("Kind")
	want := []audit.ActorKind{audit.Person, audit.Workload, audit.Schedule, audit.Operator, audit.Anonymous}
	for i, kind := range strings.Split(actors.Tag.Get("enum"), ",") {
		if i >= len(want) || kind != string(want[i]) {
			t.Errorf("the kind of an actor %d is %s", i, kind)
		}
	}
}
