package build

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// importGraph finds the folders whose packages a program imports, so that a save rebuilds only the programs that use
// the file. It reads the imports of a file again only if the file has changed. It ignores build constraints, so a
// program may be rebuilt without need.
type importGraph struct {
	repo string

	mu    sync.Mutex
	files map[string]fileImports
}

// fileImports are the imports of a Go file in one of its versions.
type fileImports struct {
	size     int64
	modified time.Time
	paths    []string
}

func newImportGraph(repo string) *importGraph {
	return &importGraph{repo: repo, files: map[string]fileImports{}}
}

// folders returns the folders of the packages that the package in a folder imports, directly or not, and of their
// embedded files. Paths are relative to the repository. A folder that is imported need not exist yet.
func (g *importGraph) folders(dir string) ([]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	module, err := moduleName(filepath.Join(g.repo, "go.mod"))
	if err != nil {
		return nil, err
	}
	found := []string{dir}
	known := map[string]bool{dir: true}
	for i := 0; i < len(found); i++ {
		imports, embedded, err := g.readFolder(found[i])
		if err != nil {
			return nil, err
		}
		for _, path := range imports {
			if rest, isOwn := strings.CutPrefix(path, module+"/"); isOwn && !known[filepath.FromSlash(rest)] {
				known[filepath.FromSlash(rest)] = true
				found = append(found, filepath.FromSlash(rest))
			}
		}
		for _, path := range embedded {
			if !known[path] {
				known[path] = true
				found = append(found, path)
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// moduleName returns the path of the module, with which the paths of the nested modules begin. It is empty without a
// go.mod.
func moduleName(path string) (string, error) {
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(content)) {
		if name, isModule := strings.CutPrefix(line, "module "); isModule {
			return strings.TrimSpace(name), nil
		}
	}
	return "", errors.New(path + " names no module")
}

// readFolder returns the imports of the Go files in a folder, and the folders below it that have no Go files. Those may
// be embedded.
func (g *importGraph) readFolder(dir string) (imports, embedded []string, err error) {
	entries, err := os.ReadDir(filepath.Join(g.repo, dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir():
			if !isIgnoredDir(e.Name()) && !g.hasGoFiles(path) {
				embedded = append(embedded, path)
			}
		case filepath.Ext(path) == ".go" && !isIgnoredFile(e.Name()):
			imports = append(imports, g.importsOf(path)...)
		}
	}
	return imports, embedded, nil
}

func (g *importGraph) hasGoFiles(dir string) bool {
	found, err := filepath.Glob(filepath.Join(g.repo, dir, "*.go"))
	return err == nil && len(found) > 0
}

// importsOf returns the imports of a Go file. A file that cannot be parsed has none; the compiler reports the error.
func (g *importGraph) importsOf(path string) []string {
	path = filepath.Join(g.repo, path)
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if known, ok := g.files[path]; ok && known.size == info.Size() && known.modified.Equal(info.ModTime()) {
		return known.paths
	}
	read := fileImports{size: info.Size(), modified: info.ModTime()}
	if parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly); err == nil {
		for _, spec := range parsed.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
				read.paths = append(read.paths, imported)
			}
		}
	}
	g.files[path] = read
	return read.paths
}
