package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestCollectionHasEveryOperationForPrograms compares the requests with the operations of the document, and checks that
// each can be sent.
func TestCollectionHasEveryOperationForPrograms(t *testing.T) {
	built, err := buildDocument(root)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths map[string]map[string]struct {
			Security []map[string]any `json:"security"`
		} `json:"paths"`
	}
	var found collection
	if err := json.Unmarshal(built.json, &document); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(built.collection, &found); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for path, operations := range document.Paths {
		for method, o := range operations {
			if isOnlyForPages := len(o.Security) > 0 && o.Security[0]["session"] != nil; !isOnlyForPages {
				want[strings.ToUpper(method)+" {{baseUrl}}"+strings.NewReplacer("{", ":", "}", "").Replace(path)] = true
			}
		}
	}
	for _, folder := range found.Folders {
		for _, each := range folder.Requests {
			key := each.Request.Method + " " + each.Request.URL.Raw
			if !want[key] {
				t.Errorf("%s: %q is not an operation for programs, or it is there twice", folder.Name, key)
			}
			delete(want, key)
			checkRequest(t, each.Request)
		}
	}
	for key := range want {
		t.Run(key, func(t *testing.T) {
			t.Errorf("the collection has no %s", key)
		})
	}
}

// checkRequest checks that the body is JSON and that the path has the variables.
func checkRequest(t *testing.T, r request) {
	t.Helper()
	if r.Body != nil && r.Body.Mode == "raw" && !json.Valid([]byte(r.Body.Raw)) {
		t.Errorf("%s: the body is not JSON: %s", r.URL.Raw, r.Body.Raw)
	}
	for _, v := range r.URL.Variables {
		if !strings.Contains(r.URL.Raw, ":"+v.Key) {
			t.Errorf("%s has no %s", r.URL.Raw, v.Key)
		}
	}
}
