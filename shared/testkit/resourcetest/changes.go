package resourcetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"portside/shared/core/versions"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/fieldstest"
)

func (f *fixture) testStaleChangesFail() {
	ctx := f.t.Context()
	f.create(8)
	first := f.create(0)
	second, err := f.Update(ctx, first, f.changed(first, 1))
	if err != nil || second.Version != 2 || second.Number != first.Number {
		f.t.Fatalf("changed: %+v, %v", second, err)
	}
	wantStale := func(what string, r Resource) {
		f.t.Helper()
		_, err := f.Update(ctx, r, f.changed(r, 2))
		f.wantError("change of "+what, err, versions.ErrStale)
		f.wantError("deletion of "+what, f.Delete(ctx, r, noon()), versions.ErrStale)
	}
	wantStale("an old version", first)
	f.wantSame("the resource", f.mustGet(first.ID), second)
	f.wantCount(2)
	f.wantError("deletion", f.Delete(ctx, second, noon()), nil)
	wantStale("a deleted resource", second)
	_, err = f.Get(ctx, first.ID)
	f.wantError("a deleted resource", err, f.NotFound)
	_, err = f.Get(ctx, "unknown")
	f.wantError("an unknown resource", err, f.NotFound)
	f.wantCount(1)
}

// testFields stores a resource with all fields, and then empties all fields that may be empty.
func (f *fixture) testFields() {
	ctx, r := f.t.Context(), f.newResource(0)
	r.Value = f.Filled(f.t)
	if f.Customers != nil {
		r.Customer = f.Customers[1]
	}
	full := f.store(r)
	fieldstest.WantSame(f.t, "the stored form", f.mustGet(full.ID).Value, full.Value)
	page, err := f.List(ctx, Query{Limit: 1})
	if err != nil || len(page.Resources) != 1 {
		f.t.Fatalf("%+v, %v", page, err)
	}
	listed, carried := reflect.ValueOf(page.Resources[0].Value), 0
	for field, stored := range reflect.ValueOf(full.Value).Fields() {
		if value := listed.FieldByIndex(field.Index); !value.IsZero() {
			carried++
			if !reflect.DeepEqual(value.Interface(), stored.Interface()) {
				f.t.Errorf("lists show the field %s as %v, want %v", field.Name, value, stored)
			}
		}
	}
	if carried != len(f.Form) {
		f.t.Errorf("lists show %d fields, want %d: %v", carried, len(f.Form), f.Form)
	}
	f.wantAuditedFields(reflect.ValueOf(full.Value))
	bare := full
	bare.Customer, bare.UpdatedAt, bare.Value = "", noon().Add(time.Hour), f.Emptied(full.Value)
	if bare, err = f.Update(ctx, full, bare); err != nil {
		f.t.Fatal(err)
	}
	fieldstest.WantSame(f.t, "the change that empties fields", f.mustGet(full.ID).Value, bare.Value)
	f.wantCount(1)
}

// wantAuditedFields names each field of a new resource whose texts or numbers are not in the audit event.
func (f *fixture) wantAuditedFields(value reflect.Value) {
	f.t.Helper()
	audited := map[any]bool{}
	for _, event := range audittest.Events(f.t, f.Client, f.Log) {
		addScalars(audited, event.After)
	}
	for field, stored := range value.Fields() {
		scalars := map[any]bool{}
		addScalars(scalars, stored.Interface())
		for scalar, isSet := range scalars {
			if isSet && !audited[scalar] && !slices.Contains(f.Unaudited, field.Name) {
				f.t.Errorf("the audit event of a creation lacks the field %s of %s: %v", field.Name, value.Type(), scalar)
			}
		}
	}
}

// addScalars adds all texts and numbers in the JSON of a value, with whether they differ from 0.
func addScalars(all map[any]bool, value any) {
	var decoded any
	if encoded, err := json.Marshal(value); err == nil {
		_ = json.Unmarshal(encoded, &decoded) // JSON that was just encoded
	}
	var visit func(any)
	visit = func(part any) {
		switch part := part.(type) {
		case map[string]any:
			for _, element := range part {
				visit(element)
			}
		case []any:
			for _, element := range part {
				visit(element)
			}
		case string, float64:
			all[part] = part != 0.0
		}
	}
	visit(decoded)
}

// testAudit expects an event for each change, and none for a change that fails. check compares the fields of the events
// with each other.
func (f *fixture) testAudit() {
	ctx := f.t.Context()
	first := f.create(0)
	second, err := f.Update(ctx, first, f.changed(first, len(f.Labels)-2))
	f.wantError("change", err, nil)
	_, err = f.Update(ctx, first, f.changed(first, 2))
	f.wantError("stale change", err, versions.ErrStale)
	f.check()
	f.wantError("deletion", f.Delete(ctx, second, noon()), nil)
	f.wantCount(0)
	var got []string
	for _, event := range audittest.Events(f.t, f.Client, f.Log) {
		got = append(got, fmt.Sprint(event.Action, event.Target.ID, len(event.Before) > 0, len(event.After) > 0))
	}
	want := []string{
		fmt.Sprint(f.Created, first.ID, false, true), fmt.Sprint(f.Updated, first.ID, true, true),
		fmt.Sprint(f.Deleted, first.ID, true, false),
	}
	if !slices.Equal(got, want) {
		f.t.Errorf("the events are %v, want %v", got, want)
	}
	shown := map[any]bool{}
	addScalars(shown, audittest.Events(f.t, f.Client, f.Log)[1].After)
	if !f.IsUnnamed && !shown[second.Name] || !shown[second.Label] {
		f.t.Errorf("the event of the change has %v, want %q and %q", shown, second.Name, second.Label)
	}
}
