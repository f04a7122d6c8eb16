package media

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"portside/documents"
)

// ErrCut is why a file that is on its way comes only in part. It is in the chain with its cause.
var ErrCut = errors.New("the file is cut short on its way")

// Spool copies a file to the disk, where readers can go to and fro in it, and takes its sum on the way. The caller must call
// done, after which the file is no more. Errors: ErrCut where it does not come whole; others are the disk's.
func Spool(from io.Reader) (file File, done func(), err error) {
	disk, err := os.CreateTemp("", "upload-")
	if err != nil {
		return File{}, nil, fmt.Errorf("a place for a file: %w", err)
	}
	done = func() { _ = disk.Close() } // what was read is not worse for it
	file, err = copied(disk, from)
	// The name is not needed any more: the file goes when it is closed, however that comes.
	if err = errors.Join(err, os.Remove(disk.Name())); err != nil {
		done()
		return File{}, nil, err
	}
	return file, done, nil
}

func copied(disk *os.File, from io.Reader) (File, error) {
	sum, source := sha256.New(), &arriving{from: from}
	size, err := io.Copy(io.MultiWriter(disk, sum), source)
	switch {
	case err != nil && source.err != nil:
		return File{}, fmt.Errorf("%w: %w", ErrCut, err)
	case err != nil:
		return File{}, fmt.Errorf("write a file to the disk: %w", err)
	}
	file := File{Source: documents.Source{ReaderAt: disk, Size: size}}
	copy(file.Sum[:], sum.Sum(nil))
	return file, nil
}

// arriving tells errors of reading from those of writing, which io.Copy does not.
type arriving struct {
	from io.Reader
	err  error
}

// Read implements [io.Reader].
func (a *arriving) Read(into []byte) (int, error) {
	count, err := a.from.Read(into)
	if err != nil && err != io.EOF {
		a.err = err
	}
	return count, err
}
