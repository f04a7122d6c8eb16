package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"portside/local/browser"
)

// testLostResponse loses the first response to each creation. The user presses the button again and finds one result.
func testLostResponse(t *testing.T, m *customerStack) {
	page := m.visitAs(t, portalCustomer)
	page.VirtualAuthenticator()

	page.Open("/portal/access?new=token")
	page.Fill("Name", "token after a lost response")
	pressAgain(page, "*/api/v1/tokens", "Create token")
	page.WaitFor(browser.Dialog("Save your new token"))
	m.secret(page, "Token")
	page.Click(browser.Button("I have saved the token"))
	page.WaitFor(browser.Row("token after a lost response")) // exactly one row

	page.Open("/portal/access?new=request")
	page.Fill("Justification", "request after a lost response")
	pressAgain(page, "*/api/v1/credential-requests", "Send request")
	page.WaitText("Your request was sent.")
	denyOnlyRequest(t, m, "request after a lost response")

	page.Open("/portal/account")
	ready(page) // the lists above the button have their final height
	page.Click(browser.Button("Create API key"))
	page.Within(browser.Dialog("Create API key")).Fill("Name", "key after a lost response")
	pressAgain(page, "*/api-keys", "Create API key")
	page.WaitFor(browser.Dialog("The API key is ready"))
	m.secret(page, "API key")
	page.Click(browser.Button("I have saved the key"))
	page.WaitFor(browser.Row("key after a lost response"))

	ready(page)
	page.Click(browser.Button("Add a passkey"))
	page.Within(browser.Dialog("Add a passkey")).Fill("Name", "passkey after a lost response")
	pressAgain(page, "*/v1/passkeys", "Add the passkey")
	page.WaitText("This device already has a passkey for your account.")
	page.Click(browser.Button("Cancel"))
	page.WaitFor(browser.Row("passkey after a lost response"))
}

// pressAgain presses a button of the open dialog. It loses the response, and presses the button again.
func pressAgain(page *browser.Page, pattern, button string) {
	stop := page.LoseResponses(pattern)
	page.Click(browser.Button(button))
	page.WaitText("The server could not be reached.")
	stop()
	page.Click(browser.Button(button))
}

// denyOnlyRequest checks that one credential request of the customer has the justification, and denies it.
func denyOnlyRequest(t *testing.T, m *customerStack, justification string) {
	t.Helper()
	const requests = "/api/v1/credential-requests"
	list := m.customer.For(t).Get(requests).WantStatus(http.StatusOK)
	var ids []string
	for i := range list.List("data") {
		if list.Text(fmt.Sprintf("data.%d.justification", i)) == justification {
			ids = append(ids, list.Text(fmt.Sprintf("data.%d.id", i)))
		}
	}
	if len(ids) != 1 {
		t.Fatalf("%d requests have the justification %q, want 1", len(ids), justification)
	}
	m.admin(t).Post(requests+"/"+ids[0]+"/deny", `{}`).WantStatus(http.StatusOK)
}
