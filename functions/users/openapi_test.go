package main

import (
	"os"
	"testing"
)

func TestDump(t *testing.T) {
	b, err := routes(&service{}, nil).Document()
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile("/tmp/pscratch/users.json", b, 0o644)
}
