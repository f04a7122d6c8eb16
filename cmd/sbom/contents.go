package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of packages, as package URLs name them.
const (
	golang = "golang"
	npm    = "npm"
)

// portal is the function that contains the libraries of the portal.
const portal = "PortalFunction"

// ocrRuntime is the module that only programs with the OCR engine link.
const ocrRuntime = "github.com/tetratelabs/wazero"

// program is a binary of the release.
type program struct {
	kind    string // function or command
	name    string // the logical ID in template.yaml, or the file of the command line, such as portside-linux-arm64
	sha256  string
	modules []module
}

// module is a Go module, Go's standard library, or an npm package.
type module struct {
	kind, name, version string
	sum                 string // as in go.sum or package-lock.json; "" for the standard library
}

// readPrograms reads the binaries of a release: those of the functions, and the command line for each platform.
func readPrograms(release string) ([]program, error) {
	var programs []program
	for kind, pattern := range map[string]string{"function": "*/bootstrap", "command": "portside-*-*"} {
		binaries, err := filepath.Glob(filepath.Join(release, pattern))
		if err != nil {
			return nil, fmt.Errorf("list the programs: %w", err)
		}
		if len(binaries) == 0 {
			return nil, fmt.Errorf("%s has no %s: run `make release` first", release, kind)
		}
		for _, binary := range binaries {
			p, err := readProgram(kind, binary)
			if err != nil {
				return nil, err
			}
			programs = append(programs, p)
		}
	}
	return programs, nil
}

func readProgram(kind, binary string) (program, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return program{}, fmt.Errorf("%s is not a Go program: %w", binary, err)
	}
	sum, err := sha256Of(binary)
	if err != nil {
		return program{}, err
	}
	p := program{kind: kind, name: filepath.Base(binary), sha256: sum}
	if kind == "function" {
		p.name = filepath.Base(filepath.Dir(binary))
	}
	p.modules = []module{{kind: golang, name: "std", version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, dependency := range info.Deps {
		if dependency.Replace == nil { // our own modules are replaced by their folders
			p.modules = append(p.modules, module{golang, dependency.Path, dependency.Version, dependency.Sum})
		}
	}
	return p, nil
}

func sha256Of(file string) (sum string, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err //nolint:wrapcheck // the error names the file
	}
	return fmt.Sprintf("%x", sha256.Sum256(content)), nil
}

// embedded has the npm packages of which programs contain files.
type embedded struct{ portal, ocr []module }

// in returns the packages of which a program contains files.
func (e embedded) in(p program) []module {
	switch {
	case p.name == portal:
		return e.portal
	case slices.ContainsFunc(p.modules, func(m module) bool { return m.name == ocrRuntime }):
		return e.ocr
	}
	return nil
}

// readEmbedded reads the manifest of the portal's libraries, which `make vendor` writes and which has an entry for each
// of their files, and the lock file of the OCR engine and its models.
func readEmbedded(root string) (embedded, error) {
	var files []struct{ Package, Version, Integrity string }
	var lock struct {
		Packages map[string]struct{ Version, Integrity string }
	}
	err := errors.Join(
		readJSON(filepath.Join(root, "functions", "portal", "web", "vendor", "vendor.json"), &files),
		readJSON(filepath.Join(root, ".ci", "ocr", "package-lock.json"), &lock),
	)
	if err != nil {
		return embedded{}, fmt.Errorf("read the npm packages in programs: %w", err)
	}
	var e embedded
	for _, f := range files {
		e.portal = append(e.portal, module{npm, f.Package, f.Version, f.Integrity})
	}
	for path, p := range lock.Packages {
		if name, isPackage := strings.CutPrefix(path, "node_modules/"); isPackage {
			e.ocr = append(e.ocr, module{npm, name, p.Version, p.Integrity})
		}
	}
	return e, nil
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err //nolint:wrapcheck // the error names the file
	}
	return json.Unmarshal(text, into)
}
