package engines

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// Bounds of a package: ten times what it has.
const (
	binaryInPackage = "package/dynoxide"
	maxEntries      = 20
	maxUnpacked     = 80 << 20
)

// extract writes the binary, and nothing else of the package, to the file named to.
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

// openBinary finds the binary in a gzipped tar. Reading it fails when all that is unpacked, with
// what came before the binary, is too much.
func openBinary(archive io.Reader) (io.Reader, error) {
	unzipped, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}
	entries := tar.NewReader(&bounded{from: unzipped, left: maxUnpacked})
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
	return nil, fmt.Errorf("it has no %s among its first %d entries", binaryInPackage, maxEntries)
}

// bounded fails, where io.LimitReader would make a cut file look whole.
type bounded struct {
	from io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, fmt.Errorf("it unpacks to more than %d bytes", maxUnpacked)
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
