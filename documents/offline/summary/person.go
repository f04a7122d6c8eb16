package summary

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/lazyregexp"
	"portside/documents/offline/language"
	"portside/documents/offline/scan"
)

// personName returns the name at the top of a curriculum vitae, or an empty string for other documents. A curriculum
// vitae says so or has an address, and it has two of the usual sections.
func personName(d *documents.Document) string {
	const maxBlocks, minSections, top, topLines = 500, 2, 15, 6
	sections, isLabelled := 0, false
	for i := range d.Blocks[:min(len(d.Blocks), maxBlocks)] {
		text := d.Blocks[i].Text
		if isCVSection(text) {
			sections++
		}
		isLabelled = isLabelled || i < top && (cvTitle().MatchString(text) || address().MatchString(text))
	}
	if sections < minSections || !isLabelled {
		return ""
	}
	lines := strings.Split(d.First(min(len(d.Blocks), topLines)).Text(), "\n")
	for _, line := range lines[:min(len(lines), topLines)] {
		if name := nameIn(line); name != "" {
			return name
		}
	}
	return ""
}

var (
	cvTitle = lazyregexp.New(`(?i)^(curriculum( vitae)?|cv|résumé|resume|lebenslauf|meritförteckning|życiorys)\b`)
	address = lazyregexp.New(`\S@\S+\.\p{L}|\+?\d[\d /()-]{7,}\d`)
	// nameLabel is what comes before a name or after it: "Name: Ada Berg", "Ada Berg – Resume", "Ada Berg, pilot".
	nameLabel = lazyregexp.New(`(?i)^(name|nombre|nome|nom|naam|namn|imię i nazwisko|nume|curriculum vitae|cv|lebenslauf|` +
		`résumé|resume)\s*[:–-]?\s+|\s+[–|-]\s.*$|,.*$`)
)

// nameIn returns the name that a line consists of, or an empty string.
func nameIn(line string) string {
	const minWords, maxWords = 2, 5
	name := nameLabel().ReplaceAllString(oneLine(line), "")
	words := strings.Fields(name)
	isName := len(words) >= minWords && len(words) <= maxWords && !strings.ContainsAny(name, "0123456789@:!?/") && !isCVSection(name)
	for _, w := range words {
		r, _ := utf8.DecodeRuneInString(w)
		isName = isName && (unicode.IsUpper(r) || nameParticles()[w]) && !cvTitle().MatchString(w)
	}
	if !isName || language.EndsSentence(name) {
		return ""
	}
	return name
}

var nameParticles = scan.LazySet("von van de der den da di del la le du dos das zu af av")

// isCVSection reports a short line such as "Work experience".
func isCVSection(text string) bool {
	const maxBytes, maxWords = 60, 4
	words := strings.Fields(plainHeading(text[:min(len(text), maxBytes)]))
	return len(words) <= maxWords && !language.EndsSentence(text) &&
		slices.ContainsFunc(words, func(w string) bool { return cvSections()[strings.Trim(w, "&,:")] })
}

var cvSections = sync.OnceValue(func() map[string]bool {
	sections := map[string]bool{}
	for _, words := range summaryWords()["sections of a CV"] {
		scan.AddWords(sections, words)
	}
	return sections
})
