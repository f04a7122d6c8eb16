package importusers

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/shared/users"
	"portside/shared/users/usersfile"
)

const mixedCSV = "\ufeffname,email,role,metadata,department,sendActivationEmail\r\n" +
	"Ada,ADA@example.com,admin,\"{\"\"plan\"\": 12345678901234567890}\",R&D,\r\n" +
	"\"Grace\nHopper\",grace@example.com,user,,,\r\n" + // lines 3 and 4: a line break in a name is invalid
	"\"Jean \"\"J\"\" B\",jean@example.com,viewer,,\"Sales, EU\",false\r\n" +
	"\r\n" +
	"Linus,linus@example.com,user\r\n" + // line 7: fields are missing
	"Eve,eve@example.com,boss,[],,\r\n" +
	"Mallory,\"mall\"ory@example.com,user,,,\r\n" +
	"Ada again,ada@example.com,user,,,\r\n" +
	"Trent,trent@example.com,manager,,,maybe\r\n" +
	"Wendy,wendy@example.com,manager,,,true\r\n"

const mixedJSONL = "\ufeff" + `{"email":"ADA@example.com","name":"Ada","role":"admin","department":"R&D",` +
	`"metadata":{"plan": 12345678901234567890}}` + "\r\n\n" +
	`{"email":"jean@example.com","name":"Jean \"J\" B","role":"viewer","department":"Sales, EU",` +
	`"sendActivationEmail":false,"metadata":null}` + "\n" +
	`{"email":"x@example.com","name":"X","role":"user","rule":"user"}` + "\n" +
	`{"email":"x@example.com","name":7,"role":"user"}` + "\n" +
	`{"email":"x@example.com","name":"X","role":"user"} {}` + "\n" +
	`null` + "\n" +
	`{"email":"x@example.com"` + "\n" +
	`{"email":"wendy@example.com","name":"Wendy","role":"manager","sendActivationEmail":true}`

func TestImportReportsEveryFailedRow(t *testing.T) {
	t.Parallel()
	cases := []struct {
		file, text string
		rows       int // created
		failures   []string
	}{
		{"users.csv", mixedCSV, 3, []string{
			"line 3: name must not contain control, formatting or line-separating characters",
			"line 7: the row has more or fewer fields than the header",
			"line 8: role must be admin, manager, user or viewer; metadata must be a JSON object",
			"line 9: a quote is misplaced",
			"line 11: sendActivationEmail must be true, false or empty",
		}},
		{"users.jsonl", mixedJSONL, 3, []string{
			`line 4: the key "rule" is unknown`,
			"line 5: name must not be a JSON number",
			"line 6: the line must be one JSON object, with nothing after it",
			"line 7: the line must be one JSON object",
			"line 8: the JSON object does not end on its line",
		}},
	}
	for _, c := range cases {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			o := newTestStack(t)
			path, rejects := o.Write(c.file, c.text), filepath.Join(o.Dir, "errors.csv")
			got := o.Expect(o.Run("import-users", path, "--errors", rejects), 1, fmt.Sprintf("%d created, ", c.rows))
			written := o.Read("errors.csv")
			for _, failure := range c.failures {
				if !strings.Contains(got.Stderr, failure) {
					t.Errorf("stderr lacks %q:\n%s", failure, got.Stderr)
				}
				if !strings.Contains(strings.ReplaceAll(written, `""`, `"`), failure) {
					t.Errorf("the errors file lacks %q:\n%s", failure, written)
				}
			}
			if n := len(regexp.MustCompile(`line \d+: `).FindAllString(written, -1)); n != len(c.failures) {
				t.Errorf("the errors file has %d rows, want %d:\n%s", n, len(c.failures), written)
			}
			if all := o.UserEmails(); !slices.Equal(all, []string{"ada@example.com", "jean@example.com", "wendy@example.com"}) {
				t.Errorf("got the users %v", all)
			}
			o.checkImported(t)
			o.Expect(o.Run("import-users", path), 1, "0 created, ")
		})
	}
}

// checkImported checks that the users have the values of their rows.
func (o *testStack) checkImported(t *testing.T) {
	t.Helper()
	ada, err := o.Tables.Users.ByEmail(t.Context(), "ada@example.com")
	if err != nil || string(ada.Metadata) != `{"plan":12345678901234567890}` || ada.Department != "R&D" || ada.Status != users.Active {
		t.Errorf("got ada %+v, %v", ada, err)
	}
	jean, err := o.Tables.Users.ByEmail(t.Context(), "jean@example.com")
	if err != nil || jean.Name != `Jean "J" B` || jean.Department != "Sales, EU" || string(jean.Metadata) != "{}" {
		t.Errorf("got jean %+v, %v", jean, err)
	}
	wendy, err := o.Tables.Users.ByEmail(t.Context(), "wendy@example.com")
	if err != nil || wendy.Status != users.Pending {
		t.Errorf("got wendy %+v, %v", wendy, err)
	}
	unsent, err := o.Tables.Users.Invitations.Unsent(t.Context(), o.Now().Add(time.Hour), 10)
	if err != nil || len(unsent) != 1 || unsent[0].BaseURL != "http://localhost:3999" {
		t.Errorf("unsent mails: %+v, %v", unsent, err)
	}
}

func TestImportRejectsInvalidFiles(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	cases := []struct{ name, file, text, want string }{
		{"empty", "a.csv", "", "the file is empty"},
		{"unknown column", "b.csv", "email,name,role,rule\n", `unknown column "rule"; email, name and role are required`},
		{"column twice", "c.csv", "email,name,role,name\n", `header: the column "name" occurs twice`},
		{"column twice in another case", "c2.csv", "email;Name;role;name\n", `header: the column "name" occurs twice`},
		{"missing column", "d.csv", "email,name\n", `the column "role" is missing`},
		{"utf-16", "e.csv", "\xff\xfee\x00m\x00", "save it as UTF-8"},
		{"open quote", "f.csv", "email,name,role\na@example.com,A,user\nb@example.com,\"B" + strings.Repeat("x", 2*usersfile.MaxRowBytes), "after line 2: a record has more than"},
	}
	for _, c := range cases {
		got := o.Expect(o.Run("import-users", o.Write(c.file, c.text)), 1, c.want)
		if !strings.Contains(got.Stderr, "portside import-users: ") {
			t.Errorf("%s: %s", c.name, got.Stderr)
		}
	}
	if all := o.UserEmails(); !slices.Equal(all, []string{"a@example.com"}) {
		t.Errorf("got the users %v, want only the one before the open quote", all)
	}
}

func TestImportSkipsLongLines(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	long := `{"email":"` + strings.Repeat("x", usersfile.MaxRowBytes) + `"}`
	text := long + "\n" + `{"email":"a@example.com","name":"A","role":"user"}` + "\n" + long
	got := o.Expect(o.Run("import-users", o.Write("users.jsonl", text)), 1, "1 created, 0 already there, 2 failed")
	for _, line := range []string{"line 1: the line has more than", "line 3: the line has more than"} {
		if !strings.Contains(got.Stderr, line) {
			t.Errorf("stderr lacks %q:\n%s", line, got.Stderr)
		}
	}
}

// A spreadsheet must not run an address as a formula.
//
//proves:docs/security.md
func TestImportWritesNoFormulas(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	path := o.Write("users.csv", "email,name,role\n=1+1,A,user\n")
	o.Expect(o.Run("import-users", path, "--errors", filepath.Join(o.Dir, "errors.csv")), 1, "email must be")
	if written := o.Read("errors.csv"); !strings.Contains(written, "\n'=1+1,A,user,\"line 2: email must be") {
		t.Errorf("errors file:\n%s", written)
	}
}

// The file of --errors can be corrected and imported, as often as necessary.
func TestImportOfCorrectedErrors(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	rejects := filepath.Join(o.Dir, "errors.csv")
	path := o.Write("users.csv", "Name;email;role;department\nAda;ada@example.com;admin;\n=Jean;jean;boss;=EU\nGrace;grace@example.com;user\n")
	o.Expect(o.Run("import-users", path, "--errors", rejects), 1, "1 created, 0 already there, 2 failed")
	want := "Name;email;role;department;error\n'=Jean;jean;boss;'=EU;\"line 3: email must be"
	const short = "Grace;grace@example.com;user;line 4: the row has more or fewer fields than the header\n"
	if got := o.Read("errors.csv"); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, short) {
		t.Fatalf("errors file:\n%s", got)
	}

	half := o.Write("half.csv", strings.Replace(o.Read("errors.csv"), ";jean;", ";jean@example.com;", 1))
	o.Expect(o.Run("import-users", half, "--errors", rejects), 1, "0 created, 0 already there, 2 failed")
	written := o.Read("errors.csv")
	if !strings.Contains(written, "\n'=Jean;jean@example.com;boss;'=EU;line 2: role must be") || strings.Count(written, "line ") != 2 {
		t.Fatalf("errors file:\n%s", written)
	}

	corrected := strings.NewReplacer(";boss;", ";viewer;", "example.com;user;line", "example.com;user;;line").Replace(written)
	o.Expect(o.Run("import-users", o.Write("all.csv", corrected), "--errors", rejects), 0, "2 created, 0 already there, 0 failed")
	if got := o.Read("errors.csv"); got != "Name;email;role;department;error\n" {
		t.Errorf("errors file:\n%s", got)
	}
	jean, err := o.Tables.Users.ByEmail(t.Context(), "jean@example.com")
	if err != nil || jean.Name != "=Jean" || jean.Department != "=EU" {
		t.Errorf("imported %+v: %v", jean, err)
	}
}

func TestImportLimitsShownFailures(t *testing.T) {
	t.Parallel()
	o := newTestStack(t)
	path := o.Write("users.csv", "email,name,role\n"+strings.Repeat("nonsense,A,user\n", 30))
	got := o.Expect(o.Run("import-users", path), 1, "further failures are not shown")
	if n := strings.Count(got.Stderr, "email must be"); n != maxShownFailures {
		t.Errorf("%d failures are shown, want %d", n, maxShownFailures)
	}
}

// pausingReader is a file with a pause: after text it calls onPause and continues with rest.
type pausingReader struct {
	text, rest io.Reader
	onPause    func()
}

func (p *pausingReader) Read(b []byte) (int, error) {
	n, err := p.text.Read(b)
	if err != io.EOF || p.onPause == nil {
		return n, err
	}
	p.onPause()
	p.text, p.onPause = p.rest, nil
	return p.text.Read(b)
}

func manyRows(from, to int) io.Reader {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, `{"email":"user%d@example.com","name":"User %d","role":"user"}`+"\n", i, i)
	}
	return strings.NewReader(b.String())
}

// The test stops an import in the middle of its file and runs it again.
func TestImportInterrupted(t *testing.T) {
	t.Parallel()
	const all = 3 * chunkSize
	o := newTestStack(t)
	ctx, stop := context.WithCancel(t.Context())
	file := &pausingReader{text: manyRows(0, 2*chunkSize+100), rest: manyRows(2*chunkSize+100, all), onPause: func() {
		for page, err := (users.Page{}), error(nil); page.Total == 0 && err == nil; { // until the first chunk is being imported
			page, err = o.Tables.Users.List(context.WithoutCancel(ctx), users.Query{Limit: 1})
		}
		stop()
	}}
	got := o.RunWith(ctx, file, "import-users", "-", "--format", "jsonl", "--local", o.Dir)
	o.Expect(got, 130, "stopped; import the file again to continue")
	before := len(o.UserEmails())
	if before != chunkSize {
		t.Errorf("%d users after the interruption, want the %d of the chunk that was started", before, chunkSize)
	}
	got = o.RunWith(t.Context(), manyRows(0, all), "import-users", "-", "--format", "jsonl", "--local", o.Dir)
	o.Expect(got, 0, fmt.Sprintf("%d created, %d already there, 0 failed", all-before, before))
	emails := o.UserEmails()
	if len(emails) != all || emails[0] != "user0@example.com" || emails[all-1] != fmt.Sprintf("user%d@example.com", all-1) {
		t.Errorf("%d users, want %d in the order of the file", len(emails), all)
	}
}
