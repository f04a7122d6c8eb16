package mediatranscribe

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/transcribe/types"
	"golang.org/x/text/unicode/norm"

	"portside/documents/answers"
)

// Limits of the service.
const (
	mostLanguages = 5      // with vocabularies in one job
	mostOfEntry   = 255    // characters
	mostOfList    = 50_000 // bytes of all entries
)

// list is what a vocabulary holds.
type list struct {
	code    types.LanguageCode
	name    string   // of the vocabulary
	phrases []string // sorted
}

// listsOf writes the keywords as entries of vocabularies in the languages that take most of them; languages that take as many
// keep their order. One warning says what none of them takes.
func listsOf(keywords []string, languages []answers.Lang) (lists []list, warnings []string) {
	taken := map[string]bool{}
	type fit struct {
		list
		keywords []string
	}
	var all []fit
	for _, lang := range languages {
		if t, known := tongueOf(lang); known {
			phrases, of := t.phrases(keywords)
			all = append(all, fit{list{code: t.code, phrases: phrases}, of})
		}
	}
	slices.SortStableFunc(all, func(a, b fit) int { return cmp.Compare(len(b.keywords), len(a.keywords)) })
	for _, f := range all[:min(len(all), mostLanguages)] {
		if len(f.phrases) == 0 {
			continue
		}
		f.name = nameOf(f.list)
		lists = append(lists, f.list)
		for _, keyword := range f.keywords {
			taken[keyword] = true
		}
	}
	return lists, leftOut(keywords, taken)
}

// phrases are the keywords that can be entries, and as what.
func (t tongue) phrases(keywords []string) (phrases, of []string) {
	seen, size := map[string]bool{}, 0
	for _, keyword := range keywords {
		phrase, ok := t.phrase(keyword)
		if !ok || !seen[phrase] && size+len(phrase) >= mostOfList {
			continue
		}
		of = append(of, keyword)
		if !seen[phrase] {
			seen[phrase] = true
			size += len(phrase) + 1
			phrases = append(phrases, phrase)
		}
	}
	slices.Sort(phrases)
	return phrases, of
}

// phrase is the keyword with its words joined by hyphens. It is false for one with figures or signs, which would have to be
// spelt as they are spoken, and with letters of another language.
func (t tongue) phrase(keyword string) (string, bool) {
	words := strings.FieldsFunc(norm.NFC.String(keyword), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) || r == '_'
	})
	var out strings.Builder
	for i, word := range words {
		if i > 0 {
			out.WriteByte('-')
		}
		spoken := false
		for _, r := range strings.ReplaceAll(word, "’", "'") {
			letter, ok := t.letter(r)
			if !ok {
				return "", false
			}
			spoken = spoken || unicode.IsLetter(letter)
			out.WriteRune(letter)
		}
		if !spoken {
			return "", false
		}
	}
	return out.String(), out.Len() > 0 && utf8.RuneCountInString(out.String()) <= mostOfEntry
}

// nameOf is the same for the same entries in the same language.
func nameOf(l list) string {
	sum := sha256.Sum256([]byte(string(l.code) + "\n" + strings.Join(l.phrases, "\n")))
	return ours + hex.EncodeToString(sum[:])
}

// leftOut says which keywords were not taken, by the first three.
func leftOut(keywords []string, taken map[string]bool) []string {
	const named = 3
	var dropped []string
	for _, keyword := range keywords {
		if !taken[keyword] {
			dropped = append(dropped, keyword)
		}
	}
	if len(dropped) == 0 {
		return nil
	}
	names := strings.Join(dropped[:min(len(dropped), named)], ", ")
	if len(dropped) > named {
		names += " and others"
	}
	return []string{fmt.Sprintf("The transcription service takes keywords of letters only, and not too many: %d of %d were left out: %s.",
		len(dropped), len(keywords), names)}
}
