package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"portside/shared/core/errorcode"
)

// errorsPage is the document with the table of all codes, by its path in the project.
const errorsPage = "docs/errors.md"

// The lines of errorsPage between which the table stands.
const (
	tableBegin = "<!-- Codes: written by `make generate` from shared/core/errorcode -->\n\n"
	tableEnd   = "\n<!-- End of the codes -->\n"
)

// withErrorTable returns the errors page with the current table.
func withErrorTable(root string) ([]byte, error) {
	old, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(errorsPage)))
	if err != nil {
		return nil, fmt.Errorf("read the errors page: %w", err)
	}
	before, rest, hasBegin := bytes.Cut(old, []byte(tableBegin))
	_, after, hasEnd := bytes.Cut(rest, []byte(tableEnd))
	if !hasBegin || !hasEnd {
		return nil, fmt.Errorf("%s lacks the lines around the table of codes", errorsPage)
	}
	return slices.Concat(before, []byte(tableBegin+errorcode.MarkdownTable()+tableEnd), after), nil
}
