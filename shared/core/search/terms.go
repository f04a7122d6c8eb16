package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxTermBytes  = 100 // a longer text is found by its beginning
	maxInputBytes = 400 // more than a term needs, because accents can be characters of their own
	maxNameTerms  = 3   // each costs a write
)

// Terms returns the search terms of a resource, without duplicates: its address, if it has one, its name, and the rest of the name from its
// second and third word on. So "Ada Byron" is found by "ada b" and by "byron". Each has at most 100 bytes.
func Terms(address, name string) []string {
	terms := fromEachWord(Normal(name))
	if address = Normal(address); address != "" && !slices.Contains(terms, address) {
		terms = append(terms, address)
	}
	return terms
}

// fromEachWord returns a normal text, and the texts that begin with its next words.
func fromEachWord(name string) []string {
	if name == "" {
		return nil
	}
	terms := []string{name}
	isInWord := false
	for i, c := range name {
		isPart := unicode.IsLetter(c) || unicode.IsNumber(c)
		if isPart && !isInWord && i > 0 && len(terms) < maxNameTerms {
			terms = append(terms, name[i:])
		}
		isInWord = isPart || isInWord && c == '\'' // an apostrophe does not end a word
	}
	return terms
}

// lookalikes replaces letters and signs that people type differently and that Unicode does not decompose.
var lookalikes = strings.NewReplacer(
	"ß", "ss", "ς", "σ", "ı", "i", "ł", "l", "ø", "o", "đ", "d", "ð", "d", "ħ", "h", "ŧ", "t", "æ", "ae", "œ", "oe", "þ", "th",
	"’", "'", "‘", "'", "ʼ", "'", "‐", "-", "‒", "-", "–", "-", "—", "-", "−", "-",
)

// Normal returns a text as search terms have it: in lower case, without accents and invisible characters, with single spaces, and at most
// 100 bytes long.
func Normal(text string) string {
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
	text = strings.Join(strings.Fields(lookalikes.Replace(text)), " ")
	if len(text) <= maxTermBytes {
		return text
	}
	end := maxTermBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSuffix(text[:end], " ")
}
