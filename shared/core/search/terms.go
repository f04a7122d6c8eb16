package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxTermBytes  = 100   // a longer text is found by its beginning
	maxInputBytes = 4_000 // more than a name of 200 characters has with accents
	maxNameTerms  = 3     // each costs a write
)

// Terms returns the search terms of a resource with an email address, which may be empty; see TermsOf.
func Terms(address, name string) []string { return TermsOf(name, address) }

// TermsOf returns the search terms of a resource, without duplicates: its name, the rest of the name from its second
// and third word on, and its identifiers, which may be empty. So "Ada Byron" is found by "ada b" and by "byron", and an
// identifier by its beginning.
func TermsOf(name string, identifiers ...string) []string {
	terms := fromEachWord(fold(name))
	for _, identifier := range identifiers {
		if term := Normal(identifier); term != "" && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	return terms
}

// Matches reports whether the text of a query finds one of the terms. Errors: ErrText.
func Matches(terms []string, text string) (bool, error) {
	text = Normal(text)
	if text == "" {
		return false, ErrText
	}
	return slices.ContainsFunc(terms, func(term string) bool { return strings.HasPrefix(term, text) }), nil
}

// fromEachWord returns the terms that begin with the first words of a folded name.
func fromEachWord(name string) []string {
	var terms []string
	isInWord := false
	for i, c := range name {
		if isWordPart(c) && !isInWord && len(terms) < maxNameTerms {
			if term := cut(name[i:]); !slices.Contains(terms, term) {
				terms = append(terms, term)
			}
		}
		isInWord = isWordPart(c) || isInWord && c == '\'' // an apostrophe does not end a word
	}
	if len(terms) == 0 && name != "" { // it has only signs
		return []string{cut(name)}
	}
	return terms
}

func isWordPart(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }

// lookalikes replaces letters and signs that people type differently and that Unicode does not decompose.
var lookalikes = strings.NewReplacer(
	"ß", "ss", "ς", "σ", "ı", "i", "ł", "l", "ø", "o", "đ", "d", "ð", "d", "ħ", "h", "ŧ", "t", "æ", "ae", "œ", "oe", "þ", "th",
	"’", "'", "‘", "'", "ʼ", "'", "‐", "-", "‒", "-", "–", "-", "—", "-", "−", "-",
)

// Normal returns the text of a query, or an identifier, as search terms have it: folded, without signs in front, and at
// most 100 bytes long.
func Normal(text string) string {
	text = fold(text)
	if first := strings.IndexFunc(text, isWordPart); first > 0 {
		text = text[first:]
	}
	return cut(text)
}

// fold returns a text in lower case, without accents and invisible characters, and with single spaces.
func fold(text string) string {
	if len(text) > maxInputBytes {
		text = text[:maxInputBytes]
	}
	text = norm.NFKD.String(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Mn, unicode.Cf) {
			return -1
		}
		return c
	}, norm.NFKD.String(strings.ToLower(text)))
	return strings.Join(strings.Fields(lookalikes.Replace(text)), " ")
}

// cut shortens a text to the length of a term.
func cut(text string) string {
	if len(text) <= maxTermBytes {
		return text
	}
	end := maxTermBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSuffix(text[:end], " ")
}
