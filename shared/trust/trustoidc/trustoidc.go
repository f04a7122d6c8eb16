// Package trustoidc verifies tokens of any OpenID Connect issuer with go-oidc.
//
// The issuer's address comes from a trust policy, so requests reach only public addresses; see guard.go. Requests are
// bounded in time and size, and follow no redirect. Keys are kept in memory for an hour. A token with an unknown key
// makes the process read them again, at most once a minute and issuer.
package trustoidc

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"portside/shared/core/fault"
	"portside/shared/trust"
)

// algorithms are those with a public key. With a symmetric one, everybody who knows the published keys could sign.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

// Verifier implements trust.Verifier.
type Verifier struct {
	issuers *issuers
	now     func() time.Time
}

var _ trust.Verifier = (*Verifier)(nil)

// New returns a Verifier that reads keys at public addresses.
func New(now func() time.Time) *Verifier { return newVerifier(newClient(guarded()), now) }

func newVerifier(client *http.Client, now func() time.Time) *Verifier {
	return &Verifier{issuers: newIssuers(client, now), now: now}
}

// compact matches the compact serialization (RFC 7515), the only one that a token may have.
var compact = regexp.MustCompile(`^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$`)

// Check implements trust.Verifier.
func (v *Verifier) Check(token string) error {
	if !compact.MatchString(token) {
		return trust.Refuse("is not a signed JSON Web Token")
	}
	claims, err := unverified(token)
	if err != nil {
		return err
	}
	if head, err := headerOf(token); err != nil || !slices.Contains(algorithms, head.Algorithm) {
		return errSignature
	}
	return checkTimes(claims, v.now())
}

// unverified returns the claims of a token in the compact form without checking its signature. Anyone may have written
// them.
func unverified(token string) (claims trust.Claims, err error) {
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil || decodeJSON(payload, &claims) != nil {
		return nil, errNoClaims
	}
	return claims, nil
}

// Verify implements trust.Verifier.
func (v *Verifier) Verify(ctx context.Context, policy trust.Policy, token string) (trust.Claims, error) {
	// Check the claims before reading the keys. Otherwise, with an issuer that does not answer, a wrong token would
	// look like an outage.
	if err := v.Check(token); err != nil {
		return nil, err
	}
	claims, err := unverified(token)
	if err == nil {
		err = check(policy, claims, v.now())
	}
	if err != nil {
		return nil, err
	}
	keys := &keySet{issuers: v.issuers, policy: policy}
	verifier := oidc.NewVerifier(policy.Issuer, keys, &oidc.Config{
		ClientID: policy.Audience, SupportedSigningAlgs: algorithms, SkipExpiryCheck: true, SkipIssuerCheck: true,
		SkipClientIDCheck: true,
	})
	_, err = verifier.Verify(ctx, token)
	if keys.failed != nil { // go-oidc passes on only the text
		return nil, keys.failed
	}
	if err != nil {
		slog.InfoContext(ctx, "a token was refused at its exchange", "policy", policy.ID, "error", brief(err))
		return nil, errSignature
	}
	return claimsFor(policy, keys.payload, v.now())
}

var (
	errNoClaims  = trust.Refuse("has claims that are not JSON")
	errSignature = trust.Refuse("is not signed by the issuer of the trust policy with a current key and an asymmetric algorithm")
)

// claimsFor returns the claims in the payload of a token, if the policy can accept them.
func claimsFor(policy trust.Policy, payload []byte, now time.Time) (trust.Claims, error) {
	var claims trust.Claims
	if err := decodeJSON(payload, &claims); err != nil {
		return nil, errNoClaims
	}
	return claims, check(policy, claims, now)
}

// check checks the claims that every token must have. go-oidc's own checks of them are switched off, because they are
// less strict.
func check(policy trust.Policy, claims trust.Claims, now time.Time) error {
	switch {
	case claims["iss"] != policy.Issuer:
		return trust.Refuse("is of another issuer than the trust policy has (claim iss)")
	case !isFor(claims, policy.Audience):
		return trust.Refuse("is for another audience than the trust policy has (claim aud)")
	default:
		return checkTimes(claims, now)
	}
}

func checkTimes(claims trust.Claims, now time.Time) error {
	begins, hasBegin, err := claims.Time("nbf")
	if err != nil {
		return err
	}
	expires, hasEnd, err := claims.Time("exp")
	if err != nil {
		return err
	}
	issued, hasIssue, err := claims.Time("iat")
	if err != nil {
		return err
	}
	switch {
	case !hasEnd || !hasIssue:
		return trust.Refuse("does not say when it was issued or when it expires (claims iat and exp)")
	case !now.Before(expires):
		return trust.Refuse("has expired")
	case hasBegin && now.Add(trust.MaxSkew).Before(begins), now.Add(trust.MaxSkew).Before(issued):
		return trust.Refuse("is not valid yet (claims nbf and iat)")
	case expires.Sub(issued) > trust.MaxLifetime:
		return trust.Refuse("is valid for more than %d hours, the maximum; request one that expires earlier, or shorten the timeout of the "+
			"job", trust.MaxLifetime/time.Hour)
	default:
		return nil
	}
}

// isFor reports whether the claim aud is the audience, or a list that has it.
func isFor(claims trust.Claims, audience string) bool {
	list, isList := claims["aud"].([]any)
	return claims["aud"] == audience || isList && slices.Contains(list, any(audience))
}

// keySet implements oidc.KeySet for one token.
type keySet struct {
	issuers *issuers
	policy  trust.Policy
	payload []byte // of the token, once it is verified
	failed  error  // why the keys cannot be read
}

// VerifySignature implements oidc.KeySet.
func (s *keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	header, err := headerOf(token)
	if err != nil {
		return nil, err
	}
	if s.policy.Keys != "" {
		keys, err := trust.ParseKeys([]byte(s.policy.Keys))
		if err != nil {
			return nil, fmt.Errorf("parse the keys of the policy: %w", err)
		}
		return s.verify(ctx, token, header.matching(keys))
	}
	keys, err := s.issuers.keys(ctx, s.policy.Issuer, header.matches)
	if err != nil {
		s.failed = unavailable(ctx, s.policy, err)
		return nil, s.failed
	}
	return s.verify(ctx, token, header.matching(keys))
}

func unavailable(ctx context.Context, policy trust.Policy, err error) error {
	slog.WarnContext(ctx, "the keys of an issuer cannot be read", "policy", policy.ID, "issuer", policy.Issuer, "error",
		brief(err))
	return trust.ErrUnavailable
}

func (s *keySet) verify(ctx context.Context, token string, keys []trust.Key) ([]byte, error) {
	var static oidc.StaticKeySet
	for _, key := range keys {
		static.PublicKeys = append(static.PublicKeys, key.Public)
	}
	payload, err := static.VerifySignature(ctx, token)
	if err == nil {
		s.payload = payload
	}
	return payload, err //nolint:wrapcheck // go-oidc calls this method
}

// header is the part of a token's header that selects the key.
type header struct {
	Algorithm string `json:"alg"`
	KeyID     string `json:"kid"`
}

func headerOf(token string) (header, error) {
	first, _, _ := bytes.Cut([]byte(token), []byte("."))
	text, err := base64.RawURLEncoding.DecodeString(string(first))
	if err != nil {
		return header{}, fmt.Errorf("decode the header: %w", err)
	}
	var h header
	return h, decodeJSON(text, &h)
}

// matches reports whether a token with this header can be signed with a key.
func (h header) matches(key trust.Key) bool {
	return (h.KeyID == "" || key.ID == h.KeyID) && (key.Algorithm == "" || key.Algorithm == h.Algorithm)
}

func (h header) matching(keys []trust.Key) []trust.Key {
	var all []trust.Key
	for _, key := range keys {
		if h.matches(key) {
			all = append(all, key)
		}
	}
	return all
}

func decodeJSON(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // so that a condition compares a number as written
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("decode JSON: %w", err)
	}
	return nil
}

const maxError = 300 // bytes of an error, which can repeat the issuer's response

// brief returns the beginning of an error's text, for the log. An error of this service has no such text.
func brief(err error) string {
	if f := fault.As(err); f != nil {
		return f.Detail
	}
	text := err.Error()
	return text[:min(len(text), maxError)]
}
