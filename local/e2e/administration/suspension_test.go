package administration

import (
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"

	"portside/local/e2e/e2etest"
)

// TestSuspendedCustomer suspends a customer whose user has a credential of each kind. All of them stop with the next
// request, in every function, and work again when the customer is active again.
func TestSuspendedCustomer(t *testing.T) {
	p := e2etest.Shared(t)
	root := p.Admin(t)
	acme := "/v1/customers/" + p.CreateCustomer(t, "Acme", "acme")
	_, bossKey := p.Users.CreateOf(t, path.Base(acme), "boss", "manager")
	_, neighborKey := p.Users.CreateOf(t, p.CreateCustomer(t, "Bolt", "bolt"), "neighbor", "manager")
	boss, neighbor := p.As(t, bossKey), p.As(t, neighborKey)
	session := p.Anonymous(t).With("Cookie", p.Users.SignIn(t, "boss")).With("Sec-Fetch-Site", "same-origin")
	token := boss.Post("/api/v1/tokens", `{"name":"pipeline","scopes":["read:helm-charts","read:docker-images"]}`).
		WantStatus(http.StatusCreated).Text("data.token")
	bearer, machine := p.WithToken(t, token), p.WithLogin(t, e2etest.Login{User: "any-name", Password: token})

	want := func(status int) {
		t.Helper()
		boss.Get("/v1/users").WantStatus(status)
		session.Get("/v1/sessions/current").WantStatus(status)
		session.Get("/v1/charts").WantStatus(status)
		bearer.Get("/api/v1/tokens").WantStatus(status)
		machine.Get("/charts/index.yaml").WantStatus(status)
		if a := p.SendOCI(machine, http.MethodGet, "/v2/"); a.Status != status {
			t.Errorf("%s: status %d, want %d", a.Request(), a.Status, status)
		}
	}
	set := func(status string) {
		t.Helper()
		root.Put(acme, fmt.Sprintf(`{"status":%q}`, status)).WantStatus(http.StatusOK)
	}
	want(http.StatusOK)
	_, link, _ := strings.Cut(p.Users.SignInLink(t, "boss"), "#")
	set("suspended")
	want(http.StatusUnauthorized)
	neighbor.Get("/v1/users").WantStatus(http.StatusOK)

	p.Anonymous(t).Post("/v1/sessions", `{"token":"`+link+`"}`).WantStatus(http.StatusUnauthorized)
	set("active")
	want(http.StatusOK)
}
