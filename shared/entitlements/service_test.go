package entitlements_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/core/entitlement"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/transactions"
	"portside/shared/entitlements"
	"portside/shared/entitlements/entitlementsdynamo"
	"portside/shared/testkit/awstest"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

const (
	acme  = "0199cccc-0000-7000-8000-000000000001"
	other = "0199cccc-0000-7000-8000-000000000002"
	gone  = "0199cccc-0000-7000-8000-000000000003"
)

var staff = principal.Principal{UserID: "root", Role: principal.Admin}

// fixture is a service on a table with the customers acme and other, and a meter of its calls.
type fixture struct {
	*entitlements.Service

	t     *testing.T
	store *entitlementsdynamo.Store
	meter *awstest.Meter
	now   time.Time
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	client, meter := awstest.Metered(awstest.DynamoDB(t))
	f := &fixture{t: t, meter: meter, now: noon}
	table := awstest.Table(t, client, "CredentialsTable")
	states := customerstates.New(client, table)
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	f.store = entitlementsdynamo.New(client, table, auditlog.Log{})
	f.Service = entitlements.NewService(f.store, newID, func() time.Time { return f.now })
	for _, id := range []string{acme, other} {
		add := []types.TransactWriteItem{states.Add(id, customerstates.State{})}
		if err := transactions.Write(t.Context(), client, add); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// personOf returns a caller who belongs to a customer, with the highest role.
func personOf(customerID string) principal.Principal {
	return principal.Principal{UserID: "ada", CustomerID: customerID, Role: principal.Admin}
}

// chart returns the input for all versions of a chart.
func chart(name string) entitlements.New {
	return entitlements.New{Artifact: entitlement.Chart, Repository: name}
}

func (f *fixture) tryCreate(customerID, key string, input entitlements.New) (entitlements.Created, error) {
	options := entitlements.CreateOptions{Caller: staff, CustomerID: customerID, IdempotencyKey: key}
	return f.Create(f.t.Context(), options, input)
}

func (f *fixture) create(input entitlements.New) entitlement.Entitlement {
	f.t.Helper()
	created, err := f.tryCreate(acme, "", input)
	if err != nil {
		f.t.Fatal(err)
	}
	return created.Entitlement
}

// list returns the entitlements of acme.
func (f *fixture) list() entitlement.Set {
	f.t.Helper()
	all, err := f.List(f.t.Context(), staff, acme)
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

// target returns an entitlement of acme in any version.
func target(id string) entitlements.Target {
	return entitlements.Target{Target: versions.Target{ID: id}, CustomerID: acme}
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func wantInvalid(t *testing.T, err error, pointer string) {
	t.Helper()
	if refused := fault.As(err); refused == nil || len(refused.Fields) != 1 || refused.Fields[0].Pointer != pointer {
		t.Errorf("%v, want a failure of %s", err, pointer)
	}
}

func TestOnlyTheOwnCustomersEntitlementsExist(t *testing.T) {
	f := newFixture(t)
	made := f.create(chart("product"))
	for _, c := range []struct {
		name       string
		caller     principal.Principal
		customerID string
		listed     int
		list, get  error
	}{
		{"staff", staff, acme, 1, nil, nil},
		{"a person of the customer", personOf(acme), acme, 1, nil, nil},
		{"a person of another one", personOf(other), acme, 0, entitlements.ErrNoCustomer, entitlements.ErrNoCustomer},
		{"a person of one without any", personOf(other), other, 0, nil, entitlements.ErrNotFound},
		{"staff, of one without any", staff, other, 0, nil, entitlements.ErrNotFound},
		{"staff, of nobody", staff, gone, 0, entitlements.ErrNoCustomer, entitlements.ErrNoCustomer},
		{"a person of a lost customer", personOf(gone), gone, 0, entitlements.ErrNoCustomer, entitlements.ErrNoCustomer},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := f.List(t.Context(), c.caller, c.customerID)
			if !errors.Is(err, c.list) || len(all) != c.listed {
				t.Errorf("%s lists %+v, %v; want %d, %v", c.name, all, err, c.listed, c.list)
			}
			got, err := f.Get(t.Context(), c.caller, c.customerID, made.ID)
			if !errors.Is(err, c.get) || err == nil && got.ID != made.ID {
				t.Errorf("%s gets %+v, %v; want %v", c.name, got, err, c.get)
			}
		})
	}
}

func TestCreatedEntitlementsAreListedInOrder(t *testing.T) {
	f := newFixture(t)
	input := entitlements.New{
		Artifact: entitlement.Image, Repository: "acme/*", Versions: "^1.2.0", From: noon, Until: noon.AddDate(1, 0, 0),
	}
	f.now = noon.Add(1_500_000) // 1.5 ms
	first, second := f.create(input), f.create(chart("product"))
	all := f.list()
	if len(all) != 2 || all[0].ID != first.ID || all[1].ID != second.ID {
		t.Fatalf("listed %+v", all)
	}
	at := noon.Add(time.Millisecond)
	if got := all[0]; got.Artifact != entitlement.Image || got.Repository != "acme/*" ||
		got.Versions.String() != "^1.2.0" ||
		got.From != input.From || got.Until != input.Until || got.CreatedAt != at || got.UpdatedAt != at || got.Version != 1 {
		t.Errorf("stored %+v", got)
	}
	got, err := f.Get(t.Context(), staff, acme, second.ID)
	if err != nil || got.Repository != "product" || got.Versions.String() != "*" {
		t.Errorf("stored %+v, %v", got, err)
	}
}

func TestPeriodMustNotBeEmpty(t *testing.T) {
	f := newFixture(t)
	input := chart("product")
	for until, good := range map[time.Time]bool{noon: false, noon.Add(-1): false, noon.Add(999_999): false,
		noon.Add(time.Millisecond): true} {
		input.From, input.Until = noon, until
		if _, err := f.tryCreate(acme, "", input); good && err != nil {
			t.Errorf("until %v: %v", until, err)
		} else if !good {
			wantInvalid(t, err, "/until")
		}
	}
	made := f.list()[0]
	later, none := noon.Add(time.Hour), time.Time{}
	_, err := f.Update(t.Context(), target(made.ID), entitlements.Change{From: &later})
	wantInvalid(t, err, "/until")
	_, err = f.Update(t.Context(), target(made.ID), entitlements.Change{Until: &later, From: &later})
	wantInvalid(t, err, "/until")
	updated, err := f.Update(t.Context(), target(made.ID), entitlements.Change{From: &later, Until: &none})
	if err != nil || updated.Version != 2 {
		t.Errorf("%+v, %v", updated, err)
	}
}

func TestInvalidInputCostsNothing(t *testing.T) {
	f := newFixture(t)
	f.meter.Reset()
	_, err := f.tryCreate(acme, "", chart("acme*"))
	wantInvalid(t, err, "/repository")
	bad := "latest"
	_, err = f.Update(t.Context(), target("e"), entitlements.Change{Versions: &bad})
	wantInvalid(t, err, "/versions")
	if f.meter.Calls() != 0 {
		t.Errorf("%d calls", f.meter.Calls())
	}
}

func TestUpdateChangesOnlyTheTarget(t *testing.T) {
	f := newFixture(t)
	first, second, third := f.create(chart("a")), f.create(chart("b")), f.create(chart("c"))
	f.now = noon.Add(time.Hour)
	constraint := "^2.0.0"
	updated, err := f.Update(t.Context(), target(second.ID), entitlements.Change{Versions: &constraint})
	if err != nil || updated.Version != 2 || updated.UpdatedAt != f.now || updated.CreatedAt != noon ||
		updated.Repository != "b" {
		t.Errorf("%+v, %v", updated, err)
	}
	all := f.list()
	if len(all) != 3 || all[1].Versions.String() != constraint || all[1].Version != 2 {
		t.Fatalf("listed %+v", all)
	}
	for i, unchanged := range map[int]entitlement.Entitlement{0: first, 2: third} {
		if all[i].ID != unchanged.ID || all[i].Version != 1 || all[i].UpdatedAt != noon {
			t.Errorf("%d is %+v", i, all[i])
		}
	}
	if _, err := f.tryCreate(other, "", chart("a")); err != nil {
		t.Fatal(err)
	}
	elsewhere := entitlements.Target{Target: versions.Target{ID: first.ID}, CustomerID: other}
	_, err = f.Update(t.Context(), elsewhere, entitlements.Change{Versions: &constraint})
	wantError(t, "update with another customer", err, entitlements.ErrNotFound)
	wantError(t, "deletion with another customer", f.Delete(t.Context(), elsewhere), entitlements.ErrNotFound)
}

func TestUpdateWithoutEffectWritesNothing(t *testing.T) {
	f := newFixture(t)
	input := entitlements.New{Artifact: entitlement.Chart, Repository: "a", Versions: "^1.2.0", From: noon,
		Until: noon.AddDate(1, 0, 0)}
	made := f.create(input)
	f.now = noon.Add(time.Hour)
	repository, constraint, from := " a ", " ^1.2.0 ", noon.Add(999_999).In(time.FixedZone("east", 60*60))
	same := entitlements.Change{Artifact: &input.Artifact, Repository: &repository, Versions: &constraint, From: &from,
		Until: &input.Until}
	for name, change := range map[string]entitlements.Change{"empty": {}, "same values": same} {
		t.Run(name, func(t *testing.T) {
			f.meter.Reset()
			updated, err := f.Update(t.Context(), target(made.ID), change)
			if err != nil || updated.Version != 1 || updated.UpdatedAt != noon || f.meter.Calls() != 1 ||
				f.meter.WriteUnits() != 0 {
				t.Errorf("%+v, %v; %d calls, %v write units", updated, err, f.meter.Calls(), f.meter.WriteUnits())
			}
		})
	}
}

func TestUnwantedVersionsAreNotChanged(t *testing.T) {
	f := newFixture(t)
	made := f.create(chart("a"))
	f.create(chart("b")) // changes the version of the list, but not the version of the first entitlement
	only := func(wanted int64) entitlements.Target {
		accepts := func(version int64) bool { return version == wanted }
		return entitlements.Target{Target: versions.Target{ID: made.ID, IfMatch: accepts}, CustomerID: acme}
	}
	name := "c"
	_, err := f.Update(t.Context(), only(2), entitlements.Change{Repository: &name})
	wantError(t, "update of another version", err, versions.ErrMismatch)
	_, err = f.Update(t.Context(), only(2), entitlements.Change{})
	wantError(t, "update without effect of another version", err, versions.ErrMismatch)
	wantError(t, "deletion of another version", f.Delete(t.Context(), only(2)), versions.ErrMismatch)
	_, err = f.Update(t.Context(), only(1), entitlements.Change{Repository: &name})
	wantError(t, "update of the version", err, nil)
	wantError(t, "deletion of an old version", f.Delete(t.Context(), only(1)), versions.ErrMismatch)
	wantError(t, "deletion of the version", f.Delete(t.Context(), only(2)), nil)
	if all := f.list(); len(all) != 1 || all[0].Repository != "b" {
		t.Errorf("left %+v", all)
	}
}

func TestDelete(t *testing.T) {
	f := newFixture(t)
	first, second := f.create(chart("a")), f.create(chart("b"))
	wantError(t, "deletion", f.Delete(t.Context(), target(first.ID)), nil)
	wantError(t, "second deletion", f.Delete(t.Context(), target(first.ID)), entitlements.ErrNotFound)
	_, err := f.Update(t.Context(), target(first.ID), entitlements.Change{})
	wantError(t, "update of a deleted one", err, entitlements.ErrNotFound)
	if all := f.list(); len(all) != 1 || all[0].ID != second.ID {
		t.Errorf("left %+v", all)
	}
	wantError(t, "deletion of the last one", f.Delete(t.Context(), target(second.ID)), nil)
	if all := f.list(); len(all) != 0 {
		t.Errorf("left %+v", all)
	}
	if again := f.create(chart("a")); len(f.list()) != 1 || again.ID == first.ID {
		t.Errorf("created %+v", again)
	}
}

func TestNothingIsChangedOfNoCustomer(t *testing.T) {
	f := newFixture(t)
	_, err := f.tryCreate(gone, "", chart("a"))
	wantError(t, "creation", err, entitlements.ErrNoCustomer)
	nobodys := entitlements.Target{Target: versions.Target{ID: "e"}, CustomerID: gone}
	_, err = f.Update(t.Context(), nobodys, entitlements.Change{})
	wantError(t, "update", err, entitlements.ErrNoCustomer)
	wantError(t, "deletion", f.Delete(t.Context(), nobodys), entitlements.ErrNoCustomer)
}

func TestIdempotencyKeyIsReplayed(t *testing.T) {
	f := newFixture(t)
	first, err := f.tryCreate(acme, "key", chart("a"))
	if err != nil || first.Replayed {
		t.Fatal(first, err)
	}
	name := "changed"
	if _, err := f.Update(t.Context(), target(first.Entitlement.ID), entitlements.Change{Repository: &name}); err != nil {
		t.Fatal(err)
	}
	f.now = noon.Add(time.Hour)
	again, err := f.tryCreate(acme, "key", chart("a"))
	if err != nil || !again.Replayed || again.Entitlement.ID != first.Entitlement.ID ||
		again.Entitlement.Repository != "a" ||
		again.Entitlement.Version != 1 || again.Entitlement.CreatedAt != noon {
		t.Errorf("replayed %+v, %v", again, err)
	}
	_, err = f.tryCreate(acme, "key", chart("b"))
	wantError(t, "another input", err, idempotency.ErrReused)
	_, err = f.tryCreate(other, "key", chart("a"))
	wantError(t, "another customer", err, idempotency.ErrReused)
	if all := f.list(); len(all) != 1 {
		t.Errorf("%d entitlements", len(all))
	}
	f.now = noon.Add(idempotency.Lifetime)
	if later, err := f.tryCreate(acme, "key", chart("a")); err != nil || later.Replayed || len(f.list()) != 2 {
		t.Errorf("after the lifetime: %+v, %v", later, err)
	}
}

// fill gives acme more entitlements, until there are as many as wanted.
func (f *fixture) fill(wanted int) {
	f.t.Helper()
	before, err := f.store.Get(f.t.Context(), acme)
	if err != nil {
		f.t.Fatal(err)
	}
	after := slices.Clone(before.All)
	for i := len(after); i < wanted; i++ {
		after = append(after, chart(fmt.Sprintf("c%d", i)).
			Apply(entitlement.Entitlement{ID: fmt.Sprint(i), CreatedAt: noon, Version: 1}))
	}
	if err := f.store.Replace(f.t.Context(), acme, before, after); err != nil {
		f.t.Fatal(err)
	}
}

func TestTooManyEntitlements(t *testing.T) {
	f := newFixture(t)
	first, err := f.tryCreate(acme, "key", chart("first"))
	if err != nil {
		t.Fatal(err)
	}
	f.fill(entitlements.Max - 1)
	if last, err := f.tryCreate(acme, "", chart("last")); err != nil || len(f.list()) != entitlements.Max {
		t.Fatal(last, err)
	}
	_, err = f.tryCreate(acme, "", chart("next"))
	wantError(t, "without a key", err, entitlements.ErrTooMany)
	_, err = f.tryCreate(acme, "new key", chart("next"))
	wantError(t, "with a new key", err, entitlements.ErrTooMany)
	again, err := f.tryCreate(acme, "key", chart("first"))
	if err != nil || !again.Replayed || again.Entitlement.ID != first.Entitlement.ID {
		t.Errorf("the first request again: %+v, %v", again, err)
	}
	_, err = f.tryCreate(acme, "key", chart("next"))
	wantError(t, "with a used key", err, idempotency.ErrReused)
	f.now = noon.Add(idempotency.Lifetime)
	_, err = f.tryCreate(acme, "key", chart("first"))
	wantError(t, "with an expired key", err, entitlements.ErrTooMany)

	constraint := "^1.0.0"
	if _, err := f.Update(t.Context(), target(first.Entitlement.ID),
		entitlements.Change{Versions: &constraint}); err != nil {
		t.Errorf("update at the limit: %v", err)
	}
	if err := f.Delete(t.Context(), target(first.Entitlement.ID)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.tryCreate(acme, "new key", chart("next")); err != nil || len(f.list()) != entitlements.Max {
		t.Errorf("after a deletion: %v, %d entitlements", err, len(f.list()))
	}
	if _, err := f.tryCreate(other, "", chart("next")); err != nil {
		t.Errorf("of another customer: %v", err)
	}
}

// TestConcurrentChangesLoseNothing creates, changes and deletes entitlements of one customer in four goroutines. A
// goroutine repeats a request that is refused because too many others change the customer, as a client does.
func TestConcurrentChangesLoseNothing(t *testing.T) {
	f := newFixture(t)
	const workers, each = 4, 6
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for i := range each {
				if err := f.work(fmt.Sprintf("w%d-%d", worker, i), i%3 == 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var got, want []string
	for _, e := range f.list() {
		got = append(got, fmt.Sprint(e.Repository, " ", e.Versions, " ", e.Version))
	}
	for worker := range workers {
		for i := range each {
			if i%3 != 0 {
				want = append(want, fmt.Sprintf("w%d-%d ^1.0.0 2", worker, i))
			}
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// work creates and changes an entitlement, and possibly deletes it.
func (f *fixture) work(name string, isDeleted bool) error {
	var made entitlements.Created
	err := patiently(func() (err error) {
		made, err = f.tryCreate(acme, name, chart(name))
		return err
	})
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	constraint := "^1.0.0"
	err = patiently(func() error {
		_, err := f.Update(f.t.Context(), target(made.Entitlement.ID), entitlements.Change{Versions: &constraint})
		return err
	})
	if err != nil {
		return fmt.Errorf("change %s: %w", name, err)
	}
	if !isDeleted {
		return nil
	}
	return patiently(func() error { return f.Delete(f.t.Context(), target(made.Entitlement.ID)) })
}

// patiently repeats a request that is refused because of others.
func patiently(request func() error) (err error) {
	for range 20 {
		if err = request(); fault.KindOf(err) != fault.Unavailable {
			return err
		}
	}
	return err
}
