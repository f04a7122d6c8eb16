// Package rotation renews access tokens in secrets of AWS Secrets Manager, on Secrets Manager's schedule.
//
// Secrets Manager calls four steps: create, set, test, finish. Each may be interrupted at any
// point, and then all four are repeated from the first. So each step checks the current state and
// does the rest. Three rules always hold. A token is stored in the secret before it works
// anywhere, so no working token is unknown. The version that clients read (AWSCURRENT) has a
// working token from the first rotation on, because it moves only to a token that was tested. Once
// a rotation has finished, every other token that the secret ever had expires within the overlap,
// including those of abandoned rotations. Lifetimes are only ever shortened.
package rotation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"portside/shared/credentials"
)

// The errors of a step. None of these cases changes the version that clients read.
var (
	ErrStep       = errors.New("rotation: unknown step; use createSecret, setSecret, testSecret or finishSecret")
	ErrNoRotation = errors.New("rotation: rotation is not turned on for this secret")
	ErrNoVersion  = errors.New("rotation: the secret has no version with this ClientRequestToken")
	ErrNotPending = errors.New("rotation: the version is not staged as AWSPENDING")
	ErrNoValue    = errors.New("rotation: the version has no value") // also returned by a Vault
	ErrHasValue   = errors.New("rotation: the version already has a different value")
	ErrValue      = errors.New("rotation: the secret's value must be JSON with ownerId, name, scopes, expirationDays and, " +
		"after the first rotation, an access token that this service created")
	ErrTerms = errors.New("rotation: the pending token has another owner or more scopes than the secret configures; " +
		"cancel the rotation and start another")
	ErrOwner  = errors.New("rotation: the owner of the token does not exist or is not active; the current token stays unchanged")
	ErrTaken  = errors.New("rotation: another token has the pending token's id; cancel the rotation and start another")
	ErrBroken = errors.New("rotation: the pending token does not work: it was revoked, has expired, or its owner is not active; " +
		"cancel the rotation and start another")
)

// The version stages that the protocol moves.
const (
	Current = "AWSCURRENT"
	Pending = "AWSPENDING"
)

// Event is what Secrets Manager sends.
type Event struct {
	Step     string `json:"Step"`
	SecretID string `json:"SecretId"`
	Version  string `json:"ClientRequestToken"` // the version that this rotation creates
}

// Secret is what Describe returns about a secret. It has no values.
type Secret struct {
	RotationOn bool
	Stages     map[string][]string // by version
}

// Vault keeps secrets.
type Vault interface {
	// Describe returns the stages of a secret's versions.
	Describe(ctx context.Context, secretID string) (Secret, error)
	// Versions returns the ids of all versions, including those without a stage.
	Versions(ctx context.Context, secretID string) ([]string, error)
	// Value returns the text of a version. Errors: ErrNoValue if the version does not exist or has
	// no text.
	Value(ctx context.Context, secretID, version string) (string, error)
	// Put gives a version its text and the stage AWSPENDING. Errors: ErrHasValue if the version has
	// another text, because a text never changes.
	Put(ctx context.Context, secretID, version, text string) error
	// MoveCurrent moves AWSCURRENT from one version to another. It fails if the first one does not
	// have it.
	MoveCurrent(ctx context.Context, secretID, from, to string) error
}

// Issuer makes tokens work.
type Issuer interface {
	// Admit returns nil if a token with these terms may be issued now. Errors: ErrOwner, or a
	// validation error.
	Admit(ctx context.Context, terms Terms) error
	// Issue registers a token for its owner. It needs only the id of the owner. Errors:
	// ErrOwner.
	Issue(ctx context.Context, token credentials.Credential) error
}

// Tokens keeps tokens.
type Tokens interface {
	// Get returns a token, strongly consistent. Errors: credentials.ErrUnknown.
	Get(ctx context.Context, id string) (credentials.Credential, error)
	// Shorten makes the token expire at the given time, unless it expires earlier. Errors:
	// credentials.ErrUnknown.
	Shorten(ctx context.Context, secret credentials.Secret, to time.Time) error
}

// Rotator takes the steps.
type Rotator struct {
	vault   Vault
	issuer  Issuer
	tokens  Tokens
	options Options
}

// Options are the settings of a deployment.
type Options struct {
	Overlap time.Duration // the longest time for which a replaced token keeps working
	Now     func() time.Time
}

// New returns a Rotator.
func New(vault Vault, issuer Issuer, tokens Tokens, options Options) *Rotator {
	return &Rotator{vault: vault, issuer: issuer, tokens: tokens, options: options}
}

// Step takes one step. It is safe to repeat a step, or all steps from the first, after a crash.
func (r *Rotator) Step(ctx context.Context, e Event) error {
	steps := map[string]func(context.Context, Event, Secret) error{
		"createSecret": r.create, "setSecret": r.set, "testSecret": r.test, "finishSecret": r.finish,
	}
	step := steps[e.Step]
	if step == nil {
		return ErrStep
	}
	secret, err := r.vault.Describe(ctx, e.SecretID)
	if err != nil {
		return err
	}
	if err := secret.check(e.Version); err != nil {
		return err
	}
	if err := step(ctx, e, secret); err != nil {
		return fmt.Errorf("%s of %s: %w", e.Step, e.SecretID, err)
	}
	return nil
}

// check returns nil if a step can work on the version.
func (s Secret) check(version string) error {
	stages, found := s.Stages[version]
	switch {
	case !s.RotationOn:
		return ErrNoRotation
	case !found:
		return ErrNoVersion
	case !slices.Contains(stages, Pending) && !slices.Contains(stages, Current):
		return ErrNotPending
	default:
		return nil
	}
}

// current returns the version that clients read, or an empty text if no version has the stage Current.
func (s Secret) current() string {
	for version, stages := range s.Stages {
		if slices.Contains(stages, Current) {
			return version
		}
	}
	return ""
}

// create writes the new token into the pending version, unless an earlier attempt did.
func (r *Rotator) create(ctx context.Context, e Event, secret Secret) error {
	if secret.current() == e.Version {
		return nil
	}
	text, err := r.vault.Value(ctx, e.SecretID, e.Version)
	if err == nil {
		_, err = ParseValue(text)
		return err
	}
	if !errors.Is(err, ErrNoValue) {
		return err
	}
	configured, err := r.value(ctx, e.SecretID, secret.current())
	if err != nil {
		return err
	}
	if err := r.issuer.Admit(ctx, configured.Terms); err != nil {
		return err
	}
	err = r.vault.Put(ctx, e.SecretID, e.Version, configured.mint(r.options.Now()).Text())
	if errors.Is(err, ErrHasValue) { // of two simultaneous attempts, the text of the first one stays
		return nil
	}
	return err
}

func (r *Rotator) value(ctx context.Context, secretID, version string) (Value, error) {
	text, err := r.vault.Value(ctx, secretID, version)
	if err != nil {
		return Value{}, err
	}
	return ParseValue(text)
}

// set makes the pending token work.
func (r *Rotator) set(ctx context.Context, e Event, secret Secret) error {
	if secret.current() == e.Version {
		return nil
	}
	pending, err := r.value(ctx, e.SecretID, e.Version)
	if err != nil {
		return err
	}
	text, err := pending.pending()
	if err != nil {
		return err
	}
	isIssued, err := r.isIssued(ctx, text)
	if err != nil || isIssued {
		return err
	}
	err = r.register(ctx, e, pending, secret)
	if err == nil {
		return nil
	}
	// Of two simultaneous attempts, one cannot issue the token again.
	if isIssued, readErr := r.isIssued(ctx, text); readErr == nil && isIssued {
		return nil
	}
	return err
}

// isIssued reports whether a token was issued. Errors: ErrTaken if another one has its ID.
func (r *Rotator) isIssued(ctx context.Context, token credentials.Secret) (bool, error) {
	found, err := r.tokens.Get(ctx, token.ID())
	switch {
	case errors.Is(err, credentials.ErrUnknown):
		return false, nil
	case err == nil && !token.Matches(found.Hash):
		return false, ErrTaken
	}
	return err == nil, err
}

// register issues the pending token as the successor of the current one, if there is one, and with
// the same rate limit.
func (r *Rotator) register(ctx context.Context, e Event, pending Value, secret Secret) error {
	configured, err := r.value(ctx, e.SecretID, secret.current())
	if err != nil {
		return err
	}
	now := r.options.Now().UTC()
	if !pending.within(configured.Terms) {
		return ErrTerms
	}
	if !now.Before(pending.ExpiresAt) {
		return ErrBroken
	}
	text, err := pending.pending()
	if err != nil {
		return err
	}
	token := credentials.Credential{
		ID: text.ID(), Kind: credentials.AccessToken, Hash: text.Hash(), Name: pending.Name,
		Owner: credentials.Owner{ID: pending.OwnerID}, Scopes: pending.Scopes, CreatedAt: now, ExpiresAt: pending.ExpiresAt,
	}
	before, err := r.predecessor(ctx, configured)
	if err != nil {
		return err
	}
	token.RotatedFrom, token.RateLimit, token.Makers = before.ID, before.RateLimit, before.Makers
	return r.issuer.Issue(ctx, token)
}

// predecessor returns the token in a value. It is zero if the value has none that this service
// knows.
func (r *Rotator) predecessor(ctx context.Context, configured Value) (credentials.Credential, error) {
	secret, held, err := configured.secret()
	if err != nil || !held {
		return credentials.Credential{}, err
	}
	found, err := r.tokens.Get(ctx, secret.ID())
	if errors.Is(err, credentials.ErrUnknown) || err == nil && !secret.Matches(found.Hash) {
		return credentials.Credential{}, nil
	}
	return found, err
}

// test checks that the pending token would be accepted, without recording a use.
func (r *Rotator) test(ctx context.Context, e Event, _ Secret) error {
	pending, err := r.value(ctx, e.SecretID, e.Version)
	if err != nil {
		return err
	}
	return r.checkWorks(ctx, pending)
}

func (r *Rotator) checkWorks(ctx context.Context, v Value) error {
	secret, err := v.pending()
	if err != nil {
		return err
	}
	found, err := r.tokens.Get(ctx, secret.ID())
	if errors.Is(err, credentials.ErrUnknown) {
		return ErrBroken
	}
	if err != nil {
		return err
	}
	if !secret.Matches(found.Hash) || found.Kind != secret.Kind() || !found.Works(r.options.Now()) {
		return ErrBroken
	}
	if found.Owner.ID != v.OwnerID || !slices.Equal(found.Scopes, v.Scopes) {
		return ErrTerms
	}
	return nil
}

// finish makes the pending version current, and then makes every other token of the secret expire.
// The order matters: a rotation that never finishes must not shorten the current token.
func (r *Rotator) finish(ctx context.Context, e Event, secret Secret) error {
	pending, err := r.value(ctx, e.SecretID, e.Version)
	if err != nil {
		return err
	}
	if current := secret.current(); current != e.Version {
		if err := r.checkWorks(ctx, pending); err != nil {
			return err
		}
		if err := r.vault.MoveCurrent(ctx, e.SecretID, current, e.Version); err != nil {
			return err
		}
	}
	return r.retire(ctx, e, pending)
}

func (r *Rotator) retire(ctx context.Context, e Event, kept Value) error {
	versions, err := r.vault.Versions(ctx, e.SecretID)
	if err != nil {
		return err
	}
	for _, version := range versions {
		if version == e.Version {
			continue
		}
		if err := r.retireVersion(ctx, e.SecretID, version, kept); err != nil {
			return fmt.Errorf("shorten the token of version %s: %w", version, err)
		}
	}
	return nil
}

// retireVersion shortens the token of one version. It skips values without a token of this service,
// and the token that is kept.
func (r *Rotator) retireVersion(ctx context.Context, secretID, version string, kept Value) error {
	text, err := r.vault.Value(ctx, secretID, version)
	if errors.Is(err, ErrNoValue) {
		return nil
	}
	if err != nil {
		return err
	}
	value, err := ParseValue(text)
	if err != nil {
		return nil //nolint:nilerr // a text that this service did not write has no token to shorten
	}
	secret, held, err := value.secret()
	if err != nil || !held || value.Token == kept.Token {
		return nil //nolint:nilerr // as above
	}
	err = r.tokens.Shorten(ctx, secret, r.options.Now().Add(r.options.Overlap))
	if errors.Is(err, credentials.ErrUnknown) { // never registered, or deleted after its retention
		return nil
	}
	return err
}
