package credentialsdynamo_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
)

func TestGetReturnsWhatWasIssued(t *testing.T) {
	s := newFixture(t)
	token, _ := s.issued()
	if diff := cmp.Diff(token, s.get(token.ID)); diff != "" {
		t.Error(diff)
	}
	key := credentials.Mint(credentials.APIKey)
	bare := credentials.Credential{ID: key.ID(), Kind: credentials.APIKey, Hash: key.Hash(), CreatedAt: noon,
		Owner: credentials.Owner{ID: owner, Role: principal.User}}
	if at := s.issue(bare); at != -1 {
		t.Fatalf("write %d failed", at)
	}
	if diff := cmp.Diff(bare, s.get(bare.ID)); diff != "" {
		t.Error(diff)
	}
	if at := s.issue(token); at != 0 {
		t.Errorf("issuing the credential again failed at write %d, want 0", at)
	}
	for _, unknown := range []string{credentials.Mint(credentials.APIKey).ID(), "", "x", strings.Repeat("x", 3000)} {
		if _, err := s.table.Get(t.Context(), unknown); !errors.Is(err, credentials.ErrUnknown) {
			t.Errorf("%.20q: %v", unknown, err)
		}
	}
}

func TestListFiltersByOwnerAndKind(t *testing.T) {
	s := newFixture(t)
	var want []string
	for range 3 {
		token, _ := s.issued()
		want = append(want, token.ID)
	}
	other, _ := minted()
	other.Owner.ID = "somebody else"
	key, _ := minted()
	key.Kind = credentials.APIKey
	for _, c := range []credentials.Credential{other, key} {
		if at := s.issue(c); at != -1 {
			t.Fatalf("write %d failed", at)
		}
	}
	found, err := s.table.List(t.Context(), owner, credentials.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(found))
	for i, c := range found {
		got[i] = c.ID
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
}

func TestRecordUseRoundsTheTimeDown(t *testing.T) {
	s := newFixture(t)
	token, _ := s.issued()
	for _, step := range []struct{ at, want time.Duration }{
		{8 * time.Minute, 5 * time.Minute}, {time.Hour, time.Hour}, {30 * time.Minute, time.Hour},
	} {
		if err := s.table.Requests.RecordUse(t.Context(), token, noon.Add(step.at)); err != nil {
			t.Fatal(err)
		}
		if used := s.lastUse(token.ID); !used.Equal(noon.Add(step.want)) {
			t.Errorf("a use %s after noon is recorded as %s", step.at, used)
		}
	}
	if c, err := s.table.GetWithUse(t.Context(), token.ID); err != nil || !c.LastUsedAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("GetWithUse: used at %s, %v", c.LastUsedAt, err)
	}
}

// TestListsAgreeWithRecords compares a list with the records, after everything that changes a token.
func TestListsAgreeWithRecords(t *testing.T) {
	s := newFixture(t)
	issued, _ := s.issued()
	revoked, _ := s.issued()
	revoked.RevokedAt, revoked.Reason = noon.Add(time.Hour), "reported as leaked"
	s.write(s.table.Writes.Revoke(revoked)...)
	_, secret := s.issued()
	if err := s.table.Shorten(t.Context(), secret, noon.AddDate(0, 0, 7)); err != nil {
		t.Fatal(err)
	}
	password, _ := minted()
	password.Kind, password.ID, password.Username = credentials.Password, credentials.Mint(credentials.Password).ID(), "acme-7f3k2q5m"
	s.issue(password)
	want := []credentials.Credential{s.get(issued.ID), s.get(revoked.ID), s.get(secret.ID()), s.get(password.ID)}
	for i := range want {
		want[i].Hash, want[i].Owner.Role = nil, ""
	}
	s.wantListed("after issuing, revoking and shortening", want)
	active := false
	suspended := s.write(s.table.Writes.Tally(owner, credentialsdynamo.Change{Active: &active}))
	for i := range want {
		want[i].Owner.Active = false
	}
	s.wantListed("after a suspension", want)
	ended := noon.Add(2 * time.Hour)
	deleted := s.write(s.table.Writes.Tally(owner, credentialsdynamo.Change{EndedAt: ended, Reason: "user deleted", Revoked: 3}))
	for i := range want {
		if want[i].RevokedAt.IsZero() {
			want[i].RevokedAt, want[i].Reason = ended, "user deleted"
		}
	}
	s.wantListed("after the deletion of the owner", want)
	if suspended != -1 || deleted != -1 {
		t.Errorf("the tally was refused: %d, %d", suspended, deleted)
	}
}

// wantListed checks the owner's tokens and passwords.
func (s *fixture) wantListed(when string, want []credentials.Credential) {
	s.tb.Helper()
	got, err := s.table.List(s.tb.Context(), owner, credentials.AccessToken, credentials.Password)
	if err != nil {
		s.tb.Fatal(err)
	}
	byID := func(a, b credentials.Credential) int { return strings.Compare(a.ID, b.ID) }
	slices.SortFunc(got, byID)
	slices.SortFunc(want, byID)
	if diff := cmp.Diff(want, got); diff != "" {
		s.tb.Errorf("%s: %s", when, diff)
	}
}

// TestRevokedKeysAreNotListed revokes credentials whose lists show only working ones.
func TestRevokedKeysAreNotListed(t *testing.T) {
	s := newFixture(t)
	for _, kind := range []credentials.Kind{credentials.APIKey, credentials.Link, credentials.Session} {
		c, _ := minted()
		c.Kind, c.ID = kind, credentials.Mint(kind).ID()
		s.issue(c)
		c.RevokedAt = noon
		s.write(s.table.Writes.Revoke(c)...)
		if left, err := s.table.List(t.Context(), owner, kind); err != nil || len(left) != 0 {
			t.Errorf("%d revoked credentials of kind %s are listed, %v", len(left), kind, err)
		}
		if found := s.get(c.ID); !found.RevokedAt.Equal(noon) {
			t.Errorf("the record of kind %s was revoked at %s", kind, found.RevokedAt)
		}
	}
}

// TestAnOwnerWithoutCredentialsStaysWithout changes the status of an owner who has no credentials. Transactions that
// saw none must still succeed.
func TestAnOwnerWithoutCredentialsStaysWithout(t *testing.T) {
	s := newFixture(t)
	none, active := int64(0), false
	for range 2 {
		if at := s.write(s.table.Writes.Tally(owner, credentialsdynamo.Change{Active: &active, Seen: &none})); at != -1 {
			t.Error("the change of status was refused")
		}
	}
	if open, err := s.table.ListOpen(t.Context(), owner, noon); err != nil || len(open.Live) != 0 || open.Issued != 0 {
		t.Errorf("%d live, %d issued, %v", len(open.Live), open.Issued, err)
	}
}

func TestSetRateLimitAndSetOwner(t *testing.T) {
	s := newFixture(t)
	token, secret := s.issued()
	if err := s.table.SetRateLimit(t.Context(), token.ID, 500); err != nil {
		t.Fatal(err)
	}
	token.RateLimit, token.Owner.Role, token.Owner.Active = 500, principal.Viewer, false
	if at := s.write(s.table.Writes.SetOwner(token.ID, token.Owner)); at != -1 {
		t.Errorf("write %d failed", at)
	}
	if diff := cmp.Diff(token, s.get(token.ID)); diff != "" {
		t.Error(diff)
	}
	if found, _, err := s.table.Requests.CountRequest(t.Context(), secret, noon); err != nil || found.Works(noon) {
		t.Errorf("the credential of an inactive owner works: %v", err)
	}
	unknown := credentials.Mint(credentials.APIKey).ID()
	if err := s.table.SetRateLimit(t.Context(), unknown, 1); !errors.Is(err, credentials.ErrUnknown) {
		t.Errorf("an unknown credential: %v", err)
	}
	if at := s.write(s.table.Writes.SetOwner(unknown, token.Owner)); at != 0 {
		t.Error("SetOwner accepted an unknown credential")
	}
}

// TestEventsOfRateLimitsFollowEachOther sets a limit while another one is set. Each event begins with the limit of the
// one before, and a limit that is set already has no event.
func TestEventsOfRateLimitsFollowEachOther(t *testing.T) {
	s := newFixture(t)
	log := audittest.Log(t, s.client)
	token, _ := s.issued()
	set := func(client *dynamodb.Client, perMinute int) {
		table := credentialsdynamo.New(client, s.table.Name(), s.counts).Audited(log)
		if err := table.SetRateLimit(t.Context(), token.ID, perMinute); err != nil {
			t.Error(err)
		}
	}
	set(s.client, 100)
	set(awstest.Faulty(s.client, func(operation string, n int) error {
		if operation == "TransactWriteItems" && n == 1 {
			set(s.client, 200)
		}
		return nil
	}), 300)
	set(s.client, 300)
	set(s.client, 0)
	var got []string
	for _, e := range audittest.Events(t, s.client, log) {
		got = append(got, string(e.Before["rateLimit"])+" "+string(e.After["rateLimit"]))
	}
	slices.Sort(got) // the event that was written first can have the later time
	if diff := cmp.Diff([]string{" 100", "100 200", "200 300", "300 "}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRevokeAndStillWorks(t *testing.T) {
	s := newFixture(t)
	token, _ := s.issued()
	if at := s.write(s.table.Writes.StillWorks(principal.Credential{ID: token.ID})...); at != -1 {
		t.Error("a new credential does not work")
	}
	revoked := token
	revoked.RevokedAt, revoked.Reason = noon.Add(time.Hour), "reported as leaked"
	for name, wrong := range map[string]func(*credentials.Credential){
		"of another owner": func(c *credentials.Credential) { c.Owner.ID = "somebody else" },
		"of another kind":  func(c *credentials.Credential) { c.Kind = credentials.APIKey },
		"unknown":          func(c *credentials.Credential) { c.ID = credentials.Mint(credentials.AccessToken).ID() },
	} {
		changed := revoked
		wrong(&changed)
		if at := s.write(s.table.Writes.Revoke(changed)...); at != 0 {
			t.Errorf("Revoke accepted a credential that is %s", name)
		}
	}
	if at := s.write(s.table.Writes.Revoke(revoked)...); at != -1 {
		t.Fatal("Revoke failed")
	}
	if diff := cmp.Diff(revoked, s.get(token.ID)); diff != "" {
		t.Error(diff)
	}
	if at := s.write(s.table.Writes.Revoke(revoked)...); at != 0 {
		t.Error("Revoke accepted a revoked credential")
	}
	if at := s.write(s.table.Writes.StillWorks(principal.Credential{ID: token.ID})...); at != 0 {
		t.Error("a revoked credential works")
	}
	idle, _ := s.issued()
	idle.Owner.Active = false
	s.write(s.table.Writes.SetOwner(idle.ID, idle.Owner))
	if at := s.write(s.table.Writes.StillWorks(principal.Credential{ID: idle.ID})...); at != 0 {
		t.Error("a credential of an inactive owner works")
	}
	if at := s.write(s.table.Writes.StillWorks(principal.Credential{ID: credentials.Mint(credentials.APIKey).ID()})...); at != 0 {
		t.Error("an unknown credential works")
	}
}

func TestListOpenOmitsRevokedAndExpired(t *testing.T) {
	s := newFixture(t)
	if open, err := s.table.ListOpen(t.Context(), owner, noon); err != nil || len(open.Live) != 0 || open.Issued != 0 {
		t.Errorf("without credentials: %d live, %d issued, %v", len(open.Live), open.Issued, err)
	}
	kept, _ := s.issued()
	revoked, _ := s.issued()
	revoked.RevokedAt = noon
	s.write(append(s.table.Writes.Revoke(revoked), s.table.Writes.Tally(owner, credentialsdynamo.Change{Revoked: 1}))...)
	expired, _ := minted()
	expired.ExpiresAt = noon.Add(time.Hour)
	s.issue(expired)
	open, err := s.table.ListOpen(t.Context(), owner, noon.Add(time.Hour))
	if err != nil || open.Issued != 3 || len(open.Live) != 1 || open.Live[0].ID != kept.ID {
		t.Errorf("%d live, %d issued, %v", len(open.Live), open.Issued, err)
	}
}

// TestTally tests every condition that a transaction can put on an owner's tally.
func TestTally(t *testing.T) {
	s := newFixture(t)
	seen := func(n int64) *int64 { return &n }
	for _, step := range []struct {
		what   string
		change credentialsdynamo.Change
		holds  bool
	}{
		{"no credentials, 1 expected", credentialsdynamo.Change{Seen: seen(1)}, false},
		{"no credentials, 0 expected", credentialsdynamo.Change{Seen: seen(0)}, true},
		{"first credential, 0 expected", credentialsdynamo.Change{Issued: 1, Seen: seen(0)}, true},
		{"1 credential, 0 expected", credentialsdynamo.Change{Seen: seen(0)}, false},
		{"1 credential, 1 expected", credentialsdynamo.Change{Seen: seen(1)}, true},
		{"up to the maximum", credentialsdynamo.Change{Issued: credentials.MaxLive - 1}, true},
		{"above the maximum", credentialsdynamo.Change{Issued: 1}, false},
		{"one issued and one revoked", credentialsdynamo.Change{Issued: 1, Revoked: 1}, true},
		{"one revoked", credentialsdynamo.Change{Revoked: 1}, true},
		{"one issued after that", credentialsdynamo.Change{Issued: 1}, true},
		{"above the maximum again", credentialsdynamo.Change{Issued: 1}, false},
		{"all issued credentials expected", credentialsdynamo.Change{Seen: seen(credentials.MaxLive + 2)}, true},
	} {
		if holds := s.write(s.table.Writes.Tally(owner, step.change)) == -1; holds != step.holds {
			t.Errorf("%s: holds %v, want %v", step.what, holds, step.holds)
		}
	}
}

// Recount has left out a credential that had expired. Its revocation must not count it a second time.
func TestRevocationOfExpiredCredentialIsNotCounted(t *testing.T) {
	later := noon.Add(time.Hour)
	expired, _ := minted()
	expired.ExpiresAt = later
	session := expired
	session.Kind = credentials.Session
	lasting, _ := minted()
	var change credentialsdynamo.Change
	change.Revoke(expired, later)
	change.Revoke(session, noon)
	if !change.IsEmpty() {
		t.Errorf("an expired credential and a session: %+v", change)
	}
	change.Revoke(expired, later.Add(-time.Millisecond))
	change.Revoke(lasting, later)
	if change.Revoked != 2 || change.IsEmpty() {
		t.Errorf("two working credentials: %+v", change)
	}
}

func TestRecountReleasesExpiredCredentials(t *testing.T) {
	s := newFixture(t)
	for range credentials.MaxLive {
		c, _ := minted()
		c.ExpiresAt = noon.Add(time.Hour)
		s.issue(c)
	}
	for at, want := range map[time.Time]bool{noon: false, noon.Add(time.Hour): true} {
		if room, err := s.table.Recount(t.Context(), owner, at); err != nil || room != want {
			t.Errorf("Recount at %s = %v, %v", at, room, err)
		}
	}
	for i := range credentials.MaxLive + 1 {
		c, _ := minted()
		if at := s.issue(c); (at == -1) != (i < credentials.MaxLive) {
			t.Fatalf("credential %d after the recount failed at write %d", i+1, at)
		}
	}
}

// TestSessionsHaveALimitOfTheirOwn issues sessions beside the maximum of tokens.
func TestSessionsHaveALimitOfTheirOwn(t *testing.T) {
	s := newFixture(t)
	for range credentials.MaxLive {
		s.issued()
	}
	_, session := credentials.NewSession(credentials.Owner{ID: owner, Role: principal.Manager, Active: true}, "Firefox", noon)
	seen := int64(credentials.MaxLive)
	var change credentialsdynamo.Change
	change.Seen = &seen
	change.Issue(credentials.Session)
	if at := s.write(append(s.table.Writes.Issue(session), s.table.Writes.Tally(owner, change))...); at != -1 {
		t.Fatalf("write %d failed", at)
	}
	if at := s.write(s.table.Writes.Tally(owner, change)); at != 0 {
		t.Error("a session is issued although another one was issued meanwhile")
	}
	open, err := s.table.ListOpen(t.Context(), owner, noon)
	if err != nil || open.Issued != credentials.MaxLive+1 || len(open.Live) != credentials.MaxLive+1 {
		t.Errorf("%d live, %d issued, %v", len(open.Live), open.Issued, err)
	}
	change = credentialsdynamo.Change{}
	change.Revoke(session, noon)
	if change != (credentialsdynamo.Change{}) {
		t.Errorf("a revoked session changes the tally: %+v", change)
	}
	session.RevokedAt = noon
	s.write(s.table.Writes.Revoke(session)...)
	if c, _ := minted(); s.issue(c) == -1 {
		t.Error("a session makes room for a token")
	}
	if room, err := s.table.Recount(t.Context(), owner, noon); err != nil || room {
		t.Errorf("Recount: %v, %v", room, err)
	}
	if ended, err := s.table.Get(t.Context(), session.ID); err != nil || !ended.RevokedAt.Equal(noon) {
		t.Errorf("the session has ended at %v, %v", ended.RevokedAt, err)
	}
	if left, err := s.table.List(t.Context(), owner, credentials.Session); err != nil || len(left) != 0 {
		t.Errorf("%d sessions are listed, %v", len(left), err)
	}
}
