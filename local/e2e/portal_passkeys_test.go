package e2e

import (
	"testing"

	"portside/local/browser"
)

// TestPasskeysInABrowser uses the portal's module for passkeys in Chromium, with a virtual device: the browser checks the
// options, creates the keys and signs.
func TestPasskeysInABrowser(t *testing.T) {
	p := newTestStack(t)
	p.start(t, noRateLimit())
	p.createUser(t, "ada@example.com", "user")
	page := p.visitAs(t, "ada@example.com")
	device := page.VirtualAuthenticator()

	const register = `passkeys.register("Work laptop").then(made => made.name + (made.isLocked ? " locked" : ""))`
	wantScript(t, page, register, "Work laptop")
	if n := device.Passkeys(); n != 1 {
		t.Errorf("the device has %d passkeys, want 1", n)
	}
	wantScript(t, page, register, "PASSKEY_REGISTERED") // the device has one for this user already

	const signOut = `fetch("/v1/sessions/current", { method: "DELETE" }).then(r => String(r.status))`
	wantScript(t, page, signOut, "204")
	for _, options := range []string{"", "{ isConditional: true }"} {
		wantScript(t, page, "passkeys.signInWithPasskey("+options+").then(session => session.user.email)", "ada@example.com")
		wantScript(t, page, `fetch("/v1/sessions/current").then(r => String(r.status))`, "200")
		wantScript(t, page, signOut, "204")
	}

	device.SetUserVerified(false) // another person has the device
	wantScript(t, page, "passkeys.signInWithPasskey()", "PASSKEY_CANCELED")
	device.SetUserVerified(true)
	wantScript(t, page, "passkeys.signInWithPasskey().then(session => session.user.email)", "ada@example.com")
	wantScript(t, page, `fetch("/v1/passkeys").then(r => r.json()).then(async list => {
		const gone = await fetch("/v1/passkeys/" + list.data[0].id, { method: "DELETE" });
		return list.data.length + " " + gone.status;
	})`, "1 204")
	page.Allow("401 POST /v1/sessions")
	wantScript(t, page, "passkeys.signInWithPasskey()", "UNAUTHORIZED")
	p.checkNoSecretsLeaked(t)
}

// wantScript runs a script in the page, with the portal's module passkeys. The value of a script that fails is the code of its problem.
func wantScript(t *testing.T, page *browser.Page, script, want string) {
	t.Helper()
	got := browser.Eval[string](page, `(async () => {
		const main = document.querySelector("script[type=module]").src;
		const passkeys = await import(new URL("passkeys.js", main));
		return `+script+`;
	})().catch(error => error.code || String(error))`)
	if got != want {
		t.Errorf("%s\ngot  %s\nwant %s", script, got, want)
	}
}
