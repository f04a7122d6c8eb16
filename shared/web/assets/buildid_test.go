package assets

import (
	"debug/elf"
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestBuildIDIsThatOfTheProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		if id := BuildID(); id != "" {
			t.Errorf("the ID is %s", id)
		}
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	note, err := file.Section(".note.go.buildid").Data()
	if err != nil || BuildID() == "" {
		t.Fatalf("error %v, ID %q", err, BuildID())
	}
	if got, want := string(findBuildID(note)), strings.TrimRight(string(note[16:]), "\x00"); got != want {
		t.Errorf("the ID is %q, want %q", got, want)
	}
}

func TestDamagedBuildID(t *testing.T) {
	const name = "\x04\x00\x00\x00Go\x00\x00"
	for _, head := range []string{"", name, "1234" + name, "1234\x00\x00\x00\x00" + name + "id", "1234\x09\x00\x00\x00" + name + "id"} {
		if id := findBuildID([]byte(head)); id != nil {
			t.Errorf("%q has the ID %q", head, id)
		}
	}
}
