package sessions

import (
	"context"
	"errors"
	"time"

	"portside/shared/credentials"
)

// KnownBrowserLifetime is how long a browser stays known after the sign-in that made it known. The next sign-in after that makes it
// known again.
const KnownBrowserLifetime = 180 * 24 * time.Hour

// newKnownBrowser returns a secret for the browser's cookie and the known browser to store with the session, or nils if the browser is
// already known.
func (s *Service) newKnownBrowser(ctx context.Context, cookie, email string) (*credentials.Secret, *KnownBrowser, error) {
	found, err := s.knownBrowser(ctx, cookie, email)
	if err != nil || found != nil {
		return nil, nil, err
	}
	secret := credentials.Mint(credentials.Browser)
	return &secret, &KnownBrowser{
		ID: secret.ID(), Hash: secret.Hash(), Email: email, ExpiresAt: s.now().Add(KnownBrowserLifetime),
	}, nil
}

// knownBrowser returns the browser with this cookie if the user with the address has signed in there, or nil.
func (s *Service) knownBrowser(ctx context.Context, cookie, email string) (*KnownBrowser, error) {
	secret, ok := parseBrowser(cookie)
	if !ok {
		return nil, nil //nolint:nilnil // an unknown browser is not an error
	}
	found, err := s.Requests.KnownBrowser(ctx, secret.ID())
	if errors.Is(err, ErrUnknown) {
		return nil, nil //nolint:nilnil // an unknown browser is not an error
	}
	if err != nil || !secret.Matches(found.Hash) || found.Email != email || !s.now().Before(found.ExpiresAt) {
		return nil, err
	}
	return &found, nil
}
