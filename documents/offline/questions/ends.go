package questions

import (
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// end is one end of a range or change.
type End int

const (
	NoEnd End = iota
	FirstEnd
	SecondEnd
)

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

var secondWords = scan.LazySet(`maximum max maximal maximale maximaal highest most largest new after end ending final changed revised
	maximo maxima mayor nuevo nueva despues final novo nova depois maior nouveau nouvelle nouvel apres finale maximale
	hochstens hochste hochster neu neue neuer neues neuen nachher kunftig kunftige kunftiger kunftiges geandert
	nuovo nuova dopo massimo massima hoogste nieuw nieuwe daarna hogsta ny nytt nya efter slutlig
	maksymalny maksymalna maksymalne najwyzszy najwyzsza nowy nowa nowe po nou noua noul dupa maximum`) //nolint:misspell // Polish

// firstEdges and secondEdges ask for an end where they close a name: salary_from, gültig bis.
var (
	firstEdges  = scan.LazySet("from von ab desde de du dal dalla van vanaf fran od din")
	secondEdges = scan.LazySet("to until till bis hasta ate au al alla tot till do pana jusqu jusqua")
)

// endHeads are the beginnings of compounds.
var endHeads = []struct {
	head string
	end  End
}{
	{"mindest", FirstEnd}, {"minimum", FirstEnd}, {"minimal", FirstEnd},
	{"hochst", SecondEnd}, {"maximum", SecondEnd}, {"maximal", SecondEnd},
}

// endOfConcept are what means an end by itself.
var endOfConcept = map[string]End{
	"contract start": FirstEnd, "arrival": FirstEnd, "opening balance": FirstEnd,
	"contract end": SecondEnd, "departure": SecondEnd, "deadline": SecondEnd, "due date": SecondEnd, "closing balance": SecondEnd,
}

// cutEnd takes the words out of a variable that ask for an end of a range or change.
func cutEnd(v answers.Variable) (rest answers.Variable, asked End) {
	name, byName := cutEndWords(SplitName(v.Name))
	told, byTold := cutEndWords(Shorten(v.Description))
	rest = answers.Variable{Name: name, Type: v.Type, Description: told}
	switch {
	case byName == NoEnd || byName == byTold:
		return rest, byTold
	case byTold == NoEnd:
		return rest, byName
	}
	return v, NoEnd
}

// cutEndWords leaves out the words for an end; none where a text asks for both.
func cutEndWords(text string) (rest string, asked End) {
	words := scan.Words(text)
	var kept []string
	for i, w := range words {
		said, left := endOfWord(w.Text)
		if said == NoEnd && i > 0 && i == len(words)-1 {
			said, left = edgeOf(w.Text)
		}
		if said != NoEnd && asked != NoEnd && said != asked {
			return text, NoEnd
		}
		if asked = max(asked, said); left == w.Text {
			left = text[w.At.Start:w.At.End]
		}
		if left != "" {
			kept = append(kept, left)
		}
	}
	return strings.Join(kept, " "), asked
}

func endOfWord(word string) (said End, left string) {
	if firstWords()[word] {
		return FirstEnd, ""
	}
	if secondWords()[word] {
		return SecondEnd, ""
	}
	const least = 4
	for _, h := range endHeads {
		if rest, ok := strings.CutPrefix(word, h.head); ok && len(rest) >= least {
			return h.end, rest
		}
	}
	return NoEnd, word
}

// edgeOf reads the last word of a name.
func edgeOf(word string) (said End, left string) {
	switch {
	case firstEdges()[word]:
		return FirstEnd, ""
	case secondEdges()[word]:
		return SecondEnd, ""
	}
	return NoEnd, word
}

// endIn is the end that a text names last; none if it names none.
func EndIn(text string) End {
	words := scan.Words(text)
	for _, w := range slices.Backward(words) {
		if said, _ := endOfWord(w.Text); said != NoEnd {
			return said
		}
	}
	return NoEnd
}
