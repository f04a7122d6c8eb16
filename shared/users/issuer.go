package users

import (
	"context"

	"portside/shared/core/versions"
	"portside/shared/credentials"
)

// Issuer issues credentials to active users.
type Issuer struct {
	users Reader
	store KeyStore
}

// NewIssuer returns an Issuer.
func NewIssuer(users Reader, store KeyStore) *Issuer { return &Issuer{users, store} }

// ActiveUser returns the user with the ID. It returns ErrNotFound, or ErrNotActive if the user is not active.
func (i *Issuer) ActiveUser(ctx context.Context, id string) (User, error) {
	user, err := i.users.Get(ctx, id)
	if err != nil {
		return User{}, err
	}
	if user.Status != Active {
		return User{}, ErrNotActive
	}
	return user, nil
}

// Issue stores a credential for an active user and sets its owner. The write is conditional on the version of the user
// that was read, so it fails if the user is suspended at the same time. Errors: those of ActiveUser.
func (i *Issuer) Issue(ctx context.Context, userID string, credential credentials.Credential) error {
	return versions.Retry(ctx, func() error {
		user, err := i.ActiveUser(ctx, userID)
		if err != nil {
			return err
		}
		credential.Owner = ownerOf(user)
		return i.store.Issue(ctx, user, Issued{Key: credential})
	})
}
