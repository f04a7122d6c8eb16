package names

import (
	"testing"

	"portside/documents/offline/scan"
)

func whole(text string) scan.Span { return scan.Between(0, len(text)) }

func TestTrim(t *testing.T) {
	for text, want := range map[string]string{
		` "Oak & Sons Ltd", `: "Oak & Sons Ltd", "Acme Inc.": "Acme Inc.", "Paid.": "Paid", "º 17": "17",
		"„Nord“": "Nord", "  ": "",
	} {
		t.Run(text, func(t *testing.T) {
			if got := Trim(text, whole(text)).In(text); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		})
	}
}

func TestCutAddress(t *testing.T) {
	for text, want := range map[string]string{
		"Oak Ltd, 5 High Street": "Oak Ltd", "Oak, Inc., New York": "Oak, Inc.", "Ana Pop (chair)": "Ana Pop",
		"Ana Pop - chair": "Ana Pop", "Ana Pop": "Ana Pop",
	} {
		t.Run(text, func(t *testing.T) {
			if got := CutAddress(text, whole(text)).In(text); got != want {
				t.Errorf("%q: %q, want %q", text, got, want)
			}
		})
	}
}

func TestIBANsHaveValidCheckDigits(t *testing.T) {
	const text = "DE89 3704 0044 0532 0130 00 or DE88 3704 0044 0532 0130 00"
	found := IBANs(text, whole(text))
	if len(found) != 1 || found[0].In(text) != "DE89 3704 0044 0532 0130 00" {
		t.Errorf("found %v", found)
	}
}

func TestEmailsAndPhones(t *testing.T) {
	const text = "Write to <ana.pop@example.org>. or call +40 21 555 01 02."
	if found := Emails(text, whole(text)); len(found) != 1 || found[0].In(text) != "ana.pop@example.org" {
		t.Errorf("e-mail addresses: %v", found)
	}
	if at, ok := Phone(text, whole(text)); !ok || at.In(text) != "+40 21 555 01 02" {
		t.Errorf("phone number: %q, %v", at.In(text), ok)
	}
	if _, ok := Phone("room 12", whole("room 12")); ok {
		t.Error("a short number is a phone number")
	}
}

func FuzzNames(f *testing.F) {
	f.Add("between Oak Ltd, and DE89 3704 0044 0532 0130 00 <a@b.example> +40 21 555")
	f.Add("Dear Mr. Ä. „Ö“ – ż@ż.ż")
	f.Fuzz(func(t *testing.T, text string) {
		spans := append(Emails(text, whole(text)), IBANs(text, whole(text))...)
		for _, cut := range []func(string, scan.Span) scan.Span{Trim, CutAddress, CutLawPrefix, CapitalizedRun} {
			spans = append(spans, cut(text, whole(text)))
		}
		for _, s := range spans {
			if s.Start < 0 || s.End < s.Start || s.End > len(text) {
				t.Fatalf("%+v is not within %q", s, text)
			}
		}
	})
}
