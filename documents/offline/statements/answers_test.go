package statements

import (
	"strconv"
	"testing"
)

func TestReadYesNo(t *testing.T) {
	for text, want := range map[string]string{
		"yes": "true", "Nein": "false", "Sí": "true", "Não": "false", "☒ ja ☐ nein": "true", "☐ ja ☒ nein": "false",
		"ja ☐ nein ☒": "false", "yes [ ] no [x]": "false",
		"[x]": "true", "[ ]": "false", "☑": "true", "Tak, od maja": "true", "no later than May": "", "☒ ja ☒ nein": "", "perhaps": "",
	} {
		t.Run(text, func(t *testing.T) {
			value, ok := readYesNo(text)
			got := ""
			if ok {
				got = strconv.FormatBool(value)
			}
			if got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		})
	}
}
