package usersdynamo_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/dynamo/transactions"
	"portside/shared/users"
)

func TestHoldersOfPermission(t *testing.T) {
	w := newPopulatedStore(t) // 0, 4 and 8 are admins; 1 and 5 managers
	suspended := w.people[4]
	suspended.Status = users.Suspended
	if _, err := w.Update(t.Context(), w.people[4], suspended); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		permission principal.Permission
		most       int
		want       []string
	}{
		{principal.CredentialsApprove, 50, []string{"person0@example.com", "person8@example.com"}},
		{principal.CredentialsApprove, 1, []string{"person0@example.com"}},
		{principal.CredentialsApprove, 0, nil},
		{principal.TokensWrite, 3, []string{"person0@example.com", "person8@example.com", "person1@example.com"}},
		{"nothing:at-all", 50, nil},
	} {
		t.Run(fmt.Sprintf("at most %d with %s", c.most, c.permission), func(t *testing.T) {
			found, err := w.People.Holders(t.Context(), c.permission, c.most)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range found {
				got = append(got, p.Email)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestUnchangedDetectsChangesOfPerson(t *testing.T) {
	w := newPopulatedStore(t)
	before, err := w.People.Person(t.Context(), w.people[3].ID)
	if err != nil || !before.Active || before.Role != principal.Viewer || before.Version != 1 {
		t.Fatalf("%+v, %v", before, err)
	}
	unchanged := func() error {
		return transactions.Write(t.Context(), w.client, []types.TransactWriteItem{w.People.Unchanged(before.ID, before.Version)})
	}
	if err := unchanged(); err != nil {
		t.Errorf("transaction on an unchanged user: %v", err)
	}
	after := w.people[3]
	after.Status = users.Suspended
	if _, err := w.Update(t.Context(), w.people[3], after); err != nil {
		t.Fatal(err)
	}
	if _, failed := transactions.FailedAt(unchanged()); !failed {
		t.Error("Unchanged did not detect a suspension")
	}
	if _, err := w.People.Person(t.Context(), "nobody"); !errors.Is(err, users.ErrNotFound) {
		t.Errorf("unknown user: %v", err)
	}
}
