package lambdahttp_test

import (
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"testing"
)

// Each test shows one defect of the bare adapter, and then that this package works around it. If the first half of a
// test fails with a newer adapter, the workaround can be removed.

func TestHeadersAreNotSplitAtCommas(t *testing.T) {
	event := readEvent(t, "get")
	for name, want := range map[string]string{
		"Date":            "Sat, 21 Nov 2026 08:00:00 GMT",
		"X-Filter":        `{"role":"admin","status":"active"}`,
		"X-Forwarded-For": "198.51.100.7, 203.0.113.9",
	} {
		t.Run(name, func(t *testing.T) {
			event := event
			event.RawPath = "/" // this test is not about the path
			var split, whole http.Header
			if _, err := bare(t, header(&split), event); err != nil || len(split.Values(name)) != 2 {
				t.Errorf("the adapter no longer splits: %q, %v", split.Values(name), err)
			}
			serve(t, header(&whole), event)
			if got := whole.Values(name); len(got) != 1 || got[0] != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestHandlerThatWritesNothingAnswers200(t *testing.T) {
	silent := func(http.ResponseWriter, *http.Request) {}
	event := readEvent(t, "post_json")
	if _, err := bare(t, silent, event); err == nil {
		t.Error("the adapter no longer fails on a silent handler")
	}
	got := serve(t, silent, event)
	if got.StatusCode != http.StatusOK || got.Body != "" || got.IsBase64Encoded {
		t.Errorf("got %+v", got)
	}
}

func TestPercentSignsInThePathAreLiteral(t *testing.T) {
	for _, c := range []struct {
		rawPath   string
		bareFails bool
	}{
		{"/v1/users/100%", true},
		{"/v1/users/%zz", true},
		{"/v1/users/%", true},
		{"/v1/users/a%2Fb", false}, // here the adapter silently decodes a second time
		{"/v1/users/a#b", false},
	} {
		t.Run(c.rawPath, func(t *testing.T) {
			event := readEvent(t, "get")
			event.RawPath, event.RawQueryString = c.rawPath, ""
			mux := http.NewServeMux()
			var id string
			mux.HandleFunc("GET /v1/users/{id}", func(w http.ResponseWriter, r *http.Request) {
				id = r.PathValue("id")
				w.WriteHeader(http.StatusNotFound)
			})
			want := path.Base(c.rawPath)

			_, err := bare(t, mux.ServeHTTP, event)
			if (err != nil) != c.bareFails || id == want {
				t.Errorf("the adapter no longer has the defect: id %q, %v", id, err)
			}
			got := serve(t, mux.ServeHTTP, event)
			if got.StatusCode != http.StatusNotFound || id != want {
				t.Errorf("status %d, id %q, want %q", got.StatusCode, id, want)
			}
		})
	}
}

func TestContentLengthCountsTheDecodedBody(t *testing.T) {
	event := readEvent(t, "post_binary")
	var wrong, right http.Header
	if _, err := bare(t, header(&wrong), event); err != nil ||
		wrong.Get("Content-Length") != strconv.Itoa(len(event.Body)) {
		t.Errorf("the adapter no longer counts base64: %q, %v", wrong.Get("Content-Length"), err)
	}
	serve(t, header(&right), event)
	if got := right.Get("Content-Length"); got != "9" {
		t.Errorf("Content-Length %s, want 9", got)
	}
}

func TestHandlerDoesNotPrint(t *testing.T) {
	event := readEvent(t, "get")
	event.RawPath = "/100%"
	silent := func(http.ResponseWriter, *http.Request) {}
	if got := standardOutput(t, func() { _, _ = bare(t, silent, event) }); got == "" {
		t.Error("the adapter no longer prints to standard output")
	}
	if got := standardOutput(t, func() { serve(t, silent, event) }); got != "" {
		t.Errorf("printed %q", got)
	}
}

// standardOutput returns what f prints. It uses a file, so that f never blocks.
func standardOutput(t *testing.T, f func()) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "stdout")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = stdout }()
	f()
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	printed, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(printed)
}
