package template_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"portside/local/template"
)

// TestSampleEventsNameLocalBuckets checks that `make invoke` finds the buckets of the sample events.
func TestSampleEventsNameLocalBuckets(t *testing.T) {
	stack, err := template.Load(filepath.Join("..", "..", "template.yaml"), template.Options{
		Parameters: map[string]string{"BaseUrl": "http://127.0.0.1:3000", "ImageRepositories": "acme/*", "CorsAllowOrigins": "*"},
		APIURL:     "http://127.0.0.1:3000",
	})
	if err != nil {
		t.Fatal(err)
	}
	var buckets []string
	for _, b := range stack.Buckets {
		buckets = append(buckets, b.Name)
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "events", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, arn := range regexp.MustCompile(`arn:aws:s3:::([a-z0-9.-]+)`).FindAllSubmatch(text, -1) {
			named++
			if name := string(arn[1]); !slices.Contains(buckets, name) {
				t.Errorf("%s names the bucket %s; the local stack has %q", file, name, buckets)
			}
		}
	}
	if named == 0 {
		t.Error("no event names a bucket")
	}
}
