package documents_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/documents/offline"
)

// TestConcurrentReadersAndQuestions reads one file of each format at the same time, and asks one engine about all of
// them.
func TestConcurrentReadersAndQuestions(t *testing.T) {
	engine := offline.New()
	var running sync.WaitGroup
	running.Go(engine.Prepare)
	for _, path := range oneOfEachFormat(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			running.Go(func() {
				if err := ask(t, engine, data); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			})
		}
	}
	running.Wait()
}

// oneOfEachFormat returns the first file of each format in the corpus.
func oneOfEachFormat(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob("cmd/quality/testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, folder := range folders {
		found, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			if !strings.HasSuffix(path, ".want") {
				all = append(all, path)
				break
			}
		}
	}
	const least = 10 // formats
	if len(all) < least {
		t.Fatalf("found only %d formats in cmd/quality/testdata", len(all))
	}
	return all
}

// read is files.Read without its time limit, which would depend on what else the machine does.
func read(ctx context.Context, data []byte) (*documents.Document, error) {
	file, limits := documents.FromBytes(data), documents.DefaultLimits()
	format, err := kind.Detect(ctx, file, limits)
	if err != nil {
		return nil, err
	}
	into := documents.NewBuilder(format, limits)
	return into.Finish(files.Readers()[format](ctx, file, into))
}

// ask reads a file, summarizes it, asks for a value of each type, and compares it with itself.
func ask(t *testing.T, engine *offline.Engine, data []byte) error {
	d, err := read(t.Context(), data)
	if err != nil {
		return err
	}
	if _, err := engine.Summarize(t.Context(), d, answers.SummarySettings{}); err != nil {
		return err
	}
	variables := []answers.Variable{
		{Name: "total", Type: answers.Number}, {Name: "due_date", Type: answers.Date}, {Name: "seller", Type: answers.String},
		{Name: "shipping_included", Type: answers.Boolean}, {Name: "notice_period", Type: answers.Number}, {Name: "governing_law", Type: answers.String},
	}
	_, err = engine.Compare(t.Context(), d, d, answers.CompareSettings{Variables: variables})
	return err
}
