package credentialsdynamo_test

import (
	"errors"
	"testing"
	"time"

	"portside/shared/credentials"
)

// TestOwnersHaveOneLimit sends requests with 50 tokens of an owner in turn. Together, they are allowed hardly more than
// one of them could be, until the next minute. A session has its own, higher limit.
//
//proves:docs/security.md
func TestOwnersHaveOneLimit(t *testing.T) {
	const tokens, each, limit = 50, 20, 100
	s := newFixture(t)
	at := noon
	auth := credentials.NewAuthenticator(s.table.Requests, limit, func() time.Time { return at })
	send := func(text string) error {
		_, allowance, err := auth.Authenticate(t.Context(), text, credentials.AccessToken, credentials.Session)
		if errors.Is(err, credentials.ErrOwnerRateLimited) && (allowance.Remaining != 0 || allowance.Reset < time.Second) {
			t.Errorf("refused with %+v", allowance)
		}
		return err
	}
	secrets := make([]string, tokens)
	for i := range secrets {
		_, secret := s.issued()
		secrets[i] = secret.Reveal()
	}
	allowed := 0
	for range each {
		for _, text := range secrets {
			switch err := send(text); {
			case err == nil:
				allowed++
			case !errors.Is(err, credentials.ErrRateLimited) && !errors.Is(err, credentials.ErrOwnerRateLimited):
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d of %d requests passed", allowed, tokens*each)
	if least, most := limit, limit+2*tokens+10; allowed < least || allowed > most {
		t.Errorf("%d requests were allowed, want %d to %d", allowed, least, most)
	}
	secret, session := credentials.NewSession(credentials.Owner{ID: owner, Active: true}, "Firefox", noon)
	s.write(s.table.Writes.Issue(session)...)
	for range each {
		if err := send(secret.Reveal()); err != nil {
			t.Errorf("a session: %v", err)
		}
	}
	at = at.Add(time.Minute)
	if err := send(secrets[0]); err != nil {
		t.Errorf("in the next minute: %v", err)
	}
}
