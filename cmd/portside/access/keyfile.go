package access

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"portside/cmd/portside/operator"
	"portside/shared/credentials"
)

// readKeyFile returns the key in the file. Found is false if the file is missing or empty. Any
// other content is an error, because a foreign file must not be overwritten.
func readKeyFile(path string) (key credentials.Secret, found bool, err error) {
	if path == "" {
		return credentials.Secret{}, false, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return credentials.Secret{}, false, nil
	}
	if err != nil {
		return credentials.Secret{}, false, fmt.Errorf("key file: %w", err)
	}
	defer func() { _ = file.Close() }() // closing after reading loses nothing
	const maxBytes = 1 << 10
	content, err := io.ReadAll(io.LimitReader(file, maxBytes))
	if err != nil {
		return credentials.Secret{}, false, fmt.Errorf("key file: %w", err)
	}
	text := strings.TrimSpace(string(content))
	if text == "" {
		return credentials.Secret{}, false, nil
	}
	key, err = credentials.Parse(text)
	if err != nil {
		return credentials.Secret{}, false, fmt.Errorf("%s contains something other than an API key: "+
			"move the file away, or choose another --key-file", path)
	}
	return key, true, nil
}

// writeKeyFile replaces the whole file, readable only by its owner. It does nothing if path is
// empty.
func writeKeyFile(path string, key credentials.Secret) error {
	if path == "" {
		return nil
	}
	return operator.WriteOwnerFile("key file", path, key.Reveal())
}
