package index

import (
	"slices"
	"testing"

	"portside/documents"
	"portside/documents/offline/dates"
	"portside/documents/offline/scan"
)

func read(t *testing.T, text string) *Index {
	t.Helper()
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
		t.Fatal(err)
	}
	ix, err := New(t.Context(), into.Document())
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]Duration{
		"a notice of three (3) months":   {Value: "3", Unit: "MONTHS"},
		"within 30 calendar days":        {Value: "30", Unit: "DAYS"},
		"eine Frist von vier Wochen":     {Value: "4", Unit: "WEEKS"},
		"the total is 30 EUR a month":    {},
		"the months after the first one": {},
	} {
		t.Run(text, func(t *testing.T) {
			ix := read(t, text)
			found := ix.DurationsIn(scan.Between(0, len(text)))
			if want == (Duration{}) {
				if len(found) > 0 {
					t.Errorf("%q: %+v, want none", text, found)
				}
				return
			}
			if len(found) != 1 || found[0].Value != want.Value || found[0].Unit != want.Unit {
				t.Errorf("%q: %+v, want %s %s", text, found, want.Value, want.Unit)
			}
		})
	}
}

func TestRanges(t *testing.T) {
	for text, want := range map[string]Range{
		"from 3,850 to 4,920 EUR":          {Values: [2]string{"3850", "4920"}},
		"between 5 and 7 days":             {Values: [2]string{"5", "7"}, HasUnit: true},
		"5 or 6":                           {Values: [2]string{"5", "6"}, Either: true},
		"from 20 to 27 November 2026":      {Values: [2]string{"2026-11-20", "2026-11-27"}, IsDate: true},
		"1 May 2026 until 31 July 2026":    {Values: [2]string{"2026-05-01", "2026-07-31"}, IsDate: true},
		"5 ladders, 6 ropes":               {},
		"rent of 5 EUR, deposit of 10 EUR": {},
	} {
		t.Run(text, func(t *testing.T) {
			found := read(t, text).Ranges
			if want == (Range{}) {
				if len(found) > 0 {
					t.Errorf("%q: %+v, want none", text, found)
				}
				return
			}
			if len(found) != 1 {
				t.Errorf("%q: %+v, want one range", text, found)
				return
			}
			got := found[0]
			if got.Values != want.Values || got.IsDate != want.IsDate || got.Either != want.Either ||
				got.HasUnit != want.HasUnit {
				t.Errorf("%q: %+v, want %+v", text, got, want)
			}
		})
	}
}

func TestAnchors(t *testing.T) {
	for text, want := range map[string]dates.Anchor{
		"due 30 days after 5 May 2026":      dates.PeriodOffset,
		"30 Tage nach dem 5. Mai 2026":      dates.PeriodOffset,
		"for 12 months from 5 May 2026":     dates.PeriodStart,
		"due on 5 May 2026":                 dates.NotAnchor,
		"30 days are a lot. Due 5 May 2026": dates.NotAnchor,
	} {
		t.Run(text, func(t *testing.T) {
			found := read(t, text).Dates
			if len(found) != 1 || found[0].Anchor != want {
				t.Errorf("%q: %+v, want anchor %d", text, found, want)
			}
		})
	}
}

func TestNumbersOfDatesAreNotNumbers(t *testing.T) {
	ix := read(t, "On 5 May 2026 and on 30 February 2026 we paid 12 EUR.")
	if len(ix.Numbers) != 1 || ix.Numbers[0].Value != "12" {
		t.Errorf("numbers: %+v, want 12 only", ix.Numbers)
	}
	if len(ix.Dates) != 1 || len(ix.InvalidDates) != 1 || len(ix.AllDatesIn(scan.Between(0, len(ix.Text)))) != 2 {
		t.Errorf("dates %+v, invalid %+v", ix.Dates, ix.InvalidDates)
	}
}

func TestSimilarTermsMatchOtherForms(t *testing.T) {
	ix := read(t, "The monthly rent of the warehouses")
	found := ix.SimilarTerms([]string{"RENT", "warehouse", "TOTAL"})
	if !found["RENT"] || found["TOTAL"] {
		t.Errorf("found %v, want RENT and not TOTAL", found)
	}
	isWarehouse := func(term string) bool { return found[term] && term[0] == 'w' }
	if !slices.ContainsFunc(ix.AllTerms, isWarehouse) {
		t.Errorf("no form of warehouse in %v", found)
	}
}
