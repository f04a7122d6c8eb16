package sessionsdynamo

import (
	"context"

	"portside/shared/dynamo/items"
	"portside/shared/sessions"
)

// knownItem is the stored form of a known browser. Times are Unix milliseconds.
type knownItem struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	ID      string `dynamodbav:"id"`
	Hash    []byte `dynamodbav:"hash"`
	User    string `dynamodbav:"user"`
	Expires int64  `dynamodbav:"expires"`
	PurgeAt int64  `dynamodbav:"purgeAt"`
}

func newKnownItem(b sessions.KnownBrowser) knownItem {
	return knownItem{
		PK: knownPK(b.ID), SK: knownSK, ID: b.ID, Hash: b.Hash, User: b.UserID, Expires: items.Millis(b.ExpiresAt),
		PurgeAt: purgeAt(b.ExpiresAt),
	}
}

const knownSK = "browser"

func knownPK(id string) string { return "known-browser#" + id }

// KnownBrowser implements sessions.RequestStore.
func (s *Store) KnownBrowser(ctx context.Context, id string) (sessions.KnownBrowser, error) {
	stored, found, err := items.Get[knownItem](ctx, items.In(s.client, s.table), items.Key(knownPK(id), knownSK))
	if err == nil && !found {
		return sessions.KnownBrowser{}, sessions.ErrUnknown
	}
	return sessions.KnownBrowser{ID: stored.ID, Hash: stored.Hash, UserID: stored.User,
		ExpiresAt: items.Time(stored.Expires)}, err
}
