package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"portside/shared/expirynotices"
	"portside/shared/expirynotices/expirynoticesdynamo"
	"portside/shared/users/usersdynamo"
)

// sender sends what the rotation function sends once a day.
func (d *depot) sender() *expirynotices.Sender {
	ledger := expirynoticesdynamo.New(d.client, d.name)
	return expirynotices.New(expirynotices.Parts{
		Lock: ledger, Ledger: ledger, Credentials: d.table, People: everybody{d.people}, Mailer: d.post, Now: d.clock,
	})
}

// everybody is the users as notices know them.
type everybody struct{ *usersdynamo.Store }

func (e everybody) Person(ctx context.Context, id string) (expirynotices.Person, error) {
	user, err := e.Get(ctx, id)
	return expirynotices.Person{Name: user.Name, Email: user.Email}, err
}

// live lets days pass, with a run of the notices where one may be due, and on the day after, where none must be: the other
// runs of a year have nothing to do either, and would take seconds.
func (f *fleet) live(t *testing.T, days int) {
	t.Helper()
	for range days {
		f.pass(day)
		if !slices.ContainsFunc(f.held, f.timely) {
			continue
		}
		if _, err := f.notices.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *fleet) timely(token heldToken) bool {
	left := int(token.issued.Add(90*day).Sub(f.now) / day)
	return slices.ContainsFunc(expirynotices.Thresholds(), func(days int) bool { return left == days || left == days-1 })
}

// told checks that the owner was told four times of each token that has expired, and never of the one that was revoked.
func (f *fleet) told(t *testing.T) {
	t.Helper()
	told := map[string]int{}
	for _, letter := range f.post.to("pipeline@example.com") {
		in, isNotice := strings.CutPrefix(letter.Subject, "Your access token expires ")
		_, rest, found := strings.Cut(letter.Text, `your access token "pipeline" (`)
		if id, _, ends := strings.Cut(rest, ") expires on "); isNotice && found && ends {
			told[id+" "+in]++
		}
	}
	for _, token := range f.held[:len(f.held)-1] {
		for _, in := range []string{"within 30 days", "within 14 days", "within 3 days", "within a day"} {
			if n := told[token.id+" "+in]; n != 1 {
				t.Errorf("token %s: told %d times that it expires %s", token.id, n, in)
			}
		}
	}
	if want := 4 * (len(f.held) - 1); len(told) != want {
		t.Errorf("%d letters, want %d", len(told), want)
	}
}
