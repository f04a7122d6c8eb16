package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/fault"
	"portside/shared/testkit/trusttest"
	"portside/shared/testkit/webtest"
	"portside/shared/trust"
	"portside/testclient/workloadtest"
)

const exchangePath = "/api/v1/token-exchange"

// workloads is a fixture with a trust policy.
type workloads struct {
	*fixture

	policy trusttest.Policy
}

func newWorkloads(tb testing.TB) *workloads {
	tb.Helper()
	f := newFixture(tb)
	return &workloads{fixture: f, policy: trusttest.NewPolicy(tb, f.client, f.table, f.clock)}
}

// form returns the fields of a good request.
func (w *workloads) form() url.Values {
	return url.Values{
		"grant_type": {exchangeGrant}, "subject_token_type": {jwtType}, "trust_policy_id": {w.policy.ID},
		"subject_token": {w.policy.Token(w.now)},
	}
}

// with returns the form with one field changed.
func with(form url.Values, name string, values ...string) url.Values {
	form[name] = values
	return form
}

func (w *workloads) send(form url.Values) webtest.Response {
	w.tb.Helper()
	return w.anonymous().With("Content-Type", "application/x-www-form-urlencoded").Post(exchangePath, form.Encode())
}

func TestTokenIsExchanged(t *testing.T) {
	w := newWorkloads(t)
	response := w.send(w.form()).WantStatus(http.StatusOK).WantHeader("Cache-Control", "no-store").
		WantValue("issued_token_type", "urn:ietf:params:oauth:token-type:access_token").WantValue("token_type", "Bearer").
		WantValue("expires_in", 600).WantValue("scope", "read:helm-charts read:docker-images:acme/*")
	if !w.works(response.Text("access_token")) {
		t.Error("the token does not work")
	}
	for _, form := range []url.Values{
		with(w.form(), "subject_token_type", idTokenType), with(w.form(), "requested_token_type", accessTokenType),
		with(w.form(), "subject_token", w.form().Get("subject_token")+"\n"), with(w.form(), "audience", "ignored"),
		with(w.form(), "trust_policy_id", strings.ToUpper(w.policy.ID)),
	} {
		w.send(form).WantStatus(http.StatusOK)
	}
	w.send(with(w.form(), "scope", "read:helm-charts:product")).WantStatus(http.StatusOK).
		WantValue("scope", "read:helm-charts:product")
}

func TestInvalidExchanges(t *testing.T) {
	w := newWorkloads(t)
	for _, c := range []struct {
		name   string
		values []string
		code   string
	}{
		{"grant_type", nil, "invalid_request"}, {"grant_type", []string{"client_credentials"}, "unsupported_grant_type"},
		{"grant_type", []string{exchangeGrant, exchangeGrant}, "invalid_request"}, {"subject_token", nil, "invalid_request"},
		{"subject_token", []string{"x"}, "invalid_request"}, {"subject_token_type", []string{accessTokenType}, "invalid_request"},
		{"requested_token_type", []string{jwtType}, "invalid_request"}, {"actor_token", []string{"x"}, "invalid_request"},
		{"trust_policy_id", []string{"x"}, "invalid_request"}, {"trust_policy_id", []string{trusttest.CustomerID}, "invalid_request"},
		{"trust_policy_id", []string{"{" + w.policy.ID + "}"}, "invalid_request"}, {"scope", []string{"openid"}, "invalid_scope"},
		{"scope", []string{"read:docker-images"}, "invalid_scope"}, {"scope", []string{"read:helm-charts \xff"}, "invalid_scope"},
		{"scope", []string{"read:helm-charts:api\nchart\tapi\t*"}, "invalid_scope"}, {"scope", []string{"read:helm-charts:a\u00a0b"}, "invalid_scope"},
		{"scope", []string{strings.Repeat("read:helm-charts:api ", trust.MaxScopes+1)}, "invalid_scope"},
		{"subject_token", []string{strings.Repeat("x", trust.MaxToken+1)}, "invalid_request"},
	} {
		response := w.send(with(w.form(), c.name, c.values...)).WantStatus(http.StatusBadRequest).WantValue("error", c.code).
			WantValue("code", "VALIDATION_ERROR").WantValue("errors.0.pointer", "/"+c.name).WantValue("errors.1", nil)
		response.WantValue("error_description", response.Text("detail"))
	}
	other := w.policy.Key.Sign(workloadtest.With(w.policy.Claims(w.now), "sub", "repo:evil/app:ref:refs/heads/main"))
	w.send(with(w.form(), "subject_token", other)).WantStatus(http.StatusBadRequest).WantValue("error", "invalid_request").
		WantValue("detail", "The token does not meet the condition of the trust policy on the claim sub.")
}

func TestBodyOfAnExchange(t *testing.T) {
	w := newWorkloads(t)
	client := w.anonymous().With("Content-Type", "application/x-www-form-urlencoded")
	client.Post(exchangePath, "%zz").WantStatus(http.StatusBadRequest).WantValue("error", "invalid_request")
	client.Post(exchangePath, "a;b").WantStatus(http.StatusBadRequest).WantValue("error", "invalid_request")
	client.Post(exchangePath, strings.Repeat("x", maxExchange+1)).WantStatus(http.StatusRequestEntityTooLarge)
	w.anonymous().Post(exchangePath, `{}`).WantStatus(http.StatusUnsupportedMediaType).
		WantValue("error", "invalid_request")
	w.anonymous().With("Content-Type", "multipart/form-data; boundary=x").Post(exchangePath, "--x--").
		WantStatus(http.StatusUnsupportedMediaType)
	client.Get(exchangePath).WantStatus(http.StatusMethodNotAllowed)
}

//proves:docs/security.md
func TestRefusedExchangesOfANetworkAreLimited(t *testing.T) {
	w := newWorkloads(t)
	refused := with(w.form(), "trust_policy_id", trusttest.CustomerID)
	for range 600 {
		w.send(refused).WantStatus(http.StatusBadRequest)
	}
	w.send(refused).WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "600").
		WantValue("error", "temporarily_unavailable")
	w.send(w.form()).WantStatus(http.StatusOK)
	w.advance(10 * time.Minute)
	w.send(with(w.form(), "trust_policy_id", trusttest.CustomerID)).WantStatus(http.StatusBadRequest)
}

func TestExchangesOfATokenAreLimited(t *testing.T) {
	w := newWorkloads(t)
	for range trust.MaxPerToken {
		w.send(w.form()).WantStatus(http.StatusOK)
	}
	w.send(w.form()).WantStatus(http.StatusTooManyRequests).WantValue("code", "QUOTA_EXCEEDED").
		WantHeader("Retry-After", "300").
		WantValue("error", "temporarily_unavailable").WantValue("detail", "The token was already exchanged 20 times, which is the maximum. "+
		"Request a new one from the platform. The limit ends in 300 seconds.")
}

// FuzzParseExchange checks that a form is either complete or refused with a code of OAuth.
func FuzzParseExchange(f *testing.F) {
	good := url.Values{
		"grant_type": {exchangeGrant}, "subject_token_type": {jwtType}, "trust_policy_id": {trusttest.CustomerID}, "subject_token": {"x"},
	}
	f.Add(good.Encode())
	f.Add(good.Encode() + "&scope=a++b&scope=")
	f.Fuzz(func(t *testing.T, body string) {
		fields, err := url.ParseQuery(body)
		if err != nil {
			return
		}
		request, err := parseExchange(fields)
		if err != nil {
			if refused := fault.As(err); refused == nil || refused.OAuthCode == "" || len(refused.Fields) == 0 {
				t.Errorf("%q: %v", body, err)
			}
			return
		}
		if _, err := uuid.Parse(request.PolicyID); err != nil || request.Token == "" {
			t.Errorf("%q: %+v", body, request)
		}
	})
}
