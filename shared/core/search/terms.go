package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxTerm = 100 // bytes; a longer text is found by its beginning
	maxName = 3   // terms of a name: each costs a write
)

// Terms returns the terms of a resource: its whole address, if it has one, and its name from each of the first words on.
// So "Ada Byron" is found by "ada b" and by "byron".
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
		if isPart && !isInWord && i > 0 && len(terms) < maxName {
			terms = append(terms, name[i:])
		}
		isInWord = isPart || isInWord && !unicode.IsSpace(c) && c != '-'
	}
	return terms
}

// Normal returns a text as terms have it: in lower case, without accents, with single spaces, and at most maxTerm bytes long.
func Normal(text string) string {
	const longest = 4 * maxTerm // characters, so that the work is bounded; accents can be characters of their own
	if len(text) > longest {
		text = text[:longest]
	}
	text = norm.NFKD.String(strings.ToLower(norm.NFKD.String(strings.ToValidUTF8(text, "\uFFFD"))))
	text = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return c
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxTerm {
		return text
	}
	end := maxTerm
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return strings.TrimSuffix(text[:end], " ")
}
