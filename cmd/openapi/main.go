// Command openapi writes the API document: openapi.yaml, the copy that functions/system serves, and a collection of
// requests for API clients. It also writes the table of error codes in docs/errors.md.
//
//	go run ./cmd/openapi [-root DIR]
//
// The functions are programs and cannot be imported. So a test of each function writes its part to
// functions/<name>/testdata/openapi.json, and this command merges the parts into frame.yaml. The
// frame has what belongs to no single function: the introduction, the security schemes, and each
// error response once. If two parts define the same schema, both definitions must be equal; nothing
// is overwritten.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

//go:generate go run . -root ../..

func main() {
	log.SetFlags(0)
	root := flag.String("root", ".", "folder of the project")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := generate(ctx, *root, os.Stderr)
	stop()
	if err != nil {
		log.Fatalf("openapi: %v", err)
	}
}

func generate(ctx context.Context, root string, progress io.Writer) error {
	if err := writeParts(ctx, root, progress); err != nil {
		return err
	}
	document, err := buildDocument(root)
	if err != nil {
		return err
	}
	files := document.files()
	if files[errorsPage], err = withErrorTable(root); err != nil {
		return err
	}
	for file, content := range files {
		path := filepath.Join(root, filepath.FromSlash(file))
		if written, err := os.ReadFile(path); err == nil && bytes.Equal(written, content) {
			continue // a running stack watches the file
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return fmt.Errorf("write the document: %w", err)
		}
	}
	return nil
}

// writeParts runs the tests that compare the parts of the functions. If any fails, all of them write their parts. The
// go command caches tests that pass, so this takes seconds if nothing has changed.
func writeParts(ctx context.Context, root string, progress io.Writer) error {
	tests, err := filepath.Glob(filepath.Join(root, "functions", "*", "openapi_test.go"))
	if err != nil {
		return err
	}
	if len(tests) == 0 {
		return fmt.Errorf("no functions/*/openapi_test.go in %q: give the folder of the project with -root", root)
	}
	args := []string{"test", "-run", "^TestDocument$"}
	for _, test := range tests {
		args = append(args, "./functions/"+filepath.Base(filepath.Dir(test)))
	}
	compare := exec.CommandContext(ctx, "go", args...)
	compare.Dir = root
	if compare.Run() == nil {
		return nil
	}
	write := exec.CommandContext(ctx, "go", append(args, "-update")...)
	write.Dir, write.Stdout, write.Stderr = root, progress, progress
	if err := write.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}
