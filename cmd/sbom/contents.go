package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The kinds of packages, as package URLs name them.
const (
	golang = "golang"
	npm    = "npm"
)

// portal is the function that contains the libraries of the portal.
const portal = "PortalFunction"

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

// readLibraries reads the manifest that `make vendor` writes. A package has an entry for each of its files.
func readLibraries(root string) ([]module, error) {
	text, err := os.ReadFile(filepath.Join(root, "functions", "portal", "web", "vendor", "vendor.json"))
	if err != nil {
		return nil, fmt.Errorf("read the libraries of the portal: %w", err)
	}
	var entries []struct{ Package, Version, Integrity string }
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("read the libraries of the portal: %w", err)
	}
	var libraries []module
	for _, entry := range entries {
		libraries = append(libraries, module{npm, entry.Package, entry.Version, entry.Integrity})
	}
	return libraries, nil
}
