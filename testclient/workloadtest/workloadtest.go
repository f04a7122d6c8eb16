// Package workloadtest is an issuer of identity tokens for tests. It signs claims as GitHub Actions, GitLab and
// Kubernetes document them, with any algorithm, and serves its configuration and keys over HTTPS. It shares no code
// with what verifies the tokens.
package workloadtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Claims are the claims of a token.
type Claims = map[string]any

// With returns the claims with one changed; nil removes it.
func With(claims Claims, name string, value any) Claims {
	changed := maps.Clone(claims)
	changed[name] = value
	if value == nil {
		delete(changed, name)
	}
	return changed
}

// GitHub returns the claims of a job of the branch main of acme/app, as in GitHub's page "OpenID Connect reference".
func GitHub(issuer, audience string, at time.Time) Claims {
	return Claims{
		"jti": "example-id", "sub": "repo:acme/app:ref:refs/heads/main", "aud": audience, "ref": "refs/heads/main", "sha": "example-sha",
		"repository": "acme/app", "repository_owner": "acme", "actor_id": "12", "repository_visibility": "private", "repository_id": "74",
		"repository_owner_id": "65", "run_id": "example-run-id", "run_number": "10", "run_attempt": "2",
		"runner_environment": "github-hosted", "actor": "octocat", "workflow": "example-workflow", "head_ref": "", "base_ref": "",
		"event_name": "workflow_dispatch", "ref_type": "branch", "job_workflow_ref": "acme/automation/.github/workflows/oidc.yml@refs/heads/main",
		"iss": issuer, "nbf": at.Add(-10 * time.Minute).Unix(), "exp": at.Add(5 * time.Minute).Unix(), "iat": at.Unix(),
	}
}

// GitHubWithIDs is GitHub for a repository that was created or renamed since July 15, 2026. Its subject has IDs, which
// never change.
func GitHubWithIDs(issuer, audience string, at time.Time) Claims {
	return With(GitHub(issuer, audience, at), "sub", "repo:acme@65/app@74:ref:refs/heads/main")
}

// GitLab returns the claims of a job of the branch main of acme/app, as in GitLab's page "ID tokens".
func GitLab(issuer, audience string, at time.Time) Claims {
	return Claims{
		"namespace_id": "72", "namespace_path": "acme", "project_id": "20", "project_path": "acme/app", "user_id": "1",
		"user_login": "ada", "user_email": "ada@example.com", "user_access_level": "owner", "user_identities": []any{},
		"pipeline_id": "574", "pipeline_source": "push", "job_id": "302", "ref": "main", "ref_type": "branch",
		"ref_path": "refs/heads/main", "ref_protected": "true", "groups_direct": []string{"acme"}, "environment": "production",
		"environment_protected": "false", "deployment_tier": "production", "runner_id": 1, "runner_environment": "self-hosted",
		"sha": "714a629c0b401fdce83e847fc9589983fc6f46bc", "project_visibility": "private",
		"ci_config_ref_uri": "gitlab.example.com/acme/app//.gitlab-ci.yml@refs/heads/main", "jti": "235b3a54-b797-45c7-ae9a-f72d7bc6ef5b",
		"iss": issuer, "iat": at.Unix(), "nbf": at.Unix() - 5, "exp": at.Add(time.Hour).Unix(),
		"sub": "project_path:acme/app:ref_type:branch:ref:main", "aud": audience,
	}
}

// Kubernetes returns the claims of a projected token of the service account puller in the namespace acme, as in the
// page "Managing Service Accounts" of Kubernetes.
func Kubernetes(issuer, audience string, at time.Time) Claims {
	return Claims{
		"aud": []string{audience}, "exp": at.Add(10 * time.Minute).Unix(), "iat": at.Unix(), "nbf": at.Unix(), "iss": issuer,
		"jti": "ea28ed49-2e11-4280-9ec5-bc3d1d84661a", "sub": "system:serviceaccount:acme:puller",
		"kubernetes.io": map[string]any{
			"namespace":      "acme",
			"node":           map[string]any{"name": "127.0.0.1", "uid": "58456cb0-dd00-45ed-b797-5578fdceaced"},
			"pod":            map[string]any{"name": "puller-69cbfb9798-jv9gn", "uid": "778a530c-b3f4-47c0-9cd5-ab018fb64f33"},
			"serviceaccount": map[string]any{"name": "puller", "uid": "a087d5a0-e1dd-43ec-93ac-f13d89cd13af"},
			"warnafter":      at.Add(5 * time.Minute).Unix(),
		},
	}
}

// Key signs tokens.
type Key struct {
	ID        string // empty leaves out kid
	Algorithm string // RS256, PS256, ES256, EdDSA; or HS256 and none, which the service must refuse
	Secret    []byte // for HS256
	private   crypto.Signer
}

// NewKey returns a key that its issuer does not publish yet.
func NewKey(id, algorithm string) Key {
	k := Key{ID: id, Algorithm: algorithm}
	var err error
	switch algorithm {
	case "RS256", "PS256":
		k.private, err = rsa.GenerateKey(rand.Reader, 2048)
	case "ES256":
		k.private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "EdDSA":
		_, k.private, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return k
}

// As returns the same key with another ID and algorithm in the header.
func (k Key) As(id, algorithm string) Key {
	k.ID, k.Algorithm = id, algorithm
	return k
}

// JWK returns the public key as a JSON Web Key.
func (k Key) JWK() map[string]any {
	jwk := map[string]any{"use": "sig", "alg": k.Algorithm}
	if k.ID != "" {
		jwk["kid"] = k.ID
	}
	switch public := k.private.Public().(type) {
	case *rsa.PublicKey:
		jwk["kty"], jwk["n"], jwk["e"] = "RSA", encode(public.N.Bytes()), encode(big.NewInt(int64(public.E)).Bytes())
	case *ecdsa.PublicKey:
		point, err := public.Bytes()
		if err != nil {
			panic(err) // the key was generated
		}
		size := len(point) / 2
		jwk["kty"], jwk["crv"], jwk["x"], jwk["y"] = "EC", "P-256", encode(point[1:1+size]), encode(point[1+size:])
	case ed25519.PublicKey:
		jwk["kty"], jwk["crv"], jwk["x"] = "OKP", "Ed25519", encode(public)
	}
	return jwk
}

// KeySet returns a JSON Web Key Set.
func KeySet(keys ...Key) string {
	set := []any{}
	for _, k := range keys {
		set = append(set, k.JWK())
	}
	return string(marshal(map[string]any{"keys": set}))
}

// Sign returns the claims as a signed token.
func (k Key) Sign(claims Claims) string {
	header := map[string]any{"alg": k.Algorithm, "typ": "JWT"}
	if k.ID != "" {
		header["kid"] = k.ID
	}
	return k.SignWith(header, marshal(claims))
}

// SignWith returns a token with any header and payload.
func (k Key) SignWith(header map[string]any, payload []byte) string {
	input := encode(marshal(header)) + "." + encode(payload)
	return input + "." + encode(k.signature([]byte(input)))
}

func (k Key) signature(input []byte) []byte {
	sum := sha256.Sum256(input)
	var signature []byte
	var err error
	switch k.Algorithm {
	case "HS256":
		mac := hmac.New(sha256.New, k.Secret)
		_, _ = mac.Write(input) // never fails
		return mac.Sum(nil)
	case "none":
		return nil
	case "PS256":
		signature, err = k.private.Sign(rand.Reader, sum[:],
			&rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: crypto.SHA256})
	case "EdDSA":
		signature, err = k.private.Sign(rand.Reader, input, crypto.Hash(0))
	case "ES256":
		var r, s *big.Int
		private, _ := k.private.(*ecdsa.PrivateKey)
		r, s, err = ecdsa.Sign(rand.Reader, private, sum[:])
		const half = 32
		signature = append(r.FillBytes(make([]byte, half)), s.FillBytes(make([]byte, half))...)
	default:
		signature, err = k.private.Sign(rand.Reader, sum[:], crypto.SHA256)
	}
	if err != nil {
		panic(err) // the test signs with a key of another algorithm
	}
	return signature
}

// Issuer is a running issuer. Tests change its fields between requests.
type Issuer struct {
	Address   string
	Transport http.RoundTripper // which trusts its certificate
	Keys      []Key
	Other     string         // another issuer that the configuration names
	KeysAt    string         // another address of the keys that the configuration names
	Moved     string         // path that redirects to a place where it works
	Padding   int            // bytes before the end of each response
	Down      bool           // every request fails
	Requests  map[string]int // by path

	mu sync.Mutex
}

// Start starts an issuer that ends with the test.
func Start(tb testing.TB, keys ...Key) *Issuer {
	tb.Helper()
	i := &Issuer{Keys: keys, Requests: map[string]int{}}
	server := httptest.NewTLSServer(http.HandlerFunc(i.serve))
	tb.Cleanup(server.Close)
	i.Address, i.Transport = server.URL, server.Client().Transport
	return i
}

func (i *Issuer) serve(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.Requests[r.URL.Path]++
	path := r.URL.Path
	switch {
	case i.Down:
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	case path == i.Moved:
		http.Redirect(w, r, "/moved"+path, http.StatusTemporaryRedirect)
		return
	}
	var body string
	switch strings.TrimPrefix(path, "/moved") {
	case "/.well-known/openid-configuration":
		configuration := Claims{"issuer": i.Address, "jwks_uri": i.Address + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"}}
		if i.Other != "" {
			configuration["issuer"] = i.Other
		}
		if i.KeysAt != "" {
			configuration["jwks_uri"] = i.KeysAt
		}
		body = string(marshal(configuration))
	case "/keys":
		body = KeySet(i.Keys...)
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprint(w, strings.TrimSuffix(body, "}"), strings.Repeat(" ", i.Padding), "}") // the client may have disconnected
}

func marshal(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // the tests have only values of JSON
	}
	return text
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
