package learned

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// grid is an invoice whose heads stand over their values, as PDF readers report it: each line is a block, and its words
// have places.
func grid(t *testing.T) *Reader {
	t.Helper()
	b := documents.NewBuilder(documents.PDF, documents.DefaultLimits())
	b.Page()
	for _, line := range []struct {
		top   float64
		words []documents.Word
		text  string
	}{
		{100, []documents.Word{word(0, "Invoice", 50), word(8, "no.", 90), word(12, "Date", 200), word(17, "Total", 350)}, "Invoice no.\tDate\tTotal"},
		{114, []documents.Word{word(0, "4711", 50), word(5, "2026-04-02", 200), word(16, "119.00", 350)}, "4711\t2026-04-02\t119.00"},
		{300, []documents.Word{word(0, "Nordlicht", 50), word(10, "GmbH", 98)}, "Nordlicht GmbH"},
	} {
		for i := range line.words {
			line.words[i].Box.Top, line.words[i].Box.Bottom = line.top, line.top+10
		}
		if err := b.Add(documents.Block{Kind: documents.Paragraph, Text: line.text, Words: line.words}); err != nil {
			t.Fatal(err)
		}
	}
	ix, err := index.New(t.Context(), b.Document())
	if err != nil {
		t.Fatal(err)
	}
	return NewReader(ix, values.NewReader(ix, candidates.Collect(ix)))
}

func word(start int, text string, left float64) documents.Word {
	return documents.Word{Start: start, Text: text, Box: documents.Box{Left: left, Right: left + 5*float64(len(text))}}
}

func TestLabelsStandAboveTheirValues(t *testing.T) {
	r := grid(t)
	total := r.layout.pieceAt(strings.Index(r.ix.Text, "119.00"))
	got := r.pieceLabels(total)[over]
	if len(got) == 0 || got[0].At.In(r.ix.Text) != "Total" {
		t.Errorf("label %v", got)
	}
	q := ranking.Fit(r.ix, questions.New(answers.Variable{Name: "total", Type: answers.Number}))
	if best := r.Rank(q, Rules{})[0]; best.Value.Text != "119" {
		t.Errorf("the likeliest value is %q", best.Value.Text)
	}
}

func TestWordsFarApartAreDifferentPieces(t *testing.T) {
	var got []string
	r := grid(t)
	for _, p := range r.layout.pieces {
		got = append(got, p.at.In(r.ix.Text))
	}
	if want := "Invoice no.|Date|Total|4711|2026-04-02|119.00|Nordlicht GmbH"; strings.Join(got, "|") != want {
		t.Errorf("pieces %q", got)
	}
}

// Training asks again as if the document did not have the right values. The answers of the rules with these values go,
// too.
func TestValuesCanBeLeftOut(t *testing.T) {
	r := grid(t)
	q := ranking.Fit(r.ix, questions.New(answers.Variable{Name: "total", Type: answers.Number}))
	right := values.NumberAnswer(r.ix.Numbers[len(r.ix.Numbers)-1], 1)
	rules := Rules{Ranked: []ranking.Answer{right}, Found: true}
	isRight := func(a ranking.Answer) bool { return a.Key == right.Key }
	for _, c := range r.Candidates(q, rules, isRight) {
		if isRight(c.Answer) || c.Features[rulesFindNothing] != 1 {
			t.Errorf("candidate %q with rulesFindNothing %v", c.Answer.Value.Text, c.Features[rulesFindNothing])
		}
	}
	found := false
	for _, c := range r.Candidates(q, rules, func(ranking.Answer) bool { return false }) {
		found = found || isRight(c.Answer) && c.Features[isRulesAnswer] == 1
	}
	if !found {
		t.Error("the answer of the rules is no candidate")
	}
}

func TestEqualAnswersAddUp(t *testing.T) {
	at := func(start int) scan.Span { return scan.Between(start, start+1) }
	list := []ranking.Answer{{Key: "a", At: at(1)}, {Key: "b", At: at(2)}, {Key: "a", At: at(3)}}
	ranked := Ranked(list, []float64{0.2, 0.4, 0.3})
	if best := ranked[0]; len(ranked) != 2 || best.Score != 0.5 || best.At != at(3) || ranked[1].Score != 0.4 {
		t.Errorf("ranked %+v, want first the likelier place of the value with the highest sum", ranked)
	}
	if ranked := Ranked(nil, nil); len(ranked) != 0 {
		t.Errorf("ranked %+v of nothing", ranked)
	}
}

// Of equal values, the evidence is the one whose label the rules found.
func TestEvidenceIsWhereTheRulesFoundTheValue(t *testing.T) {
	r := grid(t)
	q := ranking.Fit(r.ix, questions.New(answers.Variable{Name: "total", Type: answers.Number}))
	byRules := values.NumberAnswer(r.ix.Numbers[len(r.ix.Numbers)-1], 1)
	byRules.At = scan.Between(0, len("Invoice"))
	if best := r.Rank(q, Rules{Ranked: []ranking.Answer{byRules}, Found: true})[0]; best.At != byRules.At ||
		best.Score == 1 {
		t.Errorf("found %+v", best)
	}
}

// A copy of the rest of the line for each word made a document of one long line take minutes.
func TestLongLinesAreReadOnce(t *testing.T) {
	b := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	text := strings.Repeat("A1 Word ", 10_000)
	if err := b.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
		t.Fatal(err)
	}
	ix, err := index.New(t.Context(), b.Document())
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(ix, values.NewReader(ix, candidates.Collect(ix)))
	for name, read := range map[string]func(){
		"codes": func() { r.codes(r.layout.pieces[0].at, true) },
		"names": func() { r.namesIn(0) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		read()
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1_000*uint64(len(text)) {
			t.Errorf("%s: %d bytes allocated for a text of %d", name, bytes, len(text))
		}
	}
}

// A part of a name takes probability from the whole one, so that neither is certain enough.
func TestPartsOfNamesAndTitlesAreNoCandidates(t *testing.T) {
	b := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	for _, line := range []string{"Herrn", "Kunden AG Nord"} {
		if err := b.Add(documents.Block{Kind: documents.Paragraph, Text: line}); err != nil {
			t.Fatal(err)
		}
	}
	ix, err := index.New(t.Context(), b.Document())
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(ix, values.NewReader(ix, candidates.Collect(ix)))
	part := scan.Between(strings.Index(ix.Text, "AG"), len(ix.Text))
	byRules := values.StringAnswer(ix.Text, part, 1)
	q := ranking.Fit(ix, questions.New(answers.Variable{Name: "customer", Type: answers.String}))
	var found []string
	for _, c := range r.candidates(q, Rules{Ranked: []ranking.Answer{byRules}}) {
		found = append(found, c.answer.Value.Text)
	}
	if want := []string{"Kunden AG Nord"}; !slices.Equal(found, want) {
		t.Errorf("candidates %q, want %q", found, want)
	}
}
