package text_test

import (
	"testing"

	"portside/shared/core/text"
)

//proves:docs/security.md
func TestCSVCell(t *testing.T) {
	for _, formula := range []string{
		"=1+1", "+1+1", "-1+1", "@a", "＝1", "＋1", "－1", "＠a", "-", "+", "-5 EUR", "-5\n", "--5", "-5e", "+1=2", "\tx", "\rx", "\nx",
	} {
		for _, before := range []string{
			"", " ", "  ", "\u00a0", "\t", "\n", "\r", "\x0b", "\x0c", "\x00", "\x1f", "\u0085", "\ufeff", "\u200b", "\u200e", "\u2028", "\u3000", " \u200b\t",
		} {
			if got, want := text.CSVCell(before+formula), "'"+before+formula; got != want {
				t.Errorf("CSVCell(%q) is %q, want %q", before+formula, got, want)
			}
			if got := text.FromCSVCell("'" + before + formula); got != before+formula {
				t.Errorf("FromCSVCell(%q) is %q", "'"+before+formula, got)
			}
		}
	}
	for _, harmless := range []string{
		"", " ", "a=1", "ü", "'=1", "5", "-5", "+5.2", "-1,306.80", "+40722111222", "\u00a0a", "\xff=1", "2026-11-21", "＃1", `{"a":"=1"}`,
	} {
		if got := text.CSVCell(harmless); got != harmless {
			t.Errorf("CSVCell(%q) is %q", harmless, got)
		}
		if got := text.FromCSVCell(harmless); got != harmless && harmless != "'=1" {
			t.Errorf("FromCSVCell(%q) is %q", harmless, got)
		}
	}
}
