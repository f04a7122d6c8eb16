package media_test

import (
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"portside/shared/media"
)

func TestFilesAreSpooled(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	file, done, err := media.Spool(strings.NewReader("an invoice"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size))
	if err != nil || string(text) != "an invoice" || file.Sum != sha256.Sum256(text) {
		t.Errorf("got %q, %v", text, err)
	}
	done()
	_, _, err = media.Spool(io.MultiReader(strings.NewReader("an inv"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if !errors.Is(err, media.ErrCut) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that breaks off: %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestAFullDiskIsNoCutFile(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := media.Copied(full, strings.NewReader("an invoice")); err == nil || errors.Is(err, media.ErrCut) {
		t.Errorf("got %v", err)
	}
	if err := full.Close(); err != nil {
		t.Error(err)
	}
}
