package main

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	coreaudit "portside/shared/core/audit"
	"portside/shared/core/paging"
	"portside/shared/core/principal"
)

const path = "/v1/audit"

func TestListOfTheStory(t *testing.T) {
	s := newTestService(t)
	reader := s.as(principal.Manager)
	reader.Get(path).WantStatus(http.StatusOK).WantValue("data", []any{}).WantValue("pagination.hasMore", false)
	s.story()
	for query, want := range map[string]string{
		"":                         "table.rebuild user.update user.create customer.update",
		"?order=oldest":            "customer.update user.create user.update table.rebuild",
		"?action=user.*":           "user.update user.create",
		"?action=user.create":      "user.create",
		"?actorId=" + root:         "user.update customer.update",
		"?target=user:" + bob:      "user.update user.create",
		"?target=table:UsersTable": "table.rebuild",
		"?customerId=" + acme:      "user.update user.create customer.update",
		"?actorId=" + ada + "&customerId=" + acme + "&action=user.*": "user.create",
		"?target=user:" + strings.ToUpper(bob):                       "user.update user.create",
		"?from=2026-11-21T13:30:00Z&to=2026-11-21T14:30:00.125431Z":  "user.create",
		"?from=2026-11-21T13:30:00Z&to=2026-11-21T14:30:00.125432Z":  "user.update user.create",
		"?to=2026-11-20":                  "",
		"?limit=3":                        "table.rebuild user.update user.create",
		"?action=trust_policy.*":          "",
		"?target=credential:3vQB7B6MrGQZ": "", "?target=session:8kTr2wq9XcPL": "", "?target=passkey:" + bob: "",
	} {
		response := reader.Get(path + query).WantStatus(http.StatusOK)
		if got := actions(t, response.Body); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	reader.Get(path+"?action=user.update").WantStatus(http.StatusOK).WantValue("data", []any{map[string]any{
		"id": "0660ca321473f7-aaaaaaaaaaaaaaaaaaaaaaaaad", "time": "2026-11-21T14:30:00.125431Z", "action": "user.update",
		"actor": map[string]any{
			"kind": "user", "id": root, "customerId": nil, "credentialId": "8kTr2wq9XcPL", "name": nil, "address": "198.51.100.4",
		},
		"target": map[string]any{"kind": "user", "id": bob, "name": "bob@acme.example"}, "customerId": acme, "requestId": "Xb1yTh6xIAMEVqc=",
		"before": map[string]any{"role": "user"}, "after": map[string]any{"role": "manager"},
	}})
}

// actions returns the actions of a page.
func actions(t *testing.T, page []byte) string {
	t.Helper()
	var body struct{ Data []struct{ Action string } }
	if err := json.Unmarshal(page, &body); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range body.Data {
		all = append(all, e.Action)
	}
	return strings.Join(all, " ")
}

func TestPagesFollowEachOther(t *testing.T) {
	s := newTestService(t)
	s.story()
	reader := s.as(principal.Admin)
	for _, order := range []string{"newest", "oldest"} {
		var all []string
		next := path + "?limit=1&order=" + order
		for range 4 {
			page := reader.Get(next).WantStatus(http.StatusOK)
			all = append(all, actions(t, page.Body))
			link, _, _ := strings.Cut(strings.TrimPrefix(page.Header.Get("Link"), "<"), ">")
			next = link
		}
		want := []string{"table.rebuild", "user.update", "user.create", "customer.update"}
		if order == "oldest" {
			slices.Reverse(want)
		}
		if !slices.Equal(all, want) || next != "" {
			t.Errorf("%s: got %v, then %q", order, all, next)
		}
	}
}

func TestCursorsBelongToOneList(t *testing.T) {
	s := newTestService(t)
	s.story()
	reader := s.as(principal.Admin)
	next := url.QueryEscape(reader.Get(path + "?limit=1").Text("pagination.next"))
	reader.Get(path + "?limit=2&cursor=" + next).WantStatus(http.StatusOK)
	for _, query := range []string{
		"?order=oldest&cursor=" + next, "?action=user.*&cursor=" + next, "?actorId=" + ada + "&cursor=" + next,
		"?target=user:" + bob + "&cursor=" + next,
		"?customerId=" + acme + "&cursor=" + next, "?from=2026-11-20&cursor=" + next, "?cursor=x", "?cursor=" + next[1:],
		"?cursor=" + next + "A", "?cursor=" + strings.Repeat("A", 4097),
	} {
		reader.Get(path+query).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/cursor")
	}
	s.as(principal.Admin).Get(path + "?cursor=" + next).WantStatus(http.StatusBadRequest)
}

func TestInvalidFilters(t *testing.T) {
	reader := newTestService(t).as(principal.Admin)
	for query, pointer := range map[string]string{
		"action=user": "action", "action=*": "action", "action=user.rename": "action", "action=user.update,user.create": "action",
		"target=user": "target", "target=user:": "target", "target=house:1": "target", "target=user:a%20b": "target", "target=user:%C3%A9": "target",
		"target=user:foo": "target", "target=customer:acme-shipping": "target", "target=user:bob@acme.example": "target",
		"target=project:" + bob + "x": "target", "target=entitlement:": "target", "target=passkey:" + bob[1:]: "target",
		"target=credential_request:1": "target", "target=trust_policy:x" + bob: "target", "target=credential:": "target",
		"target=table:" + strings.Repeat("x", 300): "target", "actorId=ada": "actorId", "customerId=acme": "customerId", "order=up": "order",
		"from=yesterday": "from", "to=2026-13-01": "to", "from=2026-11-22&to=2026-11-21": "from", "from=2025-01-01": "from", "limit=101": "limit",
		"limit=0": "limit", "actor=x": "actor", "from=2026-11-20&from=2026-11-21": "from", "action=": "action",
	} {
		reader.Get(path+"?"+query).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/"+pointer)
	}
}

func TestListAsCSVAndJSONLines(t *testing.T) {
	s := newTestService(t)
	s.story()
	reader := s.as(principal.Admin)
	table := reader.With("Accept", "text/csv").Get(path+"?limit=2").WantStatus(http.StatusOK).
		WantHeader("Content-Type", "text/csv")
	if table.Header.Get("Link") == "" {
		t.Error("the table has no next page")
	}
	records, err := csv.NewReader(strings.NewReader(string(table.Body))).ReadAll()
	if err != nil || len(records) != 3 || len(records[0]) != 16 {
		t.Fatal(records, err)
	}
	want := []string{
		"2026-11-21T14:30:00.125431Z", "user.update", "user", root, "", "8kTr2wq9XcPL", "", "198.51.100.4", "user", bob, "bob@acme.example",
		acme, "Xb1yTh6xIAMEVqc=", `{"role":"user"}`, `{"role":"manager"}`,
	}
	if !slices.Equal(records[2][1:], want) || records[1][7] != "'=ops" {
		t.Errorf("got %q", records)
	}
	lines := reader.With("Accept", "application/x-ndjson").Get(path).WantStatus(http.StatusOK).
		WantHeader("Content-Type", "application/x-ndjson")
	var actions []string
	for line := range strings.Lines(string(lines.Body)) {
		var e AuditEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		actions = append(actions, string(e.Action))
	}
	if got := strings.Join(actions, " "); got != "table.rebuild user.update user.create customer.update" {
		t.Errorf("got %s", got)
	}
}

// TestCustomersSeeOnlyTheirEvents also checks that nothing in a response names the vendor's people or the operator.
//
//proves:docs/security.md
func TestCustomersSeeOnlyTheirEvents(t *testing.T) {
	s := newTestService(t)
	s.story()
	s.add(coreaudit.Event{
		Time: now.Add(-time.Minute), Action: coreaudit.SessionCreated,
		Target: coreaudit.Target{Kind: coreaudit.Session, ID: "s"},
		Actor:  coreaudit.Actor{Kind: coreaudit.Person, ID: ada, CustomerID: acme},
	})
	for _, role := range []principal.Role{principal.Admin, principal.Manager} {
		own := s.of(role, acme)
		for query, want := range map[string]string{
			"": "user.update user.create customer.update", "?customerId=" + acme: "user.update user.create customer.update",
			"?customerId=" + bolt: "", "?actorId=" + ada: "user.create", "?actorId=" + root: "", "?target=table:UsersTable": "",
			"?action=customer.*": "customer.update", "?target=user:" + bob: "user.update user.create",
		} {
			response := own.Get(path+query).WantStatus(http.StatusOK).WantValue("pagination.hasMore", false)
			if got := actions(t, response.Body); got != want {
				t.Errorf("%s: got %q, want %q", query, got, want)
			}
			for _, secret := range []string{root, "8kTr2wq9XcPL", "198.51.100.4", "ops", "C-18"} {
				if strings.Contains(string(response.Body), secret) {
					t.Errorf("%s: the response has %q: %s", query, secret, response.Body)
				}
			}
		}
		own.Get(path+"?action=user.update").WantValue("data.0.actor", map[string]any{
			"kind": "user", "id": nil, "customerId": nil, "credentialId": nil, "name": nil, "address": nil,
		}).WantValue("data.0.after.role", "manager")
		own.Get(path+"?action=user.create").WantValue("data.0.actor.id", ada).WantValue("data.0.actor.address", "203.0.113.9")
		own.Get(path+"?action=customer.update").
			WantValue("data.0.after", map[string]any{"limits": map[string]any{"users": 60.0}})
		s.of(role, bolt).Get(path).WantStatus(http.StatusOK).WantValue("data", []any{})
	}
}

// FuzzCursor checks that a cursor is either refused or a position of bounded length.
func FuzzCursor(f *testing.F) {
	in := &listInput{}
	first := in.Pagination("0660ca321473f7-aaaaaaaaaaaaaaaaaaaaaaaaad")
	f.Add(*first.Next)
	f.Add(*in.Pagination("0660ca321473f7").Next)
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, cursor string) {
		in := &listInput{}
		in.Cursor = cursor
		after, err := in.after()
		if err != nil || cursor == "" {
			return
		}
		if !after.IsValid() || len(after) > 41 {
			t.Errorf("%q is the position %q", cursor, after)
		}
		if back := in.Pagination(paging.Position(after)); *back.Next != cursor {
			t.Errorf("%q becomes %q", cursor, *back.Next)
		}
	})
}
