package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mediaGuide is what users of the API are told.
var mediaGuide = filepath.Join(repository, "docs", "media.md")

// TestMedia runs all of docs/media.md, and then what strangers may send.
func TestMedia(t *testing.T) {
	p := newPortal(t)
	stop := p.start(t, new(int))
	for _, part := range []struct {
		name string
		play func(*testing.T, *portal)
	}{
		{"docs/media.md", guide},
		{"the same work twice", sameWork},
		{"a job about an upload", uploadedJob},
		{"somebody else's", strangers},
		{"sizes", sizes},
		{"files that cannot be read", unreadable},
		{"zip bombs", bombs},
	} {
		t.Run(part.name, func(t *testing.T) { part.play(t, p) })
	}
	p.secretsAreNowhere(t)
	stop()
	p.secretsAreNowhere(t)
}

// answered is a block that is marked to be run, and the answer that is printed under it.
var answered = regexp.MustCompile("(?s)\n```sh run\n(.*?)\n```\n(?:\n```json\n(.*?)\n```\n)?")

// reader is the machine of somebody who follows a document.
func (p *portal) reader(t *testing.T, email string) machine {
	t.Helper()
	m := &market{portal: p, dir: t.TempDir()}
	c := m.machine(t, login{})
	_, key := p.user(t, email, "user")
	c.write(t, ".portside/api-key", key)
	return c
}

// leaving is how one gets from a clone of the repository to a directory with the files of the examples.
var leaving = regexp.MustCompile(`(?m)^cd "\$\(mktemp -d\)" && .*$`)

func guide(t *testing.T, p *portal) {
	c := p.reader(t, "reader@example.com")
	clone, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	line := leaving.Find([]byte(fromRepository(t, "docs", "media.md")))
	c.write(t, "tmp/readme", "so that there is a place for temporary directories")
	c.shell(t, "cd '"+clone+"' && "+string(line)+" && cp ./* ~").is(t, 0)
	c.follow(t, mediaGuide, 15)
}

// follow runs the marked blocks of a document in their order, and compares what they print with what the document says that
// they print, at least so many times.
func (c machine) follow(t *testing.T, document string, least int) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	answers := 0
	for _, block := range answered.FindAllSubmatch(text, -1) {
		got := c.shell(t, string(block[1]))
		if got.is(t, 0); len(block[2]) == 0 {
			continue
		}
		answers++
		if want := parsed(t, string(block[2])); !agrees(want, parsed(t, got.printed)) {
			t.Errorf("the document says\n%s\nfor\n%s\nbut it is\n%s", block[2], block[1], got.printed)
		}
	}
	if all := strings.Count(string(text), "\n```json\n"); answers != all || answers < least {
		t.Errorf("%d of the %d answers are checked", answers, all)
	}
}

func parsed(t *testing.T, text string) (value any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// agrees reports whether a value is the wanted one, where a wanted text that ends in … says only how it begins.
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

// sameWork counts what is kept: however the question is put, and whoever asks, there is one answer to it.
func sameWork(t *testing.T, p *portal) {
	kept := func() int {
		names, err := filepath.Glob(filepath.Join(p.data, "s3", "buckets", "*", "results", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	const text = "Reference: twice-0001\nTotal: 12.50 EUR\n"
	root, before := p.root(t), kept()
	first := root.form(extractMedia, map[string]string{"variable1_name": "total", "variable1_type": "number"}, file{"file", text})
	first.is(http.StatusOK).has("extracted_data.total", 12.5)
	if now := kept(); now != before+1 {
		t.Fatalf("%d answers are kept, %d before", now, before)
	}
	_, key := p.user(t, "twice@example.com", "user")
	model := map[string]string{"model": `{"variables":{"total":{"type":"number"}}}`}
	p.visitor(t).as(key).form(extractMedia, model, file{"file", text}).is(http.StatusOK).has("", first.json(""))
	if now := kept(); now != before+1 {
		t.Errorf("%d answers are kept after the same question", now)
	}
	model["model"] = `{"variables":{"total":{"type":"string"}}}`
	root.form(extractMedia, model, file{"file", text}).is(http.StatusOK)
	if now := kept(); now != before+2 {
		t.Errorf("%d answers are kept after another question", now)
	}
}

func uploadedJob(t *testing.T, p *portal) {
	root := p.root(t)
	ids := map[string]string{
		"file1_upload_id": root.upload("Total: 10 EUR\n"), "file2_upload_id": root.upload("Total: 12 EUR\n"),
		"model": `{"lang":"en","variables":{"total":{"type":"number"}}}`,
	}
	at := root.with("Prefer", "respond-async").form(compareMedia, ids).is(http.StatusAccepted).
		hasHeader("Retry-After", "1").hasHeader("Preference-Applied", "respond-async").header.Get("Location")
	root.finished(at).has("status", "succeeded").has("progress", 1).has("error", nil).
		has("result.extracted_data.total.data", "10").has("result.extracted_data.total.data_to_compare", "12")

	ids["file2_upload_id"] = root.upload("\x00\x01\x02\x03")
	at = root.with("Prefer", "respond-async").form(compareMedia, ids).is(http.StatusAccepted).header.Get("Location")
	failed := root.finished(at).has("status", "failed").has("result", nil).has("error.code", "UNSUPPORTED_MEDIA_TYPE")
	if detail := failed.text("error.detail"); !strings.HasPrefix(detail, "file2: ") {
		t.Errorf("the job says %s", detail)
	}
}

// finished waits for the end of a job.
func (c client) finished(at string) (job answer) {
	c.t.Helper()
	await(c.t, at+" ends", func() bool {
		job = c.get(at).is(http.StatusOK)
		status := job.text("status")
		return status == "succeeded" || status == "failed"
	})
	return job
}

// strangers has an admin, who may do everything, ask for what is another user's.
func strangers(t *testing.T, p *portal) {
	_, key := p.user(t, "owner@example.com", "user")
	_, viewer := p.user(t, "watcher@example.com", "viewer")
	owner, root := p.visitor(t).as(key), p.root(t)
	id := map[string]string{"file_upload_id": owner.upload("Total: 10 EUR\n")}
	owner.form(extractMedia, id).is(http.StatusOK)
	other := root.form(extractMedia, id).is(http.StatusUnprocessableEntity).has("code", "UNPROCESSABLE")
	none := map[string]string{"file_upload_id": "01a1fe42-8226-7abe-8af6-45f14274b000"}
	root.form(extractMedia, none).is(http.StatusUnprocessableEntity).has("detail", other.text("detail"))

	at := owner.with("Prefer", "respond-async").form(extractMedia, id).is(http.StatusAccepted).header.Get("Location")
	owner.finished(at).has("status", "succeeded")
	root.get(at).is(http.StatusNotFound).has("code", "NOT_FOUND")
	root.finished(root.with("Prefer", "respond-async").form(extractMedia, id).is(http.StatusAccepted).header.Get("Location")).
		has("status", "failed").has("error.code", "UNPROCESSABLE").has("error.detail", other.text("detail"))

	p.visitor(t).as(viewer).form(extractMedia, id).is(http.StatusForbidden)
	p.visitor(t).form(extractMedia, id).is(http.StatusUnauthorized)
}
