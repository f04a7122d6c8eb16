package backup

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// digest is a SHA-256, or the exclusive or of several.
type digest [sha256.Size]byte

func (d *digest) add(other digest) {
	for i := range d {
		d[i] ^= other[i]
	}
}

// partWriter writes the file of a part.
type partWriter struct {
	path    string // of the complete file
	file    *os.File
	hash    hash.Hash // of the compressed bytes
	packed  *gzip.Writer
	entries int64
	written int // bytes before compression
	sum     digest
}

func (f *folder) createPart(name string) (*partWriter, error) {
	path := f.join(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	w := &partWriter{path: path, file: file, hash: sha256.New()}
	w.packed, err = gzip.NewWriterLevel(io.MultiWriter(file, w.hash), gzip.BestSpeed)
	return w, err
}

// addEntries writes entries, each in its own line.
func (w *partWriter) addEntries(entries [][]byte) error {
	for _, entry := range entries {
		w.entries++
		w.written += len(entry) + 1
		w.sum.add(sha256.Sum256(entry))
		if _, err := w.packed.Write(append(entry, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// finish completes the file and describes it in the part.
func (w *partWriter) finish(part Part) (Part, error) {
	err := errors.Join(w.packed.Close(), w.file.Sync())
	info, statErr := w.file.Stat()
	if err := errors.Join(err, statErr, w.file.Close()); err != nil {
		return part, err
	}
	part.Entries, part.Bytes = w.entries, info.Size()
	part.SHA256, part.Sum = hex.EncodeToString(w.hash.Sum(nil)), hex.EncodeToString(w.sum[:])
	return part, os.Rename(w.path+".new", w.path)
}

func (w *partWriter) discard() error { return errors.Join(w.file.Close(), os.Remove(w.path+".new")) }

// verifyPart reads a part and returns an error if its file is missing or damaged.
func (f *folder) verifyPart(part Part) error {
	if !filepath.IsLocal(filepath.FromSlash(part.File)) {
		return fmt.Errorf("manifest.json names the file %q, which is not in the backup", part.File)
	}
	file, err := os.Open(f.join(part.File))
	if err != nil {
		return fmt.Errorf("the backup is incomplete: %w", err)
	}
	defer func() { _ = file.Close() }() // closing after reading loses nothing
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != part.SHA256 {
		return fmt.Errorf("the backup is damaged: %s is not the file that was written", part.File)
	}
	return nil
}

// readPart calls visit with batches of the entries of a part, in their order.
func (f *folder) readPart(part Part, visit func(batch [][]byte) error) error {
	file, err := os.Open(f.join(part.File))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // closing after reading loses nothing
	unpacked, err := gzip.NewReader(bufio.NewReader(file))
	if err != nil {
		return fmt.Errorf("%s: %w", part.File, err)
	}
	lines := bufio.NewReader(unpacked)
	for {
		batch, readErr := readBatch(lines)
		if len(batch) > 0 {
			if err := visit(batch); err != nil {
				return err
			}
		}
		if errors.Is(readErr, io.EOF) {
			return nil
		}
		if readErr != nil {
			return fmt.Errorf("%s: %w", part.File, readErr)
		}
	}
}

// A batch is written concurrently. Its size is bounded because the lines of objects are long.
const (
	maxBatch      = 512
	maxBatchBytes = 8 << 20
)

func readBatch(lines *bufio.Reader) (batch [][]byte, err error) {
	for size := 0; len(batch) < maxBatch && size < maxBatchBytes; {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			batch = append(batch, line)
			size += len(line)
		}
		if err != nil {
			return batch, err
		}
	}
	return batch, nil
}
