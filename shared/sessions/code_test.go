package sessions

import (
	"bytes"
	"regexp"
	"testing"
)

// TestCodesAreRandomAndHashedSlowly counts the digits of many codes, and compares stored forms.
//
//proves:docs/security.md
func TestCodesAreRandomAndHashedSlowly(t *testing.T) {
	form, digits, seen := regexp.MustCompile(`^[0-9]{10}$`), map[rune]int{}, map[string]bool{}
	const codes = 2000
	for range codes {
		code := newCode()
		if !form.MatchString(code) || seen[code] {
			t.Fatalf("the code %q is not new or not 10 digits", code)
		}
		seen[code] = true
		for _, digit := range code {
			digits[digit]++
		}
	}
	for digit, count := range digits {
		if count < codes*8/10 || count > codes*12/10 { // each digit is expected once per code
			t.Errorf("the digit %c occurs %d times in %d codes", digit, count, codes)
		}
	}
	salt := newSalt()
	if len(salt) != 16 || bytes.Equal(salt, newSalt()) {
		t.Error("salts are not new or not 128 bits")
	}
	if bytes.Equal(hashCode("0000000000", salt), hashCode("0000000000", newSalt())) {
		t.Error("the stored form does not depend on the salt")
	}
	if codeIterations < 50_000 {
		t.Errorf("%d iterations are too fast", codeIterations)
	}
}
