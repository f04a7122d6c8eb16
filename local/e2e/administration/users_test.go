package administration

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

func TestUserLifecycle(t *testing.T) {
	p := e2etest.Shared(t)
	root, acme := p.Admin(t), p.CreateCustomer(t, "Acme", "acme") // whose lists have only the user
	created := root.Post("/v1/users", `{"email":" `+strings.ToUpper(p.Email("ada"))+` ","name":"Ada","role":"user","department":"Engines",`+
		`"metadata":{"seat":12345678901234567890},"sendActivationEmail":false,"customerId":"`+acme+`"}`).
		WantStatus(http.StatusCreated).
		WantValue("data.email", p.Email("ada")).WantValue("data.status", "active").
		WantValue("data.lastLoginAt", nil).WantHeader("ETag", `"1"`)
	if !strings.Contains(string(created.Body), "12345678901234567890") {
		t.Errorf("a number lost digits: %s", created.Body)
	}
	if _, count := p.Mail.Newest(t, "ada"); count != 0 {
		t.Errorf("%d unexpected mails", count)
	}
	at := created.Header.Get("Location")
	root.Get(at).WantStatus(http.StatusOK).WantValue("", created.JSON("")).WantHeader("ETag", `"1"`)

	root.With("If-Match", `"1"`).Put(at, `{"name":"Ada L.","role":"manager"}`).WantStatus(http.StatusOK).
		WantValue("data.name", "Ada L.").WantValue("data.department", "Engines").WantHeader("ETag", `"2"`)
	root.With("If-Match", `"1"`).Put(at, `{"name":"Lost"}`).WantStatus(http.StatusPreconditionFailed).
		WantValue("code", "PRECONDITION_FAILED")
	list := "/v1/users?customerId=" + acme
	root.Get(list+"&role=manager").WantValue("pagination.total", 1).WantValue("data.0.name", "Ada L.")
	root.Get(list+"&role=user").WantValue("pagination.total", 0).WantValue("data", []any{})

	root.With("If-Match", `"1"`).Delete(at).WantStatus(http.StatusPreconditionFailed)
	root.With("If-Match", `"2"`).Delete(at).WantStatus(http.StatusNoContent)
	root.Get(at).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
	root.Get(list).WantValue("pagination.total", 0)
	p.Users.Create(t, "ada", "user") // the address is free again
}

// activate follows the link of a mail and activates the user.
func activate(t *testing.T, p *e2etest.Stack, person, at string) {
	t.Helper()
	page, token := p.Mail.Link(t, person)
	visitor := p.Anonymous(t)
	visitor.Get(page).WantStatus(http.StatusOK).WantHeader("Content-Type", "text/html; charset=utf-8").
		WantHeader("Referrer-Policy", "no-referrer")
	visitor.WantFilesOf(page)
	body := `{"token":"` + token + `"}`
	key := visitor.Post("/v1/users/activate", body).WantStatus(http.StatusOK).
		WantValue("data.status", "active").Text("data.apiKey")
	visitor.As(key).Get(at).WantStatus(http.StatusOK).WantValue("data.status", "active")
	visitor.Post("/v1/users/activate", body).WantStatus(http.StatusUnauthorized).WantValue("code", "UNAUTHORIZED")
	visitor.As(token).Get(at).WantStatus(http.StatusUnauthorized) // a link's token is not an API key
}

// TestScheduledMail imports users, whose mails the schedule sends, and invokes the schedule's function.
func TestScheduledMail(t *testing.T) {
	p := e2etest.Shared(t)
	file := filepath.Join(t.TempDir(), "people.csv")
	rows := "email,name,role,sendActivationEmail\n" + p.Email("imported") + ",Imported,user,\n" + p.Email("quiet") +
		",Quiet,user,false\n"
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second import finds all users
		p.Operator.Run(t, "import-users", "--send-activation-email", file)
	}
	p.Operator.Invoke(t, "SendMailFunction", "sendmail/schedule.json")
	p.Operator.Invoke(t, "SendMailFunction", "sendmail/empty.json") // no mail is due
	for to, want := range map[string]int{"imported": 1, "quiet": 0} {
		if _, count := p.Mail.Newest(t, to); count != want {
			t.Errorf("%d mails to %s, want %d", count, to, want)
		}
	}
	activate(t, p, "imported", p.Users.Path(t, "imported"))
}

// TestNewStack looks at a stack that has only its first admin: the key, the lists that are empty, and the last admin,
// which cannot be removed.
func TestNewStack(t *testing.T) {
	p := e2etest.Start(t)
	info, err := os.Stat(filepath.Join(p.Data, "admin-key"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the key file's mode is %v", info.Mode())
	}
	p.Admin(t).Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 1).
		WantValue("data.0.role", "admin").WantValue("data.0.status", "active").WantValue("data.0.email", e2etest.FirstAdmin)
	p.Anonymous(t).Get("/v1/users").WantStatus(http.StatusUnauthorized).WantValue("code", "UNAUTHORIZED")
	admin := p.Users.Path(t, e2etest.FirstAdmin)
	p.Admin(t).Delete(admin).WantStatus(http.StatusConflict)

	page := p.Portal.VisitAs(t, e2etest.FirstAdmin)
	for path, want := range map[string]string{
		"charts": "No charts yet", "images": "No images yet", "projects": "No projects yet", "approvals": "No requests to decide",
	} {
		page.Open("/portal/" + path)
		page.WaitText(want)
		page.Axe()
	}
	page.Open("/portal/charts")
	page.WaitText("make demo")
	page.Open("/portal/customers")
	page.WaitText("No customers yet")
	page.Axe()
	p.CreateCustomer(t, "Acme", "acme")
	bolt := p.CreateCustomer(t, "Bolt", "bolt")
	p.Admin(t).Put("/v1/customers/"+bolt, `{"status":"suspended"}`).WantStatus(http.StatusOK)
	p.Admin(t).Post("/v1/projects", `{"name":"Rollout"}`).WantStatus(http.StatusCreated)
	page.Reload()
	page.WaitText("2 customers")
	page.Select("Status", "Active")
	page.WaitText("1 customer")
	page.Open("/portal/projects")
	page.Select("Status", "Archived")
	page.WaitText("No project matches these filters")
	wantLastAdmin(page, admin)
}

// wantLastAdmin tries to suspend and to demote the last admin.
func wantLastAdmin(page *browser.Page, admin string) {
	page.Allow("409 ")
	page.Open(e2etest.PortalPath(admin))
	page.Click(browser.Button("Suspend"))
	dialog := page.Within(browser.Dialog("Suspend Administrator?"))
	dialog.WaitText("Only another admin can reactivate the account.")
	dialog.Click(browser.Button("Suspend"))
	dialog.WaitText("This is the last active admin. Make another user an active admin first.")
	dialog.Click(browser.Button("Cancel"))
	page.Select("Role", "Viewer")
	page.Click(browser.Button("Save"))
	page.Within(browser.Dialog("Change your own role?")).Click(browser.Button("Change role"))
	page.WaitText("This is the last active admin.")
}
