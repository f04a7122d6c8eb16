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

func TestSpoolCopiesToDisk(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	file, closeFile, err := media.Spool(strings.NewReader("an invoice"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size))
	if err != nil || string(text) != "an invoice" || file.Sum != sha256.Sum256(text) {
		t.Errorf("file has text %q and sum %x, error %v", text, file.Sum, err)
	}
	closeFile()
	_, _, err = media.Spool(io.MultiReader(strings.NewReader("an inv"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	if !errors.Is(err, media.ErrIncomplete) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("file that is cut short: error %v, want ErrIncomplete with its cause", err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("files left on the disk: %v, %v", entries, err)
	}
}

func TestCopyToDiskReportsFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := media.CopyToDisk(full, strings.NewReader("an invoice")); err == nil || errors.Is(err, media.ErrIncomplete) {
		t.Errorf("error %v, want one of the disk", err)
	}
	if err := full.Close(); err != nil {
		t.Error(err)
	}
}
