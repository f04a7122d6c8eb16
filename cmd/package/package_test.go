package main

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

var root = filepath.Join("..", "..")

// newRelease returns a folder of a release, in which the binary of each function has the function's name.
func newRelease(t *testing.T, mode os.FileMode, functions ...string) string {
	t.Helper()
	release := t.TempDir()
	write(t, filepath.Join(release, "portside.cdx.json"), "{}", mode)
	for _, name := range functions {
		write(t, filepath.Join(release, name, "bootstrap"), name, mode)
	}
	return release
}

func write(t *testing.T, file, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// templateOf returns the template of the project as values, without what only one of both ways to deploy has.
func templateOf(t *testing.T, text string) (template map[string]any, functions map[string]map[string]any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &template); err != nil {
		t.Fatal(err)
	}
	functions = map[string]map[string]any{}
	for name, r := range template["Resources"].(map[string]any) {
		if resource := r.(map[string]any); resource["Type"] == "AWS::Serverless::Function" {
			functions[name] = resource
		}
	}
	return template, functions
}

func source(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func functionsOf(t *testing.T) []string {
	t.Helper()
	_, functions := templateOf(t, source(t))
	return slices.Sorted(maps.Keys(functions))
}

// unpack returns the files of an archive, and fails unless they are sorted and readable for everybody.
func unpack(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	reader, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for i, f := range reader.File {
		if want := map[bool]os.FileMode{true: executable, false: readable}[f.Name == "bootstrap"]; f.Mode() != want {
			t.Errorf("%s has the mode %v, want %v", f.Name, f.Mode(), want)
		}
		if i > 0 && f.Name < reader.File[i-1].Name {
			t.Errorf("%s is behind %s", f.Name, reader.File[i-1].Name)
		}
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(opened); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestPackageHasEveryFunction(t *testing.T) {
	names := functionsOf(t)
	packed, err := pack(root, newRelease(t, 0o600, names...))
	if err != nil {
		t.Fatal(err)
	}
	files := unpack(t, packed)
	_, functions := templateOf(t, string(files["template.yaml"]))
	for _, name := range names {
		archive := name + ".zip"
		if uri := functions[name]["Properties"].(map[string]any)["CodeUri"]; uri != archive {
			t.Errorf("%s has the CodeUri %v, want %s", name, uri, archive)
		}
		if content := unpack(t, files[archive]); len(content) != 1 || string(content["bootstrap"]) != name {
			t.Errorf("%s has %q", archive, content)
		}
	}
	if want := len(names) + 2; len(files) != want || string(files["portside.cdx.json"]) != "{}" {
		t.Errorf("%d files, want %d", len(files), want)
	}
}

// TestTemplateIsTheSameOtherwise removes what says where the code comes from, and compares the rest.
func TestTemplateIsTheSameOtherwise(t *testing.T) {
	packaged, _, err := refer(source(t))
	if err != nil {
		t.Fatal(err)
	}
	want, built := templateOf(t, source(t))
	got, referring := templateOf(t, packaged)
	for name := range built {
		delete(built[name], "Metadata")
		delete(referring[name]["Properties"].(map[string]any), "CodeUri")
	}
	delete(want["Globals"].(map[string]any)["Function"].(map[string]any), "CodeUri")
	if !reflect.DeepEqual(got, want) {
		t.Error("the templates differ in more than the places of the code")
	}
}

// TestPackageHasTheSameBytes packs the same binaries from files with other times and permissions.
func TestPackageHasTheSameBytes(t *testing.T) {
	names := functionsOf(t)
	first, second := newRelease(t, 0o600, names...), newRelease(t, 0o755, names...)
	for _, name := range names {
		if err := os.Chtimes(filepath.Join(second, name, "bootstrap"), time.Unix(1e9, 0), time.Unix(1e9, 0)); err != nil {
			t.Fatal(err)
		}
	}
	one, err := pack(root, first)
	if err != nil {
		t.Fatal(err)
	}
	if two, err := pack(root, second); err != nil || !bytes.Equal(one, two) {
		t.Errorf("the packages have %d and %d bytes, %v", len(one), len(two), err)
	}
	write(t, filepath.Join(second, names[0], "bootstrap"), "another program", 0o600)
	if two, err := pack(root, second); err != nil || bytes.Equal(one, two) {
		t.Errorf("another program makes the same package, %v", err)
	}
}

func TestIncompleteReleases(t *testing.T) {
	names := functionsOf(t)
	none := newRelease(t, 0o600, names...)
	if err := os.Remove(filepath.Join(none, "portside.cdx.json")); err != nil {
		t.Fatal(err)
	}
	for want, release := range map[string]string{
		names[0]:                          newRelease(t, 0o600, names[1:]...),
		"the template has no OldFunction": newRelease(t, 0o600, append(names, "OldFunction")...),
		"bill of materials":               none,
	} {
		if _, err := pack(root, release); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// TestOtherTemplates shows that a function which is written in another way is not left out.
func TestOtherTemplates(t *testing.T) {
	for what, template := range map[string]string{
		"another way to build": strings.Replace(source(t), "BuildMethod: makefile", "BuildMethod: go1.x", 1),
		"no folder of sources": strings.Replace(source(t), sourceFolder, "", 1),
		"no functions":         strings.ReplaceAll(source(t), "AWS::Serverless::Function", "AWS::Lambda::Function"),
	} {
		t.Run(what, func(t *testing.T) {
			if _, _, err := refer(template); err == nil {
				t.Errorf("%s: no error", what)
			}
		})
	}
}
