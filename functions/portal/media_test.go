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

func TestModelMediaAreThoseOfTheEngines(t *testing.T) {
	for _, engine := range []string{"", "offline", "bedrock", "openai"} {
		for _, reader := range []string{"", "model", "textract"} {
			for _, vision := range []string{"", "v"} {
				for _, command := range []string{"", "sh"} {
					checkModelMedia(t, mediaengines.Settings{
						Engine: engine, Model: "m", ModelURL: "https://models.example/v1", Reader: reader, VisionModel: vision,
						TranscriberCommand: command,
					})
				}
			}
		}
	}
}

func checkModelMedia(t *testing.T, s mediaengines.Settings) {
	t.Helper()
	parts, err := mediaengines.Equip(media.Parts{}, s)
	if isRejected := s.Reader == mediaengines.Textract && s.VisionModel != ""; isRejected || err != nil {
		if !isRejected || err == nil {
			t.Errorf("%+v: error %v", s, err)
		}
		return // the template's rules reject these parameters, too
	}
	var want []string
	if parts.Viewer != (media.NoViewer{}) {
		want = append(want, "pictures")
	}
	if !strings.HasSuffix(parts.Transcriber.Version(), media.NoTranscriber{}.Version()) {
		want = append(want, "speech")
	}
	variables := map[string]string{
		"MEDIA_ENGINE": s.Engine, "MEDIA_READER": s.Reader, "MEDIA_VISION_MODEL": s.VisionModel,
		"TRANSCRIBER_COMMAND": s.TranscriberCommand,
	}
	got := modelMedia(start.NewSettings(func(name string) (string, bool) { return variables[name], true }))
	if got != strings.Join(want, " ") {
		t.Errorf("%v: the portal offers %q, the service reads %q", variables, got, want)
	}
}

func TestShellNamesTheMediaOfModels(t *testing.T) {
	for _, kinds := range []string{"", "pictures speech"} {
		s, err := newSite(testUploads, kinds)
		if err != nil {
			t.Fatal(err)
		}
		shell := string(webtest.New(t, routes(s)).Get("/portal/media").WantStatus(http.StatusOK).Body)
		if want := fmt.Sprintf(`<meta name="model-media" content=%q>`, kinds); !strings.Contains(shell, want) {
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
	_, hint, _ := strings.Cut(readModule(t, "core/strings.js"), "hint: (hasPictures, hasSpeech) =>")
	hint, _, _ = strings.Cut(hint, "200 MiB")
	for format := range offered(t) {
		if name := formatNames[format]; name == "" || !strings.Contains(hint, name) {
			t.Errorf("the hint does not name %s as %q: %s", format, name, hint)
		}
	}
}
