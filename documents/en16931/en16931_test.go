package en16931

import "testing"

// Every term of the standard stands in the file once, except those of attachments and line-level groups without values.
func TestTermsAreThoseOfTheStandard(t *testing.T) {
	seen := map[Code]int{}
	for _, g := range parse(termsText) {
		for _, term := range g.Terms {
			seen[term.Code]++
			switch {
			case term.Name == "":
				t.Errorf("%v has no name", term.Code)
			case term.Kind == Address && len(term.Parts) == 0:
				t.Errorf("%v has no parts", term.Code)
			case term.Kind != Address && len(term.CII) == 0:
				t.Errorf("%v has no path in CII", term.Code)
			case term.Kind != Address && len(term.UBL) == 0 && term.Code != 21: // UBL has no codes of notes
				t.Errorf("%v has no path in UBL", term.Code)
			}
		}
	}
	const last = 165
	for code := Code(1); code <= last; code++ {
		isTerm := code != 4 && code != 125 // the standard has no BT-4; BT-125 is an attached file
		if (seen[code] == 1) != isTerm {
			t.Errorf("%v is %d times in the file", code, seen[code])
		}
	}
}

func TestParseCode(t *testing.T) {
	for text, want := range map[string]Code{"BT-115": 115, "BG-5": -5, "BT-": 0, "115": 0, "BT-x": 0, "": 0} {
		if got := ParseCode(text); got != want || want != 0 && got.String() != text {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestPathsHaveConditions(t *testing.T) {
	path := pathOf("A/B[C/D!=x][E=@BT-5]/F[~vat]")
	if len(path) != 3 || path[1].Name != "B" || len(path[1].Conditions) != 2 {
		t.Fatalf("%+v", path)
	}
	first, second := path[1].Conditions[0], path[1].Conditions[1]
	if len(first.Path) != 2 || !first.Not || first.Value != "x" || second.Term != 5 || second.Not || !path[2].Conditions[0].VATID {
		t.Errorf("%+v, %+v", path[1], path[2])
	}
}
