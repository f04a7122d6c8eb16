package chain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"portside/cmd/portside/operator"
	"portside/shared/audit/seals"
)

// ReadHead returns the head of the audit log in the file. It returns the zero value if the path is empty or, before the
// first verification, if the file is missing. An empty file is an error: otherwise an attacker could empty it to skip
// the comparison.
func ReadHead(path string) (seals.Head, error) {
	if path == "" {
		return seals.Head{}, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return seals.Head{}, nil
	}
	if err != nil {
		return seals.Head{}, fmt.Errorf("head file: %w", err)
	}
	head, err := seals.ParseHead(strings.TrimSpace(string(text)))
	if err != nil {
		return seals.Head{}, fmt.Errorf("%s does not contain the head of an audit log (%w): "+
			"restore the file, or choose another --head-file", path, err)
	}
	return head, nil
}

// WriteHead replaces the content of the file with the head of a seal. It does nothing if the path is empty or nothing
// is sealed yet.
func WriteHead(path string, newest seals.Seal) error {
	if path == "" || newest.Hash == "" {
		return nil
	}
	return operator.WriteOwnerFile("head file", path, newest.Head().String())
}
