package main

import (
	"io"
	"strings"
	"testing"
)

func TestRootWithoutFunctions(t *testing.T) {
	err := generate(t.Context(), t.TempDir(), io.Discard)
	if err == nil || !strings.HasSuffix(err.Error(), ": give the folder of the project with -root") {
		t.Errorf("the error is %v", err)
	}
}
