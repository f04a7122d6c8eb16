package invariants

import "portside/shared/testkit/liststest"

// How the tables keep users, projects and customers.
var (
	userShape = liststest.Shape{
		Kind: "user", Lists: "users", Form: []string{"id", "email", "name", "customer", "role", "status", "created"},
		Owner: "user", Markers: []liststest.Marker{{Kind: "email", Attribute: "email"}},
		Label: "role", Labels: []string{"admin", "manager", "user", "viewer"},
		State: "status", States: []string{"active", "pending", "inactive", "suspended"},
	}
	projectShape = liststest.Shape{
		Kind: "project", Lists: "projects",
		Form:  []string{"id", "name", "description", "status", "customer", "owner", "created"},
		Label: "status", Labels: []string{"draft", "active", "on_hold", "completed", "archived"},
	}
	customerShape = liststest.Shape{
		Kind: "customer", Lists: "customers", Form: []string{"id", "name", "slug", "status", "externalId", "created"},
		Owner: "customer",
		Markers: []liststest.Marker{
			{Kind: "slug", Attribute: "slug"}, {Kind: "external", Attribute: "externalId"},
		},
		Label: "status", Labels: []string{"active", "suspended"},
	}
)

// checkResources compares the markers, lists, counters, search terms and the sequence of numbers with the resources,
// and the other entries of found with wanted. No two idempotency keys have created the same resource.
func (r *report) checkResources(s liststest.Shape, all []row, wanted, found map[string]string) {
	items, effects := make([]liststest.Item, len(all)), map[string]string{}
	for i, item := range all {
		if items[i] = item.raw; item.kind() == "once" {
			checkEffect(r, s.Lists, effects, item)
		}
	}
	for _, problem := range s.Compare(items, wanted, found) {
		r.add("%s: %s", s.Lists, problem)
	}
}
