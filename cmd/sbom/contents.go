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

// function is the binary of a Lambda function.
type function struct {
	name    string // the logical ID in template.yaml
	sha256  string
	modules []module
}

// module is a Go module, Go's standard library, or an npm package.
type module struct {
	kind, name, version string
	sum                 string // as in go.sum or package-lock.json; "" for the standard library
}

// readFunctions reads the binaries of a release.
func readFunctions(release string) ([]function, error) {
	binaries, err := filepath.Glob(filepath.Join(release, "*", "bootstrap"))
	if err != nil {
		return nil, fmt.Errorf("list the functions: %w", err)
	}
	if len(binaries) == 0 {
		return nil, fmt.Errorf("%s has no functions: run `make release` first", release)
	}
	var functions []function
	for _, binary := range binaries {
		f, err := readFunction(binary)
		if err != nil {
			return nil, err
		}
		functions = append(functions, f)
	}
	return functions, nil
}

func readFunction(binary string) (function, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return function{}, fmt.Errorf("%s is not a Go program: %w", binary, err)
	}
	sum, err := sha256Of(binary)
	if err != nil {
		return function{}, err
	}
	f := function{name: filepath.Base(filepath.Dir(binary)), sha256: sum}
	f.modules = []module{{kind: golang, name: "std", version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, dependency := range info.Deps {
		if dependency.Replace == nil { // our own modules are replaced by their folders
			f.modules = append(f.modules, module{golang, dependency.Path, dependency.Version, dependency.Sum})
		}
	}
	return f, nil
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
