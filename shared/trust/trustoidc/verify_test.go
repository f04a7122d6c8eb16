package trustoidc_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/shared/core/fault"
	"portside/shared/testkit/webtest"
	"portside/shared/trust"
	"portside/shared/trust/trustoidc"
	"portside/testclient/workloadtest"
)

const audience = "https://portside.example.com"

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// firstKey is the key of all fixtures, because creating one is slow.
var firstKey = sync.OnceValue(func() workloadtest.Key { return workloadtest.NewKey("1", "RS256") })

// fixture is a Verifier with an issuer that publishes the key "1".
type fixture struct {
	*trustoidc.Verifier

	t      *testing.T
	clock  *webtest.Clock
	issuer *workloadtest.Issuer
	key    workloadtest.Key
	policy trust.Policy
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{t: t, clock: webtest.NewClock(noon), key: firstKey()}
	f.issuer = workloadtest.Start(t, f.key)
	f.policy = trust.Policy{ID: "p", Issuer: f.issuer.Address, Audience: audience}
	f.Verifier = trustoidc.NewOver(f.issuer.Transport, f.clock.Now)
	return f
}

// claims returns the claims of a job of GitHub, issued now.
func (f *fixture) claims() workloadtest.Claims {
	return workloadtest.GitHub(f.issuer.Address, audience, f.clock.Now())
}

func (f *fixture) verify(token string) (trust.Claims, error) {
	return f.Verify(f.t.Context(), f.policy, token)
}

func (f *fixture) wantAccepted(what, token string) {
	f.t.Helper()
	if _, err := f.verify(token); err != nil {
		f.t.Errorf("%s: %v", what, err)
	}
}

func (f *fixture) wantRefused(what, token, reason string) {
	f.t.Helper()
	claims, err := f.verify(token)
	if refused := fault.As(err); refused == nil || refused.OAuthCode != trust.InvalidRequest ||
		!strings.Contains(refused.Detail, reason) {
		f.t.Errorf("%s: %v, %v; want a refusal because it %q", what, claims, err, reason)
	}
	if err != nil && strings.Contains(err.Error(), f.issuer.Address) {
		f.t.Errorf("%s: %v repeats the issuer", what, err)
	}
}

func TestTokensOfPlatforms(t *testing.T) {
	for name, claims := range map[string]func(string, string, time.Time) workloadtest.Claims{
		"GitHub": workloadtest.GitHub, "GitLab": workloadtest.GitLab, "Kubernetes": workloadtest.Kubernetes,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			sent := claims(f.issuer.Address, audience, noon)
			got, err := f.verify(f.key.Sign(sent))
			if err != nil || got.Subject() != sent["sub"] {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		})
	}
}

//proves:docs/security.md
func TestAlgorithms(t *testing.T) {
	f := newFixture(t)
	for _, algorithm := range []string{"PS256", "ES256", "EdDSA"} {
		key := workloadtest.NewKey(algorithm, algorithm)
		f.issuer.Keys = append(f.issuer.Keys, key)
		f.clock.Advance(2 * time.Minute)
		f.wantAccepted(algorithm, key.Sign(f.claims()))
	}
	signed := "is not signed by"
	unnamed := workloadtest.Key{ID: "1", Algorithm: "none"}
	f.wantRefused("none", unnamed.Sign(f.claims())+"AA", signed)
	f.wantRefused("none without a signature", unnamed.Sign(f.claims()), "is not a signed JSON Web Token")
	f.wantRefused("NONE", unnamed.SignWith(map[string]any{"alg": "NONE", "kid": "1"}, payload(t, f.claims()))+"AA", signed)
	secret := workloadtest.Key{ID: "1", Algorithm: "HS256", Secret: []byte(workloadtest.KeySet(f.key))}
	f.wantRefused("HS256 with the published keys", secret.Sign(f.claims()), signed)
	f.wantRefused("RS256 with a key for PS256", f.key.As("PS256", "RS256").Sign(f.claims()), signed)
	f.wantRefused("a key with the ID of another kind", workloadtest.NewKey("1", "ES256").Sign(f.claims()), signed)
}

//proves:docs/security.md
func TestKeysOfOthersAreRefused(t *testing.T) {
	f := newFixture(t)
	forged := workloadtest.NewKey("1", "RS256")
	signed := "is not signed by"
	f.wantRefused("another key with the same ID", forged.Sign(f.claims()), signed)
	f.wantRefused("another key without an ID", forged.As("", "RS256").Sign(f.claims()), signed)
	f.wantAccepted("the key without an ID", f.key.As("", "RS256").Sign(f.claims()))
	header := map[string]any{"alg": "RS256", "kid": "1", "jwk": forged.JWK(), "jku": "https://example.com/keys"}
	f.wantRefused("a key in the header", forged.SignWith(header, payload(t, f.claims())), signed)
	f.wantRefused("a critical extension",
		f.key.SignWith(map[string]any{"alg": "RS256", "kid": "1", "crit": []string{"x"}, "x": 1},
			payload(t, f.claims())), signed)
	parts := strings.Split(f.key.Sign(f.claims()), ".")
	other := base64.RawURLEncoding.EncodeToString(payload(t, workloadtest.With(f.claims(), "sub", "root")))
	f.wantRefused("other claims", parts[0]+"."+other+"."+parts[2], signed)
	general := `{"payload":"` + parts[1] + `","protected":"` + parts[0] + `","signature":"` + parts[2] + `"}`
	whole := strings.Join(parts, ".")
	for _, text := range []string{"", ".", "..", "a.b", "a.b.c.d.e", general, whole + "\n", " " + whole} {
		f.wantRefused("malformed", text, "is not")
	}
	f.wantRefused("no JSON", "a.b.c", "claims that are not JSON")
}

//proves:docs/security.md
func TestClaimsAreChecked(t *testing.T) {
	f := newFixture(t)
	at := func(after time.Duration) int64 { return noon.Add(after).Unix() }
	for _, c := range []struct {
		name   string
		value  any
		reason string
	}{
		{"iss", "https://token.example.com", "another issuer"}, {"iss", f.issuer.Address + "/", "another issuer"}, {"iss", nil, "another issuer"},
		{"iss", []string{f.issuer.Address}, "another issuer"},
		{"aud", "https://other.example.com", "another audience"}, {"aud", nil, "another audience"}, {"aud", []string{}, "another audience"},
		{"aud", audience + "/", "another audience"},
		{"exp", at(0), "has expired"}, {"exp", at(-time.Hour), "has expired"}, {"exp", nil, "does not say"},
		{"exp", "soon", "is not a number of seconds"},
		{"exp", 1e300, "is not"}, {"exp", -1, "is not a number of seconds"},
		{"nbf", at(2 * time.Minute), "is not valid yet"}, {"iat", at(2 * time.Minute), "is not valid yet"}, {"nbf", "x", "is not"},
		{"iat", at(5*time.Minute - 24*time.Hour - time.Second), "for more than 24 hours"}, {"iat", nil, "does not say"},
		{"iat", 0, "for more than 24 hours"}, {"exp", at(24*time.Hour + time.Second), "for more than 24 hours"},
	} {
		f.wantRefused(c.name, f.key.Sign(workloadtest.With(f.claims(), c.name, c.value)), c.reason)
	}
	for name, value := range map[string]any{
		"aud": []string{"other", audience}, "exp": at(time.Second), "nbf": at(time.Minute), "iat": at(5*time.Minute - 24*time.Hour), "azp": "other",
	} {
		f.wantAccepted(name, f.key.Sign(workloadtest.With(f.claims(), name, value)))
	}
	f.wantAccepted("no nbf", f.key.Sign(workloadtest.With(f.claims(), "nbf", nil)))
	f.wantRefused("no JSON", f.key.SignWith(map[string]any{"alg": "RS256", "kid": "1"}, []byte("x")),
		"claims that are not JSON")
}

// A token of GitLab works as long as its job may run, and a job cannot request another one.
func TestTokenIsAcceptedUntilItExpires(t *testing.T) {
	f := newFixture(t)
	claims := workloadtest.With(workloadtest.GitLab(f.issuer.Address, audience, noon), "exp",
		noon.Add(trust.MaxLifetime).Unix())
	token := f.key.Sign(claims)
	for range 24 {
		f.wantAccepted(f.clock.Now().String(), token)
		f.clock.Advance(time.Hour)
	}
	f.wantRefused("at its end", token, "has expired")
	now := f.clock.Now()
	extended := workloadtest.With(workloadtest.Kubernetes(f.issuer.Address, audience, now), "exp",
		now.AddDate(1, 0, 0).Unix())
	f.wantRefused("a token of a year", f.key.Sign(extended), "for more than 24 hours, the maximum")
}

// A token that the policy cannot accept is refused with the reason, although the issuer does not answer.
//
//proves:docs/security.md
func TestClaimsAreCheckedBeforeTheKeysAreRead(t *testing.T) {
	f := newFixture(t)
	f.issuer.Down = true
	f.wantRefused("issuer", f.key.Sign(workloadtest.With(f.claims(), "iss", "https://token.example.com")),
		"another issuer")
	f.wantRefused("audience", f.key.Sign(workloadtest.With(f.claims(), "aud", "other")), "another audience")
	f.wantRefused("expired", f.key.Sign(workloadtest.With(f.claims(), "exp", noon.Add(-time.Hour).Unix())), "has expired")
	if _, err := f.verify(f.key.Sign(f.claims())); !errors.Is(err, trust.ErrUnavailable) {
		t.Errorf("a token of a silent issuer: %v, want %v", err, trust.ErrUnavailable)
	}
}

// payload returns claims as the text that is signed.
func payload(t *testing.T, claims workloadtest.Claims) []byte {
	t.Helper()
	text, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestIssuerIsReadOncePerHour(t *testing.T) {
	f := newFixture(t)
	for range 3 {
		f.wantAccepted("token", f.key.Sign(f.claims()))
	}
	f.wantRequests(1)
	f.clock.Advance(59 * time.Minute)
	f.wantAccepted("after 59 minutes", f.key.Sign(f.claims()))
	f.wantRequests(1)
	f.issuer.Keys = []workloadtest.Key{workloadtest.NewKey("2", "RS256")}
	f.clock.Advance(time.Minute)
	f.wantRefused("a removed key", f.key.Sign(f.claims()), "is not signed by")
	f.wantRequests(2)
}

func (f *fixture) wantRequests(n int) {
	f.t.Helper()
	if keys, all := f.issuer.Requests["/keys"], f.issuer.Requests["/.well-known/openid-configuration"]; keys != n ||
		all != n {
		f.t.Errorf("%d requests for keys and %d for the configuration, want %d", keys, all, n)
	}
}

func TestUnknownKeyIsLookedUpOncePerMinute(t *testing.T) {
	f := newFixture(t)
	f.wantAccepted("token", f.key.Sign(f.claims()))
	next := workloadtest.NewKey("2", "RS256")
	f.issuer.Keys = append(f.issuer.Keys, next)
	f.wantRefused("within a minute", next.Sign(f.claims()), "is not signed by")
	f.wantRequests(1)
	f.clock.Advance(time.Minute)
	f.wantAccepted("after a minute", next.Sign(f.claims()))
	f.wantRequests(2)
	for range 5 {
		f.wantRefused("never published", next.As("3", "RS256").Sign(f.claims()), "is not signed by")
	}
	f.wantRequests(2)
}

func TestOutageOfAnIssuer(t *testing.T) {
	f := newFixture(t)
	token := f.key.Sign(f.claims())
	f.issuer.Down = true
	f.wantUnavailable(token)
	f.issuer.Down = false
	f.wantUnavailable(token) // it is not asked again at once
	f.clock.Advance(10 * time.Second)
	f.wantAccepted("after ten seconds", token)
	f.issuer.Down = true
	f.clock.Advance(2 * time.Minute)
	f.wantRefused("unknown key during an outage", workloadtest.NewKey("2", "RS256").Sign(f.claims()), "is not signed by")
	f.wantAccepted("known key during an outage", f.key.Sign(f.claims()))
	f.clock.Advance(time.Hour)
	f.wantUnavailable(f.key.Sign(f.claims()))
}

func (f *fixture) wantUnavailable(token string) {
	f.t.Helper()
	if _, err := f.verify(token); !errors.Is(err, trust.ErrUnavailable) {
		f.t.Errorf("error %v, want ErrUnavailable", err)
	}
}

//proves:docs/security.md
func TestOddIssuersAreRefused(t *testing.T) {
	for name, change := range map[string]func(*workloadtest.Issuer){
		"another issuer":             func(i *workloadtest.Issuer) { i.Other = "https://example.com" },
		"moved configuration":        func(i *workloadtest.Issuer) { i.Moved = "/.well-known/openid-configuration" },
		"moved keys":                 func(i *workloadtest.Issuer) { i.Moved = "/keys" },
		"huge responses":             func(i *workloadtest.Issuer) { i.Padding = 256 << 10 },
		"keys over HTTP":             func(i *workloadtest.Issuer) { i.KeysAt = strings.Replace(i.Address, "https", "http", 1) + "/keys" },
		"keys in a file":             func(i *workloadtest.Issuer) { i.KeysAt = "file:///etc/passwd" },
		"keys nowhere":               func(i *workloadtest.Issuer) { i.KeysAt = "::" },
		"no keys":                    func(i *workloadtest.Issuer) { i.Keys = nil },
		"keys that are not a keyset": func(i *workloadtest.Issuer) { i.KeysAt = i.Address + "/.well-known/openid-configuration" },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			change(f.issuer)
			if _, err := f.verify(f.key.Sign(f.claims())); !errors.Is(err, trust.ErrUnavailable) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

func TestStoredKeysNeedNoRequest(t *testing.T) {
	f := newFixture(t)
	stored := workloadtest.NewKey("1", "ES256")
	f.policy.Keys = workloadtest.KeySet(stored)
	f.wantAccepted("stored key", stored.Sign(f.claims()))
	f.wantRefused("published key", f.key.Sign(f.claims()), "is not signed by")
	f.wantRequests(0)
	f.policy.Keys = "{}"
	f.wantRefused("damaged keys", stored.Sign(f.claims()), "is not signed by")
}

// A policy must not reach the network of the service.
//
//proves:docs/security.md
func TestOnlyPublicAddressesAreReached(t *testing.T) {
	for _, address := range []string{
		"127.0.0.1:443", "127.8.8.8:443", "0.0.0.0:443", "10.0.0.1:443", "172.16.0.1:443", "172.31.255.255:443", "192.168.1.1:443",
		"169.254.169.254:80", "169.254.170.2:80", "100.64.0.1:443", "100.127.255.255:443", "192.0.0.192:443", "192.0.2.1:443",
		"198.18.0.1:443", "198.51.100.1:443", "203.0.113.1:443", "224.0.0.1:443", "239.255.255.250:443", "240.0.0.1:443",
		"255.255.255.255:443", "192.88.99.1:443", "[::1]:443", "[::]:443", "[::ffff:127.0.0.1]:443", "[::ffff:169.254.169.254]:80",
		"[::127.0.0.1]:443", "[fe80::1]:443", "[fe80::1%eth0]:443", "[2600::1%eth0]:443", "[fc00::1]:443", "[fd00:ec2::254]:80", "[ff02::1]:443",
		"[64:ff9b::7f00:1]:443", "[64:ff9b:1::1]:443", "[2001::1]:443", "[2001:db8::1]:443", "[2002:7f00:1::]:443", "[100::1]:443",
		"[fec0::1]:443", "[3fff::1]:443", "[5f00::1]:443", "example.com:443", "", ":443", "127.0.0.1",
	} {
		if err := trustoidc.CheckAddress(address); err == nil {
			t.Errorf("%s is reached", address)
		}
	}
	for _, address := range []string{
		"140.82.112.22:443", "8.8.8.8:443", "172.32.0.1:6443", "100.128.0.1:443", "169.253.0.1:443", "[2606:50c0:8000::153]:443",
		"[::ffff:8.8.8.8]:443", "[2a00:1450::1]:443",
	} {
		if err := trustoidc.CheckAddress(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// The transport of the service checks the address that it dials, whatever the name is.
//
//proves:docs/security.md
func TestVerifierDoesNotReachPrivateIssuers(t *testing.T) {
	f := newFixture(t)
	f.Verifier = trustoidc.New(f.clock.Now)
	for _, issuer := range []string{f.issuer.Address, strings.Replace(f.issuer.Address, "127.0.0.1", "localhost", 1)} {
		f.policy.Issuer = issuer
		f.wantUnavailable(f.key.Sign(workloadtest.With(f.claims(), "iss", issuer)))
	}
	f.wantRequests(0)
}

func FuzzVerify(f *testing.F) {
	key := workloadtest.NewKey("1", "EdDSA")
	issuer := "https://issuer.example.com"
	policy := trust.Policy{Issuer: issuer, Audience: audience, Keys: workloadtest.KeySet(key)}
	claims := workloadtest.Kubernetes(issuer, audience, noon)
	good := key.Sign(claims)
	f.Add(good)
	f.Add(key.SignWith(map[string]any{"alg": "none"}, []byte(`{}`)))
	f.Add("a.b.c")
	verifier := trustoidc.New(func() time.Time { return noon })
	f.Fuzz(func(t *testing.T, token string) {
		if got, err := verifier.Verify(t.Context(), policy, token); err == nil && got.Subject() != claims["sub"] {
			t.Errorf("accepted %q: %v", token, got)
		}
	})
}
