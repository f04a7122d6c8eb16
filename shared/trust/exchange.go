package trust

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/throttle"
	"portside/shared/core/versions"
	"portside/shared/credentials"
)

const (
	// MaxToken is the largest token of an issuer, in bytes.
	MaxToken = 16 << 10
	// MaxLifetime is the longest accepted time between the issue and the expiry of a token. A token of GitLab is valid
	// as long as its job may run, which can be hours, because a job cannot request another one. A token that is valid
	// for more than a day is more likely a stored secret than the token of a job.
	MaxLifetime = 24 * time.Hour
	// MaxSkew is by how much an issuer's clock may differ.
	MaxSkew = time.Minute
)

// Limits of issued access tokens. A policy for many jobs needs a few tokens an hour, and a job needs one. More point to
// a leak or a loop.
const (
	MaxDaily    = 300 // of a policy on one day (UTC)
	MaxPerToken = 20  // for one token of the issuer, so that a job can repeat an exchange whose response it has lost
)

// refusals limits refused exchanges. It is generous, because the runners of a company may share an address.
var refusals = throttle.Limit{Name: "token-exchanges", Window: 10 * time.Minute, Failures: 600}

// The error codes of RFC 6749. RFC 8693 requires invalid_request for a rejected subject token as well.
const (
	InvalidRequest  = "invalid_request"
	InvalidScope    = "invalid_scope"
	UnsupportedType = "unsupported_grant_type"
	unavailable     = "temporarily_unavailable"
)

// The errors of an exchange that are not about the token.
var (
	ErrTooManyExchanges = fault.New(fault.RateLimited, "Too many exchanges of tokens were refused for your network address and this trust "+
		"policy, and so is this one. Check the token, the scopes and the ID of the policy. Tokens that the policy accepts are exchanged "+
		"meanwhile.").OAuth(unavailable)
	// ErrDailyQuota comes with the time until the next day.
	ErrDailyQuota = fault.New(fault.QuotaExceeded, fmt.Sprintf("The trust policy has already issued %d access tokens today (UTC), which is "+
		"the maximum.", MaxDaily)).OAuth(unavailable)
	// ErrTokenQuota comes with the time until the token expires.
	ErrTokenQuota = fault.New(fault.QuotaExceeded, fmt.Sprintf("The token was already exchanged %d times, which is the maximum. Request a "+
		"new one from the platform.", MaxPerToken)).OAuth(unavailable)
	// ErrUnavailable means that the issuer's keys cannot be read.
	ErrUnavailable = fault.New(fault.Unavailable, "The issuer does not publish its keys at a public address, or does not answer. Try "+
		"again, or have the vendor store the keys in the trust policy.").OAuth(unavailable)
)

// Refuse returns the error for a token that the policy does not accept. The reason follows "The token": it names no
// value of the policy or the token, because the caller is unknown.
func Refuse(reason string, args ...any) error {
	detail := "The token " + fmt.Sprintf(reason, args...) + "."
	return &fault.Error{
		Kind: fault.Validation, Detail: detail, OAuthCode: InvalidRequest,
		Fields: []fault.Field{{Pointer: "/subject_token", Detail: "must be a token that the trust policy accepts"}},
	}
}

// errPolicy covers missing policies and inactive customers with one message, because the caller is unknown.
var errPolicy = &fault.Error{
	Kind: fault.Validation, Detail: "The trust policy does not exist, or its customer is not active.",
	OAuthCode: InvalidRequest,
	Fields: []fault.Field{{Pointer: "/trust_policy_id",
		Detail: "must be the ID of a trust policy of an active customer"}},
}

// errUntrusting is the error for a policy of an earlier release whose conditions do not identify an account.
var errUntrusting = &fault.Error{
	Kind: fault.Validation, OAuthCode: InvalidRequest,
	Detail: "The conditions of the trust policy do not name an owner of jobs, so it accepts no token. Ask the vendor to change them.",
	Fields: []fault.Field{{Pointer: "/trust_policy_id",
		Detail: "must be the ID of a trust policy that says whom it trusts"}},
}

// errScope is about scopes that the policy does not grant.
var errScope = &fault.Error{
	Kind: fault.Validation, Detail: "A requested scope allows more than the trust policy.", OAuthCode: InvalidScope,
	Fields: []fault.Field{{Pointer: "/scope",
		Detail: "must have only scopes that the trust policy grants, separated by spaces"}},
}

// Verifier verifies tokens of issuers.
type Verifier interface {
	// Check checks the parts of a token that need no key: its form, its algorithm and its times. It makes no call.
	// Errors: those of Refuse.
	Check(token string) error
	// Verify returns the claims of a token that is signed by the policy's issuer for the policy's audience and valid at
	// this time. It does not check the conditions. Errors: those of Refuse, ErrUnavailable.
	Verify(ctx context.Context, policy Policy, token string) (Claims, error)
}

// ExchangeStore reads policies and stores issued tokens. It also counts exchanges that are refused.
type ExchangeStore interface {
	// Get returns a policy, strongly consistent. Errors: ErrNotFound.
	Get(ctx context.Context, id string) (Policy, error)
	// Issue adds an access token of a policy, which was exchanged for a token of the issuer, and counts it for both.
	// Errors: versions.ErrStale if the policy has changed since it was read, ErrNoCustomer if the customer is suspended
	// or does not exist, ErrDailyQuota, ErrTokenQuota.
	Issue(ctx context.Context, policy Policy, token credentials.Credential, of Exchanged) error
	throttle.Counts
}

// Exchanged identifies a token of an issuer, to count how often it is exchanged.
type Exchanged struct {
	Hash      string // of the ID or the signed text, see identify
	ExpiresAt time.Time
}

// Exchanger exchanges tokens of issuers for access tokens.
type Exchanger struct {
	store    ExchangeStore
	verifier Verifier
	refused  *throttle.Throttle
	now      func() time.Time
}

// NewExchanger returns an Exchanger.
func NewExchanger(store ExchangeStore, verifier Verifier, now func() time.Time) *Exchanger {
	return &Exchanger{store: store, verifier: verifier, refused: throttle.New(store, refusals), now: now}
}

// Request is a token to exchange.
type Request struct {
	PolicyID string
	Token    string            // of the issuer
	Scopes   []principal.Scope // empty means all scopes of the policy
	Network  string            // of the client; see web.NetworkOf
}

// Issued is a new access token. The secret is not stored anywhere else.
type Issued struct {
	Token  credentials.Credential
	Secret credentials.Secret
}

// Exchange issues an access token of the policy, with two calls of the store. A token that no policy could accept is
// refused without a call. Any other refused token costs the read of the policy and, until the limit of refusals, one
// write. Refused requests from the same address never affect a token that the policy accepts. Errors:
// ErrTooManyExchanges, those of Refuse and others with a code of OAuth, ErrDailyQuota, ErrTokenQuota, ErrUnavailable.
func (e *Exchanger) Exchange(ctx context.Context, request Request) (Issued, error) {
	now := versions.StoredTime(e.now())
	request.Token = strings.TrimSpace(request.Token) // a token from a file often has a newline at the end
	if len(request.Token) > MaxToken {
		return Issued{}, Refuse("is longer than %d KB", MaxToken>>10)
	}
	if err := e.verifier.Check(request.Token); err != nil {
		return Issued{}, err
	}
	var issued Issued
	subject := request.Network
	err := versions.Retry(ctx, func() error { // the policy may change between the read and the write
		policy, err := e.store.Get(ctx, request.PolicyID)
		if err != nil {
			return err
		}
		subject = request.Network + "#" + policy.ID // all unknown IDs share one count, so that strangers cannot create any number of counts
		issued, err = e.exchange(ctx, policy, request, now)
		return err
	})
	if err = maskMissing(err); fault.KindOf(err) == fault.Validation {
		err = cmp.Or(e.countRefusal(ctx, subject, now), err)
	}
	if err != nil {
		return Issued{}, err
	}
	return issued, nil
}

// countRefusal returns ErrTooManyExchanges if there are too many refusals.
func (e *Exchanger) countRefusal(ctx context.Context, subject string, now time.Time) error {
	tooMany, err := e.refused.Fail(ctx, subject, now)
	if tooMany {
		return ErrTooManyExchanges.After(e.refused.Rest(now))
	}
	return err
}

// maskMissing returns errPolicy for ErrNotFound and ErrNoCustomer.
func maskMissing(err error) error {
	if fault.KindOf(err) == fault.NotFound {
		return errPolicy
	}
	return err
}

// exchange exchanges a token by a policy that was read. Errors: also versions.ErrStale, ErrNoCustomer.
func (e *Exchanger) exchange(ctx context.Context, policy Policy, request Request, now time.Time) (Issued, error) {
	if lack := missingAccount(policy.Issuer, policy.Conditions); lack != "" {
		slog.WarnContext(ctx, "a trust policy of an earlier release accepts no token, because its conditions name no account",
			"policy", policy.ID, "customer", policy.CustomerID, "conditions", lack)
		return Issued{}, errUntrusting
	}
	claims, err := e.verifier.Verify(ctx, policy, request.Token)
	if err != nil {
		return Issued{}, err
	}
	if err := checkConditionsOf(policy, claims); err != nil {
		return Issued{}, err
	}
	scopes := request.Scopes
	if len(scopes) == 0 {
		scopes = policy.Scopes
	}
	if !areKnown(scopes) || !principal.Within(policy.Scopes, scopes) {
		return Issued{}, errScope
	}
	exchanged, err := identify(claims, request.Token)
	if err != nil {
		return Issued{}, err
	}
	issued := issue(policy, claims, scopes, now)
	return issued, limited(e.store.Issue(ctx, policy, issued.Token, exchanged), now, exchanged.ExpiresAt)
}

// checkConditionsOf returns an error that names the first condition of the policy that the claims do not meet.
func checkConditionsOf(policy Policy, claims Claims) error {
	for _, c := range policy.Conditions {
		switch {
		case c.Holds(claims):
		case c.Claim == "sub" && hasIDs(claims.Subject()):
			return Refuse("does not meet the condition of the trust policy on the claim sub. The subject has the IDs of the owner and the " +
				"repository, as in repo:acme@65/app@74:ref:refs/heads/main, so the condition needs them, too; conditions on repository_id, " +
				"repository_owner_id and ref hold for both forms of subjects")
		default:
			return Refuse("does not meet the condition of the trust policy on the claim %s", c.Claim)
		}
	}
	return nil
}

// immutable matches a subject of a repository of GitHub that was created or renamed since July 15, 2026.
var immutable = regexp.MustCompile(`^repo:[^/@:]+@[0-9]+/[^/@:]+@[0-9]+:`)

func hasIDs(subject string) bool { return immutable.MatchString(subject) }

// identify returns the identity of a token: its ID or, without one, its signed text. The signature is not part of the
// identity, because a client can change it and keep the token valid.
func identify(claims Claims, token string) (Exchanged, error) {
	expires, _, err := claims.Time("exp")
	id, _ := claims["jti"].(string)
	if id == "" {
		id = token[:max(strings.LastIndexByte(token, '.'), 0)]
	}
	sum := sha256.Sum256([]byte(id))
	return Exchanged{Hash: hex.EncodeToString(sum[:]), ExpiresAt: expires}, err
}

// limited adds the time until the limit ends to the error of a limit.
func limited(err error, now, expires time.Time) error {
	const day = 24 * time.Hour
	switch {
	case errors.Is(err, ErrDailyQuota):
		return ErrDailyQuota.After(now.Truncate(day).Add(day).Sub(now))
	case errors.Is(err, ErrTokenQuota):
		return ErrTokenQuota.After(expires.Sub(now))
	default:
		return err
	}
}

// areKnown reports whether a token may have the scopes, which a client has sent in any number and form.
func areKnown(scopes []principal.Scope) bool {
	isUnknown := func(s principal.Scope) bool { return !s.Known() }
	return len(scopes) <= MaxScopes && !slices.ContainsFunc(scopes, isUnknown)
}

// issue returns an access token that belongs to a policy.
func issue(policy Policy, claims Claims, scopes []principal.Scope, now time.Time) Issued {
	secret := credentials.Mint(credentials.AccessToken)
	token := credentials.Credential{
		ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Name: nameOf(policy, claims.Subject()), Exchanged: true,
		Owner:     credentials.Owner{ID: policy.ID, CustomerID: policy.CustomerID, Active: true},
		CreatedAt: now, ExpiresAt: now.Add(time.Duration(policy.MaxMinutes) * time.Minute),
	}
	for _, scope := range scopes {
		token.Scopes = append(token.Scopes, string(scope))
	}
	return Issued{Token: token, Secret: secret}
}

// nameOf returns the name of an access token, which lists of pulls show: the subject of the workload, as far as it
// fits, or the name of the policy.
func nameOf(policy Policy, subject string) string {
	isOdd := func(r rune) bool { return !unicode.IsPrint(r) }
	subject = strings.TrimSpace(subject)
	if subject == "" || !utf8.ValidString(subject) || strings.ContainsFunc(subject, isOdd) {
		return policy.Name
	}
	if runes := []rune(subject); len(runes) > MaxName {
		return string(runes[:MaxName-1]) + "…"
	}
	return subject
}
