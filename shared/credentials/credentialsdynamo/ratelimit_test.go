package credentialsdynamo_test

import (
	"errors"
	"hash/crc32"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

func TestCountRequestCountsByTheMinute(t *testing.T) {
	s := newFixture(t)
	token, secret := s.issued()
	for i, step := range []struct {
		after time.Duration
		want  int
	}{
		{0, 1}, {0, 2}, {59*time.Second + 999*time.Millisecond, 3},
		{time.Minute, 1}, {time.Minute + time.Second, 2},
		{3 * time.Minute, 1}, {500 * time.Hour, 1}, {500 * time.Hour, 2},
	} {
		if used := s.use(secret, noon.Add(step.after)); used != step.want {
			t.Errorf("step %d: %d requests, want %d", i, used, step.want)
		}
	}
	if used := s.lastUse(token.ID); !used.Equal(noon.Add(500 * time.Hour)) {
		t.Errorf("last used at %s", used)
	}
	if diff := cmp.Diff(token, s.get(token.ID)); diff != "" {
		t.Errorf("requests changed the record: %s", diff)
	}
}

// TestCountRequestNeedsTheSecret uses only the public id, which must neither count nor be recorded.
//
//proves:docs/security.md
func TestCountRequestNeedsTheSecret(t *testing.T) {
	s := newFixture(t)
	token, secret := s.issued()
	for name, wrong := range map[string]credentials.Secret{
		"another secret with the id": withID(t, token.ID), "an unknown id": credentials.Mint(credentials.AccessToken),
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				if _, _, err := s.table.Requests.CountRequest(t.Context(), wrong, noon); !errors.Is(err, credentials.ErrUnknown) {
					t.Error(err)
				}
			}
		})
	}
	if used := s.lastUse(token.ID); !used.IsZero() {
		t.Errorf("a wrong secret was recorded as a use at %s", used)
	}
	if used := s.use(secret, noon); used != 1 {
		t.Errorf("%d requests were counted", used)
	}
}

// TestCountsOfWrongSecretsExpire checks when the items end that strangers can create.
func TestCountsOfWrongSecretsExpire(t *testing.T) {
	s := newFixture(t)
	token, secret := s.issued()
	_, _, _ = s.table.Requests.CountRequest(t.Context(), withID(t, token.ID), noon)
	for _, item := range s.countItems() {
		if until := purgeAt(t, item); until.After(noon.Add(24 * time.Hour)) {
			t.Errorf("the count of a wrong secret is kept until %s", until)
		}
	}
	s.use(secret, noon)
	kept := 0
	for _, item := range s.countItems() {
		if until := purgeAt(t, item); until.Equal(token.ExpiresAt.Add(credentials.Retention)) {
			kept++
		}
	}
	if kept != 1 {
		t.Errorf("%d counts are kept as long as the token is listed, want 1", kept)
	}
}

// TestLastUseOfAPermanentKeyIsKept uses a key without expiry every 200 days. Its count must never end within a year.
func TestLastUseOfAPermanentKeyIsKept(t *testing.T) {
	s := newFixture(t)
	key, _ := minted()
	secret := credentials.Mint(credentials.APIKey)
	key.ID, key.Hash, key.Kind, key.ExpiresAt = secret.ID(), secret.Hash(), credentials.APIKey, time.Time{}
	s.issue(key)
	for i := range 8 {
		at := noon.AddDate(0, 0, 200*i)
		s.use(secret, at)
		if used := s.lastUse(key.ID); !used.Equal(at) {
			t.Errorf("last used at %s, want %s", used, at)
		}
		if until := purgeAt(t, s.countItems()[0]); until.Before(at.AddDate(1, 0, 0)) {
			t.Errorf("the count after the use at %s is kept until %s", at, until)
		}
	}
}

// TestCountsRestoreThemselves loses the items of the table, which has no backup.
func TestCountsRestoreThemselves(t *testing.T) {
	s := newFixture(t)
	token, secret := s.issued()
	s.use(secret, noon)
	for _, item := range s.countItems() {
		_, err := s.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &s.counts, Key: items.Map{"pk": item["pk"]}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if used := s.lastUse(token.ID); !used.IsZero() {
		t.Fatalf("last used at %s without counts", used)
	}
	if used := s.use(secret, noon.Add(time.Hour)); used != 1 {
		t.Errorf("%d requests after the loss", used)
	}
	if used := s.lastUse(token.ID); !used.Equal(noon.Add(time.Hour)) {
		t.Errorf("last used at %s", used)
	}
}

// withID returns a secret with the public id of another one.
func withID(t *testing.T, id string) credentials.Secret {
	t.Helper()
	text := []byte(credentials.Mint(credentials.AccessToken).Reveal())
	copy(text[4:], id)
	body := string(text[:len(text)-6])
	secret, err := credentials.Parse(body + checksum(body))
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// checksum returns the last six characters of a credential whose text begins with body: its CRC-32 as base62 digits.
func checksum(body string) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	digits, n := make([]byte, 6), crc32.ChecksumIEEE([]byte(body))
	for i := range digits {
		digits[5-i] = alphabet[n%62]
		n /= 62
	}
	return string(digits)
}

// purgeAt returns when DynamoDB may delete an item.
func purgeAt(t *testing.T, item items.Map) time.Time {
	t.Helper()
	stored, err := items.Decode[struct {
		PurgeAt int64 `dynamodbav:"purgeAt"`
	}](item)
	if err != nil {
		t.Fatal(err)
	}
	return time.Unix(stored.PurgeAt, 0).UTC()
}

func TestCountRequestIsAtomic(t *testing.T) {
	const each, workers = 25, 4
	s := newFixture(t)
	_, secret := s.issued()
	seen := make([]bool, each*workers+1)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for range each {
				used := s.use(secret, noon)
				mu.Lock()
				seen[used] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for i, was := range seen[1:] {
		if !was {
			t.Errorf("no request was number %d of the minute", i+1)
		}
	}
}

// TestOldCountersAreRemoved uses a credential every four minutes, so that no request removes the
// counter of the one before, and then with pauses of up to three minutes, where each request does.
func TestOldCountersAreRemoved(t *testing.T) {
	s := newFixture(t)
	_, secret := s.issued()
	for i := range 60 {
		if used := s.use(secret, noon.Add(time.Duration(i)*4*time.Minute)); used != 1 {
			t.Fatalf("use %d: %d requests", i, used)
		}
		if n := s.counters(); n > 9 { // eight old ones and the current one
			t.Fatalf("%d counters after %d uses", n, i+1)
		}
	}
	at := noon.Add(24 * time.Hour)
	s.use(secret, at)
	before := s.counters()
	for _, minutes := range []int{1, 2, 3, 1} {
		at = at.Add(time.Duration(minutes) * time.Minute)
		s.use(secret, at)
	}
	if after := s.counters(); after != before {
		t.Errorf("%d counters became %d after requests within a few minutes", before, after)
	}
}

// TestCountRequestDoesNotReviveIdleSessions uses a session until its idle end.
func TestCountRequestDoesNotReviveIdleSessions(t *testing.T) {
	s := newFixture(t)
	secret, session := credentials.NewSession(credentials.Owner{ID: owner, Active: true}, "Firefox", noon)
	s.write(s.table.Writes.Issue(session)...)
	at := noon
	for range 3 {
		at = at.Add(credentials.SessionIdle - credentials.LastUseResolution)
		s.use(secret, at)
	}
	at = s.lastUse(session.ID).Add(credentials.SessionIdle)
	for range 2 {
		if _, _, err := s.table.Requests.CountRequest(t.Context(), secret, at); !errors.Is(err, credentials.ErrUnknown) {
			t.Errorf("an idle session is counted: %v", err)
		}
	}
	if open, err := s.table.ListOpen(t.Context(), owner, at); err != nil || len(open.Live) != 1 {
		t.Errorf("%d credentials of the owner must be changed with the role, %v", len(open.Live), err)
	}
}

// TestSessionsWithoutACountDoNotWork loses the count of a session, so that the last use is unknown.
func TestSessionsWithoutACountDoNotWork(t *testing.T) {
	s := newFixture(t)
	secret, session := credentials.NewSession(credentials.Owner{ID: owner, Active: true}, "Firefox", noon)
	s.write(s.table.Writes.Issue(session)[:2]...)
	for range 2 {
		if _, _, err := s.table.Requests.CountRequest(t.Context(), secret, noon); !errors.Is(err, credentials.ErrUnknown) {
			t.Errorf("a session without a count works: %v", err)
		}
	}
	if n := len(s.countItems()); n != 0 {
		t.Errorf("%d counts", n)
	}
}
