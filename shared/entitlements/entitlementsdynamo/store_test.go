package entitlementsdynamo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/core/constraints"
	"portside/shared/core/entitlement"
	"portside/shared/core/idempotency"
	"portside/shared/core/versions"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/entitlementlists"
	"portside/shared/dynamo/transactions"
	"portside/shared/entitlements"
	"portside/shared/entitlements/entitlementsdynamo"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
)

const (
	acme  = "0199cccc-0000-7000-8000-000000000001"
	other = "0199cccc-0000-7000-8000-000000000002"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// fixture is a store on a new table with the customers acme and other.
type fixture struct {
	client *dynamodb.Client
	table  string
	log    auditlog.Log
	store  *entitlementsdynamo.Store
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	client := awstest.DynamoDB(t)
	f := &fixture{client: client, table: awstest.Table(t, client, "CredentialsTable"), log: audittest.Log(t, client)}
	f.store = f.over(client)
	for _, id := range []string{acme, other} {
		f.write(t, f.states().Add(id, customerstates.State{}))
	}
	return f
}

// over returns a store on the same table over another client, such as one that fails.
func (f *fixture) over(client *dynamodb.Client) *entitlementsdynamo.Store {
	return entitlementsdynamo.New(client, f.table, f.log)
}

func (f *fixture) states() customerstates.Table { return customerstates.New(f.client, f.table) }

func (f *fixture) write(t *testing.T, writes ...types.TransactWriteItem) {
	t.Helper()
	if err := transactions.Write(t.Context(), f.client, writes); err != nil {
		t.Fatal(err)
	}
}

// deleteCustomer deletes a customer, as the store of customers does.
func (f *fixture) deleteCustomer(t *testing.T, id string) {
	t.Helper()
	f.write(t, f.states().Delete(id), entitlementlists.Delete(f.table, id))
}

// entitled returns an entitlement with all fields set.
func entitled(tb testing.TB, repository, constraint string) entitlement.Entitlement {
	tb.Helper()
	allowed, err := constraints.Parse(constraint)
	if err != nil {
		tb.Fatal(err)
	}
	return entitlement.Entitlement{
		ID: uuid.Must(uuid.NewV7()).String(), Artifact: entitlement.Image, Repository: repository, Versions: allowed,
		From: noon.Add(-time.Hour), Until: noon.AddDate(1, 0, 0), CreatedAt: noon, UpdatedAt: noon.Add(time.Minute),
		Version: 7,
	}
}

func (f *fixture) get(t *testing.T, customerID string) entitlements.Held {
	t.Helper()
	held, err := f.store.Get(t.Context(), customerID)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// add adds an entitlement to what acme has.
func (f *fixture) add(t *testing.T, e entitlement.Entitlement) {
	t.Helper()
	if _, err := f.store.Add(t.Context(), acme, f.get(t, acme), entitlements.Creation{Entitlement: e}); err != nil {
		t.Fatal(err)
	}
}

// stored returns one line for each item of customers. It reads raw items and shares no code with the store.
func (f *fixture) stored(t *testing.T) []string {
	t.Helper()
	var lines []string
	for _, item := range liststest.Scan(t, f.client, f.table) {
		pk, sk := liststest.Text(item, "pk"), liststest.Text(item, "sk")
		customer, isCustomers := strings.CutPrefix(pk, "customer#")
		if !isCustomers {
			continue
		}
		line := fmt.Sprintf("%s %s: version %d", customer[len(customer)-1:], sk, liststest.Number(item, "entitlements"))
		if list, isList := item["entitlements"].(*types.AttributeValueMemberL); isList {
			line = fmt.Sprintf("%s %s: version %d, %d here", customer[len(customer)-1:], sk, liststest.Number(item, "version"),
				len(list.Value))
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func (f *fixture) wantStored(t *testing.T, want ...string) {
	t.Helper()
	if got := f.stored(t); !slices.Equal(got, want) {
		t.Errorf("stored %q, want %q", got, want)
	}
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// The deletion of the last entitlement does not reset the version of the list.
func TestStateHasTheVersion(t *testing.T) {
	f := newFixture(t)
	f.wantStored(t, "1 customer: version 0", "2 customer: version 0")
	f.add(t, entitled(t, "acme/*", "^1.2.0"))
	f.wantStored(t, "1 customer: version 1", "1 entitlements: version 1, 1 here", "2 customer: version 0")
	f.add(t, entitled(t, "*", "*"))
	f.wantStored(t, "1 customer: version 2", "1 entitlements: version 2, 2 here", "2 customer: version 0")
	wantError(t, "deletion of all", f.store.Replace(t.Context(), acme, f.get(t, acme), nil), nil)
	f.wantStored(t, "1 customer: version 3", "1 entitlements: version 3, 0 here", "2 customer: version 0")
	if held := f.get(t, acme); len(held.All) != 0 || held.Version != 3 {
		t.Errorf("held %+v", held)
	}
	f.add(t, entitled(t, "*", "*"))
	f.wantStored(t, "1 customer: version 4", "1 entitlements: version 4, 1 here", "2 customer: version 0")
}

// The status and the limit of a customer leave the entitlements alone, and the other way round.
func TestChangesOfTheCustomerKeepTheVersion(t *testing.T) {
	f := newFixture(t)
	f.add(t, entitled(t, "*", "*"))
	f.write(t, f.states().Set(acme, customerstates.State{Suspended: true, MaxUsers: 5}))
	f.write(t, f.states().CountUsers(acme, 1))
	f.add(t, entitled(t, "*", "*"))
	state, _, err := f.states().Get(t.Context(), acme)
	if want := (customerstates.State{Suspended: true, Users: 1, MaxUsers: 5, Entitlements: 2}); err != nil || state != want {
		t.Errorf("the state is %+v, %v; want %+v", state, err, want)
	}
}

func TestStaleChangesFail(t *testing.T) {
	f := newFixture(t)
	never := f.get(t, acme)
	f.add(t, entitled(t, "first", "*"))
	first := f.get(t, acme)
	f.add(t, entitled(t, "second", "*"))
	for name, before := range map[string]entitlements.Held{"none": never, "the first version": first,
		"a later version": {Version: 9}} {
		t.Run(name, func(t *testing.T) {
			wantError(t, "replacement of "+name, f.store.Replace(t.Context(), acme, before, nil), versions.ErrStale)
			_, err := f.store.Add(t.Context(), acme, before, entitlements.Creation{Entitlement: entitled(t, "third", "*")})
			wantError(t, "addition to "+name, err, versions.ErrStale)
		})
	}
	f.wantStored(t, "1 customer: version 2", "1 entitlements: version 2, 2 here", "2 customer: version 0")
}

// Nobody keeps entitlements without a customer, also if the customer is deleted between the read and the write.
func TestDeletedCustomerHasNoEntitlements(t *testing.T) {
	f := newFixture(t)
	held := map[string]entitlements.Held{other: f.get(t, other)}
	f.add(t, entitled(t, "acme/*", "*"))
	held[acme] = f.get(t, acme)
	for id, before := range held {
		f.deleteCustomer(t, id)
		_, err := f.store.Get(t.Context(), id)
		wantError(t, "get", err, entitlements.ErrNoCustomer)
		want := entitlements.ErrNoCustomer
		if before.Version > 0 { // the next attempt finds no customer
			wantError(t, "replacement", f.store.Replace(t.Context(), id, before, nil), versions.ErrStale)
			before = entitlements.Held{}
		}
		wantError(t, "replacement", f.store.Replace(t.Context(), id, before, before.All), want)
		_, err = f.store.Add(t.Context(), id, before, entitlements.Creation{Entitlement: entitled(t, "*", "*")})
		wantError(t, "addition", err, want)
	}
	f.wantStored(t)
}

// A used key decides before the version does, because the first attempt may have succeeded.
func TestKeyIsReplayedInAnyVersion(t *testing.T) {
	f := newFixture(t)
	before := f.get(t, acme)
	key := &idempotency.Key{Caller: "c", Text: "k", Fingerprint: []byte("f")}
	first := entitlements.Creation{Entitlement: entitled(t, "acme/*", "^1.2.0"), Once: key}
	if made, err := f.store.Add(t.Context(), acme, before, first); err != nil || made.Replayed {
		t.Fatal(made, err)
	}
	second := entitlements.Creation{Entitlement: entitled(t, "acme/*", "^1.2.0"), Once: key}
	for name, held := range map[string]entitlements.Held{"old": before, "current": f.get(t, acme)} {
		t.Run(name, func(t *testing.T) {
			made, err := f.store.Add(t.Context(), acme, held, second)
			if err != nil || !made.Replayed {
				t.Errorf("%s version: %+v, %v", name, made, err)
			}
			wantSame(t, name+" version", made.Entitlement, first.Entitlement)
		})
	}
	reused := second
	reused.Once = &idempotency.Key{Caller: "c", Text: "k", Fingerprint: []byte("another")}
	_, err := f.store.Add(t.Context(), acme, f.get(t, acme), reused)
	wantError(t, "another request", err, idempotency.ErrReused)
	f.wantStored(t, "1 customer: version 1", "1 entitlements: version 1, 1 here", "2 customer: version 0")
}

// wantSame compares all fields of entitlements, by their stored form for those that are not exported.
func wantSame(t *testing.T, what string, got, want entitlement.Entitlement) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s: %s, want %s", what, g, w)
	}
}

// TestCrashAtAnyCall crashes each operation at each of its calls, before or after the call takes effect, and checks
// that the entitlements and their version agree.
func TestCrashAtAnyCall(t *testing.T) {
	operations := map[string]func(context.Context, *entitlementsdynamo.Store, entitlements.Held) error{
		"add": func(ctx context.Context, s *entitlementsdynamo.Store, before entitlements.Held) error {
			key := &idempotency.Key{Caller: "c", Text: "k", Fingerprint: []byte("f")}
			_, err := s.Add(ctx, acme, before, entitlements.Creation{Entitlement: entitled(t, "new", "*"), Once: key})
			return err
		},
		"replace": func(ctx context.Context, s *entitlementsdynamo.Store, before entitlements.Held) error {
			return s.Replace(ctx, acme, before, nil)
		},
	}
	for name, operation := range operations {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, response lost %v", name, lost), func(t *testing.T) {
				awstest.CrashAtEachCall(lost, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
					f := newFixture(t)
					f.add(t, entitled(t, "old", "*"))
					before := f.get(t, acme)
					err := operation(t.Context(), f.over(crashing(f.client)), before)
					f.wantEqualVersions(t)
					return err
				})
			})
		}
	}
}

// wantEqualVersions compares the version in the state of acme with the version of its entitlements.
func (f *fixture) wantEqualVersions(t *testing.T) {
	t.Helper()
	state, _, err := f.states().Get(t.Context(), acme)
	if held := f.get(t, acme); err != nil || held.Version != state.Entitlements {
		t.Errorf("version %d, but the state has %d; %v", held.Version, state.Entitlements, err)
	}
}

// TestChangesUnderConflict makes every third transaction conflict, as on AWS, while four workers change the same
// customer.
func TestChangesUnderConflict(t *testing.T) {
	f := newFixture(t)
	store := f.over(awstest.WithConflicts(f.client))
	const workers, each = 4, 5
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for added := 0; added < each; {
				before, err := store.Get(t.Context(), acme)
				if err == nil {
					made := entitled(t, fmt.Sprintf("w%d-%d", worker, added), "*")
					_, err = store.Add(t.Context(), acme, before, entitlements.Creation{Entitlement: made})
				}
				switch {
				case err == nil:
					added++
				case !errors.Is(err, versions.ErrStale): // else another worker was faster
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	f.wantStored(t, "1 customer: version 20", "1 entitlements: version 20, 20 here", "2 customer: version 0")
}

// TestCosts checks calls and units. A transaction costs two units per kilobyte of each item.
func TestCosts(t *testing.T) {
	f := newFixture(t)
	client, meter := awstest.Metered(f.client)
	store := f.over(client)
	var held entitlements.Held
	cost := func(what string, calls int, reads, writes float64, run func() error) {
		t.Helper()
		meter.Reset()
		if err := run(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v read units, %v write units", what, meter.ReadUnits(), meter.WriteUnits())
		if meter.Calls() != calls || meter.ReadUnits() > reads || meter.WriteUnits() > writes {
			t.Errorf("%s: %d calls, %v read units, %v write units; want %d, at most %v and %v",
				what, meter.Calls(), meter.ReadUnits(), meter.WriteUnits(), calls, reads, writes)
		}
		held = f.get(t, acme)
	}
	key := &idempotency.Key{Caller: "c", Text: "k", Fingerprint: []byte("f")}
	keyed := entitlements.Creation{Entitlement: entitled(t, "first", "^1.2.0"), Once: key}
	add := func(creation entitlements.Creation) func() error {
		return func() error {
			_, err := store.Add(t.Context(), acme, held, creation)
			return err
		}
	}
	get := func() error {
		_, err := store.Get(t.Context(), acme)
		return err
	}
	cost("get none", 1, 2, 0, get)
	cost("create the first with a key", 1, 0, 10, add(keyed))
	cost("create the second", 1, 0, 8, add(entitlements.Creation{Entitlement: entitled(t, "second", "*")}))
	cost("replay", 2, 1, 0, add(keyed))
	changed := slices.Clone(held.All)
	changed[0].Repository, changed[0].Version = "other", 2
	cost("update", 1, 0, 8, func() error { return store.Replace(t.Context(), acme, held, changed) })
	cost("get both", 1, 2, 0, get)
	cost("delete", 1, 0, 8, func() error { return store.Replace(t.Context(), acme, held, held.All[:1]) })

	long := make(entitlement.Set, entitlements.Max)
	for i := range long {
		long[i] = entitled(t, fmt.Sprintf("%s%03d", strings.Repeat("a", entitlement.MaxPattern-3), i),
			strings.Repeat("1.0.0, ", 13)+"2.0.0")
	}
	unaudited := entitlementsdynamo.New(client, f.table, auditlog.Log{}) // all at once, which the service never does
	cost("the longest entitlements", 1, 0, 220, func() error { return unaudited.Replace(t.Context(), acme, held, long) })
	cost("get the longest entitlements", 1, 28, 0, get)
	cost("replay at the maximum", 1, 1, 0, add(keyed))
}
