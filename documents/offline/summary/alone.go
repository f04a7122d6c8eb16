package summary

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"portside/documents/answers"
	"portside/documents/lazyregexp"
	"portside/documents/offline/language"
	"portside/documents/offline/scan"
)

// pointsBack reports whether a sentence needs the one before it: it begins with a word such as "therefore" or "this". A
// sentence about the document itself, such as "This agreement ends in May.", does not.
func pointsBack(text string, lang answers.Lang) bool {
	const maxWords = 6
	words := strings.Fields(strings.ToLower(strings.TrimLeft(withoutOpener(withoutLabel(text), lang), `"'([«„“‘`)))
	words = words[:min(len(words), maxWords)]
	for i := range words {
		words[i] = strings.TrimFunc(words[i], unicode.IsPunct)
	}
	first := strings.Join(words, " ") + " "
	if !slices.ContainsFunc(pointingWords(lang), func(p string) bool { return strings.HasPrefix(first, p+" ") }) {
		return false
	}
	return !slices.ContainsFunc(words[1:], func(w string) bool { return documentNouns()[lang][w] })
}

func pointingWords(lang answers.Lang) []string {
	return strings.Split(summaryWords()["pointing"][lang], "|")
}

// documentNouns are words for a document and its parts, by language.
var documentNouns = sync.OnceValue(func() map[answers.Lang]map[string]bool {
	nouns := map[answers.Lang]map[string]bool{}
	for lang, words := range summaryWords()["self"] {
		nouns[lang] = scan.SetOf(words)
	}
	return nouns
})

// isBroken reports whether a sentence is only a part of one: it has a bracket or a quotation mark without its partner, or
// a line to fill in.
func isBroken(text string) bool {
	text = listLetters().ReplaceAllString(text, "")
	depth := 0
	for _, r := range text {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return depth != 0 || strings.Count(text, `"`)%2 != 0 || strings.Count(text, "“") > strings.Count(text, "”")+strings.Count(text, "„") ||
		strings.Contains(text, "----") || strings.Contains(text, "____") || endsInNumber().MatchString(text)
}

// endsInNumber matches an introduction that ends with the number of the first item: "as follows: 1."
var endsInNumber = lazyregexp.New(`: \(?[\p{L}\d]{1,3}[.)]$`)

// isTitle reports a heading with a full stop: "Termination for Cause." German nouns have capitals too.
func isTitle(text string, lang answers.Lang) bool {
	const maxWords, maxSmall = 10, 3
	words := strings.Fields(strings.TrimSuffix(withoutLabel(text), "."))
	if lang == "de" || len(words) > maxWords {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool {
		return len(w) > maxSmall && language.StartsLower(w) && !language.AllStopWords()[w]
	})
}

// listLetters matches letters and numbers of items in a sentence: "a) rent, b) heating".
var listLetters = lazyregexp.New(`(^|[\s,;])[\p{L}\d]{1,3}\)`)

// isReference reports an entry of a list of sources.
func isReference(text string) bool { return reference().MatchString(text) }

var reference = lazyregexp.New(`(?i)\bdoi(\.org|:)|\barxiv:|\bisbn\b|^\[\d+\]|^\^|\bpp\. ?\d|` +
	`^[\p{L}'’-]+, (\p{L}\.[ ,&-]*)+.*\(?\d{4}[a-z]?\)?[.,:]|^\p{L}[\p{L}'’-]+, \p{L}.*\(([^)]* )?\d{4}[a-z]?\)[.,]?$`)

// citation matches the numbers of sources in a text: "It floats.[12]"
var citation = lazyregexp.New(`([\p{L}\d.,;:!?"”)\]])(\[\d{1,3}\])+( |$)`)

// isSkippedSection reports the heading of a section of sources, licenses or thanks.
func isSkippedSection(heading string) bool {
	const maxBytes = 40
	return len(heading) <= maxBytes && skippedSections()[plainHeading(heading)]
}

var skippedSections = sync.OnceValue(func() map[string]bool {
	sections := map[string]bool{}
	for _, list := range summaryWords()["skipped sections"] {
		for heading := range strings.SplitSeq(list, "|") {
			sections[heading] = true
		}
	}
	return sections
})

// plainHeading returns a heading in lower case without its number and punctuation.
func plainHeading(heading string) string {
	return strings.ToLower(strings.TrimFunc(heading, func(r rune) bool { return !unicode.IsLetter(r) }))
}

// clauseNumber matches the number or letter in front of a clause: "2.1 The", "c. The".
var clauseNumber = lazyregexp.New(`^(\d{1,3}(\.\d{1,3})+\.?|[a-z]\.) (["“„«(]?\p{Lu}\p{L}+)`)

// withoutLabel removes the bullet or number of a list item or a clause.
func withoutLabel(text string) string {
	if m := clauseNumber().FindStringSubmatchIndex(text); m != nil {
		return text[m[6]:]
	}
	if !language.IsListItem(text) {
		return text
	}
	_, rest, _ := strings.Cut(text, " ")
	return rest
}
