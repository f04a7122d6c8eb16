package documents_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"portside/documents"
)

// Callers see a panic as a damaged file. Its reason must not quote the file.
func TestRecoverPanicReturnsErrDamaged(t *testing.T) {
	for name, test := range map[string]struct {
		read func([]byte)
		want string
	}{
		"of the runtime": {func(none []byte) { none[3] = 0 }, "index out of range [3] with length 0"},
		"of a library":   {func([]byte) { panic("cannot read: Dear Ada, the merger is off") }, "a string"},
	} {
		t.Run(name, func(t *testing.T) {
			err := readUnsafely(test.read)
			if !errors.Is(err, documents.ErrDamaged) || !errors.Is(err, documents.ErrPanic) {
				t.Errorf("%s: %v", name, err)
			}
			p, ok := errors.AsType[*documents.PanicError](err)
			if !ok || !strings.Contains(p.Reason, test.want) || strings.Contains(p.Reason, "Ada") ||
				!strings.Contains(p.Stack, "readUnsafely") {
				t.Errorf("%s: %+v", name, p)
			}
		})
	}
	if err := readUnsafely(func([]byte) {}); err != nil || !errors.Is(readUnsafely(nil), context.Canceled) {
		t.Errorf("without a panic: %v", err)
	}
}

func readUnsafely(read func([]byte)) (err error) {
	defer documents.RecoverPanic(&err)
	if read == nil {
		return context.Canceled
	}
	read(nil)
	return nil
}
