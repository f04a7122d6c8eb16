package names

import (
	"strings"
	"testing"

	"portside/documents/offline/scan"
)

func TestPartOfACompanyNameIsCut(t *testing.T) {
	for text, part := range map[string]string{
		"Kunden AG Nord": "AG Nord", "Stahlbau Harz GmbH & Co. KG": "Stahlbau Harz GmbH & Co.", "Oak Tree Ltd": "Oak Tree", "Ärzte GmbH": "GmbH",
	} {
		t.Run(text, func(t *testing.T) {
			start := strings.Index(text, part)
			if at := scan.Between(start, start+len(part)); !IsCut(text, at) {
				t.Errorf("%q is not a part of %q", part, text)
			}
			if IsCut(text, whole(text)) {
				t.Errorf("%q is cut", text)
			}
		})
	}
}

func TestCompanyNameBesideAnotherTextIsNotCut(t *testing.T) {
	for text, name := range map[string]string{
		"Customer: AG Nord": "AG Nord", "Customer\tAG Nord": "AG Nord", "Customer\nAG Nord": "AG Nord", "for AG Nord": "AG Nord",
		"Oak Tree\nLtd": "Oak Tree", "Oak Tree Agency": "Oak Tree", "Oak Tree inc. tax": "Oak Tree", "AG Nord": "AG Nord",
	} {
		t.Run(text, func(t *testing.T) {
			start := strings.Index(text, name)
			if IsCut(text, scan.Between(start, start+len(name))) {
				t.Errorf("%q of %q is cut", name, text)
			}
		})
	}
	if IsCut("Oak Tree", scan.Span{}) {
		t.Error("an empty span is cut")
	}
}

func TestTitleIsNoName(t *testing.T) {
	for text, want := range map[string]bool{"Herrn": true, "Mr.": true, "Herr Dr.": true, "Herrn Max Holm": false,
		"Oak": false, "": false} {
		if got := IsTitle(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
