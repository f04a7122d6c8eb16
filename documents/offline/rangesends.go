package offline

import (
	"slices"
	"strings"

	"portside/documents/answers"
)

// end is one end of a range or change.
type end int

const (
	noEnd end = iota
	firstEnd
	secondEnd
)

var firstWords = setsOf(`minimum min minimal minimale minimaal lowest least smallest old previous former before start starting initial
	original
	current
	minimo minima menor anterior antiguo antigua antes previo previa inicial viejo vieja actual
	velho velha antigo antiga atual minime minimal plus ancien ancienne avant precedent precedente initiale actuel actuelle debut
	mindestens niedrigste niedrigster alt alte alter altes alten bisher bisherig bisherige bisheriger bisheriges bisherigen fruher fruhere
	vorher vorherige vorheriger vorheriges anfang ursprunglich ursprungliche ursprunglicher ursprungliches
	vecchio vecchia precedente prima iniziale attuale minimo laagste oud oude vorige vroegere voorheen huidige begin
	lagsta gammal gammalt gamla tidigare nuvarande fore minimalny minimalna minimalne najnizszy najnizsza stary stara stare poprzedni
	poprzednia poprzednie dotychczasowy dotychczasowa dotychczasowe przed minima vechi veche vechea vechiul precedenta inainte initiala`)

var secondWords = setsOf(`maximum max maximal maximale maximaal highest most largest new after end ending final changed revised
	maximo maxima mayor nuevo nueva despues final novo nova depois maior nouveau nouvelle nouvel apres finale maximale
	hochstens hochste hochster neu neue neuer neues neuen nachher kunftig kunftige kunftiger kunftiges geandert
	nuovo nuova dopo massimo massima hoogste nieuw nieuwe daarna hogsta ny nytt nya efter slutlig
	maksymalny maksymalna maksymalne najwyzszy najwyzsza nowy nowa nowe po nou noua noul dupa maximum`) //nolint:misspell // Polish

// firstEdges and secondEdges ask for an end where they close a name: salary_from, gültig bis.
var (
	firstEdges  = setsOf("from von ab desde de du dal dalla van vanaf fran od din")
	secondEdges = setsOf("to until till bis hasta ate au al alla tot till do pana jusqu jusqua")
)

// endHeads are the beginnings of compounds.
var endHeads = []struct {
	head string
	end  end
}{
	{"mindest", firstEnd}, {"minimum", firstEnd}, {"minimal", firstEnd},
	{"hochst", secondEnd}, {"maximum", secondEnd}, {"maximal", secondEnd},
}

// endOfConcept are what means an end by itself.
var endOfConcept = map[string]end{
	"contract start": firstEnd, "arrival": firstEnd, "opening balance": firstEnd,
	"contract end": secondEnd, "departure": secondEnd, "deadline": secondEnd, "due date": secondEnd, "closing balance": secondEnd,
}

// cutEnd takes the words out of a variable that ask for an end of a range or change.
func cutEnd(v answers.Variable) (rest answers.Variable, asked end) {
	name, byName := cutEndWords(spaced(v.Name))
	told, byTold := cutEndWords(boundedText(v.Description))
	rest = answers.Variable{Name: name, Type: v.Type, Description: told}
	switch {
	case byName == noEnd || byName == byTold:
		return rest, byTold
	case byTold == noEnd:
		return rest, byName
	}
	return v, noEnd
}

// cutEndWords leaves out the words for an end; none where a text asks for both.
func cutEndWords(text string) (rest string, asked end) {
	words := wordsOf(text)
	var kept []string
	for i, w := range words {
		said, left := endOfWord(w.text)
		if said == noEnd && i > 0 && i == len(words)-1 {
			said, left = edgeOf(w.text)
		}
		if said != noEnd && asked != noEnd && said != asked {
			return text, noEnd
		}
		if asked = max(asked, said); left == w.text {
			left = text[w.at.start:w.at.end]
		}
		if left != "" {
			kept = append(kept, left)
		}
	}
	return strings.Join(kept, " "), asked
}

func endOfWord(word string) (said end, left string) {
	if firstWords()[word] {
		return firstEnd, ""
	}
	if secondWords()[word] {
		return secondEnd, ""
	}
	const least = 4
	for _, h := range endHeads {
		if rest, ok := strings.CutPrefix(word, h.head); ok && len(rest) >= least {
			return h.end, rest
		}
	}
	return noEnd, word
}

// edgeOf reads the last word of a name.
func edgeOf(word string) (said end, left string) {
	switch {
	case firstEdges()[word]:
		return firstEnd, ""
	case secondEdges()[word]:
		return secondEnd, ""
	}
	return noEnd, word
}

// endIn is the end that a text names last; none if it names none.
func endIn(text string) end {
	words := wordsOf(text)
	for _, w := range slices.Backward(words) {
		if said, _ := endOfWord(w.text); said != noEnd {
			return said
		}
	}
	return noEnd
}
