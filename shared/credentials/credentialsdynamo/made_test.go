package credentialsdynamo_test

import (
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
)

// madeBy issues a key with the given chain of makers.
func (s *fixture) madeBy(ownerID string, expires time.Time, makers ...principal.Maker) credentials.Credential {
	s.tb.Helper()
	secret := credentials.Mint(credentials.APIKey)
	c := credentials.Credential{
		ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Owner: credentials.Owner{ID: ownerID, Active: true},
		CreatedAt: noon, ExpiresAt: expires, Makers: makers,
	}
	if at := s.issue(c); at != -1 {
		s.tb.Fatalf("write %d failed", at)
	}
	return c
}

// made returns the ids of the credentials that were made with one, sorted.
func (s *fixture) made(root credentials.Credential, at time.Time) []string {
	s.tb.Helper()
	found, err := s.table.Made(s.tb.Context(), root, at, 1000)
	if err != nil {
		s.tb.Fatal(err)
	}
	ids := make([]string, len(found))
	for i, c := range found {
		ids[i] = c.ID
	}
	slices.Sort(ids)
	return ids
}

func sorted(all ...credentials.Credential) []string {
	ids := make([]string, len(all))
	for i, c := range all {
		ids[i] = c.ID
	}
	slices.Sort(ids)
	return ids
}

func maker(c credentials.Credential) principal.Maker {
	return principal.Maker{UserID: c.Owner.ID, CredentialID: c.ID}
}

func TestMadeFindsCredentialsOfAllOwnersInAnyNumberOfSteps(t *testing.T) {
	s := newFixture(t)
	root := s.madeBy(owner, time.Time{})
	own := s.madeBy(owner, time.Time{}, maker(root))
	foreign := s.madeBy(otherOwner, noon.AddDate(0, 0, 1), maker(own), maker(root))
	back := s.madeBy(owner, time.Time{}, maker(foreign), maker(own), maker(root))
	s.madeBy(owner, time.Time{})
	s.madeBy(otherOwner, time.Time{}, maker(s.madeBy(otherOwner, time.Time{})))
	for name, c := range map[string]struct {
		root credentials.Credential
		want []string
	}{
		"root": {root, sorted(own, foreign, back)}, "own": {own, sorted(foreign, back)},
		"foreign": {foreign, sorted(back)}, "back": {back, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := s.made(c.root, noon); !slices.Equal(got, c.want) {
				t.Errorf("made %v, want %v", got, c.want)
			}
		})
	}
	if got := s.made(root, noon.AddDate(0, 0, 2)); !slices.Equal(got, sorted(own, back)) {
		t.Errorf("made %v after one has expired", got)
	}
}

// TestEndedCredentialsLeaveNoEntryUnderTheirMakers checks that keys that others made for a user do not accumulate.
func TestEndedCredentialsLeaveNoEntryUnderTheirMakers(t *testing.T) {
	s := newFixture(t)
	root := s.madeBy(owner, time.Time{})
	foreign := s.madeBy(otherOwner, time.Time{}, maker(root))
	if n := s.countUnder(root.ID); n != 1 {
		t.Fatalf("%d entries, want 1", n)
	}
	foreign.RevokedAt, foreign.Reason = noon, "deleted"
	writes := append(s.table.Writes.Revoke(foreign), s.table.Writes.Tally(otherOwner, credentialsdynamo.Change{Revoked: 1}))
	if at := s.write(writes...); at != -1 {
		t.Fatalf("write %d failed", at)
	}
	if n := s.countUnder(root.ID); n != 0 || len(s.made(root, noon)) != 0 {
		t.Errorf("%d entries after the end", n)
	}
}

// countUnder returns the number of entries under a maker's credential.
func (s *fixture) countUnder(id string) int32 {
	s.tb.Helper()
	out, err := s.client.Query(s.tb.Context(), &dynamodb.QueryInput{
		TableName: aws.String(s.table.Name()), KeyConditionExpression: aws.String("pk = :made"), ConsistentRead: aws.Bool(true),
		ExpressionAttributeValues: items.Map{":made": items.Text("made#" + id)},
	})
	if err != nil {
		s.tb.Fatal(err)
	}
	return out.Count
}
