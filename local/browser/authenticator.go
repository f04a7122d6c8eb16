package browser

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/webauthn"
)

// Authenticator is a virtual device for passkeys. It confirms every request immediately.
type Authenticator struct {
	page *Page
	id   webauthn.AuthenticatorID
}

// VirtualAuthenticator connects a device that can hold passkeys and verify its user.
func (p *Page) VirtualAuthenticator() *Authenticator {
	p.t.Helper()
	sendCommand(p, webauthn.Enable, webauthn.EnableParams{})
	added := sendCommand(p, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{
		Options: &webauthn.VirtualAuthenticatorOptions{
			Protocol:                    webauthn.AuthenticatorProtocolCtap2,
			Transport:                   webauthn.AuthenticatorTransportInternal,
			HasResidentKey:              true,
			HasUserVerification:         true,
			IsUserVerified:              true,
			AutomaticPresenceSimulation: true,
		},
	})
	return &Authenticator{page: p, id: added.AuthenticatorID}
}

// Passkeys returns the number of passkeys on the device.
func (a *Authenticator) Passkeys() int {
	a.page.t.Helper()
	return len(sendCommand(a.page, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: a.id}).
		Credentials)
}

// Forget removes all passkeys from the device.
func (a *Authenticator) Forget() {
	a.page.t.Helper()
	sendCommand(a.page, webauthn.ClearCredentials, webauthn.ClearCredentialsParams{AuthenticatorID: a.id})
}

// SetUserVerified sets whether the device recognizes its user, such as by fingerprint.
func (a *Authenticator) SetUserVerified(recognized bool) {
	a.page.t.Helper()
	sendCommand(a.page, webauthn.SetUserVerified,
		webauthn.SetUserVerifiedParams{AuthenticatorID: a.id, IsUserVerified: recognized})
}

// Unplug removes the device.
func (a *Authenticator) Unplug() {
	a.page.t.Helper()
	sendCommand(a.page, webauthn.RemoveVirtualAuthenticator,
		webauthn.RemoveVirtualAuthenticatorParams{AuthenticatorID: a.id})
	sendCommand(a.page, webauthn.Disable, cdp.Empty{})
}
