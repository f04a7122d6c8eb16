package main

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/shared/lambda/start"
	"portside/shared/media"
	"portside/shared/media/mediaengines"
	"portside/shared/testkit/webtest"
)

func TestSpeechIsThatOfTheEngines(t *testing.T) {
	for _, engine := range []string{"", "offline", "bedrock", "openai"} {
		for _, command := range []string{"", "sh"} {
			s := mediaengines.Settings{Engine: engine, Model: "m", ModelURL: "https://models.example/v1", TranscriberCommand: command}
			transcriber, err := mediaengines.NewTranscriber(s)
			if err != nil {
				t.Fatal(err)
			}
			want := !strings.HasSuffix(transcriber.Version(), media.NoTranscriber{}.Version())
			variables := map[string]string{"MEDIA_ENGINE": engine, "TRANSCRIBER_COMMAND": command}
			got := hasSpeech(start.NewSettings(func(name string) (string, bool) { return variables[name], true }))
			if got != want {
				t.Errorf("%v: the portal says %v, the service %v", variables, got, want)
			}
		}
	}
}

func TestShellSaysWhetherRecordingsAreRead(t *testing.T) {
	for _, isRead := range []bool{false, true} {
		s, err := newSite(testUploads, isRead)
		if err != nil {
			t.Fatal(err)
		}
		shell := string(webtest.New(t, routes(s)).Get("/portal/media").WantStatus(http.StatusOK).Body)
		if want := fmt.Sprintf(`<meta name="has-speech" content="%v">`, isRead); !strings.Contains(shell, want) {
			t.Errorf("the shell lacks %s", want)
		}
	}
}

// offered returns the names of file types that the page Media offers, by the format of documents.
func offered(t *testing.T) map[documents.Format][]string {
	t.Helper()
	_, table, _ := strings.Cut(readModule(t, "pages/media/formats.js"), "const types = {")
	table, _, _ = strings.Cut(table, "};")
	all := map[documents.Format][]string{}
	for _, row := range regexp.MustCompile(`(\w+): "([^"]+)"`).FindAllStringSubmatch(table, -1) {
		all[documents.Format(row[1])] = strings.Split(row[2], ",")
	}
	return all
}

func TestMediaPageOffersTheFormatsWithReaders(t *testing.T) {
	want := []documents.Format{documents.Audio, documents.Video} // package tracks reads their subtitles
	want = slices.AppendSeq(want, maps.Keys(files.Readers()))
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(offered(t))); !slices.Equal(got, want) {
		t.Errorf("the page offers %q, the service reads %q", got, want)
	}
}

// TestMediaPageOffersFilesByTheirFormat detects the formats of files of many programs and compares them with the ends
// of their names.
func TestMediaPageOffersFilesByTheirFormat(t *testing.T) {
	formats, seen := offered(t), 0
	paths, err := filepath.Glob("../../documents/kind/testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if filepath.Ext(path) == ".md" {
			continue // the description of the files
		}
		for format, extensions := range formats {
			if slices.Contains(extensions, filepath.Ext(path)) != (formatOf(t, path) == format) {
				t.Errorf("%s has the format %q; the page offers %s as %s", filepath.Base(path), formatOf(t, path), extensions,
					format)
			}
		}
		seen++
	}
	if seen < 20 {
		t.Errorf("found only %d files", seen)
	}
}

// formatOf returns the format of a file that the service reads, or "".
func formatOf(t *testing.T, path string) documents.Format {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file := documents.Source{ReaderAt: bytes.NewReader(content), Size: int64(len(content))}
	format, err := kind.Detect(t.Context(), file, documents.DefaultLimits())
	if err != nil {
		return ""
	}
	return format
}

// formatNames are the words of the hint under the field for files.
var formatNames = map[documents.Format]string{
	documents.PlainText: "text", documents.Markdown: "Markdown", documents.HTML: "HTML", documents.CSV: "CSV",
	documents.JSON: "JSON",
	documents.XML:  "XML", documents.RTF: "RTF", documents.Mail: "email", documents.PDF: "PDF", documents.DOCX: "Word",
	documents.PPTX: "PowerPoint", documents.XLSX: "Excel", documents.ODT: "OpenDocument", documents.ODS: "OpenDocument",
	documents.ODP: "OpenDocument", documents.EPUB: "EPUB", documents.Image: "pictures",
	documents.Audio: "recordings", documents.Video: "recordings",
}

func TestHintOfMediaPageNamesEachFormat(t *testing.T) {
	_, hint, _ := strings.Cut(readModule(t, "core/strings.js"), "hint: (hasSpeech) =>")
	hint, _, _ = strings.Cut(hint, "200 MiB")
	for format := range offered(t) {
		if name := formatNames[format]; name == "" || !strings.Contains(hint, name) {
			t.Errorf("the hint does not name %s as %q: %s", format, name, hint)
		}
	}
}
