package mediaprompt

import (
	"slices"
	"strings"
	"unicode"

	"portside/documents/answers"
	"portside/documents/lazyregexp"
)

// verdict is what a quote says about whether something is true.
type verdict int

const (
	undecided verdict = iota // it says nothing, or both
	yes
	no
)

// Words of answers in the ten languages. Filler words may accompany an answer.
const (
	affirmativeWords = "yes y true sí si sim oui vrai ja wahr tak prawda da adevărat sì vero verdadero verdadeiro waar sant sann"
	negativeWords    = "no n not none never false nein nicht kein keine keiner nie niemals falsch falso ninguno ninguna nunca " +
		"não nao nenhum nenhuma " +
		"non pas aucun aucune jamais faux nessuno nessuna nee neen niet geen nooit onwaar nej inte ingen inget inga aldrig falskt " +
		"brak żaden żadna fałsz nu niciun nicio fals"
	fillerWords = "yet still noch todavía aún ainda encore ancora nog än ännu jeszcze încă"
)

var (
	replyPattern     = lazyregexp.New(`[:：?=|\t]\s*([^:：?=|\t\n,;.!(]+)`)
	tickedPattern    = lazyregexp.New(`☒|☑|✓|✔|\[[xX]\]`)
	emptyPattern     = lazyregexp.New(`☐|□|\[ ?\]`)
	camelCasePattern = lazyregexp.New(`(\p{Ll})(\p{Lu})`)
)

// checkBoolean returns the confidence in a boolean. The quote need not contain it literally. A quote
// that says the opposite contradicts the value, unless the variable asks for the opposite of the
// quote's label (unpaid, if the document has "Paid: no").
func checkBoolean(quote, value string, v answers.Variable) float64 {
	stated, found := verdictOf(quote), splitWords(quote)
	switch contradicts := stated == yes && value == "false" || stated == no && value == "true"; {
	case contradicts && !isOpposite(v, found):
		return 0
	case contradicts, len(found) < 2 && !slices.ContainsFunc(splitWords(v.Name+" "+v.Description), isIn(found)):
		return partial
	}
	return plausible
}

// verdictOf returns the verdict of the check boxes and answers in a quote. It is undecided if they
// differ.
func verdictOf(quote string) verdict {
	if boxes := len(tickedPattern().FindAllString(quote, 2)) + len(emptyPattern().FindAllString(quote, 2)); boxes > 0 {
		return boxVerdict(quote, boxes)
	}
	all := []verdict{wordsVerdict(quote)}
	if found := replyPattern().FindAllStringSubmatch(quote, -1); found != nil {
		all = nil
		for _, one := range found {
			all = append(all, wordsVerdict(one[1]))
		}
	}
	all = slices.Compact(slices.DeleteFunc(all, func(one verdict) bool { return one == undecided }))
	if len(all) != 1 {
		return undecided
	}
	return all[0]
}

// boxVerdict returns the verdict of a check box. Several boxes are undecided, because it is unclear
// which label belongs to which box. An empty box beside a "no" is undecided too.
func boxVerdict(quote string, boxes int) verdict {
	label := emptyPattern().ReplaceAllString(tickedPattern().ReplaceAllString(quote, " "), " ")
	isNegative := slices.ContainsFunc(splitWords(label), isIn(strings.Fields(negativeWords)))
	switch {
	case boxes > 1:
		return undecided
	case emptyPattern().MatchString(quote) && isNegative:
		return undecided
	case emptyPattern().MatchString(quote):
		return no
	case wordsVerdict(label) == no:
		return no
	case isNegative:
		return undecided
	}
	return yes
}

// wordsVerdict returns the verdict of a text that has only words of an answer.
func wordsVerdict(text string) verdict {
	found := slices.DeleteFunc(splitWords(text), isIn(strings.Fields(fillerWords)))
	switch {
	case len(found) == 0:
		return undecided
	case !slices.ContainsFunc(found, isNotIn(strings.Fields(negativeWords))):
		return no
	case !slices.ContainsFunc(found, isNotIn(strings.Fields(affirmativeWords))):
		return yes
	}
	return undecided
}

// maxPrefixBytes limits a prefix that turns a word into its opposite, such as un, non or nicht.
const maxPrefixBytes = 5

// isOpposite reports whether the name of a variable has a negative word, or a word of the quote after
// a prefix.
func isOpposite(v answers.Variable, found []string) bool {
	name := splitWords(v.Name)
	if slices.ContainsFunc(name, isIn(strings.Fields(negativeWords))) {
		return true
	}
	return slices.ContainsFunc(name, func(word string) bool {
		return slices.ContainsFunc(found, func(part string) bool {
			rest, ends := strings.CutSuffix(word, part)
			return ends && rest != "" && len(rest) <= maxPrefixBytes && len(part) > len("no")
		})
	})
}

// splitWords returns the words and figures of a text in lower case. It also splits camel case.
func splitWords(text string) []string {
	isGap := func(r rune) bool { return !isWord(r) && !unicode.IsMark(r) }
	return strings.FieldsFunc(strings.ToLower(camelCasePattern().ReplaceAllString(text, "$1 $2")), isGap)
}

func isIn(list []string) func(string) bool {
	return func(word string) bool { return slices.Contains(list, word) }
}

func isNotIn(list []string) func(string) bool {
	return func(word string) bool { return !slices.Contains(list, word) }
}
