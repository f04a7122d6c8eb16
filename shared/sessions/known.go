package sessions

import (
	"context"
	"errors"
	"time"

	"portside/shared/credentials"
)

// KnownBrowserLifetime is how long a browser stays known after a sign-in. The sign-in after that makes it known again.
const KnownBrowserLifetime = 180 * 24 * time.Hour

// meet returns a new secret and the known browser to store with the next session, or nothing if the browser is known already.
func (s *Service) meet(ctx context.Context, text, email string) (*credentials.Secret, *KnownBrowser, error) {
	found, err := s.knownBrowser(ctx, text, email)
	if err != nil || found != nil {
		return nil, nil, err
	}
	secret := credentials.Mint(credentials.Browser)
	return &secret, &KnownBrowser{
		ID: secret.ID(), Hash: secret.Hash(), Email: email, ExpiresAt: s.now().Add(KnownBrowserLifetime),
	}, nil
}

// knownBrowser returns the browser with this secret if the user with the address has signed in there, or nil.
func (s *Service) knownBrowser(ctx context.Context, text, email string) (*KnownBrowser, error) {
	secret, ok := parseBrowser(text)
	if !ok {
		return nil, nil //nolint:nilnil // no browser is no error
	}
	found, err := s.Requests.KnownBrowser(ctx, secret.ID())
	if errors.Is(err, ErrUnknown) {
		return nil, nil //nolint:nilnil // no browser is no error
	}
	if err != nil || !secret.Matches(found.Hash) || found.Email != email || !s.now().Before(found.ExpiresAt) {
		return nil, err
	}
	return &found, nil
}
