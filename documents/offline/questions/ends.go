package questions

import (
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// End is one end of a range or a change.
type End int

// The ends.
const (
	NoEnd End = iota
	FirstEnd
	SecondEnd
)

// firstWords ask for the first end: the minimum, the old value, the start.
var firstWords = scan.LazySet(`minimum min minimal minimale minimaal lowest least smallest old previous former before start starting initial
	original
	current
	minimo minima menor anterior antiguo antigua antes previo previa inicial viejo vieja actual
	velho velha antigo antiga atual minime minimal plus ancien ancienne avant precedent precedente initiale actuel actuelle debut
	mindestens niedrigste niedrigster alt alte alter altes alten bisher bisherig bisherige bisheriger bisheriges bisherigen fruher fruhere
	vorher vorherige vorheriger vorheriges anfang ursprunglich ursprungliche ursprunglicher ursprungliches
	vecchio vecchia precedente prima iniziale attuale minimo laagste oud oude vorige vroegere voorheen huidige begin
	lagsta gammal gammalt gamla tidigare nuvarande fore minimalny minimalna minimalne najnizszy najnizsza stary stara stare poprzedni
	poprzednia poprzednie dotychczasowy dotychczasowa dotychczasowe przed minima vechi veche vechea vechiul precedenta inainte initiala`)

// secondWords ask for the second end: the maximum, the new value, the end.
var secondWords = scan.LazySet(`maximum max maximal maximale maximaal highest most largest new after end ending final changed revised
	maximo maxima mayor nuevo nueva despues final novo nova depois maior nouveau nouvelle nouvel apres finale maximale
	hochstens hochste hochster neu neue neuer neues neuen nachher kunftig kunftige kunftiger kunftiges geandert
	nuovo nuova dopo massimo massima hoogste nieuw nieuwe daarna hogsta ny nytt nya efter slutlig
	maksymalny maksymalna maksymalne najwyzszy najwyzsza nowy nowa nowe po nou noua noul dupa maximum`) //nolint:misspell // Polish

// firstEdges and secondEdges ask for an end if they are the last word of a name: salary_from,
// gültig bis.
var (
	firstEdges  = scan.LazySet("from von ab desde de du dal dalla van vanaf fran od din")
	secondEdges = scan.LazySet("to until till bis hasta ate au al alla tot till do pana jusqu jusqua")
)

// endHeads are the beginnings of compounds that ask for an end.
var endHeads = []struct {
	head string
	end  End
}{
	{"mindest", FirstEnd}, {"minimum", FirstEnd}, {"minimal", FirstEnd},
	{"hochst", SecondEnd}, {"maximum", SecondEnd}, {"maximal", SecondEnd},
}

// endOfConcept maps concepts to the end that they imply.
var endOfConcept = map[string]End{
	"contract start": FirstEnd, "arrival": FirstEnd, "opening balance": FirstEnd,
	"contract end": SecondEnd, "departure": SecondEnd, "deadline": SecondEnd, "due date": SecondEnd,
	"closing balance": SecondEnd,
}

// endOfTerms returns the end that terms name: the start of a contract or its end.
func endOfTerms(terms []string) End {
	isStart, isEnd := slices.Contains(terms, "START"), slices.Contains(terms, "END")
	switch {
	case isStart && !isEnd:
		return FirstEnd
	case isEnd && !isStart:
		return SecondEnd
	}
	return NoEnd
}

// cutEnd removes the words that ask for an end from a variable, and returns which end they ask for.
// If name and description ask for different ends, the variable asks for none.
func cutEnd(v answers.Variable) (rest answers.Variable, asked End) {
	name, byName := cutEndWords(SplitName(v.Name))
	description, byDescription := cutEndWords(Shorten(v.Description))
	rest = answers.Variable{Name: name, Type: v.Type, Description: description}
	switch {
	case byName == NoEnd || byName == byDescription:
		return rest, byDescription
	case byDescription == NoEnd:
		return rest, byName
	}
	return v, NoEnd
}

// EndOf returns the end that the words of a label name, such as "old price".
func EndOf(label string) End {
	_, end := cutEndWords(Shorten(label))
	return end
}

// cutEndWords removes the words for an end from a text. It changes nothing if the text asks for
// both ends.
func cutEndWords(text string) (rest string, asked End) {
	words := scan.Words(text)
	var kept []string
	inPhrase := 0 // words of a phrase that means something as a whole, such as "before tax"
	for i, w := range words {
		if n := phraseWords(words[i:]); n > 1 {
			inPhrase = max(inPhrase, n)
		}
		if inPhrase > 0 {
			inPhrase--
			kept = append(kept, w.At.In(text))
			continue
		}
		named, left := endOfWord(w.Text)
		if named == NoEnd && i > 0 && i == len(words)-1 {
			named, left = endOfLastWord(w.Text)
		}
		if named != NoEnd && asked != NoEnd && named != asked {
			return text, NoEnd
		}
		if asked = max(asked, named); left == w.Text {
			left = w.At.In(text)
		}
		if left != "" {
			kept = append(kept, left)
		}
	}
	return strings.Join(kept, " "), asked
}

// phraseWords returns the number of words of the longest phrase at the beginning of words.
func phraseWords(words []scan.Word) int {
	_, own := questionGrammar().longest(words)
	return max(own, lexicon.Business().FormWords(words))
}

// endOfWord returns the end that a word asks for, and the rest of a compound.
func endOfWord(word string) (end End, rest string) {
	if firstWords()[word] {
		return FirstEnd, ""
	}
	if secondWords()[word] {
		return SecondEnd, ""
	}
	const minRestBytes = 4
	for _, h := range endHeads {
		if rest, ok := strings.CutPrefix(word, h.head); ok && len(rest) >= minRestBytes {
			return h.end, rest
		}
	}
	return NoEnd, word
}

// endOfLastWord returns the end that the last word of a name asks for.
func endOfLastWord(word string) (end End, rest string) {
	switch {
	case firstEdges()[word]:
		return FirstEnd, ""
	case secondEdges()[word]:
		return SecondEnd, ""
	}
	return NoEnd, word
}
