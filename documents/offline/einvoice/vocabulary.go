package einvoice

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"portside/documents/offline/language"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

//go:embed words.txt
var wordsText string

// vocabulary maps words and phrases to meanings. A form is one or more folded words with a space between them.
type vocabulary struct {
	forms map[string][]string
	stems map[string][]string // forms whose last word may have an ending
}

var words = sync.OnceValue(func() vocabulary {
	v := vocabulary{forms: map[string][]string{}, stems: map[string][]string{}}
	for line := range strings.Lines(wordsText) {
		meanings, forms, isEntry := strings.Cut(strings.TrimSpace(line), ": ")
		if !isEntry || line[0] == '#' {
			continue
		}
		for form := range strings.SplitSeq(forms, ", ") {
			stem, isStem := strings.CutSuffix(form, "*")
			key := strings.TrimSpace(scan.Key(stem))
			v.forms[key] = strings.Fields(meanings)
			if isStem {
				v.stems[key] = v.forms[key]
			}
		}
	}
	return v
})

// The meanings that hold a question together and ask for nothing.
const (
	filler = "FILLER"
	aside  = "NOT" // a contrast or an example up to the next break
)

// asked is what a text asks for.
type asked struct {
	meanings []string // each once
	unknown  int      // number of words without a known meaning
	words    int
}

func (a asked) has(meaning string) bool { return slices.Contains(a.meanings, meaning) }

// and returns what two texts ask for together.
func (a asked) and(b asked) asked {
	all := asked{slices.Clone(a.meanings), a.unknown + b.unknown, a.words + b.words}
	for _, m := range b.meanings {
		all.add(m)
	}
	return all
}

func (a *asked) add(meaning string) {
	if !a.has(meaning) {
		a.meanings = append(a.meanings, meaning)
	}
}

// maxPhraseWords is the number of words in the longest phrases of words.txt; maxWords is how many words of a question
// are read.
const (
	maxPhraseWords = 6
	maxWords       = 100
)

// read returns what a text asks for. It leaves out asides such as "not the total".
func read(text string) asked {
	all := scan.Words(text)
	all = all[:min(len(all), maxWords)]
	var sequence []string
	found := asked{words: len(all)}
	for i := 0; i < len(all); {
		meanings, used := words().longest(all[i:])
		switch {
		case meanings == nil && !isEmpty(all[i].Text):
			found.unknown++
		case slices.Contains(meanings, aside):
			for i+used < len(all) && !all[i+used].AfterBreak {
				used++
			}
		case !slices.Contains(meanings, filler):
			sequence = append(sequence, meanings...)
		}
		i += used
	}
	for _, m := range taxed(sequence) {
		found.add(m)
	}
	return found
}

// isEmpty reports whether a word says nothing of what a question asks for.
func isEmpty(word string) bool {
	return stopWords()[word] || lexicon.IsFiller(word) || len(word) == 1 && !scan.IsDigit(word[0])
}

// stopWords are the stop words of all languages, folded.
var stopWords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for word := range language.AllStopWords() {
		all[scan.Fold(word)] = true
	}
	return all
})

// taxed replaces "with VAT" and "without VAT", also as "VAT included", by what such amounts are called.
func taxed(sequence []string) []string {
	var all []string
	called := map[string]string{"WITH": "GROSS", "SOFTWITH": "GROSS", "WITHOUT": "NET"}
	for i := 0; i < len(sequence); i++ {
		pair := [2]string{sequence[i], ""}
		if i+1 < len(sequence) {
			pair[1] = sequence[i+1]
		}
		isEnd := i+2 >= len(sequence) || sequence[i+2] == "AMOUNT" || sequence[i+2] == "TOTAL"
		switch {
		case pair[0] == "HOWMUCH" && pair[1] == "VAT": // "how much VAT is included" asks for the VAT
			rest := slices.DeleteFunc(slices.Clone(sequence[i+2:]), func(m string) bool { return m == "WITH" })
			return append(append(all, "AMOUNT", "VAT"), rest...)
		case pair[0] == "HOWMUCH":
			all = append(all, "AMOUNT")
		case pair[1] == "VAT" && called[pair[0]] != "":
			all = append(all, called[pair[0]])
			i++
		case pair[0] == "SOFTWITH", // such as "company with which"
			pair[0] == "WITH" && len(all) > 0 && all[len(all)-1] == "GROSS": // "with VAT included"
		case pair[0] == "VAT" && pair[1] != "SOFTWITH" && called[pair[1]] != "" && isEnd:
			all = append(all, called[pair[1]])
			i++
		default:
			all = append(all, pair[0])
		}
	}
	return all
}

// longest returns the meanings of the longest form at the beginning of the words, and its number of words. No form
// continues after a break.
func (v vocabulary) longest(all []scan.Word) (meanings []string, used int) {
	var parts []string
	used = 1
	for i, w := range all[:min(len(all), maxPhraseWords)] {
		if i > 0 && w.AfterBreak {
			break
		}
		parts = append(parts, w.Text)
		if found := v.form(strings.Join(parts, " "), len(w.Text)); found != nil {
			meanings, used = found, i+1
		}
	}
	if meanings == nil {
		meanings = v.compound(all[0].Text, maxParts)
	}
	return meanings, used
}

const (
	maxWordBytes      = 60
	minStemBytes      = 3
	longStemBytes     = 6
	veryLongWordBytes = 18
	shortEndingBytes  = 2
	maxEndingBytes    = 4 // of a long stem
	minPartBytes      = 3 // of a part of a compound
	maxParts          = 3
)

// form returns the meanings of a form, whose last word has a number of bytes. A compound comes before a form with an
// ending: Rechnungsnr is not a form of Rechnung.
func (v vocabulary) form(text string, lastWord int) []string {
	if found := v.forms[text]; found != nil {
		return found
	}
	ending := shortEndingBytes
	if lastWord >= veryLongWordBytes { // such as Leistungsempfängers, which is not the recipient of a delivery
		ending++
	}
	if found := v.stem(text, lastWord, ending); found != nil {
		return found
	}
	if len(text) == lastWord {
		if found := v.compound(text, maxParts); found != nil {
			return found
		}
	}
	if found := v.stem(text, lastWord, maxEndingBytes); found != nil {
		return found
	}
	if plain := umlauts.Replace(text); plain != text {
		return v.form(plain, lastWord-len(text)+len(plain))
	}
	return nil
}

// stem returns the meanings of the longest stem that a form begins with, if at most maxEnding bytes follow it.
func (v vocabulary) stem(text string, lastWord, maxEnding int) []string {
	for n := 0; n <= maxEnding && lastWord-n >= minStemBytes; n++ {
		if found := v.stems[text[:len(text)-n]]; found != nil && n <= endingBytes(lastWord-n) && text[len(text)-n:] != "nr" {
			return found
		}
	}
	return nil
}

// endingBytes returns how many bytes may follow a stem, because a short one begins too many other words.
func endingBytes(stem int) int {
	switch {
	case stem >= longStemBytes:
		return maxEndingBytes
	case stem == longStemBytes-1:
		return maxEndingBytes - 1
	}
	return shortEndingBytes
}

// umlauts replaces ae, oe and ue, which names of variables use instead of ä, ö and ü.
var umlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// compound returns the meanings of a compound such as Rechnungsnummer, if all its parts are known and not too many.
func (v vocabulary) compound(word string, parts int) []string {
	if len(word) > maxWordBytes || parts < 2 {
		return nil
	}
	for i := minPartBytes; i <= len(word)-len("nr"); i++ {
		tail, isLong := word[i:], len(word)-i >= minPartBytes
		if !isLong && tail != "nr" && tail != "id" {
			continue
		}
		last := v.part(tail)
		if last == nil {
			continue
		}
		for _, joint := range []string{"", "s", "es", "n", "en", "e"} {
			head, ok := strings.CutSuffix(word[:i], joint)
			if !ok || len(head) < minPartBytes {
				continue
			}
			first := v.part(head)
			if first == nil {
				first = v.compound(head, parts-1)
			}
			if first != nil {
				return slices.Concat(first, last)
			}
		}
	}
	return nil
}

// part returns the meanings of a part of a compound.
func (v vocabulary) part(text string) []string {
	found := v.forms[text]
	if found == nil && len(text) >= longStemBytes {
		found = v.stem(text, len(text), shortEndingBytes)
	}
	if len(found) == 0 || found[0] == filler || found[0] == aside {
		return nil
	}
	return found
}
