package users

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// Limits of an API key's fields.
const (
	MaxKeyName = 100  // characters
	MaxKeyDays = 3650 // until a key expires; a key may also never expire
)

// The errors of operations on API keys.
var (
	ErrNoKey       = fault.New(fault.NotFound, "The user has no API key with this ID.")
	ErrNotYourKeys = fault.New(fault.Forbidden,
		"To manage the API keys of other users, you need the permission api-keys:write.")
	ErrNotActive = fault.NewFinal(fault.Conflict, "The user is not active, so a new credential would not work. "+
		"Set the user's status to active first.")
	ErrTooManyKeys = fault.NewFinal(fault.Conflict, fmt.Sprintf("The user has %d working credentials, which is the maximum. "+
		"Revoke one first.", credentials.MaxLive)).Coded(errorcode.TooManyCredentials)
	// ErrCaller means that the caller's credential was revoked, or its owner deactivated, at the same moment.
	ErrCaller = credentials.ErrUnauthorized
)

// KeyStore keeps API keys. Writes are all or nothing; reads are strongly consistent.
type KeyStore interface {
	// Issue adds a key to an active user. Errors: versions.ErrStale if the user's role or status has changed since it
	// was read; ErrCaller if the credential issued.By no longer works; ErrTooManyKeys; credentials.ErrDailyQuota.
	Issue(ctx context.Context, user User, issued Issued) error
	// IssueOnce is Issue with an idempotency key. If that was used within its lifetime, nothing is
	// written: IssueOnce returns the first request's API key and secret, or idempotency.ErrReused if
	// the fingerprints differ, or idempotency.ErrRevoked.
	IssueOnce(ctx context.Context, user User, issued Issued, once idempotency.Key) (Issued, error)
	// Keys returns a user's API keys that are not revoked, in no particular order.
	Keys(ctx context.Context, userID string) ([]credentials.Credential, error)
	// Key returns an API key of a user with its last use, also a revoked one. Errors: ErrNoKey.
	Key(ctx context.Context, userID, keyID string) (credentials.Credential, error)
	// Revoke revokes a key, which stops working with the next request, unless it is revoked already. Errors: ErrNoKey,
	// versions.ErrBusy.
	Revoke(ctx context.Context, userID, keyID string, at time.Time) error
}

// Keys manages API keys. People manage their own keys without a permission, and those of others
// with api-keys:write.
type Keys struct {
	users Reader
	store KeyStore
	now   func() time.Time
}

// NewKeys returns a Keys on the stores.
func NewKeys(users Reader, store KeyStore, now func() time.Time) *Keys {
	return &Keys{users: users, store: store, now: now}
}

// NewKey is the input for a new key.
type NewKey struct {
	Name           string
	ExpirationDays int    // 0 means never
	IdempotencyKey string // random; empty if the client sent none
	BaseURL        string // of the portal, for the mail to the owner
	Found          *Found // the owner, if it was read already
}

// Found is what a read of a user returned.
type Found struct {
	User User
	Err  error
}

// Check returns all validation failures.
func (n NewKey) Check() []fault.Field {
	c := checker{}
	c.Text("/name", strings.TrimSpace(n.Name), 1, MaxKeyName)
	if n.ExpirationDays < 0 || n.ExpirationDays > MaxKeyDays {
		c.Add("/expirationDays", "must be 1 to %d days, or be left out for a key that does not expire", MaxKeyDays)
	}
	return c.Fields()
}

// Issued is a new key. The secret is not stored anywhere else, except sealed with an idempotency key.
type Issued struct {
	Key      credentials.Credential
	Secret   credentials.Secret
	Replayed bool // nothing was written, because an earlier request with the same idempotency key created this key

	// By is the credential on whose behalf the key is created, which must still work; zero for the operator and
	// schedules.
	By principal.Credential
	// Notice is stored for the owner if another user created the key; otherwise nil. It counts against the quotas.
	Notice *credentials.Notice
	Quotas []mail.Quota
	// Owner and Maker are the persons of the notice; the maker is zero if it is not a user any more.
	Owner, Maker principal.Person
}

// Create creates a key. Errors: validation, ErrNotYourKeys, ErrNotFound, ErrNotActive, ErrTooManyKeys, ErrCaller,
// credentials.ErrDailyQuota, mail.ErrQuota, credentials.ErrTooManyMakers, idempotency.ErrReused,
// idempotency.ErrRevoked.
func (k *Keys) Create(ctx context.Context, caller principal.Principal, userID string, input NewKey) (Issued, error) {
	if err := mayManage(caller, userID); err != nil {
		return Issued{}, err
	}
	if failures := input.Check(); len(failures) > 0 {
		return Issued{}, fault.Invalid(failures...)
	}
	var issued Issued
	err := versions.Retry(ctx, func() (err error) {
		issued, err = k.create(ctx, caller, userID, input)
		input.Found = nil // it may be stale
		return err
	})
	return issued, err
}

func (k *Keys) create(ctx context.Context, caller principal.Principal, userID string, input NewKey) (Issued, error) {
	found := input.Found
	if found == nil {
		found = k.find(ctx, userID)
	}
	user, err := visibleTo(caller, found.User, found.Err)
	if err != nil {
		return Issued{}, err
	}
	if user.Status != Active {
		return Issued{}, ErrNotActive
	}
	var issued Issued
	issued.Secret, issued.Key = mintKey(user, strings.TrimSpace(input.Name), k.now().UTC())
	if issued.Key.Makers, err = credentials.MadeBy(caller); err != nil {
		return Issued{}, err
	}
	if input.ExpirationDays > 0 {
		issued.Key.ExpiresAt = issued.Key.CreatedAt.AddDate(0, 0, input.ExpirationDays)
	}
	issued.By, issued.Notice = caller.Credential(), noticeOf(caller, issued.Key, input.BaseURL)
	issued.Quotas = mail.KeyNoticesTo(caller, user.Email)
	issued.Owner = user.Person()
	once := idempotency.NewKey(caller.UserID, input.IdempotencyKey, wantedKey(issued.Key, input.ExpirationDays))
	if issued.Notice == nil {
		return k.issue(ctx, user, issued, once)
	}
	maker := make(chan *Found, 1) // the key does not depend on what its maker is called
	go func() { maker <- k.find(ctx, caller.UserID) }()
	issued, err = k.issue(ctx, user, issued, once)
	if err != nil || issued.Replayed {
		return issued, err
	}
	if by := <-maker; by.Err == nil {
		issued.Maker = by.User.Person()
	} else if fault.KindOf(by.Err) != fault.NotFound {
		slog.WarnContext(ctx, "the mail about a key waits for the schedule", "credential", issued.Key.ID, "error", by.Err)
		issued.Notice = nil // it is stored
	}
	return issued, nil
}

func (k *Keys) find(ctx context.Context, userID string) *Found {
	user, err := k.users.Get(ctx, userID)
	return &Found{user, err}
}

func (k *Keys) issue(ctx context.Context, user User, issued Issued, once *idempotency.Key) (Issued, error) {
	if once != nil {
		return k.store.IssueOnce(ctx, user, issued, *once)
	}
	return issued, k.store.Issue(ctx, user, issued)
}

// noticeOf returns the notice about a key that another user creates for its owner. Keys of the operator's command have
// no maker. The first attempt to send it belongs to the request, so that the request need not store that it begins.
func noticeOf(caller principal.Principal, key credentials.Credential, baseURL string) *credentials.Notice {
	if len(key.Makers) == 0 || caller.UserID == key.Owner.ID {
		return nil
	}
	notice := credentials.NewNotice(credentials.EventMade, key, key.CreatedAt)
	notice.By, notice.BaseURL = caller.UserID, baseURL
	notice.Attempts, notice.Due = 1, key.CreatedAt.Add(mail.RetryDelay(1))
	return &notice
}

// wantedKey returns what a repeated request must have in common with the first one.
func wantedKey(key credentials.Credential, days int) any {
	return struct {
		Kind        credentials.Kind
		Name, Owner string
		Makers      []string
		Days        int
	}{key.Kind, key.Name, key.Owner.ID, principal.UsersOf(key.Makers), days}
}

// List returns a user's keys, oldest first. Expired keys are included, revoked ones are not.
func (k *Keys) List(ctx context.Context, caller principal.Principal, userID string) ([]credentials.Credential, error) {
	if err := mayManage(caller, userID); err != nil {
		return nil, err
	}
	user, err := k.users.Get(ctx, userID)
	if _, err = visibleTo(caller, user, err); err != nil {
		return nil, err
	}
	keys, err := k.store.Keys(ctx, userID)
	slices.SortFunc(keys, func(a, b credentials.Credential) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return keys, err
}

// Get returns a key that is not revoked. Errors: ErrNotYourKeys, ErrNoKey.
func (k *Keys) Get(ctx context.Context, caller principal.Principal, userID, keyID string) (credentials.Credential, error) {
	key, err := k.Find(ctx, caller, userID, keyID)
	if err == nil && !key.RevokedAt.IsZero() {
		return credentials.Credential{}, ErrNoKey
	}
	return key, err
}

// Find returns a key of the user, even if it is revoked. Errors: ErrNotYourKeys, ErrNoKey.
func (k *Keys) Find(ctx context.Context, caller principal.Principal, userID, keyID string) (credentials.Credential, error) {
	if err := mayManage(caller, userID); err != nil {
		return credentials.Credential{}, err
	}
	if !credentials.IsID(keyID) {
		return credentials.Credential{}, ErrNoKey
	}
	return k.key(ctx, caller, userID, keyID)
}

// key returns a key, also a revoked one, that exists for the caller: the user belongs to a customer that the caller
// reaches, now and at the end of the key. Errors: ErrNoKey.
func (k *Keys) key(ctx context.Context, caller principal.Principal, userID, keyID string) (credentials.Credential, error) {
	key, err := k.store.Key(ctx, userID, keyID)
	if err != nil || caller.CustomerID == "" {
		return key, err
	}
	user, err := k.users.Get(ctx, userID)
	if fault.KindOf(err) == fault.NotFound || err == nil && !caller.Reaches(user.CustomerID) ||
		!caller.Reaches(key.Owner.CustomerID) {
		return credentials.Credential{}, ErrNoKey
	}
	return key, err
}

// Revoke revokes a key, which may be the one that the caller uses. The key may be revoked already, so that a call can
// be repeated.
func (k *Keys) Revoke(ctx context.Context, caller principal.Principal, userID, keyID string) error {
	if _, err := k.Find(ctx, caller, userID, keyID); err != nil {
		return err
	}
	return k.store.Revoke(ctx, userID, keyID, k.now().UTC())
}

func mayManage(caller principal.Principal, userID string) error {
	if caller.UserID == userID || caller.Can(principal.APIKeysWrite) {
		return nil
	}
	return ErrNotYourKeys
}

func mintKey(user User, name string, now time.Time) (credentials.Secret, credentials.Credential) {
	secret := credentials.Mint(credentials.APIKey)
	return secret, credentials.Credential{
		ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Name: name, Owner: ownerOf(user),
		CreatedAt: now.Truncate(time.Millisecond), // the stored precision
	}
}

func ownerOf(u User) credentials.Owner {
	return credentials.OwnerOf(u.Person())
}
