package trust_test

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/testkit/fieldstest"
	"portside/shared/trust"
)

func TestInput(t *testing.T) {
	wantPointers(t, []inputCase{
		{func(n *trust.New) { n.Name = "  " }, "/name"},
		{func(n *trust.New) { n.Name = strings.Repeat("é", 101) }, "/name"},
		{func(n *trust.New) { n.Issuer = "http://example.com" }, "/issuer"},
		{func(n *trust.New) { n.Issuer = "https://" }, "/issuer"},
		{func(n *trust.New) { n.Issuer = "https://example.com?x=1" }, "/issuer"},
		{func(n *trust.New) { n.Issuer = "https://example.com#x" }, "/issuer"},
		{func(n *trust.New) { n.Issuer = "https://ada@example.com" }, "/issuer"},
		{func(n *trust.New) { n.Issuer = "https://example.com/ x" }, "/issuer"},
		{func(n *trust.New) { n.Issuer = "https://example.com/" + strings.Repeat("x", 236) }, "/issuer"},
		{func(n *trust.New) { n.Issuer = "https://example.com:6443/id/3F" }, ""},
		{func(n *trust.New) { n.Audience = "" }, "/audience"},
		{func(n *trust.New) { n.Audience = "a b" }, "/audience"},
		{func(n *trust.New) { n.Scopes = nil }, "/scopes"},
		{func(n *trust.New) { n.Scopes = []principal.Scope{"write:all"} }, "/scopes/0"},
		{func(n *trust.New) { n.MaxMinutes = 61 }, "/maxMinutes"},
		{func(n *trust.New) { n.MaxMinutes = -1 }, "/maxMinutes"},
		{func(n *trust.New) { n.Keys = "{}" }, "/jwks"},
		{func(n *trust.New) { n.Keys += strings.Repeat(" ", 32<<10) }, "/jwks"},
		{func(n *trust.New) { n.Keys += strings.Repeat(" ", 32<<10-len(n.Keys)) }, ""},
		{func(n *trust.New) { n.Keys = "" }, ""},
	})
}

func TestConditionsOfInput(t *testing.T) {
	conditions := func(all ...trust.Condition) func(*trust.New) { return func(n *trust.New) { n.Conditions = all } }
	wantPointers(t, []inputCase{
		{conditions(), "/conditions"},
		{conditions(make([]trust.Condition, 0)...), "/conditions"},
		{conditions(trust.Condition{Values: []string{"x"}}), "/conditions/0/claim"},
		{conditions(trust.Condition{Claim: "/", Values: []string{"x"}}), "/conditions/0/claim"},
		{conditions(trust.Condition{Claim: "iss", Values: []string{"x"}}), "/conditions/0/claim"},
		{conditions(trust.Condition{Claim: "/aud/0", Values: []string{"x"}}), "/conditions/0/claim"},
		{conditions(trust.Condition{Claim: strings.Repeat("x", 101), Values: []string{"x"}}), "/conditions/0/claim"},
		{conditions(trust.Condition{Claim: "sub"}), "/conditions/0/values"},
		{conditions(is("sub", make([]string, 11)...)), "/conditions/0/values"},
		{conditions(is("sub", "repo:acme/app:*", "")), "/conditions/0/values/1"},
		{conditions(is("sub", "repo:acme/app:*", "*:/@*")), "/conditions/0/values/1"},
		{conditions(is("sub", "repo:acme/app:x\nrepo:*/*:x")), "/conditions/0/value"},
		{conditions(is("sub", "")), "/conditions/0/value"},
		{conditions(is("ref", "refs/heads/main", "refs/heads/next"), is("repository_id", "74")), ""},
		{conditions(is("ref", "refs/heads/main")), "/conditions"},
		{conditions(is("repository_id", "74", "*")), "/conditions/0/values/1"},
		{conditions(is("repository_id", "74", "7*")), "/conditions"},
		{conditions(trust.Condition{Claim: "sub", Values: []string{"*"}}), "/conditions/0/value"},
		{conditions(trust.Condition{Claim: "sub", Values: []string{"*:*"}}), "/conditions/0/value"},
		{conditions(trust.Condition{Claim: "sub", Values: []string{strings.Repeat("x", 256)}}), "/conditions/0/value"},
		{func(n *trust.New) {
			n.Issuer, n.Conditions = cluster, []trust.Condition{is("/kubernetes.io/namespace", "acme")}
		}, ""},
	})
}

// inputCase is a change of a valid input, and the pointer of the failure, which is empty if the input is still valid.
type inputCase struct {
	change  func(*trust.New)
	pointer string
}

func wantPointers(t *testing.T, cases []inputCase) {
	t.Helper()
	f := newFixture(t)
	for _, c := range cases {
		input := f.github()
		c.change(&input)
		f.meter.Reset()
		_, err := f.tryCreate(acme, "", input)
		switch {
		case c.pointer == "" && err != nil:
			t.Errorf("%+v: %v", input, err)
		case c.pointer != "":
			wantInvalid(t, err, c.pointer)
			if f.meter.Calls() != 0 {
				t.Errorf("%d calls", f.meter.Calls())
			}
		}
	}
}

func TestCreatedPoliciesAreListedInOrder(t *testing.T) {
	f := newFixture(t)
	input := f.github()
	input.Name, input.MaxMinutes = " Builds ", 5
	f.now = noon.Add(1_500_000) // 1.5 ms
	first, second := f.create(input), f.create(f.github())
	fieldstest.WantFilled(t, "the test", first)
	all := f.list()
	if len(all) != 2 || !reflect.DeepEqual(all[0], first) || !reflect.DeepEqual(all[1], second) {
		t.Fatalf("listed %+v", all)
	}
	if at := noon.Add(time.Millisecond); first.Name != "Builds" || first.MaxMinutes != 5 || first.CreatedAt != at ||
		first.UpdatedAt != at ||
		first.CustomerID != acme || first.Version != 1 || second.MaxMinutes != trust.DefaultMinutes {
		t.Errorf("created %+v and %+v", first, second)
	}
	got, err := f.Get(t.Context(), staff, acme, second.ID)
	if err != nil || !reflect.DeepEqual(got, second) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWhoSeesPolicies(t *testing.T) {
	f := newFixture(t)
	made := f.create(f.github())
	person := func(customerID string) principal.Principal {
		return principal.Principal{UserID: "ada", CustomerID: customerID, Role: principal.Admin}
	}
	for _, c := range []struct {
		name       string
		caller     principal.Principal
		customerID string
		listed     int
		list, get  error
	}{
		{"staff", staff, acme, 1, nil, nil},
		{"the customer", person(acme), acme, 1, nil, nil},
		{"another customer", person(other), acme, 0, trust.ErrNoCustomer, trust.ErrNoCustomer},
		{"staff, of another customer", staff, other, 0, nil, trust.ErrNotFound},
		{"another customer, as its own", person(other), other, 0, nil, trust.ErrNotFound},
		{"staff, of nobody", staff, gone, 0, trust.ErrNoCustomer, trust.ErrNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := f.List(t.Context(), c.caller, c.customerID)
			wantError(t, c.name+" lists", err, c.list)
			if len(all) != c.listed {
				t.Errorf("%s lists %+v", c.name, all)
			}
			_, err = f.Get(t.Context(), c.caller, c.customerID, made.ID)
			wantError(t, c.name+" gets", err, c.get)
		})
	}
}

func TestUpdate(t *testing.T) {
	f := newFixture(t)
	made := f.create(f.github())
	f.now = noon.Add(time.Hour)
	name, keys := "Deployments", ""
	updated, err := f.Update(t.Context(), target(made.ID), trust.Change{Name: &name, Keys: &keys})
	if err != nil || updated.Version != 2 || updated.UpdatedAt != f.now || updated.Name != name || updated.Keys != "" ||
		updated.Issuer != issuer || updated.CreatedAt != noon {
		t.Errorf("%+v, %v", updated, err)
	}
	if all := f.list(); len(all) != 1 || !reflect.DeepEqual(all[0], updated) {
		t.Errorf("listed %+v", all)
	}
	f.meter.Reset()
	same, err := f.Update(t.Context(), target(made.ID), trust.Change{Name: &name})
	if err != nil || same.Version != 2 || f.meter.Calls() != 1 || f.meter.WriteUnits() != 0 {
		t.Errorf("without effect: %+v, %v, %d calls", same, err, f.meter.Calls())
	}
	minutes := 0
	_, err = f.Update(t.Context(), target(made.ID), trust.Change{MaxMinutes: &minutes})
	wantInvalid(t, err, "/maxMinutes")
	elsewhere := trust.Target{Target: versions.Target{ID: made.ID}, CustomerID: other}
	_, err = f.Update(t.Context(), elsewhere, trust.Change{Name: &name})
	wantError(t, "update with another customer", err, trust.ErrNotFound)
	wantError(t, "deletion with another customer", f.Delete(t.Context(), elsewhere), trust.ErrNotFound)
}

func TestUnwantedVersionsAreNotChanged(t *testing.T) {
	f := newFixture(t)
	made := f.create(f.github())
	only := func(wanted int64) trust.Target {
		accepts := func(version int64) bool { return version == wanted }
		return trust.Target{Target: versions.Target{ID: made.ID, IfMatch: accepts}, CustomerID: acme}
	}
	name := "c"
	_, err := f.Update(t.Context(), only(2), trust.Change{Name: &name})
	wantError(t, "update of another version", err, versions.ErrMismatch)
	_, err = f.Update(t.Context(), only(1), trust.Change{Name: &name})
	wantError(t, "update of the version", err, nil)
	wantError(t, "deletion of an old version", f.Delete(t.Context(), only(1)), versions.ErrMismatch)
	wantError(t, "deletion of the version", f.Delete(t.Context(), only(2)), nil)
	wantError(t, "second deletion", f.Delete(t.Context(), target(made.ID)), trust.ErrNotFound)
	if all := f.list(); len(all) != 0 {
		t.Errorf("left %+v", all)
	}
}

func TestIdempotencyKeyIsReplayed(t *testing.T) {
	f := newFixture(t)
	first, err := f.tryCreate(acme, "key", f.github())
	if err != nil || first.Replayed {
		t.Fatal(first, err)
	}
	name := "changed"
	if _, err := f.Update(t.Context(), target(first.Policy.ID), trust.Change{Name: &name}); err != nil {
		t.Fatal(err)
	}
	f.now = noon.Add(time.Hour)
	again, err := f.tryCreate(acme, "key", f.github())
	if err != nil || !again.Replayed || !reflect.DeepEqual(again.Policy, first.Policy) {
		t.Errorf("replayed %+v, %v", again, err)
	}
	input := f.github()
	input.MaxMinutes = 3
	_, err = f.tryCreate(acme, "key", input)
	wantError(t, "another input", err, idempotency.ErrReused)
	_, err = f.tryCreate(other, "key", f.github())
	wantError(t, "another customer", err, idempotency.ErrReused)
	if all := f.list(); len(all) != 1 {
		t.Errorf("%d policies", len(all))
	}
	f.now = noon.Add(idempotency.Lifetime)
	if later, err := f.tryCreate(acme, "key", f.github()); err != nil || later.Replayed || len(f.list()) != 2 {
		t.Errorf("after the lifetime: %+v, %v", later, err)
	}
}

func TestTooManyPolicies(t *testing.T) {
	f := newFixture(t)
	first, err := f.tryCreate(acme, "key", f.github())
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range trust.Max / 2 {
				_, err := f.tryCreate(acme, "", f.github())
				if err != nil {
					wantError(t, "creation", err, trust.ErrTooMany)
				}
			}
		})
	}
	all.Wait()
	if n := len(f.list()); n != trust.Max {
		t.Fatalf("%d policies", n)
	}
	again, err := f.tryCreate(acme, "key", f.github())
	if err != nil || !again.Replayed {
		t.Errorf("the first request again: %+v, %v", again, err)
	}
	wantError(t, "deletion", f.Delete(t.Context(), target(first.Policy.ID)), nil)
	if _, err := f.tryCreate(acme, "", f.github()); err != nil {
		t.Errorf("after a deletion: %v", err)
	}
	_, err = f.tryCreate(gone, "", f.github())
	wantError(t, "of no customer", err, trust.ErrNoCustomer)
}

// TestConcurrentChangesLoseNothing changes one policy in four goroutines. A change conflicts with at most nine changes
// of the other goroutines, so it succeeds within the twelve attempts of a request.
func TestConcurrentChangesLoseNothing(t *testing.T) {
	f := newFixture(t)
	made := f.create(f.github())
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for i := range 3 {
				name := fmt.Sprintf("w%d-%d", worker, i)
				if _, err := f.Update(t.Context(), target(made.ID), trust.Change{Name: &name}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if now := f.list(); now[0].Version != 13 {
		t.Errorf("version %d, want 13", now[0].Version)
	}
}

// A change is checked together with the fields that it leaves unchanged.
func TestUpdateMustNameWhomItTrusts(t *testing.T) {
	f := newFixture(t)
	made := f.create(policyOf(cluster, is("team", "builds")))
	shared, name := issuer, "Jobs"
	_, err := f.Update(t.Context(), target(made.ID), trust.Change{Issuer: &shared})
	wantInvalid(t, err, "/conditions")
	anybody, own := []trust.Condition{is("ref", "main")}, []trust.Condition{is("ref", "main"), is("repository_id", "74")}
	_, err = f.Update(t.Context(), target(made.ID), trust.Change{Conditions: &anybody})
	wantInvalid(t, err, "/conditions")
	_, err = f.Update(t.Context(), target(made.ID), trust.Change{Issuer: &shared, Conditions: &anybody})
	wantInvalid(t, err, "/conditions")
	if updated, err := f.Update(t.Context(), target(made.ID),
		trust.Change{Issuer: &shared, Conditions: &own, Name: &name}); err != nil ||
		updated.Version != 2 {
		t.Errorf("%+v, %v", updated, err)
	}
}
