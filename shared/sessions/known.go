package sessions

import (
	"context"
	"errors"
	"time"

	"portside/shared/core/fault"
	"portside/shared/credentials"
)

// KnownBrowserLifetime is how long a browser stays known after the sign-in that made it known. The next sign-in after
// that makes it known again.
const KnownBrowserLifetime = 180 * 24 * time.Hour

// newKnownBrowser returns a secret for the browser's cookie and the known browser to store with the session, or nils if
// the browser is already known for the user.
func (s *Service) newKnownBrowser(ctx context.Context, cookie, userID string) (*credentials.Secret, *KnownBrowser, error) {
	found, err := s.storedBrowser(ctx, cookie)
	if err != nil || found != nil && found.UserID == userID {
		return nil, nil, err
	}
	secret := credentials.Mint(credentials.Browser)
	return &secret, &KnownBrowser{
		ID: secret.ID(), Hash: secret.Hash(), UserID: userID, ExpiresAt: s.now().Add(KnownBrowserLifetime),
	}, nil
}

// knownBrowser returns the ID of the browser with this cookie if the user who now has the address has signed in there,
// or an empty text. It reads the user by ID, which costs the same whether or not the user still exists, and only for a
// browser that has a stored secret.
func (s *Service) knownBrowser(ctx context.Context, cookie, email string) (string, error) {
	found, err := s.storedBrowser(ctx, cookie)
	if err != nil || found == nil {
		return "", err
	}
	person, err := s.People.Person(ctx, found.UserID)
	if fault.KindOf(err) == fault.NotFound || err == nil && person.Email != email {
		return "", nil
	}
	return found.ID, err
}

// storedBrowser returns the browser with this cookie, or nil if it is unknown or has expired.
func (s *Service) storedBrowser(ctx context.Context, cookie string) (*KnownBrowser, error) {
	secret, ok := parseBrowser(cookie)
	if !ok {
		return nil, nil //nolint:nilnil // an unknown browser is not an error
	}
	found, err := s.Requests.KnownBrowser(ctx, secret.ID())
	if errors.Is(err, ErrUnknown) {
		return nil, nil //nolint:nilnil // an unknown browser is not an error
	}
	if err != nil || !secret.Matches(found.Hash) || !s.now().Before(found.ExpiresAt) {
		return nil, err
	}
	return &found, nil
}
