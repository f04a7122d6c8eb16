package statements

import (
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/scan"
)

// stance is whether a statement affirms or denies its subject.
type stance int

const (
	affirms stance = iota
	denies
	depends // neither: it depends on something
)

// stanceReader reads the stance of statements.
type stanceReader struct{ doc *index.Index }

// stanceOf returns the stance of the clause at a span. The rest of the sentence, after, may add a
// condition. wanted has the terms of the question.
func (r stanceReader) stanceOf(at, after scan.Span, wanted []string) stance {
	words, rest := r.doc.MentionsIn(at), r.doc.MentionsIn(after)
	permits := slices.ContainsFunc(words, func(m lexicon.Mention) bool { return m.Term == "ALLOWED" }) || slices.Contains(wanted, "ALLOWED")
	nots, without := r.negations(at)
	switch {
	case r.isDoubted(at):
		return depends
	case without && (permits || nots > 0), r.isLimited(words), r.isLimited(rest):
		return depends
	case permits && r.needsConsent(slices.Concat(words, rest), wanted):
		return depends
	case without || nots == 1 || nots > 1 && (slices.Contains(concords, r.doc.Lang) || r.isNeither(words)):
		return denies
	case nots > 1:
		return depends
	}
	return affirms
}

// negations counts the negations of a span. without reports a word for "without", which is not
// counted.
func (r stanceReader) negations(at scan.Span) (nots int, without bool) {
	words := r.doc.MentionsIn(at)
	for i, m := range words {
		switch folded := scan.Fold(m.At.In(r.doc.Text)); {
		case lacks()[folded] && negationsOf()[r.doc.Lang][folded]:
			without = true
		case m.Term == "NOT" || r.isNegation(m, words[i+1:]):
			nots++
		}
	}
	return nots + denials()[r.doc.Lang].count(scan.WordsIn(r.doc.Text, at)), without
}

// isNegation reports whether a mention is a negation. The "no." before a number is not.
func (r stanceReader) isNegation(m lexicon.Mention, after []lexicon.Mention) bool {
	folded := scan.Fold(m.At.In(r.doc.Text))
	if !negationsOf()[r.doc.Lang][folded] {
		return false
	}
	if folded != "no" || r.doc.Lang == "es" {
		return true
	}
	isNumber := strings.HasPrefix(r.doc.Text[m.At.End:], ".") && len(after) > 0 // Invoice no. 5
	return !isNumber
}

// isNeither reports the word "neither", which makes one negation together with "nor".
func (r stanceReader) isNeither(words []lexicon.Mention) bool {
	return slices.ContainsFunc(words, func(m lexicon.Mention) bool { return scan.Fold(m.At.In(r.doc.Text)) == "neither" })
}

// isDoubted reports a word that leaves open whether the statement is true.
func (r stanceReader) isDoubted(at scan.Span) bool {
	return doubts()[r.doc.Lang].count(scan.WordsIn(r.doc.Text, at)) > 0
}

// isLimited reports a word that limits a statement to some cases. In French, "ne ... que" is one.
func (r stanceReader) isLimited(words []lexicon.Mention) bool {
	limit := limits[r.doc.Lang]
	if len(words) == 0 || limit == nil {
		return false
	}
	text := scan.Fold(r.doc.Text[words[0].At.Start:words[len(words)-1].At.End])
	contains := func(phrase string) bool { return strings.Contains(text, phrase) }
	if r.doc.Lang == "fr" && slices.ContainsFunc([]string{" qu'avec", " qu’avec", " que sous"}, contains) {
		return true
	}
	return slices.ContainsFunc(scan.Words(text), func(w scan.Word) bool { return limit()[w.Text] })
}

// needsConsent reports whether the statement depends on a condition, or on a consent that the
// question does not ask about.
func (r stanceReader) needsConsent(words []lexicon.Mention, wanted []string) bool {
	if len(words) == 0 {
		return false
	}
	text := r.doc.Text[words[0].At.Start:words[len(words)-1].At.End]
	if slices.ContainsFunc(scan.Words(text), func(w scan.Word) bool { return ifs[r.doc.Lang] != nil && ifs[r.doc.Lang]()[w.Text] }) {
		return true
	}
	return slices.ContainsFunc(words, func(m lexicon.Mention) bool {
		folded := scan.Fold(m.At.In(r.doc.Text))
		begins := func(stem string) bool { return strings.HasPrefix(folded, stem) }
		return slices.ContainsFunc(consents, begins) && m.Term != "ALLOWED" && !lexicon.Contains(wanted, m.Term)
	})
}

// lacks are the words for "without". Together with another negation or a permission they are a
// condition: something that is not allowed without consent is neither allowed nor forbidden.
var lacks = scan.LazySet("without sin sem sans ohne senza zonder utan bez fara")

// limits are words that limit a statement to some cases, by language.
var limits = map[answers.Lang]func() map[string]bool{
	"en": scan.LazySet("only unless except solely exclusively subject provided"),
	"es": scan.LazySet("solo solamente unicamente exclusivamente salvo excepto menos siempre"),
	"pt": scan.LazySet("so somente apenas unicamente exclusivamente salvo exceto excepto desde"),
	"fr": scan.LazySet("seulement uniquement exclusivement sauf hormis excepte reserve moins"),
	"de": scan.LazySet("nur ausser ausschliesslich lediglich vorbehaltlich sofern soweit falls denn ausgenommen"),
	"it": scan.LazySet("solo soltanto solamente unicamente esclusivamente salvo tranne eccetto purche"),
	"nl": scan.LazySet("alleen slechts uitsluitend enkel tenzij behalve mits indien"),
	"sv": scan.LazySet("endast bara enbart forutom savida undantag forutsatt"),
	"pl": scan.LazySet("tylko jedynie wylacznie chyba oprocz wyjatkiem warunkiem"),
	"ro": scan.LazySet("doar numai exclusiv exceptia decat conditia"),
}

// consents are the beginnings of words for consent.
var consents = []string{"consent", "approval", "authori", "agree", "permission", "zustimm", "genehmig", "einwillig",
	"erlaubnis", "consent",
	"autoriza", "acuerdo", "acordo", "accord", "autoris", "consens", "autorizz", "toestemming", "goedkeur", "akkoord", "samtyck",
	"medgiv", "tillstand", "zgod", "acord", "consimt", "aprobar", "aprova", "approv"}

// concords are the languages in which several negations count as one.
var concords = []answers.Lang{"es", "pt", "fr", "it", "pl", "ro"}

// ifs open a condition, by language.
var ifs = map[answers.Lang]func() map[string]bool{
	"en": scan.LazySet("if when where"), "es": scan.LazySet("si cuando"), "pt": scan.LazySet("quando"),
	"fr": scan.LazySet("si lorsque quand"),
	"de": scan.LazySet("wenn falls"), "it": scan.LazySet("se quando qualora"), "nl": scan.LazySet("als indien wanneer"),
	"sv": scan.LazySet("om nar"),
	"pl": scan.LazySet("jesli jezeli gdy"), "ro": scan.LazySet("daca cand"),
}
