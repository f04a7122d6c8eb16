package cli

import (
	"strings"
	"testing"
)

func TestTablesHaveColorsOnATerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := writeTable(&out, []string{"ID", "STATUS"}, [][]string{{"1", "suspended"}}, true); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), bold+"ID"+plain+"  "+bold+"STATUS"+plain+"\n1   "+red+"suspended"+plain+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
