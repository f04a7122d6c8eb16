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
	"portside/shared/media"
)

// Limits of the service.
const (
	maxLanguages    = 5      // with vocabularies in one job
	maxPhraseChars  = 255    // characters
	maxPhrasesBytes = 50_000 // bytes of all entries
)

// vocabulary is the content of a custom vocabulary.
type vocabulary struct {
	code    types.LanguageCode
	name    string   // in the service
	phrases []string // sorted
}

// newVocabularies writes the keywords of a recording as phrases of vocabularies, in the languages that can spell most
// of them. Languages that can spell equally many stay in their order. A warning names keywords that no
// language can spell.
func (t *Transcriber) newVocabularies(r media.Recording, languages []answers.Lang) (lists []vocabulary, warnings []string) {
	used := map[string]bool{}
	type fit struct {
		vocabulary
		keywords []string
	}
	var all []fit
	for _, lang := range languages {
		if l, isKnown := languageOf(lang); isKnown {
			phrases, spelled := l.phrases(r.Keywords)
			all = append(all, fit{vocabulary{code: l.code, phrases: phrases}, spelled})
		}
	}
	slices.SortStableFunc(all, func(a, b fit) int { return cmp.Compare(len(b.keywords), len(a.keywords)) })
	for _, f := range all[:min(len(all), maxLanguages)] {
		if len(f.phrases) == 0 {
			continue
		}
		f.name = t.customerPrefix(r.Customer) + contentHash(f.vocabulary)
		lists = append(lists, f.vocabulary)
		for _, keyword := range f.keywords {
			used[keyword] = true
		}
	}
	return lists, unusedKeywords(r.Keywords, used)
}

// phrases returns the phrases for the keywords, and the keywords that can be spelled.
func (t language) phrases(keywords []string) (phrases, spelled []string) {
	seen, size := map[string]bool{}, 0
	for _, keyword := range keywords {
		phrase, ok := t.phrase(keyword)
		if !ok || !seen[phrase] && size+len(phrase) >= maxPhrasesBytes {
			continue
		}
		spelled = append(spelled, keyword)
		if !seen[phrase] {
			seen[phrase] = true
			size += len(phrase) + 1
			phrases = append(phrases, phrase)
		}
	}
	slices.Sort(phrases)
	return phrases, spelled
}

// phrase returns the keyword with its words joined by hyphens. It returns false for a keyword with
// letters of another language, or with digits or symbols, which would have to be spelled as they are
// spoken.
func (t language) phrase(keyword string) (string, bool) {
	words := strings.FieldsFunc(norm.NFC.String(keyword), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) || r == '_'
	})
	var out strings.Builder
	for i, word := range words {
		if i > 0 {
			out.WriteByte('-')
		}
		hasLetter := false
		for _, r := range strings.ReplaceAll(word, "’", "'") {
			letter, ok := t.letter(r)
			if !ok {
				return "", false
			}
			hasLetter = hasLetter || unicode.IsLetter(letter)
			out.WriteRune(letter)
		}
		if !hasLetter {
			return "", false
		}
	}
	return out.String(), out.Len() > 0 && utf8.RuneCountInString(out.String()) <= maxPhraseChars
}

// customerPrefix begins the names of a customer's vocabularies.
func (t *Transcriber) customerPrefix(customer string) string {
	sum := sha256.Sum256([]byte(customer))
	return t.namePrefix() + hex.EncodeToString(sum[:8]) + "_"
}

// contentHash returns the same text for the same phrases in the same language.
func contentHash(l vocabulary) string {
	sum := sha256.Sum256([]byte(string(l.code) + "\n" + strings.Join(l.phrases, "\n")))
	return hex.EncodeToString(sum[:])
}

// unusedKeywords returns a warning that names the first three keywords that were not used.
func unusedKeywords(keywords []string, used map[string]bool) []string {
	const maxNamed = 3
	var dropped []string
	for _, keyword := range keywords {
		if !used[keyword] {
			dropped = append(dropped, keyword)
		}
	}
	if len(dropped) == 0 {
		return nil
	}
	names := strings.Join(dropped[:min(len(dropped), maxNamed)], ", ")
	if len(dropped) > maxNamed {
		names += " and others"
	}
	return []string{fmt.Sprintf("The transcription service takes only keywords of letters, and a limited number of them. "+
		"%d of %d were left out: %s.",
		len(dropped), len(keywords), names)}
}
