// Command openapi writes the API document: openapi.yaml, the copy that functions/system serves, and a collection of requests for
// API clients. It also writes the table of error codes in docs/errors.md.
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
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), content, 0o644); err != nil {
			return fmt.Errorf("write the document: %w", err)
		}
	}
	return nil
}

// writeParts runs the test of each function that writes its part.
func writeParts(ctx context.Context, root string, progress io.Writer) error {
	tests, err := filepath.Glob(filepath.Join(root, "functions", "*", "openapi_test.go"))
	if err != nil || len(tests) == 0 {
		return fmt.Errorf("no functions/*/openapi_test.go in %s; give the folder of the project with -root (%w)", root, err)
	}
	args := []string{"test", "-run", "^TestDocument$"}
	for _, test := range tests {
		args = append(args, "./functions/"+filepath.Base(filepath.Dir(test)))
	}
	command := exec.CommandContext(ctx, "go", append(args, "-update")...)
	command.Dir, command.Stdout, command.Stderr = root, progress, progress
	if err := command.Run(); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return nil
}
