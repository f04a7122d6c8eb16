package client_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestGuideShowsTheExamples checks that each block of Go in docs/client.md is the body of an example, so that it
// compiles. The guide is outside of the module, so the cache of go test does not watch it; make test does not use the
// cache.
func TestGuideShowsTheExamples(t *testing.T) {
	guide, err := os.ReadFile("../docs/client.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile(`(?m)^\t`).ReplaceAllString(string(source), "")
	examples = strings.ReplaceAll(examples, "c, ctx := exampleClient()\n", "")
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	for _, block := range blocks {
		if !strings.Contains(examples, "{\n"+block[1]+"}\n") {
			t.Errorf("no example of example_test.go has the body\n%s", block[1])
		}
	}
	if len(blocks) != 6 {
		t.Errorf("docs/client.md has %d blocks of Go, want 6", len(blocks))
	}
}
