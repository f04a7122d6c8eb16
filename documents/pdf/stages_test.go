package pdf_test

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

// TestStagesImportOnlyEarlierStages keeps the order of the package comment.
func TestStagesImportOnlyEarlierStages(t *testing.T) {
	const prefix = "portside/documents/pdf/internal/"
	stages := []string{
		"budget", "geometry", "syntax", "crypt", "filters", "xref", "pages", "fonts", "content", "annotations", "layout", "images",
	}
	entries, err := os.ReadDir("internal")
	if err != nil || len(entries) != len(stages) {
		t.Errorf("got %d stages, %v; want %d", len(entries), err, len(stages))
	}
	for i, stage := range stages {
		files, err := filepath.Glob(filepath.Join("internal", stage, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: %d files, %v", stage, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, imported := range importsOf(t, file) {
				name, isStage := strings.CutPrefix(imported, prefix)
				if isStage && !slices.Contains(stages[:i], name) {
					t.Errorf("%s imports %s", file, name)
				}
			}
		}
	}
}

func importsOf(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, imported)
	}
	return imports
}
