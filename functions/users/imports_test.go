package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/testkit/webtest"
)

// importBody returns the body of an import.
func importBody(format, text string, more ...string) string {
	quoted, _ := json.Marshal(text) //nolint:errchkjson // a string always encodes
	return fmt.Sprintf(`{"format":%q,"text":%s%s}`, format, quoted, strings.Join(more, ""))
}

const dryRun = `,"dryRun":true`

const peopleCSV = "name,email,role,metadata,department,sendActivationEmail\r\n" +
	"Ada,ADA@example.com,viewer,\"{\"\"seat\"\": 12345678901234567890}\",R&D,\r\n" +
	"\"Grace\nHopper\",grace@example.com,user,,,\r\n" + // lines 3 and 4
	"Root,Root@example.com,admin,,,\r\n" +
	"Boss,boss@example.com,admin,,,\r\n" +
	"Eve,eve@,rôle,[],,\r\n" +
	"Ada again,ada@example.com,user,,,\r\n" +
	"\u202eTrent,trent@example.com,user,,,maybe\r\n" +
	"Wendy,wendy@example.com,user,,,true\r\n"

// A manager previews a file and imports the rows that are ready.
func TestImport(t *testing.T) {
	p := newFixture(t)
	_, key := p.user("manager@example.com", principal.Manager)
	manager := p.withKey(key)
	preview := manager.Post("/v1/users/imports", importBody("csv", peopleCSV, dryRun)).WantStatus(http.StatusOK).
		WantValue("data.ready", 2).WantValue("data.existing", 0).WantValue("data.failed", 6).WantValue("data.created", 0)
	for i, want := range []struct {
		line           int
		status, reason string
	}{
		{2, "ready", ""},
		{3, "failed", "name must not contain control, formatting or line-separating characters"},
		{5, "failed", "Your role permits less than that role"},
		{6, "failed", "Your role permits less than that role"},
		{7, "failed", "email must be an email address"},
		{8, "failed", "An earlier row has the same email address."},
		{9, "failed", "sendActivationEmail must be true, false or empty"},
		{10, "ready", ""},
	} {
		t.Run(fmt.Sprint("line ", want.line), func(t *testing.T) {
			at := fmt.Sprintf("data.rows.%d.", i)
			preview.WantValue(at+"line", want.line).WantValue(at+"status", want.status)
			if want.reason != "" && !strings.Contains(preview.Text(at+"reasons.0"), want.reason) {
				t.Errorf("line %d: %s", want.line, preview.Text(at+"reasons.0"))
			}
		})
	}
	preview.WantValue("data.rows.6.name", "Trent").WantValue("data.rows.4.reasons.2", "metadata must be a JSON object")
	manager.Get("/v1/users").WantValue("pagination.total", 2)

	lines := preview.Text("data.rows.0.source") + "\n" + preview.Text("data.rows.7.source") + "\n"
	created := manager.Post("/v1/users/imports", importBody("jsonl", lines)).WantStatus(http.StatusOK).
		WantValue("data.created", 2).WantValue("data.failed", 0).WantValue("data.rows.1.line", 2).
		WantValue("data.rows.1.reasons", []any{})
	ada := manager.Get("/v1/users/"+created.Text("data.rows.0.userId")).WantStatus(http.StatusOK).
		WantValue("data.email", "ada@example.com").WantValue("data.status", "active").WantValue("data.department", "R&D")
	if !strings.Contains(string(ada.Body), `{"seat":12345678901234567890}`) {
		t.Errorf("a number lost precision: %s", ada.Body)
	}
	manager.Get("/v1/users/"+created.Text("data.rows.1.userId")).WantValue("data.status", "pending")

	manager.Post("/v1/users/imports", importBody("jsonl", lines)).WantStatus(http.StatusOK).
		WantValue("data.created", 0).WantValue("data.existing", 2).WantValue("data.rows.0.status", "existing")
	manager.Get("/v1/users").WantValue("pagination.total", 4)
}

func TestImportSendsMailsLater(t *testing.T) {
	p := newFixture(t)
	text := "email;name;role;sendActivationEmail\nada@example.com;Ada;user;\neve@example.com;Eve;user;false\n"
	p.asAdmin().Post("/v1/users/imports", importBody("csv", text, `,"sendActivationEmail":true`)).
		WantStatus(http.StatusOK).
		WantValue("data.created", 2)
	p.asAdmin().Get("/v1/users").WantValue("data.1.status", "pending").WantValue("data.2.status", "active")
	if sent, err := p.service().inviter.SendDue(t.Context()); sent != 1 || err != nil {
		t.Errorf("%d mails, %v; want 1", sent, err)
	}
	p.anonymous().Post("/v1/users/activate", `{"token":"`+p.post.lastToken(t)+`"}`).WantStatus(http.StatusOK).
		WantValue("data.email", "ada@example.com")
}

func TestImportRejectsUnreadableFiles(t *testing.T) {
	p := newFixture(t)
	many := func(n int) string { return "email,name,role\n" + strings.Repeat("x,y,z\n", n) }
	for name, c := range map[string]struct{ body, pointer, detail string }{
		"no header":         {importBody("csv", ""), "/text", "the file is empty"},
		"unknown column":    {importBody("csv", "email,name,role,rule\n"), "/text", `unknown column "rule"`},
		"missing column":    {importBody("csv", "email,name\n"), "/text", `the column "role" is missing`},
		"long record":       {importBody("csv", many(1)+`a,"`+strings.Repeat("x", 1_400_000)), "/text", "a record has more than"},
		"too many rows":     {importBody("csv", many(maxImportRows+1)), "/text", "must have at most 250 rows"},
		"many rows, dry":    {importBody("csv", many(maxDryRunRows+1), dryRun), "/text", "must have at most 10000 rows"},
		"too long":          {importBody("jsonl", strings.Repeat("x", maxImportTextBytes+1)), "/text", "at most 1.5 MB"},
		"unknown format":    {importBody("xlsx", ""), "/format", "must be one of"},
		"no format":         {`{"text":""}`, "/format", "is required"},
		"not text":          {`{"format":"csv","text":["a"]}`, "/text", "must be a string"},
		"replaced by U+FFD": {importBody("csv", "email,name,role\na@b,J\ufffdrg,user\n"), "", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			problem := p.asAdmin().For(t).Post("/v1/users/imports", c.body).WantStatus(http.StatusBadRequest).
				WantValue("errors.0.pointer", c.pointer)
			if !strings.Contains(problem.Text("errors.0.detail"), c.detail) {
				t.Errorf("%s: %s", name, problem.Body)
			}
		})
	}
	p.asAdmin().Post("/v1/users/imports", importBody("csv", strings.Repeat(`""`, maxImportTextBytes))).
		WantStatus(http.StatusRequestEntityTooLarge)
	for _, empty := range []string{importBody("csv", "email,name,role\n"), importBody("jsonl", "")} {
		p.asAdmin().Post("/v1/users/imports", empty).WantStatus(http.StatusOK).WantValue("data.rows", []any{})
	}
	p.asAdmin().Get("/v1/users").WantValue("pagination.total", 1)
}

// The largest response must fit into the payload of a function.
func TestImportReportsEveryRowOfALongFile(t *testing.T) {
	p := newFixture(t)
	report := p.asAdmin().Post("/v1/users/imports", importBody("csv",
		"email,name,role\n"+strings.Repeat(strings.Repeat("\x01", 20)+",\u202e,"+strings.Repeat("é", 50)+"\n", maxDryRunRows),
		dryRun)).
		WantStatus(http.StatusOK).WantValue("data.failed", maxDryRunRows).WantValue("data.rows.9999.line", maxDryRunRows+1)
	if event, err := json.Marshal(string(report.Body)); err != nil || len(event) > 6<<20 {
		t.Errorf("the response has %d bytes, %v", len(event), err)
	}
}

// The file is within the limits of a dry run, but its report exceeds the payload of a function: it has 4 bytes for each
// backslash.
func TestImportAsksToSplitAFileWithALongReport(t *testing.T) {
	p := newFixture(t)
	file := func(rows int) string {
		return importBody("csv", "email,name,role\n"+strings.Repeat("x,"+strings.Repeat(`\`, 200)+",\n", rows), dryRun)
	}
	const rows = 7000
	problem := p.asAdmin().Post("/v1/users/imports", file(rows)).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "/text")
	if !strings.Contains(problem.Text("errors.0.detail"), "must be split") {
		t.Errorf("the problem is %s", problem.Body)
	}
	p.asAdmin().Post("/v1/users/imports", file(rows/2)).WantStatus(http.StatusOK).WantValue("data.failed", rows/2)
}

func TestImportShortensUnknownNames(t *testing.T) {
	p := newFixture(t)
	long := strings.Repeat("\x7f", 1_000_000) // 4 bytes each in an error
	failed := p.asAdmin().Post("/v1/users/imports", importBody("jsonl", `{"`+long+`":1}`)).WantStatus(http.StatusOK).
		WantValue("data.failed", 1)
	refused := p.asAdmin().Post("/v1/users/imports", importBody("csv", "email,"+long+"\n")).
		WantStatus(http.StatusBadRequest)
	if len(failed.Body)+len(refused.Body) > 3000 {
		t.Errorf("the responses have %d and %d bytes", len(failed.Body), len(refused.Body))
	}
}

func TestConcurrentImportsOfOneFileCreateEachUserOnce(t *testing.T) {
	p := newFixture(t)
	const rows, times = 60, 4
	text := "email,name,role\n"
	for i := range rows {
		text += fmt.Sprintf("u%d@example.com,U%d,user\n", i, i)
	}
	created := make([]int, times)
	statuses := webtest.Concurrently(times, func(i int) int {
		r := p.asAdmin().Post("/v1/users/imports", importBody("csv", text))
		if r.Status == http.StatusOK {
			created[i] = int(r.JSON("data.created").(float64))
		}
		return r.Status
	})
	total := 0
	for _, n := range created {
		total += n
	}
	if statuses[http.StatusOK] != times || total != rows {
		t.Errorf("statuses %v, %d users created, want %d", statuses, total, rows)
	}
	p.asAdmin().Get("/v1/users").WantValue("pagination.total", rows+1)
}

func TestListUsersByEmail(t *testing.T) {
	p := newFixture(t)
	user, _ := p.user("ada@example.com", principal.User)
	root := p.asAdmin()
	root.Get("/v1/users?email=%20ADA@Example.com").WantStatus(http.StatusOK).WantValue("data.0.id", user.ID).
		WantValue("data.1", nil).WantValue("pagination.total", 1).WantValue("pagination.hasMore", false)
	root.Get("/v1/users?email=ada@example.com&role=user").WantValue("pagination.total", 1)
	root.Get("/v1/users?email=ada@example.com&offset=1").WantValue("data", []any{}).WantValue("pagination.total", 1)
	for _, query := range []string{"email=nobody@example.com", "email=ada", "email=ada@example.com&role=admin",
		"email=%23%22"} {
		root.Get("/v1/users?"+query).WantStatus(http.StatusOK).WantValue("data", []any{}).WantValue("pagination.total", 0)
	}
	root.Get("/v1/users?email=").WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/email")
	root.Get("/v1/users?email=" + strings.Repeat("x", 321)).WantStatus(http.StatusBadRequest)
}

func TestListUsersByID(t *testing.T) {
	p := newFixture(t)
	user, _ := p.user("ada@example.com", principal.User)
	root := p.asAdmin()
	unknown := "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"
	root.Get("/v1/users?ids="+strings.ToUpper(user.ID)+","+unknown+","+p.admin.ID+","+user.ID).WantStatus(http.StatusOK).
		WantValue("data.0.id", p.admin.ID).WantValue("data.1.id", user.ID).WantValue("data.2", nil).
		WantValue("pagination", map[string]any{"total": 2.0, "limit": 100.0, "offset": 0.0, "hasMore": false, "next": nil})
	root.Get("/v1/users?ids="+unknown).WantStatus(http.StatusOK).WantValue("data", []any{})
	for _, bad := range []string{"ids=", "ids=x", "ids=" + unknown + ",", "ids=" + unknown + "&role=user",
		"ids=" + unknown + "&offset=1",
		"ids=" + unknown + "&cursor=AAAA",
		"ids=" + strings.Repeat(unknown+",", 100) + unknown} {
		pointer := root.Get("/v1/users?" + bad).WantStatus(http.StatusBadRequest).Text("errors.0.pointer")
		if !strings.HasPrefix(pointer, "query/ids") {
			t.Errorf("%s: the pointer is %q", bad, pointer)
		}
	}
}
