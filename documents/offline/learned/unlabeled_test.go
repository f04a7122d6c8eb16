package learned

import (
	"testing"

	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/values"
	"portside/documents/sample"
)

// readerOf returns a Reader of a document in the notation of package sample.
func readerOf(t *testing.T, text string) *Reader {
	t.Helper()
	d, err := sample.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	ix, err := index.New(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return NewReader(ix, values.NewReader(ix, candidates.Collect(ix)))
}

func TestValuesWithoutLabels(t *testing.T) {
	const letter = "Dear Ms Ortiz,\nwe met on 4 May 2026 and agreed on everything.\nWrite to ina@berg.example or call +49 351 4400129.\n" +
		"Our bank has DE02 1203 0000 0000 2020 51 for you."
	const vitae = "Lena Ortiz Brandt\n# Education\nUniversity of Kiel, 2011\n# Experience\nBerg Marine GmbH, since 2014"
	const flat = "The landlord lets to the tenant a flat of 68 square metres with 2 bedrooms, which stands empty."
	for _, c := range []struct {
		name, text string
		variable   answers.Variable
		want       string // the likeliest value, or empty if none is likely
	}{
		{"the only address", letter, answers.Variable{Name: "email", Type: answers.String}, "ina@berg.example"},
		{"the only phone", letter, answers.Variable{Name: "phone", Type: answers.String}, "+49 351 4400129"},
		{"the only account", letter, answers.Variable{Name: "iban", Type: answers.String}, "DE02 1203 0000 0000 2020 51"},
		{"the only date", letter, answers.Variable{Name: "q1", Type: answers.Date, Description: "date of the letter"}, "2026-05-04"},
		{"the date of something", letter, answers.Variable{Name: "birth_date", Type: answers.Date}, ""},
		{"two addresses", letter + "\nOr write to tom@hale.example.", answers.Variable{Name: "email", Type: answers.String}, ""},
		{"the name of an applicant", vitae, answers.Variable{Name: "candidate_name", Type: answers.String}, "Lena Ortiz Brandt"},
		{"things that are counted", flat, answers.Variable{Name: "bedrooms", Type: answers.Number}, "2"},
		{"a measure before its unit", flat, answers.Variable{Name: "q1", Type: answers.Number, Description: "square metres of the flat"}, "68"},
		{"other things", flat, answers.Variable{Name: "kitchens", Type: answers.Number}, ""},
		{"the name of somebody", vitae, answers.Variable{Name: "landlord", Type: answers.String}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readerOf(t, c.text)
			got := ""
			if ranked := r.Rank(ranking.Fit(r.ix, questions.New(c.variable)), Rules{}); len(ranked) > 0 && ranked[0].Score >= Likely {
				got = ranked[0].Value.Text
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestTitlesAndAddresses(t *testing.T) {
	const contract = "SUPPLY AND\nMAINTENANCE AGREEMENT\nbetween Alder Works Ltd and Fenn & Co\n" +
		"This Supply and Maintenance Agreement is made on 2 May 2026."
	const receipt = "GREEN CORNER SHOP\n12 HARBOUR ROAD\nNORTH QUAY, 40150 WESTPORT\nTEL: 03-5569500\nTOTAL 12.00\nCASH 20.00"
	for _, c := range []struct {
		text string
		kind questions.Shape
		want string
	}{
		{contract, questions.TitleShape, "SUPPLY AND MAINTENANCE AGREEMENT"},
		{contract, questions.TitleShape, "Supply and Maintenance Agreement"},
		{receipt, questions.AddressShape, "12 HARBOUR ROAD, NORTH QUAY, 40150 WESTPORT"},
	} {
		t.Run(c.want, func(t *testing.T) {
			r := readerOf(t, c.text)
			found := r.titles()
			if c.kind == questions.AddressShape {
				found = r.addresses()
			}
			for _, f := range found {
				if f.answer.Value.Text == c.want {
					return
				}
			}
			t.Errorf("%d candidates, none is %q", len(found), c.want)
		})
	}
}
