package mediaprompt

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents/answers"
	"portside/documents/lazyregexp"
)

// verdict is what a quote says by itself of whether something holds.
type verdict int

const (
	open verdict = iota // nothing, or both
	yes
	no
)

// What a whole answer is made of, in the ten languages, and what only goes with it.
const (
	affirms = "yes y true sí si sim oui vrai ja wahr tak prawda da adevărat sì vero verdadero verdadeiro waar sant sann"
	denies  = "no n not none never false nein nicht kein keine keiner nie niemals falsch falso ninguno ninguna nunca não nao nenhum nenhuma " +
		"non pas aucun aucune jamais faux nessuno nessuna nee neen niet geen nooit onwaar nej inte ingen inget inga aldrig falskt " +
		"brak żaden żadna fałsz nu niciun nicio fals"
	softens = "yet still noch todavía aún ainda encore ancora nog än ännu jeszcze încă"
)

var (
	replies = lazyregexp.New(`[:：?=|\t]\s*([^:：?=|\t\n,;.!(]+)`)
	ticked  = lazyregexp.New(`☒|☑|✓|✔|\[[xX]\]`)
	empty   = lazyregexp.New(`☐|□|\[ ?\]`)
	humps   = lazyregexp.New(`(\p{Ll})(\p{Lu})`)
)

// booleanIn is how sure a boolean is. The quote need not have it literally; one that says the contrary in so many words speaks
// against it, unless the variable itself asks for the contrary (unpaid, where the document has "Paid: no").
func booleanIn(quote, value string, v answers.Variable) float64 {
	told, found := says(quote), wordsOf(quote)
	switch contrary := told == yes && value == "false" || told == no && value == "true"; {
	case contrary && !opposes(v, found):
		return 0
	case contrary, len(found) < 2 && !slices.ContainsFunc(wordsOf(v.Name+" "+v.Description), among(found)):
		return partly
	}
	return read
}

// says is the one verdict of the boxes and the answers in a quote, or open where they differ.
func says(quote string) verdict {
	if boxes := len(ticked().FindAllString(quote, 2)) + len(empty().FindAllString(quote, 2)); boxes > 0 {
		return boxed(quote, boxes)
	}
	all := []verdict{answer(quote)}
	if found := replies().FindAllStringSubmatch(quote, -1); found != nil {
		all = nil
		for _, one := range found {
			all = append(all, answer(one[1]))
		}
	}
	all = slices.Compact(slices.DeleteFunc(all, func(one verdict) bool { return one == open }))
	if len(all) != 1 {
		return open
	}
	return all[0]
}

// boxed is what one box says. Of several, it is open which label is whose; and one that is not ticked, of a no, says nothing.
func boxed(quote string, boxes int) verdict {
	label := empty().ReplaceAllString(ticked().ReplaceAllString(quote, " "), " ")
	denied := slices.ContainsFunc(wordsOf(label), among(strings.Fields(denies)))
	switch {
	case boxes > 1:
		return open
	case empty().MatchString(quote) && denied:
		return open
	case empty().MatchString(quote):
		return no
	case answer(label) == no:
		return no
	case denied:
		return open
	}
	return yes
}

// answer is the verdict of a text that is nothing else.
func answer(text string) verdict {
	found := slices.DeleteFunc(wordsOf(text), among(strings.Fields(softens)))
	switch {
	case len(found) == 0:
		return open
	case !slices.ContainsFunc(found, outside(strings.Fields(denies))):
		return no
	case !slices.ContainsFunc(found, outside(strings.Fields(affirms))):
		return yes
	}
	return open
}

// longestPrefix is in bytes, of a word that turns another into its contrary: un, non, nicht.
const longestPrefix = 5

// opposes reports whether the name of a variable denies, or has a word of the quote behind a prefix.
func opposes(v answers.Variable, found []string) bool {
	name := wordsOf(v.Name)
	if slices.ContainsFunc(name, among(strings.Fields(denies))) {
		return true
	}
	return slices.ContainsFunc(name, func(word string) bool {
		return slices.ContainsFunc(found, func(part string) bool {
			rest, ends := strings.CutSuffix(word, part)
			return ends && rest != "" && len(rest) <= longestPrefix && len(part) > len("no")
		})
	})
}

// wordsOf are the words and figures of a text in lower case; those of a name are parted at its humps as well.
func wordsOf(text string) []string {
	parts := func(r rune) bool { return !isWord(r) && !unicode.IsMark(r) }
	return strings.FieldsFunc(strings.ToLower(humps().ReplaceAllString(text, "$1 $2")), parts)
}

func among(list []string) func(string) bool {
	return func(word string) bool { return slices.Contains(list, word) }
}

func outside(list []string) func(string) bool {
	return func(word string) bool { return !slices.Contains(list, word) }
}
