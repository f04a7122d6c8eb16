// Command figures prints how large the project is and what a change costs, so that two commits can be compared. It only
// reads the files below the current folder. Lines include comments and empty lines.
package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"portside/cmd/figures/sizes"
)

const (
	// userField is an ordinary field of users. A struct that has it would also need a new field.
	userField = "Department"
	// columns is the width that a line of Go should have at most, with tabs of four.
	columns = 120
)

func main() {
	f := figures{rows: map[string]row{}, sizes: sizes.New()}
	if err := fs.WalkDir(os.DirFS("."), ".", f.visit(os.DirFS("."))); err != nil {
		log.Fatal("figures: ", err)
	}
	if _, err := os.Stdout.WriteString(f.table()); err != nil {
		log.Fatal("figures: ", err)
	}
}

// row has two numbers, for code and for tests.
type row struct{ code, tests int }

// figures are what the command prints.
type figures struct {
	rows        map[string]row // by name
	sizes       sizes.Sizes    // has 0 files for packages that have only tests
	carriers    int            // structs with userField
	long, lines int            // of Go that people write
}

// add adds to the number of a row for the code or the tests, by the name of the file.
func (f *figures) add(name, file string, n int) {
	r := f.rows[name]
	if strings.HasSuffix(file, "_test.go") {
		r.tests += n
	} else {
		r.code += n
	}
	f.rows[name] = r
}

func (f *figures) visit(tree fs.FS) fs.WalkDirFunc {
	return func(file string, entry fs.DirEntry, err error) error {
		switch isFolder := err == nil && entry.IsDir(); {
		case isFolder && file != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case isFolder || err != nil:
			return err
		}
		text, err := fs.ReadFile(tree, file)
		n := bytes.Count(text, []byte("\n"))
		isWeb := slices.Contains([]string{".js", ".css", ".html"}, path.Ext(file))
		switch area, rest, _ := strings.Cut(file, "/"); {
		case err != nil:
			return err
		case path.Base(file) == "go.mod":
			f.addModule(file, string(text))
		case path.Ext(file) == ".go":
			return f.addGo(area, file, text)
		case strings.HasPrefix(file, "docs/guides/"):
			f.addGuide(rest, string(text))
		case isWeb && strings.Contains(file, "/vendor/"):
			f.add("lines, vendor", file, n)
		case isWeb && area == "functions":
			f.add("lines, functions (JavaScript, CSS, HTML)", file, n)
		}
		return nil
	}
}

func (f *figures) addGo(area, file string, text []byte) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir := path.Dir(file)
	f.sizes.Files[dir] += 0 // also of a package that has only tests
	if ast.IsGenerated(parsed) {
		f.add("lines, generated Go", file, bytes.Count(text, []byte("\n")))
		return nil
	}
	for line := range bytes.Lines(text) {
		f.add("lines, "+area, file, 1)
		f.lines++
		if utf8.RuneCount(line)-1+3*bytes.Count(line, []byte("\t")) > columns {
			f.long++
		}
	}
	if !strings.HasSuffix(file, "_test.go") {
		f.sizes.Add(dir, parsed)
		ast.Inspect(parsed, f.countCarriers)
	}
	return nil
}

func (f *figures) countCarriers(node ast.Node) bool {
	if n, isStruct := node.(*ast.StructType); isStruct {
		for _, field := range n.Fields.List {
			if slices.ContainsFunc(field.Names, func(name *ast.Ident) bool { return name.Name == userField }) {
				f.carriers++
			}
		}
	}
	return true
}

// addGuide counts the files that the diffs of a guide change.
func (f *figures) addGuide(name, text string) {
	counted := map[string]bool{}
	for line := range strings.Lines(text) {
		file, isFile := strings.CutPrefix(strings.TrimSpace(line), "+++ b/")
		if isFile && !counted[file] {
			counted[file] = true
			f.add("files by hand, "+name, file, 1)
		}
	}
}

// addModule counts the modules outside the project that a go.mod requires for its own packages.
func (f *figures) addModule(file, text string) {
	f.add("direct dependencies, "+file, file, 0)
	for line := range strings.Lines(text) {
		required := strings.TrimPrefix(strings.TrimSpace(line), "require ")
		if fields := strings.Fields(required); len(fields) == 2 && strings.Contains(fields[0], ".") && strings.HasPrefix(fields[1], "v") {
			f.add("direct dependencies, "+file, file, 1)
		}
	}
}

func (f *figures) table() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%-46s %8s %8s\n", "", "code", "tests")
	for _, name := range slices.Sorted(maps.Keys(f.rows)) {
		fmt.Fprintf(&out, "%-46s %8d %8d\n", name, f.rows[name].code, f.rows[name].tests)
	}
	fmt.Fprintf(&out, "%-46s %8d\n", "structs with a user's field ("+userField+")", f.carriers)
	fmt.Fprintf(&out, "%-46s %s\n", "exported methods of the largest type", largest(f.sizes.Methods))
	fmt.Fprintf(&out, "%-46s %s\n", "files of the largest package without tests", largest(f.sizes.Files))
	fmt.Fprintf(&out, "%-46s %8d\n", "packages", len(f.sizes.Files))
	fmt.Fprintf(&out, "%-46s %8.2f %%\n", fmt.Sprintf("lines of Go above %d columns", columns), 100*float64(f.long)/float64(max(1, f.lines)))
	return out.String()
}

func largest(of map[string]int) string {
	if len(of) == 0 {
		return "none"
	}
	name := slices.MaxFunc(slices.Sorted(maps.Keys(of)), func(a, b string) int { return cmp.Compare(of[a], of[b]) })
	return fmt.Sprintf("%8d %s", of[name], name)
}
