package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"portside/shared/notices/expirynotices"
	"portside/shared/notices/expirynotices/expirynoticesdynamo"
	"portside/shared/users/usersdynamo"
)

// sender returns the sender of expiry notices, as in the function rotatetokens.
func (d *fixture) sender() *expirynotices.Sender {
	ledger := expirynoticesdynamo.New(d.client, d.name)
	return expirynotices.New(expirynotices.Parts{
		Walk: ledger.Walk(), Ledger: ledger, Retries: ledger, Credentials: d.table, People: allUsers{d.people},
		Mailer: d.mailbox, Now: d.clock,
	})
}

// allUsers implements expirynotices.People for all users.
type allUsers struct{ *usersdynamo.Store }

func (e allUsers) Person(ctx context.Context, id string) (expirynotices.Person, error) {
	user, err := e.Get(ctx, id)
	return expirynotices.Person{Name: user.Name, Email: user.Email}, err
}

// runDays advances the clock day by day. It sends notices on the days when some are due and on the days after, when
// none must be sent; the other days are left out to save time.
func (f *pipeline) runDays(t *testing.T, days int) {
	t.Helper()
	for range days {
		f.advance(day)
		if !slices.ContainsFunc(f.tokens, f.isNoticeDay) {
			continue
		}
		if _, err := f.notices.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func (f *pipeline) isNoticeDay(token pipelineToken) bool {
	left := int(token.issued.Add(90*day).Sub(f.now) / day)
	return slices.ContainsFunc(expirynotices.Thresholds(), func(days int) bool { return left == days || left == days-1 })
}

// checkNotices checks that the owner got four notices for each expired token and none for the revoked one.
func (f *pipeline) checkNotices(t *testing.T) {
	t.Helper()
	notices := map[string]int{}
	for _, message := range f.mailbox.to("pipeline@example.com") {
		in, isNotice := strings.CutPrefix(message.Subject, "Your access token expires ")
		_, rest, found := strings.Cut(message.Text, `Your access token "pipeline" (`)
		if id, _, ends := strings.Cut(rest, ") expires on "); isNotice && found && ends {
			notices[id+" "+in]++
		}
	}
	for _, token := range f.tokens[:len(f.tokens)-1] {
		for _, in := range []string{"within 30 days", "within 14 days", "within 3 days", "within a day"} {
			if n := notices[token.id+" "+in]; n != 1 {
				t.Errorf("token %s: %d notices that it expires %s, want 1", token.id, n, in)
			}
		}
	}
	if want := 4 * (len(f.tokens) - 1); len(notices) != want {
		t.Errorf("%d notices, want %d", len(notices), want)
	}
}
