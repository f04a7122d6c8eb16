package main

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"portside/cmd/bench/figures"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/customers"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/trust"
	"portside/shared/trust/trustdynamo"
	"portside/shared/trust/trustoidc"
	"portside/shared/users"
)

// Targets of an exchange of a workload's token.
const (
	exchangeCalls = 3
	exchangeRatio = 1.5
	exchanges     = 200 // and as many tokens
	tokenOwners   = 5   // of these tokens: a user can have 50
	rsaBits       = 2048
)

// Claims of the benchmark's workload.
const (
	workloadIssuer   = "https://issuer.example.com"
	workloadAudience = "https://portside.example.com"
	workloadSubject  = "repo:acme/app:ref:refs/heads/main"
)

// signer signs tokens as an issuer does, with RS256.
type signer struct{ key *rsa.PrivateKey }

func newSigner() (signer, error) {
	key, err := rsa.GenerateKey(rand.Reader, rsaBits)
	return signer{key}, err
}

// jwks returns the public key as a JSON Web Key Set.
func (s signer) jwks() string {
	modulus := base64.RawURLEncoding.EncodeToString(s.key.N.Bytes())
	return fmt.Sprintf(`{"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"1","e":"AQAB","n":%q}]}`, modulus)
}

// token returns a token that was issued now.
func (s signer) token() (string, error) {
	now := time.Now()
	claims, err := json.Marshal(map[string]any{
		"iss": workloadIssuer, "aud": workloadAudience, "sub": workloadSubject, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
		"jti": newUUID(),
	})
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), err
}

// exchange compares exchanges with the verification of a signature and the creation of a token, which alternate with
// them.
func (b *bench) exchange(ctx context.Context, s *stack) error {
	signs, err := newSigner()
	if err != nil {
		return err
	}
	d := newCustomerTable(s)
	exchanger, policyID, err := d.trust(ctx, signs)
	if err != nil {
		return err
	}
	var creators []func(context.Context) error
	for n := range tokenOwners {
		creator, err := newTokenCreator(ctx, s, fmt.Sprintf("tokens-%d@example.com", n))
		if err != nil {
			return err
		}
		creators = append(creators, creator)
	}
	created := 0
	var measured []meter
	times, err := figures.Alternate(exchanges, signs.timed(func(token string) error {
		d.meter.reset()
		_, err := exchanger.Exchange(ctx, trust.Request{PolicyID: policyID, Token: token, Network: "203.0.113.9"})
		measured = append(measured, d.meter.reset())
		return err
	}), signs.timed(func(token string) error {
		if err := signs.verify(token); err != nil {
			return err
		}
		created++
		return creators[created%tokenOwners](ctx)
	}))
	if err != nil {
		return fmt.Errorf("exchange tokens: %w", err)
	}
	_, calls := costs(measured)
	b.table.AddAtMost("exchange of a workload's token: at most", figures.Quantile(calls, 1), exchangeCalls, "calls")
	b.table.AddComparison(figures.Comparison{
		What: "exchange of a workload's token", With: "verifying one RS256 signature and creating a token", Times: times[0], Baseline: times[1],
	}, exchangeRatio)
	return nil
}

// timed returns a measurement of run. It signs a token for run before the measurement begins.
func (s signer) timed(run func(token string) error) figures.Measurement {
	return func(int) (float64, error) {
		token, err := s.token()
		if err != nil {
			return 0, err
		}
		began := time.Now()
		err = run(token)
		return milliseconds(time.Since(began)), err
	}
}

// verify verifies the signature of a token.
func (s signer) verify(token string) error {
	at := len(token) - base64.RawURLEncoding.EncodedLen(s.key.Size())
	signature, err := base64.RawURLEncoding.DecodeString(token[at:])
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(token[:at-1]))
	return rsa.VerifyPKCS1v15(&s.key.PublicKey, crypto.SHA256, sum[:], signature)
}

// trust creates a customer with a policy that accepts the signer's tokens.
func (d customerTable) trust(ctx context.Context, signs signer) (*trust.Exchanger, string, error) {
	made, err := d.service.Create(ctx, customers.CreateOptions{Caller: principal.Operator()}, customers.NewCustomer{
		Name: "Workloads", Slug: "workloads",
	})
	if err != nil {
		return nil, "", err
	}
	store := trustdynamo.New(d.client, d.keys)
	created, err := trust.NewService(store, newUUID, time.Now).Create(ctx, trust.CreateOptions{
		Caller: principal.Operator(), CustomerID: made.Customer.ID,
	}, trust.New{
		Name: "bench", Issuer: workloadIssuer, Audience: workloadAudience, Keys: signs.jwks(),
		Conditions: []trust.Condition{{Claim: "sub", Values: []string{workloadSubject}}}, Scopes: []principal.Scope{principal.ReadImages},
	})
	return trust.NewExchanger(store, trustoidc.New(time.Now), time.Now), created.Policy.ID, err
}

// newTokenCreator returns a function that creates a token of a user, with an API key that was authenticated before.
func newTokenCreator(ctx context.Context, s *stack, email string) (func(context.Context) error, error) {
	d := newUserTable(s)
	people := users.NewService(d.store, nil, newUUID, time.Now)
	created, err := people.Create(ctx, users.CreateOptions{Caller: principal.Operator()}, users.NewUser{
		Email: email, Name: "Ada", Role: principal.User,
	})
	if err != nil {
		return nil, err
	}
	key, err := users.NewKeys(d.store, d.store.Keys, time.Now).Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "bench"})
	if err != nil {
		return nil, err
	}
	owner, _, err := credentials.NewAuthenticator(d.keys.Requests, 0, time.Now).Authenticate(ctx, key.Secret.Reveal(), credentials.APIKey)
	if err != nil {
		return nil, fmt.Errorf("authenticate: %w", err)
	}
	service := tokens.NewService(tokensdynamo.New(d.client, d.keys), d.store.People, tokens.MaxDays, time.Now)
	return func(ctx context.Context) error {
		_, err := service.Create(ctx, owner, tokens.NewToken{Name: "bench", Scopes: []principal.Scope{principal.ReadImages}})
		return err
	}, nil
}
