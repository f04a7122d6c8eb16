package summary

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/answers"
	"portside/documents/offline/language"
	"portside/documents/offline/numbers"
	"portside/documents/offline/scan"
)

// prior weighs a sentence before it is compared with others.
type prior struct {
	stems    *language.Stemmer
	cues     map[string]bool
	title    map[string]bool
	headings []string
	sections map[int]map[string]bool // stems of headings, by section
	watch    *scan.Watch
	hint     map[string]bool
	dangling map[string]bool
	phrases  []string
}

func newPrior(m *material, stems *language.Stemmer, hint string) *prior {
	p := &prior{stems: stems, cues: map[string]bool{}, dangling: scan.SetOf(summaryWords()["pronouns"][m.lang]),
		headings: m.headings, sections: map[int]map[string]bool{}, watch: m.watch}
	for _, stem := range stems.Stems(summaryWords()["cues"][m.lang]) {
		p.cues[stem] = true
	}
	p.title = p.section(0)
	if m.headings[0] == "" && len(m.headings) > 1 {
		p.title = p.section(1)
	}
	p.hint = hintStems(hint, m.lang, stems)
	for _, list := range summaryWords()["boilerplate"] {
		p.phrases = append(p.phrases, strings.Split(list, "|")...)
	}
	return p
}

// section returns the stems of the heading of a section.
func (p *prior) section(i int) map[string]bool {
	set, known := p.sections[i]
	if !known {
		set = p.stemSet(p.headings[i][:min(len(p.headings[i]), scan.MaxStretch)])
		p.sections[i] = set
	}
	return set
}

func (p *prior) stemSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, stem := range p.stems.Stems(text) {
		set[stem] = true
	}
	return set
}

// hintStems returns the stems of a hint. The language of a hint is unknown, so the stop words of
// all languages are left out, and a common business word also counts in the language of the
// document.
func hintStems(hint string, lang answers.Lang, stems *language.Stemmer) map[string]bool {
	wanted := map[string]bool{}
	language.EachWord(hint, func(word string) {
		if language.AllStopWords()[word] {
			return
		}
		for _, known := range append(translations(word, lang), word) {
			if stem := stems.Stem(known); stem != "" {
				wanted[stem] = true
			}
		}
	})
	return wanted
}

// of returns the weight of sentence i of n. An ordinary sentence has weight 1.
func (p *prior) of(s *sentence, i, n int) float64 {
	own := p.stemSet(s.text)
	weight := position(s, i, n) * length(s) * (1 + 0.55*p.facts(s.text))
	weight *= 1 + 0.4*share(own, p.title) + 0.3*share(own, p.section(s.section))
	weight *= 1 + 0.4*math.Min(3, float64(overlap(own, p.cues)))
	if p.dangling[strings.ToLower(language.FirstWord(s.text))] {
		weight *= 0.7
	}
	if p.isBoilerplate(s.text) {
		weight *= 0.05
	}
	return weight
}

// hintShare returns how much of the hint a sentence has, from 0 to 1.
func (p *prior) hintShare(s *sentence) float64 {
	own := p.stemSet(s.text)
	if slices.Contains([]answers.Lang{"de", "nl", "sv"}, p.stems.Lang) {
		for _, word := range slices.Collect(maps.Keys(own)) {
			for asked := range p.hint {
				if isPart(word, asked) {
					own[asked] = true // the Versand and the Kosten of Versandkosten
				}
			}
		}
	}
	return share(own, p.hint)
}

// isPart reports whether a compound begins or ends with a word.
func isPart(compound, word string) bool {
	const least, rest = 4, 3 // bytes
	return len(word) >= least && len(compound) >= len(word)+rest && (strings.HasPrefix(compound, word) || strings.HasSuffix(compound, word))
}

// position weighs the place of a sentence: the beginning of the document matters most, then the
// beginning of a section.
func position(s *sentence, i, n int) float64 {
	weight := 1 + 0.5*math.Exp(-float64(i)/(1+0.08*float64(n)))
	if s.first {
		weight += 0.25
	}
	return weight
}

// length weighs the length of a sentence. Fragments, very long sentences, questions, labels and
// introductions to lists have low weights.
func length(s *sentence) float64 {
	weight := 1.0
	switch {
	case s.words < 4:
		weight = 0.1
	case s.words < 7:
		weight = 0.6
	case s.words < 10:
		weight = 0.85
	case s.words > 40:
		weight = 0.6
	}
	switch {
	case strings.HasSuffix(s.text, ":"), strings.HasSuffix(s.text, ","):
		weight *= 0.1
	case strings.HasSuffix(s.text, "?"):
		weight *= 0.5
	case s.words <= maxEntryWords && isEntry(s.text):
		weight *= 0.2
	case !s.whole && s.item:
		weight *= 0.8
	case !s.whole:
		weight *= 0.35
	case language.StartsLower(s.text) && !s.item:
		weight *= 0.2 // the end of a sentence without its beginning
	}
	return weight
}

// maxEntryWords limits the words of a label with its value.
const maxEntryWords = 12

// isEntry reports a label with its value: "Landlord: Clear Harbour Ltd."
func isEntry(text string) bool {
	label, value, found := strings.Cut(text, ": ")
	const maxLabelWords = 4
	return found && value != "" && wordCount(label) <= maxLabelWords
}

// facts returns how many names, dates and amounts a sentence has, from 0 to 2. In German, capitals
// do not identify names.
func (p *prior) facts(text string) float64 {
	found := 0.0
	for i, word := range strings.Fields(text) {
		first, _ := utf8.DecodeRuneInString(word)
		switch {
		case money[strings.ToLower(strings.TrimRight(word, language.SentenceEnds+",;"))] || strings.ContainsAny(word, "€$£%"):
			found += 0.6
		case strings.ContainsAny(word, "0123456789") || numbers.SmallNumbers()[scan.Fold(strings.ToLower(word))] > 2:
			found += 0.5
		case i > 0 && p.stems.Lang != "de" && unicode.IsUpper(first):
			found += 0.15
		}
	}
	return math.Min(found, 2)
}

// money are the words that stand beside amounts.
var money = map[string]bool{
	"eur": true, "usd": true, "gbp": true, "chf": true, "pln": true, "sek": true, "ron": true, "kr": true, "zł": true,
	"lei":  true,
	"euro": true, "euros": true, "kronor": true, "pounds": true, "dollars": true, "million": true, "percent": true,
}

// isBoilerplate reports text that is in every document of a company, such as a disclaimer.
func (p *prior) isBoilerplate(text string) bool {
	const maxBytes = 1_000
	if len(text) > maxBytes {
		return false
	}
	lower := strings.ToLower(text)
	for _, phrase := range p.phrases {
		if strings.Contains(lower, phrase) {
			return true
		}
	}
	return mostlyCapitals(text)
}

func mostlyCapitals(text string) bool {
	upper, letters := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		}
		if unicode.IsUpper(r) {
			upper++
		}
	}
	return letters == 0 || (letters > 12 && 10*upper > 8*letters)
}

// overlap counts the stems that both sets have.
func overlap(of, with map[string]bool) int {
	count := 0
	for stem := range of {
		if with[stem] {
			count++
		}
	}
	return count
}

// share returns how much of the wanted stems a sentence has, from 0 to 1.
func share(own, wanted map[string]bool) float64 {
	if len(wanted) == 0 {
		return 0
	}
	return float64(overlap(own, wanted)) / float64(min(len(wanted), 4))
}
