package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/notices/expirynotices"
	"portside/shared/users"
)

const day = 24 * time.Hour

// issue creates a token or password of the owner that expires after some days. change can modify it first.
func (h *fixture) issue(kind credentials.Kind, days int, change func(*credentials.Credential)) credentials.Secret {
	h.tb.Helper()
	secret := credentials.Mint(kind)
	made := credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), Name: "pipeline <1>", Owner: credentials.Owner{ID: h.owner.ID},
		Scopes: []string{"read:helm-charts"}, CreatedAt: h.now, ExpiresAt: h.now.AddDate(0, 0, days),
	}
	if change != nil {
		change(&made)
	}
	if err := (owners{users.NewIssuer(h.store, h.store.Keys)}).Issue(h.tb.Context(), made); err != nil {
		h.tb.Fatal(err)
	}
	return secret
}

func (h *fixture) runSchedule() (outcome, error) {
	h.tb.Helper()
	return h.handle(h.tb.Context(), json.RawMessage(`{"source": "aws.scheduler", "detail-type": "Scheduled Event"}`))
}

// sentSubjects runs the daily schedule and returns the subjects of the mails that it sent.
func (h *fixture) sentSubjects() []string {
	h.tb.Helper()
	if _, err := h.runSchedule(); err != nil {
		h.tb.Fatal(err)
	}
	var subjects []string
	for _, m := range h.mailbox.take() {
		subjects = append(subjects, m.Subject)
	}
	return subjects
}

func TestOwnersGetFourNotices(t *testing.T) {
	for _, kind := range []credentials.Kind{credentials.AccessToken, credentials.Password} {
		h := newFixture(t)
		const days = 33
		h.issue(kind, days, nil)
		var notices []string
		for left := days; left >= -2; left-- {
			sent := h.sentSubjects()
			for n, subject := range sent {
				notices = append(notices, fmt.Sprintf("%d left, mail %d: %s", left, n, subject))
			}
			if len(sent) > 0 {
				if again := h.sentSubjects(); len(again) != 0 {
					t.Fatalf("a second run on the same day sent %v", again)
				}
			}
			h.advance(day)
		}
		what := map[credentials.Kind]string{credentials.AccessToken: "access token", credentials.Password: "password"}[kind]
		want := []string{
			"30 left, mail 0: Your " + what + " expires within 30 days", "14 left, mail 0: Your " + what + " expires within 14 days",
			"3 left, mail 0: Your " + what + " expires within 3 days", "1 left, mail 0: Your " + what + " expires within a day",
		}
		if !slices.Equal(notices, want) {
			t.Errorf("notices %q, want %q", notices, want)
		}
	}
}

func TestNoticesAfterMissedRuns(t *testing.T) {
	for _, c := range []struct {
		missed int // days without a run, starting with the day of the first notice
		want   []string
	}{
		{0, []string{"30 days"}}, {1, []string{"30 days"}}, {10, []string{"30 days"}},
		{17, []string{"14 days"}}, {28, []string{"3 days"}}, {29, []string{"a day"}}, {31, nil}, {400, nil},
	} {
		t.Run(fmt.Sprintf("after %d missed days", c.missed), func(t *testing.T) {
			h := newFixture(t)
			h.issue(credentials.AccessToken, 60, nil)
			h.advance(29 * day)
			if early := h.sentSubjects(); len(early) > 0 {
				t.Fatalf("notices before the first threshold: %v", early)
			}
			h.advance(time.Duration(1+c.missed) * day)
			got := h.sentSubjects()
			for i := range got {
				got[i] = strings.TrimPrefix(got[i], "Your access token expires within ")
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestShortLivedCredentialsGetFewerNotices(t *testing.T) {
	h := newFixture(t)
	h.issue(credentials.AccessToken, 1, nil)
	h.issue(credentials.AccessToken, 3, nil)
	h.issue(credentials.APIKey, 14, func(c *credentials.Credential) { c.Scopes = nil })
	if got := h.sentSubjects(); len(got) != 0 {
		t.Errorf("notices on the day of creation: %v", got)
	}
	h.advance(2 * day)
	if got := h.sentSubjects(); len(got) != 1 {
		t.Errorf("a day before the longer one expires: %v, want one notice", got)
	}
}

func TestInvalidCredentialsGetNoNotice(t *testing.T) {
	for name, end := range map[string]func(*fixture, credentials.Secret){
		"revoked":   func(h *fixture, _ credentials.Secret) { h.revokeAll() },
		"suspended": func(h *fixture, _ credentials.Secret) { h.setStatus(users.Suspended) },
		"shortened": func(h *fixture, s credentials.Secret) {
			if err := h.table.Shorten(h.tb.Context(), s, h.now.Add(day)); err != nil {
				h.tb.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t)
			secret := h.issue(credentials.AccessToken, 60, nil)
			h.sentSubjects()
			end(h, secret)
			h.advance(30 * day)
			if got := h.sentSubjects(); len(got) != 0 {
				t.Errorf("%s: %v", name, got)
			}
		})
	}
}

func TestNoticesFollowShortenedExpiry(t *testing.T) {
	h := newFixture(t)
	h.createSecret(h.terms())
	h.mustRotate()
	h.sentSubjects()
	h.advance(day)
	h.mustRotate() // the first token now expires in seven days
	h.sentSubjects()
	var notices []string
	for range 10 {
		h.advance(day)
		notices = append(notices, h.sentSubjects()...)
	}
	if want := []string{"Your access token expires within 3 days",
		"Your access token expires within a day"}; !slices.Equal(notices, want) {
		t.Errorf("notices %q, want %q", notices, want)
	}
}

func TestNoticeDescribesUseOfTheToken(t *testing.T) {
	use := func(h *fixture, s credentials.Secret, at time.Time) {
		if _, _, err := h.table.Requests.CountRequest(h.tb.Context(), s, at); err != nil {
			h.tb.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		do   func(h *fixture, old credentials.Secret)
		want string
	}{
		{"never used", func(*fixture, credentials.Secret) {}, "It has never been used. Nobody has created a successor yet."},
		{"used", func(h *fixture, old credentials.Secret) { use(h, old, h.now) },
			"It was last used on 3 March 2026, 06:00 UTC (to 5 minutes). Nobody has"},
		{"renewed", func(h *fixture, old credentials.Secret) { h.successor(old) }, "has never been used."},
		{"renewed and switched", func(h *fixture, old credentials.Secret) {
			use(h, old, h.now.Add(-time.Hour))
			use(h, h.successor(old), h.now.Add(time.Hour))
		}, "You do not need to do anything."},
		{"renewed and not switched", func(h *fixture, old credentials.Secret) {
			use(h, h.successor(old), h.now.Add(time.Hour))
			use(h, old, h.now.Add(time.Hour))
		}, "something still uses the old one."},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newFixture(t)
			old := h.issue(credentials.AccessToken, 4, nil)
			h.sentSubjects()
			h.advance(day)
			c.do(h, old)
			if _, err := h.runSchedule(); err != nil {
				t.Fatal(err)
			}
			sent := h.mailbox.take()
			if len(sent) != 1 || !strings.Contains(strings.Join(strings.Fields(sent[0].Text), " "), c.want) ||
				sent[0].To != h.owner.Email {
				t.Fatalf("the notice is %+v, want one with %q", sent, c.want)
			}
			if strings.Contains(sent[0].HTML, "<Lovelace>") || strings.Contains(sent[0].HTML, "<1>") {
				t.Error("names are not escaped in HTML")
			}
		})
	}
}

func (h *fixture) successor(old credentials.Secret) credentials.Secret {
	return h.issue(credentials.AccessToken, 90, func(c *credentials.Credential) { c.RotatedFrom = old.ID() })
}

func TestFailedNoticeIsSentAnHourLater(t *testing.T) {
	h := newFixture(t)
	h.issue(credentials.AccessToken, 4, nil)
	bob := h.user("bob@example.com", principal.User)
	h.issue(credentials.AccessToken, 4, func(c *credentials.Credential) { c.Owner.ID = bob.ID })
	h.sentSubjects()
	h.advance(day)
	h.mailbox.rejected = []string{h.owner.Email}
	if _, err := h.runSchedule(); err == nil {
		t.Error("a failed mail did not fail the run")
	}
	if sent := h.mailbox.take(); len(sent) != 1 || sent[0].To != bob.Email {
		t.Errorf("sent %v besides the failed mail, want the one to bob", sent)
	}
	h.advance(expirynotices.RetryAfter)
	if _, err := h.runSchedule(); err == nil {
		t.Error("a mail that failed again did not fail the run")
	}
	h.mailbox.rejected = nil
	h.advance(expirynotices.RetryAfter - time.Millisecond)
	if got := h.sentSubjects(); len(got) != 0 {
		t.Errorf("a run within the hour sent %v", got)
	}
	h.advance(time.Millisecond)
	if got := h.sentSubjects(); len(got) != 1 {
		t.Errorf("the run after an hour sent %v, want the failed mail", got)
	}
	if got := h.sentSubjects(); len(got) != 0 {
		t.Errorf("one more run sent %v", got)
	}
}

// TestNoticeIsSentAfterACrash crashes a run at each of its calls in turn. The next run sends the mail, at the latest
// after the lease of the crashed run has expired. The mail is sent twice only if the run crashed after sending and
// before recording it.
func TestNoticeIsSentAfterACrash(t *testing.T) {
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			h := newFixture(t)
			h.issue(credentials.AccessToken, 2, nil)
			h.sentSubjects()
			h.advance(day)
			h.crash.set(at, after)
			_, err := h.runSchedule()
			crashed := h.crash.happened()
			h.crash.set(0, false)
			if crashed != (err != nil) {
				t.Fatalf("call %d: crashed %v, but the run returned %v", at, crashed, err)
			}
			h.advance(expirynotices.Lease)
			sent := len(h.mailbox.take())
			again := len(h.sentSubjects())
			if sent+again < 1 || sent+again > 2 {
				t.Errorf("call %d, after=%v: %d mails, then %d", at, after, sent, again)
			}
			if more := h.sentSubjects(); len(more) != 0 {
				t.Errorf("call %d, after=%v: one more run sent %v", at, after, more)
			}
			if !crashed {
				break
			}
		}
	}
}

func TestConcurrentRunsSendNoticesOnce(t *testing.T) {
	h := newFixture(t)
	for range 5 {
		h.issue(credentials.AccessToken, 4, nil)
	}
	h.sentSubjects()
	h.advance(day)
	var once sync.Once
	h.mailbox.before = func() { // during the first run
		once.Do(func() {
			if got, err := h.runSchedule(); err != nil || !got.Skipped || got.Sent != 0 {
				t.Errorf("a concurrent run: %+v, %v; want it skipped", got, err)
			}
		})
	}
	var runs sync.WaitGroup
	for range 4 {
		runs.Go(func() {
			if _, err := h.handle(t.Context(), json.RawMessage(`{}`)); err != nil {
				t.Error(err)
			}
		})
	}
	runs.Wait()
	if sent := h.mailbox.take(); len(sent) != 5 {
		t.Errorf("%d mails for 5 tokens", len(sent))
	}
}
