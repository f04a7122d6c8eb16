package entitlementsdynamo_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"portside/shared/core/entitlement"
	"portside/shared/core/idempotency"
	"portside/shared/core/versions"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/entitlements"
	"portside/testclient/scale"
)

// model is the expected content of a store, computed in a simple way.
type model struct {
	held map[string][]entitlement.Entitlement // by customer
	past map[string][]entitlements.Held       // all states of a customer, the current one last
	made map[string]entitlement.Entitlement   // by the text of the idempotency key
	by   map[string]string                    // fingerprint by the text of the idempotency key
}

func newModel() *model {
	m := &model{
		held: map[string][]entitlement.Entitlement{}, past: map[string][]entitlements.Held{},
		made: map[string]entitlement.Entitlement{}, by: map[string]string{},
	}
	for _, id := range []string{acme, other} {
		m.past[id] = []entitlements.Held{{}}
	}
	return m
}

// drawnState returns the current state of a customer, or sometimes an old one, and whether it is current.
func (m *model) drawnState(r *rapid.T, id string) (before entitlements.Held, isCurrent bool) {
	past := m.past[id]
	i := len(past) - 1
	if rapid.IntRange(0, 3).Draw(r, "how old") == 0 {
		i = rapid.IntRange(0, len(past)-1).Draw(r, "which state")
	}
	return past[i], i == len(past)-1
}

// drawn returns an entitlement with random values.
func drawn(t *testing.T, r *rapid.T) entitlement.Entitlement {
	t.Helper()
	e := entitled(t, rapid.SampledFrom([]string{"*", "acme/*", "acme/api", "Product"}).Draw(r, "repository"),
		rapid.SampledFrom([]string{"*", "^1.2.0", ">=1.0.0 <2.0.0 || 4.x"}).Draw(r, "versions"))
	e.Artifact = rapid.SampledFrom(entitlement.Artifacts()).Draw(r, "artifact")
	e.Version = rapid.Int64Range(1, 9).Draw(r, "version")
	if rapid.Bool().Draw(r, "is long") {
		e.From = e.Until.AddDate(-9, 0, 0)
	}
	return e
}

// TestStoreMatchesModel adds and replaces entitlements at random, also with old states and with idempotency keys, and
// compares them with the model.
func TestStoreMatchesModel(t *testing.T) {
	rapid.Check(scale.ChecksOf(t, 25), func(r *rapid.T) {
		f, m := newFixture(t), newModel()
		drawnCustomer := func(r *rapid.T) string { return rapid.SampledFrom([]string{acme, other}).Draw(r, "customer") }
		r.Repeat(map[string]func(*rapid.T){
			"add":     func(r *rapid.T) { m.add(t, r, f, drawnCustomer(r)) },
			"add two": func(r *rapid.T) { m.add(t, r, f, acme); m.add(t, r, f, acme) },
			"replace": func(r *rapid.T) { m.replace(t, r, f, drawnCustomer(r)) },
			"get":     func(r *rapid.T) { m.compare(t, r, f) },
		})
		m.compare(t, r, f)
	})
}

func (m *model) add(t *testing.T, r *rapid.T, f *fixture, id string) {
	before, isCurrent := m.drawnState(r, id)
	creation := entitlements.Creation{Entitlement: drawn(t, r)}
	text := rapid.SampledFrom([]string{"", "", "", "a", "b", "c"}).Draw(r, "key")
	fingerprint := id + rapid.SampledFrom([]string{"x", "x", "y"}).Draw(r, "fingerprint")
	if text != "" {
		creation.Once = &idempotency.Key{Caller: "c", Text: text, Fingerprint: []byte(fingerprint)}
	}
	created, err := f.store.Add(t.Context(), id, before, creation)
	first, isUsed := m.made[text]
	switch {
	case text != "" && isUsed && m.by[text] != fingerprint:
		wantRefusal(r, err, idempotency.ErrReused)
	case text != "" && isUsed:
		wantRefusal(r, err, nil)
		same(r, "replayed entitlement", fmt.Sprintf("%+v", entitlements.Created{Entitlement: first, Replayed: true}),
			fmt.Sprintf("%+v", created))
	case !isCurrent:
		wantRefusal(r, err, versions.ErrStale)
	default:
		wantRefusal(r, err, nil)
		m.made[text], m.by[text] = creation.Entitlement, fingerprint
		m.set(id, append(slices.Clone(m.held[id]), creation.Entitlement))
	}
}

// replace changes or removes one entitlement, or none.
func (m *model) replace(t *testing.T, r *rapid.T, f *fixture, id string) {
	before, isCurrent := m.drawnState(r, id)
	after := slices.Clone(before.All)
	if len(after) > 0 {
		i := rapid.IntRange(0, len(after)-1).Draw(r, "which")
		if rapid.Bool().Draw(r, "is removed") {
			after = slices.Delete(after, i, i+1)
		} else {
			after[i] = drawn(t, r)
		}
	}
	err := f.store.Replace(t.Context(), id, before, after)
	if !isCurrent {
		wantRefusal(r, err, versions.ErrStale)
		return
	}
	wantRefusal(r, err, nil)
	m.set(id, after)
}

func (m *model) set(id string, after []entitlement.Entitlement) {
	m.held[id] = after
	m.past[id] = append(m.past[id], entitlements.Held{All: after, Version: int64(len(m.past[id]))})
}

// compare compares what the customers have with the model, as services and as authentication read it.
func (m *model) compare(t *testing.T, r *rapid.T, f *fixture) {
	for _, id := range []string{acme, other} {
		want := entitlements.Held{All: m.held[id], Version: int64(len(m.past[id]) - 1)}
		same(r, "entitlements", fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", f.get(t, id)))
		all, err := credentialsdynamo.New(f.client, f.table, "").Entitled(t.Context(), id)
		if err != nil {
			r.Fatal(err)
		}
		same(r, "entitlements for authentication", fmt.Sprintf("%+v", want.All), fmt.Sprintf("%+v", all))
		state, _, err := f.states().Get(t.Context(), id)
		if err != nil || state.Entitlements != want.Version {
			r.Fatalf("the state of the customer has the version %d, want %d; %v", state.Entitlements, want.Version, err)
		}
	}
}

func wantRefusal(r *rapid.T, got, want error) {
	if !errors.Is(got, want) {
		r.Fatalf("error is %v, want %v", got, want)
	}
}

func same(r *rapid.T, what, want, got string) {
	if want != got {
		r.Fatalf("%s: %s, want %s", what, got, want)
	}
}
