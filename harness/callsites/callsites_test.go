package callsites_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/harness/callsites"
)

var update = flag.Bool("update", false, "write callsites.txt")

//proves:docs/security.md
func TestListIsCurrent(t *testing.T) {
	found, err := scan(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("callsites.txt", []byte(strings.Join(found, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Logf("figure: %d places call services of AWS", len(found))
	if !slices.Equal(found, callsites.All()) {
		t.Error("callsites.txt is stale: run `go test ./callsites -args -update` in harness/")
	}
}
