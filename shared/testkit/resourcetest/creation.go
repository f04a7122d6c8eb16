package resourcetest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"portside/shared/core/idempotency"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/awstest"
)

// key returns the idempotency key of a request. Requests with different inputs have different fingerprints.
func key(caller, text, input string) *idempotency.Key {
	return &idempotency.Key{Caller: caller, Text: text, Fingerprint: []byte(input)}
}

// wantError fails the test if an operation has another error than the wanted one.
func (f *fixture) wantError(what string, got, want error) {
	f.t.Helper()
	if !errors.Is(got, want) {
		f.t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func (f *fixture) wantSame(what string, got, want Resource) {
	f.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		f.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantCount checks the tables and the number of resources.
func (f *fixture) wantCount(want int) {
	f.t.Helper()
	if n := f.check(); n != want {
		f.t.Errorf("%d resources, want %d", n, want)
	}
}

// testCreatedOnce repeats a creation with its idempotency key, which gets the first state of the resource.
func (f *fixture) testCreatedOnce() {
	ctx, once := f.t.Context(), key("caller", "key", "input")
	first, replayed, err := f.Create(ctx, f.newResource(0), once)
	if err != nil || replayed {
		f.t.Fatalf("replayed %v, %v", replayed, err)
	}
	changed, err := f.Update(ctx, first, f.changed(first, 5))
	if err != nil {
		f.t.Fatal(err)
	}
	again := f.newResource(0)
	again.CreatedAt = noon().Add(idempotency.Lifetime - time.Millisecond)
	for _, r := range []Resource{f.newResource(0), f.newResource(1), again} {
		made, replayed, err := f.Create(ctx, r, once)
		if err != nil || !replayed {
			f.t.Errorf("repeated: replayed %v, %v", replayed, err)
		}
		f.wantSame("the replayed resource", made, first)
	}
	f.wantSame("the resource", f.mustGet(first.ID), changed)
	f.wantCount(1)
	_, _, err = f.Create(ctx, f.newResource(1), key("caller", "key", "another input"))
	f.wantError("a key of another request", err, idempotency.ErrReused)
	for i, other := range []*idempotency.Key{key("another caller", "key", "input"), key("caller", "another key", "input"),
		nil} {
		if _, replayed, err := f.Create(ctx, f.newResource(2+i), other); err != nil || replayed {
			f.t.Errorf("%+v: replayed %v, %v", other, replayed, err)
		}
	}
	f.wantCount(4)
	duplicate := f.newResource(9)
	duplicate.ID = first.ID
	if _, _, err := f.Create(ctx, duplicate, nil); err == nil {
		f.t.Error("a second resource with the same ID was created")
	}
	f.wantCount(4)
}

// testKeysExpire uses a key after its lifetime, and one that expires just before its result is read.
func (f *fixture) testKeysExpire() {
	ctx, once := f.t.Context(), key("caller", "key", "input")
	first, _, err := f.Create(ctx, f.newResource(0), once)
	if err != nil {
		f.t.Fatal(err)
	}
	late := f.newResource(1)
	late.CreatedAt = noon().Add(idempotency.Lifetime)
	made, replayed, err := f.Create(ctx, late, once)
	if err != nil || replayed || made.ID == first.ID {
		f.t.Errorf("after the lifetime: replayed %v, %v", replayed, err)
	}
	expiring := f.Over(awstest.Faulty(f.Client, func(operation string, _ int) error {
		if operation == "GetItem" {
			pk := fmt.Sprintf("once#%s#%s", once.Caller, once.Hash())
			f.drop(items.Key(pk, "once"))
		}
		return nil
	}))
	late = f.newResource(2)
	late.CreatedAt = made.CreatedAt
	_, _, err = expiring.Create(ctx, late, once)
	f.wantError("a key that expires meanwhile", err, idempotency.ErrExpired)
	f.wantCount(2)
}

// testUniqueValues creates and changes resources with unique values that others have, and with values that are free
// again.
func (f *fixture) testUniqueValues() {
	ctx := f.t.Context()
	first, second, n := f.create(0), f.create(1), 2
	for i, u := range f.Uniques {
		once, colliding := key("caller", fmt.Sprint(i), ""), f.newResource(n)
		colliding.Unique[i] = first.Unique[i]
		_, _, err := f.Create(ctx, colliding, once)
		f.wantError("creation with the "+u.Attribute+" of another", err, u.Taken)
		if _, replayed, err := f.Create(ctx, f.newResource(n), once); err != nil || replayed {
			f.t.Errorf("creation with a free %s and the same key: replayed %v, %v", u.Attribute, replayed, err)
		}
		n++
		if u.IsFixed {
			continue
		}
		with := func(r Resource, value string) Resource {
			r.Unique = slices.Clone(r.Unique)
			r.Unique[i] = value
			return r
		}
		_, err = f.Update(ctx, second, with(second, first.Unique[i]))
		f.wantError("change to the "+u.Attribute+" of another", err, u.Taken)
		f.wantSame("the resource", f.mustGet(second.ID), second)
		freed := first.Unique[i]
		first, err = f.Update(ctx, first, with(first, uniqueText(i, 100)))
		f.wantError("change of "+u.Attribute, err, nil)
		second, err = f.Update(ctx, second, with(second, freed))
		f.wantError("change to a freed "+u.Attribute, err, nil)
	}
	f.wantCount(2 + len(f.Uniques))
	f.wantError("deletion", f.Delete(ctx, first, noon()), nil)
	heir := f.newResource(n)
	heir.Unique = first.Unique
	_, _, err := f.Create(ctx, heir, nil)
	f.wantError("creation with the values of a deleted resource", err, nil)
	f.wantCount(2 + len(f.Uniques))
}
