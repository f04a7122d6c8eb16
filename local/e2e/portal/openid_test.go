package portal

import (
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
	"portside/local/stack"
	"portside/testclient/openidtest"
)

// TestIdentityProviderInABrowser signs in with an identity provider on another site. Chromium decides which cookies it
// sends there and back.
//
//proves:docs/security.md
func TestIdentityProviderInABrowser(t *testing.T) {
	provider := openidtest.Start(t, e2etest.Now)
	p := e2etest.StartWith(t, stack.Options{Parameters: map[string]string{
		"OpenIdIssuer": provider.Issuer, "OpenIdClientId": openidtest.ClientID, "OpenIdClientSecret": openidtest.ClientSecret,
		"OpenIdName": "Example account",
	}})
	p.Secrets.Add(openidtest.ClientSecret)
	provider.RedirectURL = p.Info.Portal + "/v1/sign-in/openid/callback"
	p.Users.Create(t, "ada", "user")

	page := p.Portal.Visit(t)
	page.Allow("sent a request to another host: GET " + provider.Issuer)
	page.Open("/portal/sign-in?return=%2Fportal%2Faccount")
	button := browser.Link("Sign in with Example account")
	page.WaitFor(button)
	page.Axe()
	provider.Email = p.Email("stranger")
	page.Click(button)
	page.WaitURL("/portal/sign-in?problem=openid-unknown-user&return=%2Fportal%2Faccount")
	page.WaitText("No active user has your email address.")

	provider.Email = p.Email("ada")
	page.Click(button)
	page.WaitURL("/portal/account")
	page.WaitText(p.Email("ada"))
}
