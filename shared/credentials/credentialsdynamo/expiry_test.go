package credentialsdynamo_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"pgregory.net/rapid"

	"portside/shared/core/calendar"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

// expiryFixture is a credentials table for the tests of expiries.
type expiryFixture struct {
	client *dynamodb.Client
	table  *credentialsdynamo.Table
	name   string
}

func newExpiryFixture(tb testing.TB) *expiryFixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	name := awstest.Table(tb, client, "CredentialsTable")
	return &expiryFixture{client, credentialsdynamo.New(client, name, ""), name}
}

// issue stores a credential that expires at the given time, or never if the time is zero.
func (s *expiryFixture) issue(tb testing.TB, kind credentials.Kind, expires time.Time) credentials.Secret {
	tb.Helper()
	secret := credentials.Mint(kind)
	writes := s.table.Writes.Issue(credentials.Credential{
		ID: secret.ID(), Kind: kind, Hash: secret.Hash(), Owner: credentials.Owner{ID: secret.ID(), Active: true}, ExpiresAt: expires,
	})
	writes = append(writes, s.table.Writes.Tally(secret.ID(), credentialsdynamo.Change{Issued: 1}))
	if err := transactions.Write(tb.Context(), s.client, writes); err != nil {
		tb.Fatal(err)
	}
	return secret
}

// days returns the days of March 2026 on which a credential is listed as expiring.
func (s *expiryFixture) days(tb testing.TB, id string) (days []int) {
	tb.Helper()
	for d := 1; d <= 31; d++ {
		for after, isFirst := "", true; isFirst || after != ""; isFirst = false {
			found, err := s.table.Expiring(tb.Context(), calendar.DayOf(march(d, 12)), after, 100)
			if err != nil {
				tb.Fatal(err)
			}
			if slices.ContainsFunc(found.Credentials, func(c credentials.Credential) bool { return c.ID == id }) {
				days = append(days, d)
			}
			after = found.Next
		}
	}
	return days
}

func march(day, hour int) time.Time { return time.Date(2026, 3, day, hour, 0, 0, 0, time.UTC) }

func TestExpiringListsTokensAndPasswords(t *testing.T) {
	s := newExpiryFixture(t)
	for kind, want := range map[credentials.Kind][]int{
		credentials.AccessToken: {20}, credentials.Password: {20}, credentials.APIKey: nil, credentials.Link: nil,
	} {
		if got := s.days(t, s.issue(t, kind, march(20, 23)).ID()); !slices.Equal(got, want) {
			t.Errorf("%s is listed on %v, want %v", kind, got, want)
		}
	}
	if got := s.days(t, s.issue(t, credentials.AccessToken, time.Time{}).ID()); got != nil {
		t.Errorf("a token that never expires is listed on %v", got)
	}
}

// TestExpiringReadsPagesInOrder reads pages of each size, among them sizes that end exactly with the last credential.
func TestExpiringReadsPagesInOrder(t *testing.T) {
	s := newExpiryFixture(t)
	var want []string
	for range 6 {
		want = append(want, s.issue(t, credentials.AccessToken, march(20, 1)).ID())
	}
	slices.Sort(want)
	for limit := 1; limit <= 7; limit++ {
		var got []string
		for after, pages := "", 0; pages == 0 || after != ""; pages++ {
			found, err := s.table.Expiring(t.Context(), calendar.DayOf(march(20, 1)), after, limit)
			if err != nil || len(found.Credentials) > limit {
				t.Fatalf("a page of %d has %d credentials: %v", limit, len(found.Credentials), err)
			}
			for _, c := range found.Credentials {
				got = append(got, c.ID)
			}
			after = found.Next
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages of %d: %v, want %v", limit, got, want)
		}
	}
}

// TestShortenKeepsTheEarliestExpiry applies any sequence of times. The expiry is always the
// earliest, in all items.
func TestShortenKeepsTheEarliestExpiry(t *testing.T) {
	s := newExpiryFixture(t)
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		earliest := march(rapid.IntRange(1, 31).Draw(r, "day"), rapid.IntRange(0, 23).Draw(r, "hour"))
		secret := s.issue(t, credentials.AccessToken, earliest)
		for range rapid.IntRange(1, 4).Draw(r, "times") {
			to := march(rapid.IntRange(1, 31).Draw(r, "to day"), rapid.IntRange(0, 23).Draw(r, "to hour"))
			if err := s.table.Shorten(t.Context(), secret, to); err != nil {
				r.Fatal(err)
			}
			if to.Before(earliest) {
				earliest = to
			}
		}
		found, err := s.table.Get(t.Context(), secret.ID())
		if err != nil || !found.ExpiresAt.Equal(earliest) {
			r.Fatalf("expires at %v, %v, want %v", found.ExpiresAt, err, earliest)
		}
		if got := s.days(t, secret.ID()); !slices.Equal(got, []int{earliest.Day()}) {
			r.Fatalf("listed on %v, want %v", got, earliest)
		}
	})
}

func TestShortenSetsExpiryOfPermanentToken(t *testing.T) {
	s := newExpiryFixture(t)
	secret := s.issue(t, credentials.AccessToken, time.Time{})
	if err := s.table.Shorten(t.Context(), secret, march(5, 0)); err != nil {
		t.Fatal(err)
	}
	if got := s.days(t, secret.ID()); !slices.Equal(got, []int{5}) {
		t.Errorf("listed on %v, want the 5th", got)
	}
}

func TestShortenNeedsTheWholeSecret(t *testing.T) {
	s := newExpiryFixture(t)
	s.issue(t, credentials.AccessToken, march(20, 0))
	if err := s.table.Shorten(t.Context(), credentials.Mint(credentials.AccessToken), march(5, 0)); !errors.Is(err, credentials.ErrUnknown) {
		t.Errorf("an unknown secret: %v, want ErrUnknown", err)
	}
}

// TestShortenRetriesStaleWrites has another writer shorten the token between the read and the
// write.
func TestShortenRetriesStaleWrites(t *testing.T) {
	s := newExpiryFixture(t)
	secret := s.issue(t, credentials.AccessToken, march(20, 0))
	slow := credentialsdynamo.New(awstest.Faulty(s.client, func(operation string, n int) error {
		if operation == "TransactWriteItems" && n == 1 {
			return s.table.Shorten(t.Context(), secret, march(15, 0))
		}
		return nil
	}), s.name, "")
	if err := slow.Shorten(t.Context(), secret, march(10, 0)); err != nil {
		t.Fatal(err)
	}
	if got := s.days(t, secret.ID()); !slices.Equal(got, []int{10}) {
		t.Errorf("listed on %v, want only the 10th", got)
	}
}
