// Command package writes the deployable package of a release: template.yaml, whose functions refer to their archives,
// an archive for each function, and the bill of materials.
//
//	go run ./cmd/package -release DIR [-root DIR]
//
// The folder of the release has one folder per function with its binary, as `make release` writes it. The package is
// DIR/portside-VERSION.zip. The same binaries always make the same bytes: entries are sorted, and their times and
// permissions do not depend on the files. So a function that did not change has the same archive, and its deployment
// changes nothing.
package main

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"portside/shared/web"
)

func main() {
	log.SetFlags(0)
	release := flag.String("release", ".local/release", "folder of the release")
	root := flag.String("root", ".", "folder of the project")
	flag.Parse()
	file := filepath.Join(*release, "portside-"+web.ReleaseVersion+".zip")
	content, err := pack(*root, *release)
	if err == nil {
		err = os.WriteFile(file, content, 0o644)
	}
	if err != nil {
		log.Fatalf("package: %v", err)
	}
	log.Printf("%s: %d bytes", file, len(content))
}

// entry is a file of an archive.
type entry struct {
	name    string
	mode    os.FileMode
	content []byte
	// isCompressed is for content that does not become smaller.
	isCompressed bool
}

// The permissions of files, and of programs.
const (
	readable   os.FileMode = 0o644
	executable os.FileMode = 0o755
)

// pack returns the package.
func pack(root, release string) ([]byte, error) {
	template, err := os.ReadFile(filepath.Join(root, "template.yaml"))
	if err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	packaged, functions, err := refer(string(template))
	if err != nil {
		return nil, err
	}
	materials, err := os.ReadFile(filepath.Join(release, "portside.cdx.json"))
	if err != nil {
		return nil, fmt.Errorf("read the bill of materials: %w", err)
	}
	entries := []entry{{"portside.cdx.json", readable, materials, false},
		{"template.yaml", readable, []byte(packaged), false}}
	for _, name := range functions {
		binary, err := os.ReadFile(filepath.Join(release, name, "bootstrap"))
		if err != nil {
			return nil, fmt.Errorf("read a function of the template: %w", err)
		}
		archive, err := archiveOf([]entry{{"bootstrap", executable, binary, false}})
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name + ".zip", readable, archive, true})
	}
	if err := checkFolders(release, functions); err != nil {
		return nil, err
	}
	return archiveOf(entries)
}

// checkFolders fails for a binary that the template does not have, because it would be missing in the package but not
// in the checksums.
func checkFolders(release string, functions []string) error {
	binaries, err := filepath.Glob(filepath.Join(release, "*", "bootstrap"))
	if err != nil {
		return fmt.Errorf("list the functions: %w", err)
	}
	for _, binary := range binaries {
		if name := filepath.Base(filepath.Dir(binary)); !slices.Contains(functions, name) {
			return fmt.Errorf("the template has no %s: remove %s", name, filepath.Dir(binary))
		}
	}
	return nil
}

// The lines of the template that say how `sam build` builds a function.
var (
	builtFunction = regexp.MustCompile(`(?m)^  (\w+Function):\n    Type: AWS::Serverless::Function\n` +
		`    Metadata: \{ BuildMethod: makefile \}\n((?:    .*\n)*?)    Properties:\n`)
	sourceFolder = "    CodeUri: .\n"
)

// refer returns the template with references to archives, which need no build, and the names of its functions. It
// changes only these lines, so that a reader can compare both templates.
func refer(template string) (packaged string, functions []string, err error) {
	packaged = builtFunction.ReplaceAllStringFunc(template, func(text string) string {
		parts := builtFunction.FindStringSubmatch(text)
		functions = append(functions, parts[1])
		return fmt.Sprintf("  %s:\n    Type: AWS::Serverless::Function\n%s    Properties:\n      CodeUri: %s.zip\n", parts[1],
			parts[2], parts[1])
	})
	all := strings.Count(template, "Type: AWS::Serverless::Function\n")
	if len(functions) == 0 || len(functions) != all {
		return "", nil, fmt.Errorf("the template has %d functions, and %d that are built as cmd/package expects", all,
			len(functions))
	}
	if n := strings.Count(template, sourceFolder); n != 1 {
		return "", nil, fmt.Errorf("the template has %d lines %q, want one, in Globals", n, strings.TrimSpace(sourceFolder))
	}
	slices.Sort(functions)
	return strings.Replace(packaged, sourceFolder, "", 1), functions, nil
}

// archiveTime is the time of all files. Archives cannot have earlier times.
var archiveTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// archiveOf returns a ZIP archive of the entries, sorted by their names.
func archiveOf(entries []entry) ([]byte, error) {
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: archiveTime}
		if e.isCompressed {
			header.Method = zip.Store
		}
		header.SetMode(e.mode)
		file, err := writer.CreateHeader(header)
		if err == nil {
			_, err = io.Copy(file, bytes.NewReader(e.content))
		}
		if err != nil {
			return nil, fmt.Errorf("archive %s: %w", e.name, err)
		}
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("end an archive: %w", err)
	}
	return out.Bytes(), nil
}
