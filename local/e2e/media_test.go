package e2e

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mediaGuide is the media guide for users of the API.
var mediaGuide = filepath.Join(repository, "docs", "media.md")

// TestMedia runs the commands of docs/media.md and then sends hostile input.
func TestMedia(t *testing.T) {
	p := newTestStack(t)
	stop := p.start(t, noRateLimit())
	for _, part := range []struct {
		name string
		run  func(*testing.T, *testStack)
	}{
		{"docs/media.md", testMediaDocument},
		{"cached results", testCachedResults},
		{"tables of two invoices", testTableDifferences},
		{"jobs with uploads", testJobWithUploads},
		{"other users' uploads and jobs", testOtherUsersUploads},
		{"file sizes", testFileSizes},
		{"unreadable files", testUnreadableFiles},
		{"zip bombs", testZipBombs},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, p) })
	}
	p.checkNoSecretsLeaked(t)
	stop()
	p.checkNoSecretsLeaked(t)
}

// answered matches a runnable block, and the response below it with its format.
var answered = regexp.MustCompile("(?s)\n```sh run\n(.*?)\n```\n(?:\n```(json|csv)\n(.*?)\n```\n)?")

// documentReader returns the machine of a user who follows a document.
func (p *testStack) documentReader(t *testing.T, email string) machine {
	t.Helper()
	return p.documentReaderAs(t, email, "user")
}

// documentReaderAs is documentReader for a document that needs another role.
func (p *testStack) documentReaderAs(t *testing.T, email, role string) machine {
	t.Helper()
	m := &customerStack{testStack: p, dir: t.TempDir()}
	c := m.machine(t, login{})
	_, key := p.createUser(t, email, role)
	c.write(t, ".portside/api-key", key)
	return c
}

// leaving matches the command that copies the examples' files from the repository to a temporary
// directory.
var leaving = regexp.MustCompile(`(?m)^cd "\$\(mktemp -d\)" && .*$`)

func testMediaDocument(t *testing.T, p *testStack) {
	c := p.documentReader(t, "reader@example.com")
	clone, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	line := leaving.Find([]byte(fromRepository(t, "docs", "media.md")))
	c.write(t, "tmp/readme", "so that there is a place for temporary directories")
	c.shell(t, "cd '"+clone+"' && "+string(line)+" && cp ./* ~").wantExit(t, 0)
	c.runDocument(t, mediaGuide, 15)
}

// runDocument runs the marked blocks of a document in order and compares their output with the
// document. At least least blocks must have a documented output.
func (c machine) runDocument(t *testing.T, document string, least int) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for _, block := range answered.FindAllSubmatch(text, -1) {
		got := c.shell(t, string(block[1]))
		if got.wantExit(t, 0); len(block[3]) == 0 {
			continue
		}
		answers++
		parse := parsed
		if string(block[2]) == "csv" {
			parse = parsedCSV
		}
		if want := parse(t, string(block[3])); !agrees(want, parse(t, got.output)) {
			t.Errorf("documented output\n%s\nof\n%s\ndiffers from\n%s", block[3], block[1], got.output)
		}
	}
	if all := len(answersOf.FindAll(text, -1)); answers != all || answers < least {
		t.Errorf("%d of the %d answers are checked", answers, all)
	}
}

// answersOf matches the beginning of each answer in a document.
var answersOf = regexp.MustCompile("\n```(json|csv)\n")

// parsedCSV returns a list of lists of texts.
func parsedCSV(t *testing.T, text string) any {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	rows := make([]any, len(records))
	for i, record := range records {
		row := make([]any, len(record))
		for j, cell := range record {
			row[j] = cell
		}
		rows[i] = row
	}
	return rows
}

func parsed(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// agrees reports whether a value equals the wanted one. A wanted string that ends in … is a prefix.
func agrees(want, got any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, is := got.(map[string]any)
		for key := range want {
			if value, there := object[key]; !there || !agrees(want[key], value) {
				return false
			}
		}
		return is && len(object) == len(want)
	case []any:
		list, is := got.([]any)
		if !is || len(list) != len(want) {
			return false
		}
		for i := range want {
			if !agrees(want[i], list[i]) {
				return false
			}
		}
		return true
	case string:
		text, is := got.(string)
		start, open := strings.CutSuffix(want, "…")
		return is && (text == want || open && strings.HasPrefix(text, start))
	}
	return want == got
}

// testCachedResults counts the stored results: the same question has one result, whatever its form
// and whoever asks.
func testCachedResults(t *testing.T, p *testStack) {
	kept := func() int {
		names, err := filepath.Glob(filepath.Join(p.data, "s3", "buckets", "*", "results", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	const text = "Reference: twice-0001\nTotal: 12.50 EUR\n"
	root, before := p.admin(t), kept()
	first := root.form(extractMedia, map[string]string{"variable1_name": "total", "variable1_type": "number"}, file{"file", text})
	first.WantStatus(http.StatusOK).WantValue("extracted_data.total", 12.5)
	if now := kept(); now != before+1 {
		t.Fatalf("%d stored results, %d before", now, before)
	}
	_, key := p.createUser(t, "twice@example.com", "user")
	model := map[string]string{"model": `{"variables":{"total":{"type":"number"}}}`}
	p.anonymous(t).as(key).form(extractMedia, model, file{"file", text}).WantStatus(http.StatusOK).
		WantValue("", first.JSON(""))
	if now := kept(); now != before+1 {
		t.Errorf("%d stored results after the same question", now)
	}
	model["model"] = `{"variables":{"total":{"type":"string"}}}`
	root.form(extractMedia, model, file{"file", text}).WantStatus(http.StatusOK)
	if now := kept(); now != before+2 {
		t.Errorf("%d stored results after another question", now)
	}
}

func testJobWithUploads(t *testing.T, p *testStack) {
	root := p.admin(t)
	ids := map[string]string{
		"file1_upload_id": root.upload("Total: 10 EUR\n"), "file2_upload_id": root.upload("Total: 12 EUR\n"),
		"model": `{"lang":"en","variables":{"total":{"type":"number"}}}`,
	}
	at := root.With("Prefer", "respond-async").form(compareMedia, ids).WantStatus(http.StatusAccepted).
		WantHeader("Retry-After", "1").WantHeader("Preference-Applied", "respond-async").Header.Get("Location")
	root.finished(at).WantValue("status", "succeeded").WantValue("progress", 1).WantValue("error", nil).
		WantValue("result.extracted_data.total.data", "10").WantValue("result.extracted_data.total.data_to_compare", "12")

	ids["file2_upload_id"] = root.upload("\x00\x01\x02\x03")
	at = root.With("Prefer", "respond-async").form(compareMedia, ids).
		WantStatus(http.StatusAccepted).Header.Get("Location")
	failed := root.finished(at).WantValue("status", "failed").WantValue("result", nil).
		WantValue("error.code", "UNSUPPORTED_MEDIA_TYPE")
	if detail := failed.Text("error.detail"); !strings.HasPrefix(detail, "file2: ") {
		t.Errorf("detail of the job: %s", detail)
	}
}

// finished waits until a job has ended.
func (c client) finished(at string) (job response) {
	c.t.Helper()
	await(c.t, at+" to end", func() bool {
		job = c.Get(at).WantStatus(http.StatusOK)
		status := job.Text("status")
		return status == "succeeded" || status == "failed"
	})
	return job
}

// testOtherUsersUploads checks that not even an admin can use another user's uploads and jobs.
func testOtherUsersUploads(t *testing.T, p *testStack) {
	_, key := p.createUser(t, "owner@example.com", "user")
	_, viewer := p.createUser(t, "watcher@example.com", "viewer")
	owner, root := p.anonymous(t).as(key), p.admin(t)
	id := map[string]string{"file_upload_id": owner.upload("Total: 10 EUR\n")}
	owner.form(extractMedia, id).WantStatus(http.StatusOK)
	other := root.form(extractMedia, id).WantStatus(http.StatusUnprocessableEntity).WantValue("code", "UNPROCESSABLE")
	none := map[string]string{"file_upload_id": "01a1fe42-8226-7abe-8af6-45f14274b000"}
	root.form(extractMedia, none).WantStatus(http.StatusUnprocessableEntity).WantValue("detail", other.Text("detail"))

	at := owner.With("Prefer", "respond-async").form(extractMedia, id).
		WantStatus(http.StatusAccepted).Header.Get("Location")
	owner.finished(at).WantValue("status", "succeeded")
	root.Get(at).WantStatus(http.StatusNotFound).WantValue("code", "NOT_FOUND")
	root.finished(root.With("Prefer", "respond-async").form(extractMedia, id).WantStatus(http.StatusAccepted).Header.Get("Location")).
		WantValue("status", "failed").WantValue("error.code", "UNPROCESSABLE").WantValue("error.detail", other.Text("detail"))

	p.anonymous(t).as(viewer).form(extractMedia, id).WantStatus(http.StatusForbidden)
	p.anonymous(t).form(extractMedia, id).WantStatus(http.StatusUnauthorized)
}
