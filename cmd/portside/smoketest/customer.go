package smoketest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"portside/cmd/portside/installation"
	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/core/versions"
	"portside/shared/customers"
	"portside/shared/users"
)

// checkCustomer creates a customer with a user. The user cannot fetch the probe image, until the customer is entitled
// to it.
func (s *trial) checkCustomer(ctx context.Context) (string, error) {
	if err := s.createCustomer(ctx); err != nil {
		return "", err
	}
	member, err := s.createMember(ctx)
	if err != nil {
		return "", err
	}
	if s.customerToken, err = s.createToken(ctx, s.asMember(), s.scopes()); err != nil {
		return "", err
	}
	if s.probe.manifest == nil {
		return "created, with a user and a token", nil
	}
	if err := s.fetchAsCustomer(ctx, http.StatusNotFound); err != nil {
		return "", fmt.Errorf("without an entitlement: %w", err)
	}
	body := fmt.Appendf(nil, `{"artifact": "image", "repository": %q}`, s.repository)
	path := "/v1/customers/" + s.customerID + "/entitlements"
	if _, _, err = s.api.send(ctx, request{http.MethodPost, path, body, s.signed(), http.StatusCreated}); err != nil {
		return "", err
	}
	if err := s.fetchAsCustomer(ctx, http.StatusOK); err != nil {
		return "", fmt.Errorf("with an entitlement: %w", err)
	}
	return member.Email + " fetches the image with the first entitlement, and not before", nil
}

// fetchAsCustomer requests the manifest of the probe image.
func (s *trial) fetchAsCustomer(ctx context.Context, want int) error {
	header := map[string]string{"Authorization": "Bearer " + s.customerToken}
	_, _, err := s.api.send(ctx, request{http.MethodGet, s.imagePath("manifests", s.probe.manifest), nil, header, want})
	return err
}

func (s *trial) createCustomer(ctx context.Context) error {
	var created struct{ Data struct{ ID string } }
	body := fmt.Appendf(nil, `{"name": "Smoke test", "slug": %q}`, s.names.customer)
	err := s.api.sendAndDecode(ctx, request{http.MethodPost, "/v1/customers", body, s.signed(), http.StatusCreated}, &created)
	s.customerID = created.Data.ID
	return err
}

// createMember creates a user of the customer with an API key. Unlike the API, it sends no mail.
func (s *trial) createMember(ctx context.Context) (users.User, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changeTimeout)
	defer cancel()
	created, err := s.service().Create(ctx, users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: s.names.member, Name: "Smoke test", Role: principal.Manager, CustomerID: s.customerID})
	if err == nil {
		s.customerKey, err = s.issueKey(ctx, created.User)
	}
	return created.User, err
}

func (s *trial) asMember() map[string]string {
	return map[string]string{"X-API-Key": s.customerKey.Reveal()}
}

// removeCustomer removes the customer with the slug of a test, if it exists, with its users, entitlements and trust
// policies.
func (s *trial) removeCustomer(ctx context.Context, slug string) error {
	found, err := s.Customers.Search(ctx, search.Query{Text: slug, Limit: 10})
	if err != nil {
		return err
	}
	for _, customer := range found.Customers {
		if customer.Slug != slug {
			continue
		}
		if err := s.removeMembers(ctx, customer.ID); err != nil {
			return err
		}
		err := customers.NewService(s.Customers, installation.NewID, s.Now).Delete(ctx, versions.Target{ID: customer.ID})
		if err != nil && !errors.Is(err, customers.ErrNotFound) {
			return err
		}
	}
	return nil
}

// removeMembers removes the users of the customer of a test. There are few.
func (s *trial) removeMembers(ctx context.Context, customerID string) error {
	page, err := s.Users.List(ctx, users.Query{CustomerID: customerID, Limit: users.MaxLimit})
	if err != nil {
		return err
	}
	for _, user := range page.Users {
		if err := s.removeUser(ctx, user.ID); err != nil {
			return err
		}
	}
	return nil
}

// The identifiers of an exchange (RFC 8693).
const (
	exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
	jwtType       = "urn:ietf:params:oauth:token-type:jwt"
)

// Claims of the test's workload. Its issuer is this process: the trust policy has the key.
const (
	workloadIssuer   = "https://smoke-test.portside.invalid"
	workloadAudience = "https://portside.invalid/smoke-test"
)

// checkExchange exchanges a token that a trust policy accepts and one with a wrong signature, as a pipeline does.
func (s *trial) checkExchange(ctx context.Context) (string, error) {
	right, err := newWorkload()
	if err != nil {
		return "", err
	}
	wrong, err := newWorkload()
	if err != nil {
		return "", err
	}
	policy, err := s.createPolicy(ctx, right)
	if err != nil {
		return "", err
	}
	if _, err := s.exchange(ctx, policy, wrong, http.StatusBadRequest); err != nil {
		return "", fmt.Errorf("a token with a wrong signature: %w", err)
	}
	answer, err := s.exchange(ctx, policy, right, http.StatusOK)
	if err != nil {
		return "", err
	}
	var issued struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(answer, &issued); err != nil {
		return "", fmt.Errorf("the exchange answered no JSON: %w", err)
	}
	header := map[string]string{"Authorization": "Bearer " + issued.Token}
	if _, _, err := s.api.send(ctx, request{http.MethodGet, "/charts/index.yaml", nil, header, http.StatusOK}); err != nil {
		return "", fmt.Errorf("with the token of the exchange: %w", err)
	}
	return "a token with a wrong signature is refused, a right one gets an access token, which works", nil
}

func (s *trial) createPolicy(ctx context.Context, by workload) (id string, err error) {
	body, err := json.Marshal(map[string]any{
		"name": "Smoke test", "issuer": workloadIssuer, "audience": workloadAudience, "maxMinutes": 1, "jwks": by.keySet(),
		"conditions": []map[string]string{{"claim": "sub", "value": s.subject()}}, "scopes": []string{"read:helm-charts:" + s.names.chart},
	})
	if err != nil {
		return "", err
	}
	var created struct{ Data struct{ ID string } }
	path := "/v1/customers/" + s.customerID + "/trust-policies"
	err = s.api.sendAndDecode(ctx, request{http.MethodPost, path, body, s.signed(), http.StatusCreated}, &created)
	return created.Data.ID, err
}

func (s *trial) subject() string { return "job:" + s.names.customer }

// exchange sends a token of the workload, and returns the answer.
func (s *trial) exchange(ctx context.Context, policyID string, by workload, want int) ([]byte, error) {
	token, err := by.sign(map[string]any{
		"iss": workloadIssuer, "aud": workloadAudience, "sub": s.subject(), "iat": s.Now().Unix(), "exp": s.Now().Add(5 * time.Minute).Unix(),
	})
	if err != nil {
		return nil, err
	}
	form := url.Values{
		"grant_type": {exchangeGrant}, "subject_token_type": {jwtType}, "subject_token": {token}, "trust_policy_id": {policyID},
	}
	header := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	body, _, err := s.api.send(ctx, request{http.MethodPost, "/api/v1/token-exchange", []byte(form.Encode()), header, want})
	return body, err
}

// workload signs tokens with ES256, as the platform of a pipeline does.
type workload struct{ key *ecdsa.PrivateKey }

func newWorkload() (workload, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return workload{key}, err
}

// coordinateBytes is the length of a number of P-256.
const coordinateBytes = 32

// keySet returns the public key as a JSON Web Key Set (RFC 7517).
func (w workload) keySet() string {
	point, err := w.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		return "" // the service reports that
	}
	x, y := point[1:1+coordinateBytes], point[1+coordinateBytes:]
	return fmt.Sprintf(`{"keys":[{"kty":"EC","crv":"P-256","kid":"1","alg":"ES256","use":"sig","x":%q,"y":%q}]}`,
		encodeSegment(x), encodeSegment(y))
}

// sign returns a JSON Web Token (RFC 7519).
func (w workload) sign(claims map[string]any) (string, error) {
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	text := encodeSegment([]byte(`{"alg":"ES256","kid":"1","typ":"JWT"}`)) + "." + encodeSegment(payload)
	sum := sha256.Sum256([]byte(text))
	r, t, err := ecdsa.Sign(rand.Reader, w.key, sum[:])
	if err != nil {
		return "", err
	}
	signature := slices.Concat(r.FillBytes(make([]byte, coordinateBytes)), t.FillBytes(make([]byte, coordinateBytes)))
	return text + "." + encodeSegment(signature), nil
}

func encodeSegment(content []byte) string { return base64.RawURLEncoding.EncodeToString(content) }
