package mediaprompt

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"portside/documents"
	"portside/documents/answers"
	"portside/testclient/scale"
)

func TestLocateReturnsTextOfDocument(t *testing.T) {
	for _, test := range []struct{ text, quote, want string }{
		{"a Total: 5 b", "Total: 5", "Total: 5"},
		{"Total:\t1.234,50\n€ due", "Total: 1.234,50 €", "Total:\t1.234,50\n€"},
		{"x „Zitat“ – Ende", `"zitat" - ende`, "„Zitat“ – Ende"},
		{"It’s  DUE", "it's due", "It’s  DUE"},
		{"İstanbul ẞ", "ẞ", "ẞ"},
		{"a Total: 5 b", "  Total: 5\n", "Total: 5"},
		{"soft", "so\u00adft", "soft"},
		{"Total: 512, Total: 5.", "Total: 5", "Total: 5"}, // the second one
		{"合計金額は500円です", "金額は500円", "金額は500円"},
		{"Annual", "Ann", ""},
		{"2015", "15", ""},
		{"Total: 1.234,50", "Total: 1", ""},
		{"Total: 1.234,50", "50", ""},
		{"Section 1. 5 items", "5 items", "5 items"},
		{"abc", "", ""},
		{"a - b", " - ", ""},
		{"abc", "abcd", ""},
		{"", "x", ""},
		{strings.Repeat("word ", 900), strings.TrimSpace(strings.Repeat("word ", 500)), ""}, // too long
	} {
		t.Run(test.quote+" in "+test.text, func(t *testing.T) {
			p := newPart(test.text, 0)
			at, ok := p.locate(test.quote)
			if ok != (test.want != "") || p.text[at.from:at.to] != test.want {
				t.Errorf("%v %v", at, ok)
			}
		})
	}
	at, ok := newPart("Total: 512, Total: 5.", 0).locate("Total: 5")
	if !ok || at.from != 12 {
		t.Errorf("found within a number: %v", at)
	}
}

func TestParseValue(t *testing.T) {
	for _, test := range []struct {
		kind      answers.Type
		raw, want string
	}{
		{answers.Number, `12.50`, "12.50"},
		{answers.Number, `-3`, "-3"},
		{answers.Number, `1.5e3`, "1500"},
		{answers.Number, `-0.0`, "0"},
		{answers.Number, `1e400`, ""},
		{answers.Number, `1e30`, ""},
		{answers.Number, `1e-300`, ""},
		{answers.Number, `"12"`, ""},
		{answers.Number, `1,234`, ""},
		{answers.Number, `0x10`, ""},
		{answers.Number, `NaN`, ""},
		{answers.Number, `null`, ""},
		{answers.Number, strings.Repeat("1", 41), ""},
		{answers.Boolean, `true`, "true"},
		{answers.Boolean, `"true"`, ""},
		{answers.Boolean, `1`, ""},
		{answers.Date, `"2026-03-05"`, "2026-03-05"},
		{answers.Date, `"2026-3-5"`, "2026-03-05"},
		{answers.Date, `"2026-03-05T23:30:00Z"`, "2026-03-05"},
		{answers.Date, `"2026-02-30"`, ""},
		{answers.Date, `"0000-01-01"`, ""},
		{answers.Date, `"05/03/2026"`, ""},
		{answers.Date, `20260305`, ""},
		{answers.String, `" a\u0000\n b "`, "a b"},
		{answers.String, `""`, ""},
		{answers.String, `["a"]`, ""},
		{answers.String, `{"value": "a"}`, ""},
		{answers.String, ``, ""},
	} {
		t.Run(string(test.kind)+" "+test.raw, func(t *testing.T) {
			if got := parseValue(test.kind, json.RawMessage(test.raw)); got != newValue(test.kind, test.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// claim is a value with its quote, and the expected confidence and text.
type claim struct {
	kind         answers.Type
	value, quote string
	want         float64
	wantText     string
}

func (c claim) check(t *testing.T) {
	t.Helper()
	got, confidence := checkValue(answers.Variable{Name: "agreed", Type: c.kind}, answers.Value{Type: c.kind, Text: c.value}, c.quote)
	if confidence != c.want || got.Text != c.wantText {
		t.Errorf("%s in %q: %+v %v", c.value, c.quote, got, confidence)
	}
}

func TestCheckValue(t *testing.T) {
	for _, c := range []claim{
		{answers.String, "acme gmbh", "by ACME\nGmbH.", verified, "ACME GmbH"},
		{answers.String, "Acme", "by Acmeville", 0, ""},
		{answers.Number, "1234.50", "1.234,50 €", verified, "1234.50"},
		{answers.Number, "1234.5", "1 234,50", verified, "1234.5"},
		{answers.Number, "100", "2 100,00", verified, "100"},
		{answers.Number, "1500000", "1.5 million", verified, "1500000"},
		{answers.Number, "0.19", "19 %", verified, "0.19"},
		{answers.Number, "0", "0 items", verified, "0"},
		{answers.Number, "12", "in 2012", 0, ""},
		{answers.Number, "235", "1 + 234", 0, ""},
		{answers.Number, "1430", "1.430,00 €", verified, "1430"},
		{answers.Number, "143", "1.430,00 €", 0, ""},
		{answers.Number, "14300", "1.430,00 €", 0, ""},
		{answers.Number, "1430000", "1.430,00 €", 0, ""},
		{answers.Number, "1430000", "1.430,00 Tsd. €", verified, "1430000"},
		{answers.Number, "1430", "1.430 kg", verified, "1430"},
		{answers.Number, "1.43", "1.430 kg", verified, "1.43"},
		{answers.Number, "125", "0.125", 0, ""},
		{answers.Number, "1234567.8", "1'234'567.80", verified, "1234567.8"},
		{answers.Number, "1234567", "12,34,567.00", verified, "1234567"},
		{answers.Number, "14102026", "14.10.2026", 0, ""},
		{answers.Number, "2500000", "2,5 Mio. €", verified, "2500000"},
		{answers.Number, "2500000", "€2.5m", verified, "2500000"},
		{answers.Number, "12000", "12k", verified, "12000"},
		{answers.Number, "3000000000", "3 mil millones", verified, "3000000000"},
		{answers.Number, "2000000000000", "2 Billionen", verified, "2000000000000"},
		{answers.Number, "2000000", "2 Billionen", 0, ""},
		{answers.Number, "19", "19 %", verified, "19"},
		{answers.Number, "0.19", "19", 0, ""},
		{answers.Number, "0", "10", 0, ""},
		{answers.Number, "-500", "(500.00)", verified, "-500"},
		{answers.Number, "-500", "a loss of 500", partial, "-500"},
		{answers.Number, "5", "five", unverified, "5"},
		{answers.Boolean, "true", "it is agreed", plausible, "true"},
	} {
		t.Run(c.value+" "+c.quote, c.check)
	}
}

func TestCheckDate(t *testing.T) {
	for _, c := range []claim{
		{answers.Date, "2026-03-05", "5 March 2026", verified, "2026-03-05"},
		{answers.Date, "2026-03-05", "05.03.26", verified, "2026-03-05"},
		{answers.Date, "2026-03-05", "on 5 March", partial, "2026-03-05"},
		{answers.Date, "2026-03-05", "20260305T1200", verified, "2026-03-05"},
		{answers.Date, "2026-03-01", "in March 2026", 0, ""},
		{answers.Date, "2026-03-05", "the fifth of March", unverified, "2026-03-05"},
		{answers.Date, "2026-03-05", "the fifth of May", 0, ""},
		{answers.Date, "2026-03-14", "14.10.2026", 0, ""},
		{answers.Date, "2026-10-14", "14.10.2026", verified, "2026-10-14"},
		{answers.Date, "2026-10-14", "10:30, 14.10.2026", verified, "2026-10-14"},
		{answers.Date, "2026-10-14", "You may pay until 14.10.2026", verified, "2026-10-14"},
		{answers.Date, "2026-05-14", "You may pay until 14.10.2026", 0, ""},
		{answers.Date, "2026-05-03", "05.03.2026", 0, ""},
		{answers.Date, "2026-05-03", "05/03/2026", plausible, "2026-05-03"},
		{answers.Date, "2026-03-05", "05/03/2026", plausible, "2026-03-05"},
		{answers.Date, "2026-03-14", "3/14/2026", verified, "2026-03-14"},
		{answers.Date, "2026-03-05", "2026-03-05T12:00", verified, "2026-03-05"},
		{answers.Date, "2026-03-05", "2026-05-03", 0, ""},
		{answers.Date, "2026-05-05", "05 2026", 0, ""},
		{answers.Date, "2026-03-05", "05.03.", partial, "2026-03-05"},
		{answers.Date, "2026-03-05", "05.04.", 0, ""},
		{answers.Date, "2026-03-05", "20260503", 0, ""},
		{answers.Date, "2026-03-05", "5 March 2025", 0, ""},
		{answers.Date, "2026-03-05", "5 April 2026", 0, ""},
		{answers.Date, "2026-03-05", "le 1er avril, puis le 5 mars 2026", verified, "2026-03-05"},
		{answers.Date, "2026-04-05", "5 March to 4 April 2026", partial, "2026-04-05"},
		{answers.Date, "2026-04-04", "5 March to 4 April 2026", verified, "2026-04-04"},
		{answers.Date, "2026-03-01", "1er mars 2026", verified, "2026-03-01"},
		{answers.Date, "2026-03-05", "March the 5th, 2026", verified, "2026-03-05"},
		{answers.Date, "2026-03-05", "5 de marzo de 2026", verified, "2026-03-05"},
		{answers.Date, "2026-03-05", "5. MÄRZ 2026", verified, "2026-03-05"},
		{answers.Date, "2026-10-05", "5 października 2026", verified, "2026-10-05"},
		{answers.Date, "2026-03-05", "5 mrt. 2026", verified, "2026-03-05"},
		{answers.Date, "2026-03-05", "den 5:e mars 2026", verified, "2026-03-05"},
		{answers.Date, "2026-03-05", "5 martie 2026", verified, "2026-03-05"},
		{answers.Date, "2026-03-05", "5. března 2026", partial, "2026-03-05"},
		{answers.Date, "2026-03-05", "2026年3月5日", verified, "2026-03-05"},
	} {
		t.Run(c.value+" "+c.quote, c.check)
	}
}

func TestParseObject(t *testing.T) {
	for text, want := range map[string]bool{
		`{"a": 1}`: true, "Sure:\n```json\n{\"a\": 1}\n```": true, `<think>{"b"</think>{"a": 1} bye`: true,
		`{"a": 1`: false, `{"a": 1,}`: false, `[]`: false, ``: false, `null`: false, `{`: false, "{'a': 1}": false,
		strings.Repeat(`{"a":`, 20_000): false,
	} {
		members, err := parseObject(text)
		if (err == nil) != want || want && string(members["a"]) != "1" || !want && !errors.Is(err, ErrJunk) {
			t.Errorf("%.40q: %v, %v", text, members, err)
		}
	}
}

// The place with the best evidence is chosen. Places with other values reduce the confidence.
func TestChooseBest(t *testing.T) {
	b := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	if err := b.Add(documents.Block{Kind: documents.Paragraph, Text: "Price five. Price: 7. Price: 7 again. Price: 8."}); err != nil {
		t.Fatal(err)
	}
	d := b.Document()
	p := newPart(d.Text(), 0)
	price := answers.Variable{Name: "price", Type: answers.Number}
	all := p.checkPlaces(price, json.RawMessage(`[{"quote": "Price five", "value": 5}, {"quote": "Price: 7.", "value": 7},
		{"quote": "Price: 7 again", "value": 7}, {"quote": "Price: 7.", "value": 7}, {"quote": "Price: 8", "value": 8}, {"value": 8}, 8, null]`))
	value, quotes := chooseBest(all, d)
	if len(all) != 5 || value.Text != "7" || len(quotes) != 2 || quotes[0].Confidence >= verified || quotes[1].Quote != "Price: 7 again" {
		t.Errorf("got %+v: %+v", value, quotes)
	}
}

// Every candidate passes the checks of the service: it has the right type, and a quote at its position.
func FuzzAnswers(f *testing.F) {
	f.Add("Total:\t1.234,50 €\nDue 5 March 2026",
		`{"v1":[{"quote":"Total: 1.234,50","value":"1.234,50"}],"v2":[{"quote":"1.234,50 €","value":1234.5}]}`)
	f.Add("Due 5 March 2026",
		"```json\n{\"v3\":[{\"quote\":\"due  5 march 2026\",\"value\":\"2026-03-05\"}],\"v4\":{\"quote\":\"Due\",\"value\":true}}\n```")
	f.Add("a İ ẞ ﬁ", `{"v1":[{"quote":"i ß","value":"ẞ"}]}`)
	f.Add("x", `{"v1":null,"v2":[1e999],"v3":[{"quote":7}]}`)
	variables := []answers.Variable{
		{Name: "s", Type: answers.String}, {Name: "n", Type: answers.Number}, {Name: "d", Type: answers.Date}, {Name: "b", Type: answers.Boolean},
	}
	f.Fuzz(func(t *testing.T, text, answer string) {
		b := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
		if err := b.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
			t.Fatal(err)
		}
		d := b.Document()
		members, err := parseObject(answer)
		if err != nil {
			return
		}
		found, err := newPart(d.Text(), 0).readAnswer(members, variables)
		if err != nil {
			return
		}
		for _, v := range variables {
			checkCandidates(t, d, v, found[v.Name])
		}
		_, _ = readPoints(members)
		_, _ = readParagraph(members)
	})
}

func checkCandidates(t *testing.T, d *documents.Document, v answers.Variable, found []candidate) {
	t.Helper()
	for _, c := range found {
		e := c.evidence
		if d.Text()[e.Start:e.Start+len(e.Quote)] != e.Quote || e.Quote == "" || !utf8.ValidString(e.Quote) {
			t.Errorf("%s: %+v in %q", v.Name, e, d.Text())
		}
		if encoded, err := json.Marshal(c.value); err != nil || c.value.Type != v.Type || string(encoded) == "null" {
			t.Errorf("%s: %+v", v.Name, c.value)
		}
		if e.Confidence <= 0 || e.Confidence > 1 {
			t.Errorf("%s: %+v", v.Name, e)
		}
	}
}

// The parts together are the text. Each fits, and none ends within a character.
func TestSplitKeepsText(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab \n\tżöß合😀"))).Draw(t, "text")
		e := New(nil, Settings{PartTokens: rapid.IntRange(1, 12).Draw(t, "tokens"), MaxParts: 1 << 30})
		parts, warnings := e.split(text)
		joined := ""
		for _, p := range parts {
			most := max(e.settings.PartTokens*bytesPerToken, utf8.UTFMax)
			if p.start != len(joined) || p.text == "" || len(p.text) > most || !utf8.ValidString(p.text) {
				t.Errorf("part %q at %d", p.text, p.start)
			}
			joined += p.text
		}
		if joined != text || len(warnings) > 0 {
			t.Errorf("%q becomes %q", text, joined)
		}
	})
}

// A quote is found however its spaces and letter case differ from the text.
func TestLocateFindsCopies(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("aB1żİẞ合’–“.,:")), 1, 6, -1), 1, 12).Draw(t, "words")
		from := rapid.IntRange(0, len(words)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(words)).Draw(t, "to")
		quote := strings.ToUpper(strings.Join(words[from:to], rapid.SampledFrom([]string{" ", "\n", " \t"}).Draw(t, "gap")))
		if !strings.ContainsFunc(quote, isWord) || strings.ContainsAny(quote, "İẞ") {
			return // upper case has two forms of these
		}
		p := newPart(strings.Join(words, "  "), 0)
		at, ok := p.locate(quote)
		if !ok || fold(p.text[at.from:at.to]).text != fold(quote).text {
			t.Errorf("%q in %q: %v", quote, p.text, ok)
		}
	})
}
