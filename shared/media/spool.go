package media

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"portside/documents"
)

// ErrIncomplete means that a file could not be received completely. The cause is in the chain.
var ErrIncomplete = errors.New("the file was not received completely")

// Spool copies a file to the disk, because readers need random access, and computes its checksum.
// The caller must call closeFile, which also frees the disk space. Errors: ErrIncomplete if reading
// fails; otherwise errors of the disk.
func Spool(from io.Reader) (file File, closeFile func(), err error) {
	disk, err := os.CreateTemp("", "upload-")
	if err != nil {
		return File{}, nil, fmt.Errorf("create a temporary file: %w", err)
	}
	closeFile = func() { _ = disk.Close() } // the file was only read since
	file, err = copyToDisk(disk, from)
	// Without its name, the file disappears when it is closed, even if the process is killed.
	if err = errors.Join(err, os.Remove(disk.Name())); err != nil {
		closeFile()
		return File{}, nil, err
	}
	return file, closeFile, nil
}

func copyToDisk(disk *os.File, from io.Reader) (File, error) {
	sum, source := sha256.New(), &errorReader{from: from}
	size, err := io.Copy(io.MultiWriter(disk, sum), source)
	switch {
	case err != nil && source.err != nil:
		return File{}, fmt.Errorf("%w: %w", ErrIncomplete, err)
	case err != nil:
		return File{}, fmt.Errorf("write a file to the disk: %w", err)
	}
	file := File{Source: documents.Source{ReaderAt: disk, Size: size}}
	copy(file.Sum[:], sum.Sum(nil))
	return file, nil
}

// errorReader remembers errors of reading, because io.Copy does not tell them from errors of writing.
type errorReader struct {
	from io.Reader
	err  error
}

// Read implements [io.Reader].
func (r *errorReader) Read(into []byte) (int, error) {
	count, err := r.from.Read(into)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return count, err
}
