package assets

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"os"
)

// BuildID returns a hash of the ID that Go's linker gave this program. The ID changes with every file that the program
// embeds, so a program that only needs a version of its files need not read them at its start. BuildID returns "" if it
// finds no ID, which stands in an ELF note near the beginning of programs for Linux.
func BuildID() string {
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, 4096)
	n, _ := io.ReadFull(file, head) // a program can be shorter
	id := findBuildID(head[:n])
	if id == nil {
		return ""
	}
	sum := sha256.Sum256(id)
	return shorten(sum[:])
}

// findBuildID returns the content of the ELF note with the name Go and the type 4. A note consists of the size of its
// name, the size of its content and its type, with 4 bytes each, and of its name and its content.
func findBuildID(head []byte) []byte {
	const sizes = 8
	at := bytes.Index(head, []byte("\x04\x00\x00\x00Go\x00\x00"))
	if at < sizes {
		return nil
	}
	size := int(binary.LittleEndian.Uint32(head[at-4:]))
	content := head[at+sizes:]
	if size == 0 || size > len(content) {
		return nil
	}
	return content[:size]
}
