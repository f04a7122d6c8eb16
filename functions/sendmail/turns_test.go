package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/transactions"
	"portside/shared/users"
	"portside/testclient/scale"
)

// TestCustomersTakeTurns imports random numbers of users for several customers, one after the other. Before the nth
// invitation of a customer, at most n of each other customer are sent.
//
//proves:docs/security.md
func TestCustomersTakeTurns(t *testing.T) {
	o := newFixture(t)
	random := rand.New(rand.NewPCG(scale.Seed(), 1))
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	importer := users.NewImporter(o.people.Bulk, newID, func() time.Time { return o.now })
	total := 0
	for i := range 4 {
		id := ""
		if i > 0 {
			id = newID()
			add := o.table.Customers.Add(id, customerstates.State{})
			if err := transactions.Write(t.Context(), o.client, []types.TransactWriteItem{add}); err != nil {
				t.Fatal(err)
			}
		}
		rows := make([]users.NewUser, 1+random.IntN(20))
		for n := range rows {
			rows[n] = users.NewUser{
				Email: fmt.Sprintf("user%d@company%d.example.com", n, i), Name: "Ada", Role: principal.Viewer, CustomerID: id,
				ActivationEmail: true,
			}
		}
		options := users.ImportOptions{Caller: principal.Operator(), BaseURL: "https://portal.example.com"}
		outcomes, err := importer.Import(t.Context(), options, rows)
		for _, outcome := range outcomes {
			if err == nil {
				err = outcome.Err
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		total += len(rows)
	}
	for range 1 + total/(users.InvitationBatch*invitationRounds) {
		o.mustRun()
	}
	sent := map[string]int{}
	for _, to := range o.server.recipients() {
		_, company, _ := strings.Cut(to, "@")
		for other, n := range sent {
			if n > sent[company]+1 {
				t.Errorf("%d mails to %s come before mail %d to %s", n, other, sent[company]+1, company)
			}
		}
		sent[company]++
	}
	if n := len(o.server.recipients()); n != total {
		t.Errorf("%d mails, want %d", n, total)
	}
}

// orderedTask notes when its turn is. It has as many full batches of mails as given.
func orderedTask(name string, order *[]string, batches *int) task {
	return func(context.Context) (int, error) {
		*order = append(*order, name)
		if *batches == 0 {
			return 0, nil
		}
		*batches--
		return users.InvitationBatch, nil
	}
}

// TestNobodyWaitsForInvitations has two full batches of invitations, and then more than a run sends.
//
//proves:docs/security.md
func TestNobodyWaitsForInvitations(t *testing.T) {
	const before = "closings sign-ins revocations notices requests"
	for batches, want := range map[int]string{
		2:   " invitations sign-ins invitations sign-ins invitations",
		100: strings.Repeat(" invitations sign-ins", invitationRounds),
	} {
		var order []string
		none := 0
		box := func(name string) task { return orderedTask(name, &order, &none) }
		err := handle(tasks{
			signIns: box("sign-ins"), invitations: orderedTask("invitations", &order, &batches), requests: box("requests"),
			notices: box("notices"), revocations: box("revocations"), closings: box("closings"),
		})(t.Context(), nil)
		if got := strings.Join(order, " "); err != nil || got != before+want {
			t.Errorf("the order is %s, %v; want %s", got, err, before+want)
		}
	}
}
