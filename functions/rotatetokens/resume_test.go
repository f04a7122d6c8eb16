package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/principal"
	"portside/shared/core/walk"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
	"portside/shared/notices/expirynotices"
	"portside/shared/users"
)

// shortening is a context whose deadline comes close when the test says so. It does not end.
type shortening struct {
	context.Context
	short   context.Context
	isShort atomic.Bool
}

func newShortening(t *testing.T) *shortening {
	t.Helper()
	short, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return &shortening{Context: t.Context(), short: short}
}

func (c *shortening) Deadline() (time.Time, bool) {
	if c.isShort.Load() {
		return c.short.Deadline()
	}
	return c.Context.Deadline()
}

// lifetimes returns the days after which tokens expire that get a notice tomorrow.
func lifetimes() []int { return []int{2, 4, 15, 31} }

// issueMany creates tokens that expire after these days in turn. Ten have the same owner.
func (h *fixture) issueMany(n int, days ...int) {
	h.tb.Helper()
	var owner users.User
	for i := range n {
		if i%10 == 0 {
			owner = h.user(fmt.Sprintf("user%d@example.com", i), principal.User)
		}
		h.issue(credentials.AccessToken, days[i%len(days)], func(c *credentials.Credential) { c.Owner.ID = owner.ID })
	}
}

// mailedTokens returns the IDs of the tokens in mails, sorted.
func (h *fixture) mailedTokens() []string {
	h.tb.Helper()
	var ids []string
	for _, m := range h.mailbox.take() {
		_, rest, _ := strings.Cut(m.Text, `"pipeline <1>" (`)
		id, _, found := strings.Cut(rest, ")")
		if !found {
			h.tb.Fatalf("the mail names no token: %s", m.Text)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// TestRunsContinueWhereTheLastOneStopped cuts each run after a number of mails. Together, the runs send each notice
// once.
func TestRunsContinueWhereTheLastOneStopped(t *testing.T) {
	const tokens = 2*expirynotices.PageSize + 4 // of which each of two days has more than a page
	for _, mails := range []int{1, 57, expirynotices.PageSize} {
		h := newFixture(t)
		count := tokens
		if mails == 1 {
			count = 12
		}
		h.issueMany(count, lifetimes()[0], lifetimes()[3])
		h.sentSubjects()
		h.advance(day)
		var all []string
		for range (count + mails - 1) / mails {
			got := h.cut(t, mails)
			if left := count - len(all) - got.Sent; left > 0 && got.DaysBehind != 1 {
				t.Errorf("with %d mails left, the run is %d days behind, want 1", left, got.DaysBehind)
			}
			all = append(all, h.mailedTokens()...)
		}
		if more := h.sentSubjects(); len(more) != 0 {
			t.Errorf("%d mails a run: one more run sent %d mails", mails, len(more))
		}
		slices.Sort(all)
		if distinct := len(slices.Compact(slices.Clone(all))); distinct != count || len(all) != count {
			t.Errorf("%d mails a run: %d mails for %d tokens, want %d", mails, len(all), distinct, count)
		}
	}
}

// cut runs the schedule, and stops it after a number of mails.
func (h *fixture) cut(t *testing.T, mails int) outcome {
	t.Helper()
	ctx, sent := newShortening(t), 0
	h.mailbox.before = func() {
		sent++
		ctx.isShort.Store(sent >= mails)
	}
	got, err := h.handle(ctx, json.RawMessage(`{}`))
	if err != nil || got.Sent > mails {
		t.Fatalf("%d mails: %v; want at most %d", got.Sent, err, mails)
	}
	h.mailbox.before = nil
	return got
}

// TestARunReadsOnlyTheRest cuts a run within the third of four days of expiry. The next run does not read the first two
// again.
func TestARunReadsOnlyTheRest(t *testing.T) {
	h := newFixture(t)
	h.issueMany(40, lifetimes()...) // ten on each day
	h.sentSubjects()
	h.advance(day)
	h.cut(t, 25)
	h.mailbox.take()
	h.crash.set(0, false)
	const want = perRun + 2*perPage + 15*perNotice
	if sent := h.sentSubjects(); len(sent) != 15 || h.crash.calls != want {
		t.Errorf("the next run sends %d mails with %d calls, want 15 with %d", len(sent), h.crash.calls, want)
	}
}

// TestAWalkOfYesterdayStartsAgain cuts the walk of one day. The next day sends the rest, and the notice of a token
// whose day of expiry the first walk had passed.
func TestAWalkOfYesterdayStartsAgain(t *testing.T) {
	h := newFixture(t)
	h.issueMany(8, lifetimes()...)
	soon := h.issue(credentials.AccessToken, 3, nil)
	h.sentSubjects()
	h.advance(day)
	if got := h.cut(t, 5); got.DaysBehind != 1 {
		t.Fatalf("got %+v after 5 of 8 mails", got)
	}
	first := h.mailedTokens()
	h.advance(day)
	second := h.tokensMailedBySchedule(t)
	if len(second) != 4 || !slices.Contains(second, soon.ID()) {
		t.Errorf("the next day sent mails for %v, want three and %s", second, soon.ID())
	}
	for _, id := range first {
		if slices.Contains(second, id) {
			t.Errorf("the next day repeated the mail for %s", id)
		}
	}
}

// tokensMailedBySchedule runs the schedule and returns the IDs of the tokens in its mails.
func (h *fixture) tokensMailedBySchedule(t *testing.T) []string {
	t.Helper()
	if _, err := h.runSchedule(); err != nil {
		t.Fatal(err)
	}
	return h.mailedTokens()
}

// TestARunThatLostItsLeaseStops lets the lease of a run expire during a mail. The next run sends everything, and the
// first one stops.
func TestARunThatLostItsLeaseStops(t *testing.T) {
	h := newFixture(t)
	h.issueMany(12, lifetimes()...)
	h.sentSubjects()
	h.advance(day)
	var second outcome
	h.mailbox.before = func() {
		h.mailbox.before = nil
		h.advance(expirynotices.Lease)
		var err error
		if second, err = h.runSchedule(); err != nil {
			t.Error(err)
		}
	}
	first, err := h.runSchedule()
	if !errors.Is(err, walk.ErrLocked) || second.Sent != 12 {
		t.Errorf("the first run: %+v, %v; the second: %+v", first, err, second)
	}
	if got := h.mailedTokens(); len(got) != 13 || len(slices.Compact(got)) != 12 {
		t.Errorf("%d mails, want one for each of 12 tokens, and the one that was being sent", len(got))
	}
	h.advance(2 * expirynotices.RetryAfter)
	if more := h.sentSubjects(); len(more) != 0 {
		t.Errorf("one more run sent %v", more)
	}
}

// TestADamagedTokenDoesNotStopTheOthers damages a token so that it cannot be read.
func TestADamagedTokenDoesNotStopTheOthers(t *testing.T) {
	h := newFixture(t)
	damaged := h.issue(credentials.AccessToken, 2, nil)
	h.issueMany(12, lifetimes()...)
	h.sentSubjects()
	_, err := h.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(h.table.Name()), Key: items.Key("credential#"+damaged.ID(), "credential"),
		UpdateExpression: aws.String("SET created = :x"), ExpressionAttributeValues: items.Map{":x": items.Text("never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.advance(day)
	if got, err := h.runSchedule(); err == nil || got.Sent != 12 || got.DaysBehind != 0 ||
		!strings.Contains(err.Error(), damaged.ID()) {
		t.Errorf("got %+v, %v; want 12 mails and an error that names the token", got, err)
	}
	h.mailbox.take()
	if got := h.sentSubjects(); len(got) != 0 {
		t.Errorf("one more run sent %v", got)
	}
}

// failNotice issues a token, and lets its notice fail on the next day.
func (h *fixture) failNotice() {
	h.tb.Helper()
	h.issue(credentials.AccessToken, 4, nil)
	h.sentSubjects()
	h.advance(day)
	h.mailbox.rejected = []string{h.owner.Email}
	if _, err := h.runSchedule(); err == nil {
		h.tb.Fatal("a failed mail did not fail the run")
	}
}

// TestANearerNoticeReplacesAFailedOne lets a notice fail until the next threshold.
func TestANearerNoticeReplacesAFailedOne(t *testing.T) {
	h := newFixture(t)
	h.failNotice()
	h.mailbox.rejected = nil
	h.advance(2 * day)
	if got := h.sentSubjects(); len(got) != 1 || !strings.HasSuffix(got[0], "within a day") {
		t.Errorf("sent %v, want only the nearer notice", got)
	}
}

// TestRetriesEndWithTheToken revokes a token whose notice failed.
func TestRetriesEndWithTheToken(t *testing.T) {
	h := newFixture(t)
	h.failNotice()
	h.revokeAll()
	h.advance(expirynotices.RetryAfter)
	if got, err := h.runSchedule(); err != nil || got.Sent != 0 {
		t.Errorf("a retry for a revoked token: %+v, %v", got, err)
	}
}

// Calls to the database.
const (
	perNotice = 5
	perPage   = 4 // of credentials that expire on the same day
	perRun    = 4
)

// TestCallsOfARun counts the calls to the database. docs/capacity.md computes the length of a run from them.
func TestCallsOfARun(t *testing.T) {
	const days = 4
	for _, notices := range []int{20, 40} {
		h := newFixture(t)
		h.issueMany(notices, lifetimes()...)
		h.sentSubjects()
		h.advance(day)
		for _, want := range []int{notices*perNotice + days*perPage + perRun, perRun - 1} { // the second run has nothing to do
			h.crash.set(0, false)
			h.sentSubjects()
			if h.crash.calls != want {
				t.Errorf("a run for %d notices takes %d calls, want %d", notices, h.crash.calls, want)
			}
		}
	}
}

// BenchmarkNotices sends notices with the local engine and without SES.
func BenchmarkNotices(b *testing.B) {
	const notices = 200
	for b.Loop() {
		b.StopTimer()
		h := newFixture(b)
		h.issueMany(notices, lifetimes()...)
		h.sentSubjects()
		h.advance(day)
		b.StartTimer()
		if sent := h.sentSubjects(); len(sent) != notices {
			b.Fatalf("%d mails for %d tokens", len(sent), notices)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*notices), "µs/notice")
}
