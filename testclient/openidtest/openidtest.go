// Package openidtest is a small, strict OpenID Connect provider for tests: it has a configuration, keys, an
// authorization page on which everybody signs in at once, a token endpoint and user information, and
// signs ID tokens with RS256. It rejects every request that RFC 6749, RFC 7636 or OpenID Connect Core
// forbid. It shares no code with the library that reads its responses.
package openidtest

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// The client that is registered at the provider.
const (
	ClientID     = "portside"
	ClientSecret = "correct horse battery staple"
)

// Provider is a running provider. Tests change its fields before a sign-in.
type Provider struct {
	Issuer      string
	RedirectURL string // registered; empty accepts any
	Email       string
	Verified    any  // the claim email_verified; nil leaves it out
	Thin        bool // ID tokens have no address; only the user information has it
	PostsSecret bool // the client must send its secret in the body
	Down        bool // every request fails
	Deny        string
	Change      func(claims map[string]any) // changes the claims of an ID token
	SignWith    *rsa.PrivateKey             // another key than the published one
	Algorithm   string                      // of ID tokens, announced next to RS256: none, or HS256 with ClientSecret
	Moved       string                      // path that redirects to its new place, where it works
	Huge        string                      // path whose response begins with 256 KB of spaces
	Requests    map[string]int              // by path

	tb    testing.TB
	now   func() time.Time
	key   *rsa.PrivateKey
	mu    sync.Mutex
	codes map[string]url.Values // the authorization request of each code
}

// Start starts a provider that ends with the test.
func Start(tb testing.TB, now func() time.Time) *Provider {
	tb.Helper()
	p := &Provider{
		Email: "ada@example.com", Verified: true, tb: tb, now: now, key: published(),
		codes: map[string]url.Values{}, Requests: map[string]int{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.configuration)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /userinfo", p.userInfo)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.Requests[r.URL.Path]++
		if p.Down {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		if r.URL.Path == p.Moved {
			http.Redirect(w, r, "/moved"+r.URL.Path, http.StatusTemporaryRedirect)
			return
		}
		r.URL.Path = strings.TrimPrefix(r.URL.Path, "/moved")
		if r.URL.Path == p.Huge {
			_, _ = w.Write(bytes.Repeat([]byte(" "), 256<<10)) // the client may have disconnected
		}
		mux.ServeHTTP(w, r)
	}))
	tb.Cleanup(server.Close)
	p.Issuer = server.URL
	return p
}

// NewKey returns a key that the provider does not publish.
func NewKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return key
}

// published returns the key that all providers of a process publish, because creating one is slow.
var published = sync.OnceValue(NewKey)

// SignIn does what a person's browser does on the provider's page: it opens the address and returns
// the one to which the provider sends it back.
func (p *Provider) SignIn(location string) *url.URL {
	p.tb.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	request, err := http.NewRequestWithContext(p.tb.Context(), http.MethodGet, location, nil)
	if err != nil {
		p.tb.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		p.tb.Fatal(err)
	}
	defer response.Body.Close()
	back, err := response.Location()
	if err != nil {
		p.tb.Fatalf("the provider answered %s instead of a redirect", response.Status)
	}
	return back
}

func (p *Provider) configuration(w http.ResponseWriter, _ *http.Request) {
	method := "client_secret_basic"
	if p.PostsSecret {
		method = "client_secret_post"
	}
	respond(w, map[string]any{
		"issuer": p.Issuer, "authorization_endpoint": p.Issuer + "/authorize", "token_endpoint": p.Issuer + "/token",
		"userinfo_endpoint": p.Issuer + "/userinfo", "jwks_uri": p.Issuer + "/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256", cmp.Or(p.Algorithm, "RS256")},
		"token_endpoint_auth_methods_supported": []string{method},
		"code_challenge_methods_supported":      []string{"S256"},
	})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	exponent := big.NewInt(int64(p.key.E)).Bytes()
	respond(w, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": encode(p.key.N.Bytes()), "e": encode(exponent),
	}}})
}

// authorize signs everybody in and sends the browser back with a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	isValid := query.Get("response_type") == "code" && query.Get("client_id") == ClientID &&
		strings.Contains(" "+query.Get("scope")+" ", " openid ") && query.Get("code_challenge_method") == "S256" &&
		len(query.Get("code_challenge")) == 43 && query.Get("state") != "" &&
		(p.RedirectURL == "" || p.RedirectURL == query.Get("redirect_uri"))
	if !isValid {
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	answer := url.Values{"state": {query.Get("state")}, "iss": {p.Issuer}, "session_state": {"for the provider's own use"}}
	if p.Deny != "" {
		answer.Set("error", p.Deny)
	} else {
		code := rand.Text()
		p.codes[code] = query
		answer.Set("code", code)
	}
	http.Redirect(w, r, query.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

// token redeems a code, which works once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	if !p.isClient(r) {
		fail(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	asked, isKnown := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	verifier := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !isKnown || r.PostFormValue("grant_type") != "authorization_code" ||
		r.PostFormValue("redirect_uri") != asked.Get("redirect_uri") || encode(verifier[:]) != asked.Get("code_challenge") {
		fail(w, http.StatusBadRequest, "invalid_grant")
		return
	}
	access := rand.Text()
	respond(w, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": 300, "id_token": p.idToken(asked.Get("nonce")),
	})
}

func (p *Provider) isClient(r *http.Request) bool {
	if p.PostsSecret {
		_, _, hasBasic := r.BasicAuth()
		return !hasBasic && r.PostFormValue("client_id") == ClientID && r.PostFormValue("client_secret") == ClientSecret
	}
	id, secret, _ := r.BasicAuth()
	secret, err := url.QueryUnescape(secret) // RFC 6749, section 2.3.1
	return err == nil && id == ClientID && secret == ClientSecret && r.PostFormValue("client_secret") == ""
}

func (p *Provider) idToken(nonce string) string {
	now := p.now()
	claims := map[string]any{
		"iss": p.Issuer, "sub": "248289761001", "aud": ClientID, "nonce": nonce,
		"iat": now.Unix(), "auth_time": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}
	if !p.Thin {
		maps.Copy(claims, p.address())
	}
	if p.Change != nil {
		p.Change(claims)
	}
	return p.sign(claims)
}

func (p *Provider) address() map[string]any {
	claims := map[string]any{"email": p.Email}
	if p.Verified != nil {
		claims["email_verified"] = p.Verified
	}
	return claims
}

// userInfo does not check the access token, which no test forges.
func (p *Provider) userInfo(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
		fail(w, http.StatusUnauthorized, "invalid_token")
		return
	}
	claims := map[string]any{"sub": "248289761001"}
	maps.Copy(claims, p.address())
	respond(w, claims)
}

// sign returns the claims as a JWT (RFC 7519).
func (p *Provider) sign(claims map[string]any) string {
	payload, err := json.Marshal(claims)
	if err != nil {
		p.tb.Error(err)
	}
	input := encode([]byte(`{"alg":"`+cmp.Or(p.Algorithm, "RS256")+`","kid":"1","typ":"JWT"}`)) + "." + encode(payload)
	switch p.Algorithm {
	case "none":
		return input + "."
	case "HS256":
		mac := hmac.New(sha256.New, []byte(ClientSecret))
		_, _ = mac.Write([]byte(input)) // never fails
		return input + "." + encode(mac.Sum(nil))
	}
	key := p.key
	if p.SignWith != nil {
		key = p.SignWith
	}
	sum := sha256.Sum256([]byte(input))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		p.tb.Error(err)
	}
	return input + "." + encode(signature)
}

func respond(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // the client may have disconnected
}

func fail(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": code}) // the client may have disconnected
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
