package summary

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/internal/scale"
	"portside/documents/offline/language"
)

// backPointing are sentences that need the one before, in each language.
var backPointing = map[answers.Lang][]string{
	"en": {"This raises the price by 300 euros.", "They pay 1,200 euros in May.", "Therefore the harbour closes on 4 May.", "On the other hand the roof costs 900 euros."},
	"es": {"Esto aumenta el precio en 300 euros.", "Por lo tanto el puerto cierra el 4 de mayo."},
	"pt": {"Isso aumenta o preço em 300 euros.", "Portanto o porto fecha em 4 de maio."},
	"fr": {"Cela augmente le prix de 300 euros.", "C’est pourquoi le port ferme le 4 mai."},
	"de": {"Dies erhöht den Preis um 300 Euro.", "Deshalb schließt der Hafen am 4. Mai."},
	"it": {"Questo aumenta il prezzo di 300 euro.", "Pertanto il porto chiude il 4 maggio."},
	"nl": {"Dit verhoogt de prijs met 300 euro.", "Daarom sluit de haven op 4 mei."},
	"sv": {"Detta höjer priset med 300 euro.", "Därför stänger hamnen den 4 maj."},
	"pl": {"To podnosi cenę o 300 euro.", "Dlatego port zamyka się 4 maja."},
	"ro": {"Aceasta mărește prețul cu 300 de euro.", "Prin urmare portul se închide la 4 mai."},
}

// A sentence that points back follows the sentence to which it points, and brackets and quotation marks have partners.
func TestSentencesStandAlone(outer *testing.T) {
	all := examples(outer)
	broken := []string{`The harbour master said (in May that the quay is safe.`, `“The price is 1,200 euros.`, `He paid "4,000 euros in May.`}
	rapid.Check(scale.Checks(outer), func(t *rapid.T) {
		e := rapid.SampledFrom(all).Draw(t, "example")
		lines := strings.Split(e.text, "\n")
		for range rapid.IntRange(1, 6).Draw(t, "more lines") {
			more := rapid.SampledFrom(slices.Concat(backPointing[e.lang], broken)).Draw(t, "line")
			lines = slices.Insert(lines, rapid.IntRange(1, len(lines)).Draw(t, "at"), more)
		}
		d := documentOf(outer, strings.Join(lines, "\n"))
		text := plain(d.Text())
		for _, length := range lengths {
			summary, err := Summarize(outer.Context(), d, answers.SummarySettings{Length: length, Shape: answers.AsBullets})
			if err != nil {
				t.Fatal(err)
			}
			before := ""
			for _, line := range linesIn(summary.Text) {
				if isBroken(line) {
					t.Fatalf("%s: broken: %q", length, line)
				}
				if pointsBack(line, e.lang) && !strings.Contains(text, plain(before+" "+line)) && !strings.HasPrefix(text, plain(line)) {
					t.Fatalf("%s: %q follows %q", length, line, before)
				}
				before = line
			}
		}
	})
}

func TestPointingBack(t *testing.T) {
	for lang, list := range backPointing {
		for _, text := range list {
			if !pointsBack(text, lang) {
				t.Errorf("%s: %q stands alone", lang, text)
			}
		}
	}
	for text, lang := range map[string]answers.Lang{
		"This agreement ends in May.": "en", "However, the roof leaks.": "en", "Those Ltd shares rose.": "fr", "The boat left.": "en",
		"Dieser Vertrag endet im Mai.": "de", "Das Boot fährt.": "de", "Ce contrat prend fin en mai.": "fr", "Este contrato termina en mayo.": "es",
		"Thistle grows here.": "en", "Denna rapport handlar om båtar.": "sv",
	} {
		if pointsBack(text, lang) {
			t.Errorf("%s: %q points back", lang, text)
		}
	}
}

func TestLinesThatNobodyPrints(t *testing.T) {
	prose := "The harbour of Lunt will be dredged from May to August so that larger ships can enter it.\n" +
		"Dredging costs 4 million euros, which the region and the shipping companies share.\n" +
		"Ships with a draught of up to nine metres can then call at the harbour at any tide.\n"
	for _, line := range []string{
		"Berg, A. (2019). The harbour of Lunt and its ships. Harbour Review, 12(3), pp. 4–19.",
		"Berg, Ada; Dahl, Carl, eds. (May 2019).",
		"The harbour software of Lunt is licensed under the MIT license and may be used by ships.",
		"Sections 4 and 9 about the harbour of Lunt shall survive any termination of this contract.",
		"We would like to thank the harbour of Lunt and the shipping companies for 4 million euros.",
		"Termination of Harbour Works and Other Events.",
		"The region and the harbour of Lunt agree on these terms: 1.",
		"# References\nThe harbour of Lunt costs the region 4 million euros for larger ships, Lunt 2019.",
		"# References\n## Books\nThe harbour of Lunt costs the region 4 million euros for larger ships, as all say.",
		"# 7. Acknowledgments\nThe harbour of Lunt and its larger ships were measured by Ada Berg in May.",
	} {
		summary := summaryOf(t, documentOf(t, prose+line), answers.SummarySettings{Length: answers.Long}).Text
		last := line[strings.LastIndex(line, "\n")+1:]
		if strings.Contains(summary, last) || !strings.Contains(summary, "dredged") {
			t.Errorf("%q is in %q", line, summary)
		}
	}
}

func TestCitationsAreCut(t *testing.T) {
	got := summaryOf(t, documentOf(t, "Ducks dive[1] for fish.[2][3] Geese do not.[4]"), answers.SummarySettings{Length: answers.Long}).Text
	if want := "Ducks dive for fish. Geese do not."; got != want {
		t.Errorf("got %q", got)
	}
}

func TestLabelsOfClausesAreCut(t *testing.T) {
	for is, want := range map[string]string{
		"2.1 The tenant pays.": "The tenant pays.", "10.2.3. “Rent” is due.": "“Rent” is due.", "c. The tenant pays.": "The tenant pays.",
		"2.1 million euros are due.": "2.1 million euros are due.", "J. Stone pays.": "J. Stone pays.",
	} {
		if got := withoutLabel(is); got != want {
			t.Errorf("%q: got %q", is, got)
		}
	}
}

func TestSummaryOfACurriculumVitaeHasTheName(t *testing.T) {
	for lang, heads := range map[answers.Lang][2]string{
		"en": {"Work experience", "Education"}, "de": {"Berufserfahrung", "Ausbildung"}, "fr": {"Expérience professionnelle", "Formation"},
		"pl": {"Doświadczenie zawodowe", "Wykształcenie"},
	} {
		text := fmt.Sprintf("Ada van Lunt\nada@example.com\n# %s\nHarbour master of Lunt since 2019, with a staff of twelve people.\n"+
			"Pilot in Corran from 2011 to 2019.\n# %s\nDiploma of the naval school of Visby in 2010, with honours.", heads[0], heads[1])
		if got := summaryOf(t, documentOf(t, text), answers.SummarySettings{}).Text; !strings.HasPrefix(got, "Ada van Lunt") {
			t.Errorf("%s: %q", lang, got)
		}
	}
	for text, want := range map[string]string{
		"# Lebenslauf\nName: Ada van Lunt\n# Sprachen\n# Studium":                "Ada van Lunt",
		"Ada Lunt, Pilot\n+46 70 123 45 67\nWork Experience\nLanguages & skills": "Ada Lunt",
		"Harbour Report\noffice@example.com\n# Costs\n# Education":               "",
		"Harbour Report\n# Experience\n# Education":                              "",
	} {
		if got := personName(documentOf(t, text)); got != want {
			t.Errorf("%q has the name %q", text, got)
		}
	}
}

// What the hint asks for comes first.
func TestHintComesFirst(t *testing.T) {
	for _, e := range examples(t) {
		last := e.must[len(e.must)-1]
		lines := linesIn(summaryOf(t, e.document(t), answers.SummarySettings{Length: answers.Long, Hint: last, Shape: answers.AsBullets}).Text)
		wanted := hintStems(last, e.lang, language.NewStemmer(e.lang))
		if overlap(stemsOf(lines[0], e.lang), wanted) == 0 {
			t.Errorf("%s %s: asked for %q, got first %q", e.lang, e.name, last, lines[0])
		}
	}
}

func stemsOf(text string, lang answers.Lang) map[string]bool {
	stems := map[string]bool{}
	for _, stem := range language.NewStemmer(lang).Stems(text) {
		stems[stem] = true
	}
	return stems
}

// A summary of tables, sentences and a name keeps to its length, with each line once.
func TestTablesKeepToTheLength(t *testing.T) {
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		blocks := []documents.Block{{Kind: documents.Paragraph, Text: "Ada Lunt"}, {Kind: documents.Paragraph, Text: "ada@example.com"}}
		for range rapid.IntRange(0, 4).Draw(r, "sections") {
			blocks = append(blocks, documents.Block{Kind: documents.Heading, Level: 1, Text: "Education"})
		}
		for n := range rapid.IntRange(0, 8).Draw(r, "sentences") {
			text := fmt.Sprintf("The harbour of town %d was built in 19%d.", n, n+10)
			blocks = append(blocks, documents.Block{Kind: documents.Paragraph, Text: text})
		}
		for n := range rapid.IntRange(1, 40).Draw(r, "rows") {
			cells := make([]string, rapid.IntRange(1, 40).Draw(r, "cells"))
			for i := range cells {
				cells[i] = fmt.Sprintf("word%d of %d", n, i)
			}
			blocks = append(blocks, row(1+n/20, n%20 == 0, cells...))
		}
		d := built(t, documents.DOCX, blocks...)
		for _, length := range lengths {
			summary := summaryOf(t, d, answers.SummarySettings{Length: length, Shape: answers.AsBullets, Hint: "word7"})
			lines := linesIn(summary.Text)
			if words := wordCount(strings.Join(lines, " ")); words > maxWords[length] || len(lines) > maxLines[length] {
				r.Fatalf("%s: %d words in %d lines: %q", length, words, len(lines), lines)
			}
			slices.Sort(lines)
			if len(slices.Compact(slices.Clone(lines))) < len(lines) {
				r.Fatalf("%s: a line twice: %q", length, lines)
			}
		}
	})
}
