package e2e

import (
	"testing"

	"portside/local/browser"
	"portside/local/stack"
	"portside/testclient/openidtest"
)

// TestIdentityProviderInABrowser signs in with an identity provider on another site. Chromium decides which cookies it sends
// there and back.
func TestIdentityProviderInABrowser(t *testing.T) {
	provider := openidtest.Start(t, now)
	p := newTestStack(t)
	p.startWith(t, stack.Options{RateLimit: noRateLimit(), Parameters: map[string]string{
		"OpenIdIssuer": provider.Issuer, "OpenIdClientId": openidtest.ClientID, "OpenIdClientSecret": openidtest.ClientSecret,
		"OpenIdName": "Example account",
	}})
	p.secrets.add(openidtest.ClientSecret)
	provider.RedirectURL = p.info.Portal + "/v1/sign-in/openid/callback"
	p.createUser(t, "ada@example.com", "user")

	page := p.visit(t)
	page.Allow("sent a request to another host: GET " + provider.Issuer)
	page.Open("/portal/sign-in?return=%2Fportal%2Faccount")
	button := browser.Link("Sign in with Example account")
	page.WaitFor(button)
	page.Axe()
	provider.Email = "stranger@example.com"
	page.Click(button)
	page.WaitURL("/portal/sign-in?problem=openid-unknown-user&return=%2Fportal%2Faccount")
	page.WaitText("No active user has your email address.")

	provider.Email = "ada@example.com"
	page.Click(button)
	page.WaitURL("/portal/account")
	page.WaitText("ada@example.com")
	p.checkNoSecretsLeaked(t)
}
