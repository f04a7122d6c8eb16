package engines

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// Limits of a package: ten times its actual size.
const (
	binaryInPackage  = "package/dynoxide"
	maxEntries       = 20
	maxUnpackedBytes = 80 << 20
)

// extract writes only the binary of the package to the file named to.
func extract(archive, to string) error {
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	binary, err := openBinary(file)
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, binary)
	return errors.Join(err, out.Close())
}

// openBinary finds the binary in a gzipped tar archive. Reading fails if the archive unpacks to
// more than maxUnpackedBytes, including the entries before the binary.
func openBinary(archive io.Reader) (io.Reader, error) {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}
	entries := tar.NewReader(&boundedReader{from: unzipped, left: maxUnpackedBytes})
	for range maxEntries {
		entry, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if entry.Name == binaryInPackage && entry.Typeflag == tar.TypeReg {
			return entries, nil
		}
	}
	return nil, fmt.Errorf("the archive has no %s among its first %d entries", binaryInPackage, maxEntries)
}

// boundedReader fails at its limit, because io.LimitReader would make a truncated file look
// complete.
type boundedReader struct {
	from io.Reader
	left int
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, fmt.Errorf("the archive unpacks to more than %d bytes", maxUnpackedBytes)
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
