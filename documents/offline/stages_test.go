package offline

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// stages are the packages of the pipeline. Each may import only packages further up.
var stages = []string{
	"scan", "language", "lexicon", "dates", "numbers", "names", "index", "questions", "einvoice", "candidates",
	"ranking", "values", "statements", "tables", "learned", "extraction", "summary", "comparison",
}

func TestStagesImportOnlyEarlierStages(t *testing.T) {
	for n, stage := range stages {
		for _, imported := range importsOf(t, stage) {
			rest, isStage := strings.CutPrefix(imported, "portside/documents/offline/")
			if isStage && !slices.Contains(stages[:n], rest) {
				t.Errorf("%s imports %s, which is not an earlier stage", stage, rest)
			}
		}
	}
}

func TestEveryPackageIsAStage(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != "testdata" && !slices.Contains(stages, e.Name()) {
			t.Errorf("%s is not in the list of stages", e.Name())
		}
	}
}

// importsOf returns the imports of a stage, without those of its tests.
func importsOf(t *testing.T, stage string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(stage, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of %s: %v", stage, err)
	}
	var all []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range parsed.Imports {
			path, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, path)
		}
	}
	return all
}
