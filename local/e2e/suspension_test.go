package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestSuspendedCustomer suspends a customer whose user has a credential of each kind. All of them stop with the next request, in every
// function, and work again when the customer is active again.
func TestSuspendedCustomer(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	s := &isolation{p, t}
	acme, bolt := s.company("acme"), s.company("bolt")
	root, boss, neighbor := s.admin(t), s.member(acme, "manager"), s.member(bolt, "manager")

	const email = "manager@acme.example"
	_, link, _ := strings.Cut(s.signInLink(t, email), "#")
	signedIn := s.anonymous(t).Post("/v1/sessions", `{"token":"`+link+`"}`).WantStatus(http.StatusCreated)
	cookie, _, _ := strings.Cut(signedIn.Header.Get("Set-Cookie"), ";")
	session := s.anonymous(t).With("Cookie", cookie).With("Sec-Fetch-Site", "same-origin")
	made := boss.Post("/api/v1/tokens", `{"name":"pipeline","scopes":["read:helm-charts","read:docker-images"]}`).
		WantStatus(http.StatusCreated)
	bearer := s.anonymous(t).With("Authorization", "Bearer "+made.Text("data.token"))
	m := &customerStack{testStack: p, dir: t.TempDir()}
	machine := m.withLogin(t, login{"any-name", made.Text("data.token")})

	want := func(status int) {
		t.Helper()
		boss.Get("/v1/users").WantStatus(status)
		session.Get("/v1/sessions/current").WantStatus(status)
		session.Get("/v1/charts").WantStatus(status)
		bearer.Get("/api/v1/tokens").WantStatus(status)
		machine.Get("/charts/index.yaml").WantStatus(status)
		if a := m.sendOCI(machine, http.MethodGet, "/v2/"); a.Status != status {
			t.Errorf("%s: status %d, want %d", a.Request(), a.Status, status)
		}
	}
	set := func(status string) {
		t.Helper()
		root.Put("/v1/customers/"+acme.ids["customerId"], fmt.Sprintf(`{"status":%q}`, status)).WantStatus(http.StatusOK)
	}
	want(http.StatusOK)
	_, link, _ = strings.Cut(s.signInLink(t, email), "#")
	set("suspended")
	want(http.StatusUnauthorized)
	neighbor.Get("/v1/users").WantStatus(http.StatusOK)

	s.anonymous(t).Post("/v1/sessions", `{"token":"`+link+`"}`).WantStatus(http.StatusUnauthorized)
	set("active")
	want(http.StatusOK)
	p.checkNoSecretsLeaked(t)
}
