package patterns_test

import (
	"testing"

	"portside/shared/patterns"
)

func TestAnExpressionIsCompiledOnce(t *testing.T) {
	vowels := patterns.Later(`[aeiou]+`)
	if first := vowels(); first != vowels() || first.FindString("queue") != "ueue" {
		t.Errorf("compiled twice, or wrongly: %s", first)
	}
}

func TestAWrongExpressionPanicsWhenItIsNeeded(t *testing.T) {
	wrong := patterns.Later(`(`)
	defer func() {
		if recover() == nil {
			t.Error("it was taken")
		}
	}()
	wrong()
}
