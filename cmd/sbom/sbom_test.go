package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

// newRelease returns a folder of a release whose functions and command line are this test's program.
func newRelease(t *testing.T, names ...string) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	release := t.TempDir()
	if err := os.WriteFile(filepath.Join(release, "portside-linux-arm64"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.Mkdir(filepath.Join(release, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(release, name, "bootstrap"), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return release
}

func document(t *testing.T, release string) (text string, decoded cyclonedx.BOM) {
	t.Helper()
	var written bytes.Buffer
	if err := write(&written, filepath.Join("..", ".."), release); err != nil {
		t.Fatal(err)
	}
	text = written.String()
	if err := cyclonedx.NewBOMDecoder(&written, cyclonedx.BOMFileFormatJSON).Decode(&decoded); err != nil {
		t.Fatal(err)
	}
	return text, decoded
}

func dependencies(t *testing.T, of cyclonedx.BOM, ref string) []string {
	t.Helper()
	for _, d := range *of.Dependencies {
		if d.Ref == ref {
			return *d.Dependencies
		}
	}
	t.Fatalf("the document has no %s", ref)
	return nil
}

func TestDocumentHasWhatIsLinked(t *testing.T) {
	_, decoded := document(t, newRelease(t, "UsersFunction", "PortalFunction"))
	build, ok := debug.ReadBuildInfo()
	if !ok || len(build.Deps) == 0 {
		t.Fatal("this program has no build information")
	}
	users, portal := dependencies(t, decoded, "function:UsersFunction"),
		dependencies(t, decoded, "function:PortalFunction")
	for _, m := range build.Deps {
		if ref := "pkg:golang/" + strings.ToLower(m.Path) + "@" + m.Version; m.Replace == nil &&
			!slices.Contains(users, ref) {
			t.Errorf("the document lacks %s", ref)
		}
	}
	if command := dependencies(t, decoded, "command:portside-linux-arm64"); !slices.Equal(command, users) {
		t.Errorf("the command line contains %q", command)
	}
	isPreact := func(ref string) bool { return strings.HasPrefix(ref, "pkg:npm/preact@") }
	if slices.ContainsFunc(users, isPreact) || !slices.ContainsFunc(portal, isPreact) {
		t.Error("preact must be a part of the portal only")
	}
	for _, ref := range slices.Concat(users, portal) {
		if !slices.ContainsFunc(*decoded.Components, func(c cyclonedx.Component) bool { return c.BOMRef == ref }) {
			t.Errorf("%s is no component", ref)
		}
	}
}

// The packages of the OCR engine are a part of the programs that link its runtime.
func TestProgramsWithTheOCREngineHaveItsPackages(t *testing.T) {
	packages, err := readEmbedded(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	with := program{name: "MediaFunction", modules: []module{{kind: golang, name: ocrRuntime}}}
	isEngine := func(m module) bool { return m.name == "tesseract.js-core" && m.version != "" && m.sum != "" }
	if found := packages.in(with); !slices.ContainsFunc(found, isEngine) || len(found) < 11 {
		t.Errorf("the packages are %+v", found)
	}
	if found := packages.in(program{name: "UsersFunction"}); len(found) > 0 {
		t.Errorf("a program without the runtime has %+v", found)
	}
}

func TestDocumentIsReproducible(t *testing.T) {
	one, _ := document(t, newRelease(t, "UsersFunction", "PortalFunction"))
	two, _ := document(t, newRelease(t, "PortalFunction", "UsersFunction"))
	if one != two {
		t.Error("two documents of the same release differ")
	}
}

func TestBadReleases(t *testing.T) {
	broken := newRelease(t, "UsersFunction")
	if err := os.WriteFile(filepath.Join(broken, "UsersFunction", "bootstrap"), []byte("#!/bin/sh"), 0o600); err != nil {
		t.Fatal(err)
	}
	withoutCommand := newRelease(t, "UsersFunction")
	if err := os.Remove(filepath.Join(withoutCommand, "portside-linux-arm64")); err != nil {
		t.Fatal(err)
	}
	for release, want := range map[string]string{
		t.TempDir(): "run `make release` first", withoutCommand: "has no command: run `make release` first",
		broken: "is not a Go program",
	} {
		if err := write(io.Discard, filepath.Join("..", ".."), release); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}
