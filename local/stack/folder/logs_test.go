package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOlderLogIsKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "stack.log")
	long := strings.Repeat("0123456789", 20_000)
	for _, test := range []struct{ log, older string }{
		{"", ""}, // no run before
		{"first\n", "first\n"},
		{"second\n", "second\n"},
		{"", "second\n"}, // a run that wrote nothing
		{long, long[len(long)-70_001:]},
	} {
		if test.log != "" {
			if err := os.WriteFile(path, []byte(test.log), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := keepOlder(path, 70_001); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path + ".1"); string(got) != test.older || err != nil && test.older != "" {
			t.Errorf("after a log of %d bytes, %d bytes are kept, want %d: %v", len(test.log), len(got), len(test.older), err)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("the log is still there: %v", err)
		}
	}
}
