package lazyregexp_test

import (
	"testing"

	"portside/documents/lazyregexp"
)

func TestNewCompilesOnce(t *testing.T) {
	vowels := lazyregexp.New(`[aeiou]+`)
	if first := vowels(); first != vowels() || first.FindString("queue") != "ueue" {
		t.Errorf("compiled twice, or wrongly: %s", first)
	}
}

func TestInvalidExpressionPanicsOnFirstUse(t *testing.T) {
	wrong := lazyregexp.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	wrong()
}
