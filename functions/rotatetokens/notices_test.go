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
	"portside/shared/expirynotices"
	"portside/shared/users"
)

const aDay = 24 * time.Hour

// issue gives the owner a token or password that ends after some days; change may alter it before.
func (h *harbour) issue(kind credentials.Kind, days int, change func(*credentials.Credential)) credentials.Secret {
	h.tb.Helper()
	secret := credentials.Mint(kind)
	made := credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), Name: "pipeline <1>", Owner: credentials.Owner{ID: h.owner.ID},
		Scopes: []string{"read:helm-charts"}, CreatedAt: h.now, ExpiresAt: h.now.AddDate(0, 0, days),
	}
	if change != nil {
		change(&made)
	}
	if err := (owners{h.store, h.store}).Issue(h.tb.Context(), made); err != nil {
		h.tb.Fatal(err)
	}
	return secret
}

func (h *harbour) daily() (answer, error) {
	h.tb.Helper()
	return h.handle(h.tb.Context(), json.RawMessage(`{"source": "aws.scheduler", "detail-type": "Scheduled Event"}`))
}

// mails runs the daily schedule and returns the subjects of what was sent.
func (h *harbour) mails() []string {
	h.tb.Helper()
	if _, err := h.daily(); err != nil {
		h.tb.Fatal(err)
	}
	var subjects []string
	for _, m := range h.post.take() {
		subjects = append(subjects, m.Subject)
	}
	return subjects
}

func TestOwnersAreToldFourTimes(t *testing.T) {
	for _, kind := range []credentials.Kind{credentials.AccessToken, credentials.Password} {
		h := newHarbour(t)
		h.issue(kind, 90, nil)
		var told []string
		for range 95 {
			for n, subject := range h.mails() {
				left := 90 - int(h.now.Sub(time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC))/aDay)
				told = append(told, fmt.Sprintf("%d left, mail %d: %s", left, n, subject))
			}
			if again := h.mails(); len(again) != 0 {
				t.Fatalf("a second run on the same day sent %v", again)
			}
			h.pass(aDay)
		}
		what := map[credentials.Kind]string{credentials.AccessToken: "access token", credentials.Password: "password"}[kind]
		want := []string{
			"30 left, mail 0: Your " + what + " expires within 30 days", "14 left, mail 0: Your " + what + " expires within 14 days",
			"3 left, mail 0: Your " + what + " expires within 3 days", "1 left, mail 0: Your " + what + " expires within a day",
		}
		if !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	}
}

func TestMissedDaysAreCaughtUp(t *testing.T) {
	for _, c := range []struct {
		missed int // days without a run, the first of which is that of the first notice
		want   []string
	}{
		{0, []string{"30 days"}}, {1, []string{"30 days"}}, {10, []string{"30 days"}},
		{17, []string{"14 days"}}, {28, []string{"3 days"}}, {29, []string{"a day"}}, {31, nil}, {400, nil},
	} {
		h := newHarbour(t)
		h.issue(credentials.AccessToken, 60, nil)
		for range 30 {
			if early := h.mails(); len(early) > 0 {
				t.Fatalf("too early: %v", early)
			}
			h.pass(aDay)
		}
		h.pass(time.Duration(c.missed) * aDay)
		got := h.mails()
		for i := range got {
			got[i] = strings.TrimPrefix(got[i], "Your access token expires within ")
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("after %d missed days: %q, want %q", c.missed, got, c.want)
		}
	}
}

func TestShortLivesGetNoNoticeOfWhatIsObvious(t *testing.T) {
	h := newHarbour(t)
	h.issue(credentials.AccessToken, 1, nil)
	h.issue(credentials.AccessToken, 3, nil)
	h.issue(credentials.APIKey, 14, func(c *credentials.Credential) { c.Scopes = nil })
	if got := h.mails(); len(got) != 0 {
		t.Errorf("on the day of issue: %v", got)
	}
	h.pass(2 * aDay)
	if got := h.mails(); len(got) != 1 {
		t.Errorf("a day before the end of the longer one: %v", got)
	}
}

func TestWhoGetsNoNotice(t *testing.T) {
	for name, end := range map[string]func(*harbour, credentials.Secret){
		"revoked":   func(h *harbour, _ credentials.Secret) { h.revokeAll() },
		"suspended": func(h *harbour, _ credentials.Secret) { h.setStatus(users.Suspended) },
		"shortened": func(h *harbour, s credentials.Secret) {
			if err := h.table.Shorten(h.tb.Context(), s, h.now.Add(aDay)); err != nil {
				h.tb.Fatal(err)
			}
		},
	} {
		h := newHarbour(t)
		secret := h.issue(credentials.AccessToken, 60, nil)
		h.mails()
		end(h, secret)
		h.pass(30 * aDay)
		if got := h.mails(); len(got) != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestShortenedTokenIsToldByItsNewEnd(t *testing.T) {
	h := newHarbour(t)
	h.manage(h.terms())
	h.mustRotate()
	h.mails()
	h.pass(aDay)
	h.mustRotate() // the first token ends in seven days
	h.mails()
	var told []string
	for range 10 {
		h.pass(aDay)
		told = append(told, h.mails()...)
	}
	if want := []string{"Your access token expires within 3 days", "Your access token expires within a day"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

func TestLetterSaysWhoStillUsesIt(t *testing.T) {
	use := func(h *harbour, s credentials.Secret, at time.Time) {
		if err := h.table.RecordUse(h.tb.Context(), s.ID(), at); err != nil {
			h.tb.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		do   func(h *harbour, old credentials.Secret)
		want string
	}{
		{"never used", func(*harbour, credentials.Secret) {}, "It was never used. Nobody has created a successor yet."},
		{"used", func(h *harbour, old credentials.Secret) { use(h, old, h.now) },
			"It was last used on 3 March 2026, 06:00 UTC (to 5 minutes). Nobody has"},
		{"renewed", func(h *harbour, old credentials.Secret) { h.successor(old) }, "was never used."},
		{"renewed and switched", func(h *harbour, old credentials.Secret) {
			use(h, old, h.now.Add(-time.Hour))
			use(h, h.successor(old), h.now.Add(time.Hour))
		}, "You need not do anything."},
		{"renewed and not switched", func(h *harbour, old credentials.Secret) {
			use(h, h.successor(old), h.now.Add(time.Hour))
			use(h, old, h.now.Add(time.Hour))
		}, "something still uses the old one."},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarbour(t)
			old := h.issue(credentials.AccessToken, 4, nil)
			h.mails()
			h.pass(aDay)
			c.do(h, old)
			if _, err := h.daily(); err != nil {
				t.Fatal(err)
			}
			sent := h.post.take()
			if len(sent) != 1 || !strings.Contains(strings.Join(strings.Fields(sent[0].Text), " "), c.want) || sent[0].To != h.owner.Email {
				t.Fatalf("the letter is %+v, want one with %q", sent, c.want)
			}
			if strings.Contains(sent[0].HTML, "<Lovelace>") || strings.Contains(sent[0].HTML, "<1>") {
				t.Error("names are not escaped in HTML")
			}
		})
	}
}

func (h *harbour) successor(old credentials.Secret) credentials.Secret {
	return h.issue(credentials.AccessToken, 90, func(c *credentials.Credential) { c.RotatedFrom = old.ID() })
}

func TestMailThatFailsIsSentByTheNextRunAndOthersAtOnce(t *testing.T) {
	h := newHarbour(t)
	h.issue(credentials.AccessToken, 4, nil)
	bob := h.user("bob@example.com", principal.User)
	h.issue(credentials.AccessToken, 4, func(c *credentials.Credential) { c.Owner.ID = bob.ID })
	h.mails()
	h.pass(aDay)
	h.post.refused = []string{h.owner.Email}
	if _, err := h.daily(); err == nil {
		t.Error("a mail that failed did not fail the run")
	}
	if sent := h.post.take(); len(sent) != 1 || sent[0].To != bob.Email {
		t.Errorf("sent %v beside the mail that failed, want the one to bob", sent)
	}
	h.post.refused = nil
	if got := h.mails(); len(got) != 1 {
		t.Errorf("the next run sent %v, want the mail that failed", got)
	}
	if got := h.mails(); len(got) != 0 {
		t.Errorf("one more run sent %v", got)
	}
}

// TestCrashOfARunLosesNoMail ends a run at each of its calls in turn. The mail comes with the next run, at the latest once
// the lease of the run that died is over; it comes twice only where the crash was between the mail and its mark.
func TestCrashOfARunLosesNoMail(t *testing.T) {
	for _, after := range []bool{false, true} {
		for at := 1; ; at++ {
			h := newHarbour(t)
			h.issue(credentials.AccessToken, 2, nil)
			h.mails()
			h.pass(aDay)
			h.crash.set(at, after)
			_, err := h.daily()
			crashed := h.crash.happened()
			h.crash.set(0, false)
			if crashed != (err != nil) {
				t.Fatalf("call %d: crashed %v, but the run returned %v", at, crashed, err)
			}
			h.pass(expirynotices.Lease)
			sent := len(h.post.take())
			again := len(h.mails())
			if sent+again < 1 || sent+again > 2 {
				t.Errorf("call %d, after=%v: %d mails and then %d", at, after, sent, again)
			}
			if more := h.mails(); len(more) != 0 {
				t.Errorf("call %d, after=%v: one more run sent %v", at, after, more)
			}
			if !crashed {
				break
			}
		}
	}
}

func TestRunsAtTheSameTimeSendOnce(t *testing.T) {
	h := newHarbour(t)
	for range 5 {
		h.issue(credentials.AccessToken, 4, nil)
	}
	h.mails()
	h.pass(aDay)
	var once sync.Once
	h.post.before = func() { // in the middle of the first run
		once.Do(func() {
			if got, err := h.daily(); err != nil || !got.Skipped || got.Sent != 0 {
				t.Errorf("a run beside another one: %+v, %v; want it to be skipped", got, err)
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
	if sent := h.post.take(); len(sent) != 5 {
		t.Errorf("%d mails for 5 tokens", len(sent))
	}
}
