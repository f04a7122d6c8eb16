package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portside/documents/answers"
	"portside/documents/files"
	"portside/documents/offline"
)

const module = "../.."

// TestSamplesAreComplete checks that every format and language has enough files.
func TestSamplesAreComplete(t *testing.T) {
	set, err := findSamples("testdata")
	if err != nil || len(set) < 40 {
		t.Fatalf("%d files, %v", len(set), err)
	}
	formats, langs, types := map[string]bool{}, map[string]bool{}, map[answers.Type]bool{}
	for _, s := range set {
		formats[s.format], langs[s.lang] = true, true
		for _, w := range s.wanted {
			types[w.variable.Type] = true
		}
		if info, err := os.Stat(s.path); err != nil || info.Size() > 40<<10 {
			t.Errorf("%s is larger than 40 KiB, %v", s.path, err)
		}
		if len(s.wanted) == 0 {
			t.Errorf("%s has no expected values", s.path)
		}
	}
	const pictures = 1 // only models read them
	if len(formats) != len(files.Readers())-pictures || len(langs) != len(answers.Langs()) || len(types) != 4 {
		t.Errorf("formats %v, languages %v, types %v", formats, langs, types)
	}
}

// TestValuesAreScored extracts values from three real files after it has falsified one expected value of each.
func TestValuesAreScored(t *testing.T) {
	set, err := findSamples("testdata")
	if err != nil {
		t.Fatal(err)
	}
	few := few(set, "docx", "html", "epub")
	few[0].wanted[0].value += " and more"
	few[1].wanted[0].value = ""
	few[2].wanted = append(few[2].wanted,
		wanted{answers.Variable{Name: "spacecraft_registration", Type: answers.String}, "X-1"})
	found, err := extractAll(t.Context(), offline.New(), few)
	if err != nil || len(found.failures) != 1 {
		t.Fatal(found.failures, err)
	}
	var all tally
	for _, a := range found.answers {
		all.count(a)
	}
	if all.wrong != 2 || all.abstained != 1 || all.correct != all.all()-3 {
		t.Errorf("%+v\n%s\n%s", all, wrongOnes(found.answers), abstentions(found.answers))
	}
	if lines := strings.Count(wrongOnes(found.answers).String(), "\n"); lines != 4 {
		t.Errorf("two wrong values take %d lines", lines)
	}
}

// few returns the first file of each format.
func few(set []sample, formats ...string) []sample {
	var all []sample
	for _, format := range formats {
		for _, s := range set {
			if s.format == format {
				all = append(all, s)
				break
			}
		}
	}
	return all
}

func TestFilesWithoutAnAnswerAreListed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pdf")
	write(t, filepath.Join(dir, "en-note.pdf"), "This is no PDF.")
	write(t, filepath.Join(dir, "en-note.want"), "total | number | | 12\ndate | date | | -\n")
	set, err := findSamples(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	found, err := extractAll(t.Context(), offline.New(), set)
	if err != nil || len(found.answers) != 2 {
		t.Fatal(found.answers, err)
	}
	if !strings.Contains(found.failures.String(), "detected as text") {
		t.Errorf("%s", found.failures)
	}
	want := strings.TrimPrefix(`
| all values              | count | share   | target |      |
|-------------------------|-------|---------|--------|------|
| correct                 | 1     | 50.0 %  | ≥ 85 % | MISS |
| of these null           | 1     | 50.0 %  |        |      |
| abstained               | 1     | 50.0 %  |        |      |
| wrong                   | 0     | 0.0 %   | ≤ 3 %  | ok   |
| files without an answer | 1     | 100.0 % | ≤ 0 %  | MISS |
`, "\n")
	if got := found.total().String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestMalformedWantFilesAreErrors(t *testing.T) {
	for name, text := range map[string]string{"en-note": "total | number", "xx-note": "total | number | | 12"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "text", name+".txt"), "Total: 12")
			write(t, filepath.Join(dir, "text", name+".want"), text)
			if set, err := findSamples(dir); err == nil {
				t.Errorf("%s: %v", name, set)
			}
		})
	}
	if _, err := findSamples(t.TempDir()); err == nil || !strings.Contains(err.Error(), "-dir") {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestReadersAreScored(t *testing.T) {
	dir := t.TempDir()
	copyFile(t, module+"/pdf/testdata/chrome-en.pdf", dir+"/good.pdf")
	copyFile(t, module+"/pdf/testdata/chrome-en.txt", dir+"/good.txt")
	copyFile(t, module+"/pdf/testdata/chrome-en.pdf", dir+"/bad-columns.pdf")
	copyFile(t, module+"/pdf/testdata/chrome-de.txt", dir+"/bad-columns.txt")
	all, err := readAll(t.Context(), dir, module+"/office/testdata")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(pdfTable(all).String(), "\n")
	if !strings.Contains(lines[2], "≥ 0.95 | MISS") || !strings.Contains(lines[3], "≥ 0.98 | ok") {
		t.Errorf("%s", pdfTable(all))
	}
	if text := officeTable(all).String(); strings.Count(text, "≥ 0.99 | ok") < 20 || strings.Contains(text, "MISS") {
		t.Errorf("%s", text)
	}
}

func TestSummariesAreScored(t *testing.T) {
	stories, err := findStories(module + "/offline/summary/testdata/summaries")
	if err != nil || len(stories) < 30 {
		t.Fatalf("%d stories, %v", len(stories), err)
	}
	one := stories[0]
	one.must = append(one.must, "the dog of the neighbours")
	covers, err := coverAll(t.Context(), offline.New(), []story{one, stories[len(stories)-1]})
	if err != nil {
		t.Fatal(err)
	}
	if text := coverTable(covers).String(); !strings.Contains(text, "the dog of the neighbours") {
		t.Errorf("%s", text)
	}
}

func TestSaveReportsWhetherTheFileChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "QUALITY.md")
	for _, step := range []struct{ report, want string }{
		{"a", "has changed"}, {"a", "is unchanged"}, {"b", "has changed"}, {"b", "is unchanged"},
	} {
		verdict, err := save(path, step.report)
		if err != nil || !strings.Contains(verdict, step.want) {
			t.Errorf("%s: %q, %v", step.report, verdict, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != step.report {
			t.Errorf("wrote %q, %v", text, err)
		}
	}
}

func TestTableEscapesAndAlignsCells(t *testing.T) {
	tb := table{{"what", "größe"}}
	tb.add("a|b", "1")
	tb.add("c\nd", percent(1, 3))
	want := strings.TrimPrefix(`
| what  | größe  |
|-------|--------|
| a\|b  | 1      |
| c ⏎ d | 33.3 % |
`, "\n")
	if got := tb.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, to, string(data))
}
