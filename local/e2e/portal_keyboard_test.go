package e2e

import (
	"strings"
	"testing"

	"portside/local/browser"
)

// tabTo presses the Tab key until an element has the focus whose name begins with the text.
func tabTo(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	const limit = 60
	for range limit {
		focus := page.Focused()
		if strings.HasPrefix(focus.Name, name) && focus.Tag != "BODY" && focus.Tag != "MAIN" {
			if !focus.Visible {
				t.Errorf("the focus on %s is not visible", name)
			}
			return
		}
		page.Press("Tab")
	}
	t.Fatalf("the Tab key does not reach %q, but %+v", name, page.Focused())
}

// press reaches a link or button with the Tab key and presses Enter.
func press(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	tabTo(t, page, name)
	page.Press("Enter")
}

// wantCopied waits until the page has copied the text. The message does not prove that, because the page shows it for some seconds after
// each copy.
func wantCopied(t *testing.T, page *browser.Page, text string) {
	t.Helper()
	page.WaitText("Copied.")
	await(t, "the clipboard to have what the page copies", func() bool { return page.Clipboard() == text })
}

// testRequestByKeyboard requests, approves and collects a password without a mouse.
func testRequestByKeyboard(t *testing.T, m *customerStack) {
	const email, decider = "keys@example.com", "keys-approver@example.com"
	m.createUser(t, email, "viewer")
	m.createUser(t, decider, "admin")
	customer := m.visitAs(t, email)
	customer.Open("/portal")
	ready(customer)
	press(t, customer, "Request New Credentials")
	customer.WaitFor(browser.Dialog("Request New Credentials"))
	tabTo(t, customer, "Access level")
	customer.Press("ArrowDown")
	tabTo(t, customer, "Justification")
	customer.Type("Only with keys")
	press(t, customer, "Send request")
	customer.WaitGone(browser.Dialog("Request New Credentials"))
	customer.WaitFor(browser.Row("Pending"))

	approver := m.visitAs(t, decider)
	approver.Open("/portal")
	ready(approver)
	press(t, approver, "Approvals")
	approver.WaitFor(browser.Row("Only with keys"))
	approver.Settle()
	press(t, approver, "Approve the request of "+email)
	approver.WaitFor(browser.Dialog("Approve this request?"))
	tabTo(t, approver, "Reason (optional)")
	approver.Type("Agreed")
	_, before := m.newestMail(t, email)
	press(t, approver, "Approve request")
	approver.WaitText("The request of " + email + " was approved.")

	m.awaitMail(t, email, before)
	path, token := m.mailedLink(t, email)
	m.secrets.add(token)
	page := m.visit(t)
	page.Open(path + "#" + token)
	page.WaitFor(browser.Heading("Collect your password"))
	press(t, page, "Show the password")
	page.WaitFor(browser.Heading("Your password"))
	m.secrets.add(page.Value("Password"))
	press(t, page, "Copy: Password")
	wantCopied(t, page, page.Value("Password"))
}
