package api

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/local/e2e/e2etest"
)

// TestEveryListHasCursors reads all lists in the document. Each list with offsets also has cursors. Each list with
// cursors returns the next one, and refuses an invalid cursor or a cursor with an offset.
func TestEveryListHasCursors(t *testing.T) {
	p := e2etest.Shared(t)
	root := p.Admin(t)
	customer := p.CreateCustomer(t, "Cursors", "cursors")
	document := root.Get("/openapi.json").WantStatus(http.StatusOK)
	schemas := document.JSON("components.schemas").(map[string]any)
	paths := document.JSON("paths").(map[string]any)
	byCursor, byOffset := 0, 0
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		operation, isRead := paths[path].(map[string]any)["get"].(map[string]any)
		if !isRead {
			continue
		}
		has := parametersOf(operation)
		if has["offset"] && !has["cursor"] {
			t.Errorf("%s has offsets, but no cursors", path)
		}
		hasNext := slices.Contains(paginationOf(operation, schemas), "next")
		if has["cursor"] != hasNext {
			t.Errorf("%s: it takes a cursor: %v, and returns the next one: %v", path, has["cursor"], hasNext)
		}
		if !has["cursor"] {
			continue
		}
		byCursor++
		at := strings.NewReplacer("{customerId}", customer, "{name}", "product").Replace(path) + "?limit=5"
		for name, value := range map[string]string{"q": "a", "repository": "acme/api", "customerId": customer} {
			if has[name] {
				at += "&" + name + "=" + value
			}
		}
		root.Get(at+"&cursor=x").WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/cursor")
		if has["offset"] {
			byOffset++
			root.Get(at+"&offset=1&cursor=x").WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/offset")
		}
	}
	if byCursor < 15 || byOffset < 5 {
		t.Errorf("only %d lists have cursors, and %d offsets", byCursor, byOffset)
	}
}

// parametersOf returns the query parameters of an operation.
func parametersOf(operation map[string]any) map[string]bool {
	names := map[string]bool{}
	parameters, _ := operation["parameters"].([]any)
	for _, parameter := range parameters {
		if p := parameter.(map[string]any); p["in"] == "query" {
			names[p["name"].(string)] = true
		}
	}
	return names
}

// paginationOf returns the names of the pagination fields of a response, or nothing if it has none.
func paginationOf(operation, schemas map[string]any) []string {
	var node any = operation
	for _, name := range []string{"responses", "200", "content", "application/json", "schema", "properties",
		"pagination"} {
		object, _ := node.(map[string]any)
		node = object[name]
	}
	object, _ := node.(map[string]any)
	ref, _ := object["$ref"].(string)
	schema, _ := schemas[strings.TrimPrefix(ref, "#/components/schemas/")].(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}

// TestDeletionsHideNothingFromCursors deletes all items of each page before it reads the next page. With offsets, it
// would miss every second page.
func TestDeletionsHideNothingFromCursors(t *testing.T) {
	p := e2etest.Shared(t)
	root := p.Admin(t)
	customer := p.CreateCustomer(t, "Deletions", "deletions")
	const items, limit = 15, 5
	of := "/v1/customers/" + customer
	for _, list := range []struct{ list, items, body string }{
		{"/v1/users?customerId=" + customer, "/v1/users", `{"email":"` + p.Email("d%d") + `","name":"D","role":"user",` +
			`"customerId":"` + customer + `"}`},
		{"/v1/projects?customerId=" + customer, "/v1/projects", `{"name":"P%d","customerId":"` + customer + `"}`},
		{"/v1/customers?status=suspended", "/v1/customers", `{"name":"D%d","slug":"deleted-company-%[1]d","status":"suspended"}`},
		{of + "/entitlements?", of + "/entitlements", `{"artifact":"chart","repository":"c%d"}`},
		{of + "/trust-policies?", of + "/trust-policies", `{"name":"T%d","issuer":"https://issuer.example.com","audience":"a",` +
			`"scopes":["read:helm-charts"],"conditions":[{"claim":"sub","value":"x"}]}`},
	} {
		t.Run(list.list, func(t *testing.T) {
			var made, seen []string
			for i := range items {
				made = append(made, root.Post(list.items, fmt.Sprintf(list.body, i)).WantStatus(http.StatusCreated).Text("data.id"))
			}
			at := fmt.Sprintf("%s&limit=%d", list.list, limit)
			for target := at; target != ""; {
				page := root.Get(target).WantStatus(http.StatusOK)
				for i := range len(page.List("data")) {
					if id := page.Text(fmt.Sprintf("data.%d.id", i)); slices.Contains(made, id) {
						seen = append(seen, id)
						root.Delete(list.items + "/" + id).WantStatus(http.StatusNoContent)
					}
				}
				if target = ""; page.JSON("pagination.next") != nil {
					target = at + "&cursor=" + page.Text("pagination.next")
				}
			}
			if !slices.Equal(seen, made) {
				t.Errorf("the pages have %v, want %v", seen, made)
			}
		})
	}
}
