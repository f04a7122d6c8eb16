package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// documentedCommands matches the blocks of commands of a document.
var documentedCommands = regexp.MustCompile("(?s)\n```sh\n(.*?)\n```\n")

// testRotationDocument runs the commands of the last section of docs/rotation.md, with the folder, the address and the key of this
// stack. The first run of the script sees a new token, and the second one its successor.
func testRotationDocument(t *testing.T, l *pipeline) {
	c := l.documentReader(t, "rotation-reader@example.com")
	clone, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(fromRepository(t, "docs", "rotation.md"), "\n## Trying it on the local stack\n")
	script := "cd '" + clone + "'\n"
	for _, block := range documentedCommands.FindAllStringSubmatch(section, -1) {
		script += block[1] + "\n"
	}
	script = strings.NewReplacer("/tmp/portside", c.path("rotation"), "http://127.0.0.1:3000", l.info.API,
		".local/data", l.data).Replace(script)
	got := c.shell(t, script)
	got.wantExit(t, 0, notDueMessage+"3 days", `"rotatedFrom":"`)
	if runs := strings.Count(got.output, notDueMessage); runs != 2 {
		t.Errorf("the script ran %d times, want 2", runs)
	}
}
