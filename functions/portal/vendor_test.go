package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const vendorDir = "web/vendor"

// vendored is a file of another project, as `make vendor` records it.
type vendored struct {
	File    string `json:"file"`
	Package string `json:"package"`
	SHA256  string `json:"sha256"`  // of the file in the package
	Removed string `json:"removed"` // the end of that file, which names a source map that is not in this tree
}

func readVendored(tb testing.TB) []vendored {
	tb.Helper()
	var files []vendored
	if err := json.Unmarshal(readVendor(tb, "vendor.json"), &files); err != nil {
		tb.Fatal(err)
	}
	return files
}

func readVendor(tb testing.TB, name string) []byte {
	tb.Helper()
	content, err := os.ReadFile(filepath.Join(vendorDir, name))
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

func TestVendoredFilesAreThoseOfTheirPackages(t *testing.T) {
	for _, file := range readVendored(t) {
		sum := sha256.Sum256(append(readVendor(t, file.File), file.Removed...))
		if hex.EncodeToString(sum[:]) != file.SHA256 {
			t.Errorf("%s differs from the file in %s: run make vendor, and change no vendored file", file.File, file.Package)
		}
	}
}

func TestVendoredFilesAreListedWithTheirLicenses(t *testing.T) {
	files := readVendored(t)
	want := []string{"vendor.json"}
	for _, file := range files {
		want = append(want, file.File)
		license := file.Package + ".LICENSE.txt"
		if !slices.ContainsFunc(files, func(f vendored) bool { return f.File == license }) {
			t.Errorf("%s has no license: want %s", file.File, license)
		}
	}
	entries, err := os.ReadDir(vendorDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !slices.Contains(want, entry.Name()) {
			t.Errorf("vendor.json does not list %s", entry.Name())
		}
	}
}
