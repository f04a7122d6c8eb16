package offline

import (
	"slices"
	"strings"

	"portside/documents/answers"
)

// stance is what a statement says of its matter.
type stance int

const (
	affirms stance = iota
	denies
	depends // on something: neither yes nor no
)

// lacks are the negations that say without what something is so. Beside another negation, or a permission, they name a
// condition: what is not allowed without consent is neither allowed nor forbidden.
var lacks = setsOf("without sin sem sans ohne senza zonder utan bez fara")

// limits are words after which a statement holds for some cases only, by language.
var limits = map[answers.Lang]func() map[string]bool{
	"en": setsOf("only unless except solely exclusively subject provided"),
	"es": setsOf("solo solamente unicamente exclusivamente salvo excepto menos siempre"),
	"pt": setsOf("so somente apenas unicamente exclusivamente salvo exceto excepto desde"),
	"fr": setsOf("seulement uniquement exclusivement sauf hormis excepte reserve moins"),
	"de": setsOf("nur ausser ausschliesslich lediglich vorbehaltlich sofern soweit falls denn ausgenommen"),
	"it": setsOf("solo soltanto solamente unicamente esclusivamente salvo tranne eccetto purche"),
	"nl": setsOf("alleen slechts uitsluitend enkel tenzij behalve mits indien"),
	"sv": setsOf("endast bara enbart forutom savida undantag forutsatt"),
	"pl": setsOf("tylko jedynie wylacznie chyba oprocz wyjatkiem warunkiem"),
	"ro": setsOf("doar numai exclusiv exceptia decat conditia"),
}

// leave are the words for what somebody has to give before something is allowed.
var leave = []string{"consent", "approval", "authori", "agree", "permission", "zustimm", "genehmig", "einwillig", "erlaubnis", "consent",
	"autoriza", "acuerdo", "acordo", "accord", "autoris", "consens", "autorizz", "toestemming", "goedkeur", "akkoord", "samtyck",
	"medgiv", "tillstand", "zgod", "acord", "consimt", "aprobar", "aprova", "approv"}

// concords are the languages in which several negations make one.
var concords = []answers.Lang{"es", "pt", "fr", "it", "pl", "ro"}

// stanceOf tells what the words of a clause say, asked about some terms, and what the rest of the sentence takes back.
func (r *reading) stanceOf(at, after span, wanted []string) stance {
	words, rest := r.within(at), r.within(after)
	permits := slices.ContainsFunc(words, func(m mention) bool { return m.term == "ALLOWED" }) || slices.Contains(wanted, "ALLOWED")
	nots, without := r.negations(at)
	switch {
	case r.isDoubted(at):
		return depends
	case without && (permits || nots > 0), r.isLimited(words), r.isLimited(rest):
		return depends
	case permits && r.needsLeave(slices.Concat(words, rest), wanted):
		return depends
	case without || nots == 1 || nots > 1 && (slices.Contains(concords, r.lang) || r.isNeither(words)):
		return denies
	case nots > 1:
		return depends
	}
	return affirms
}

// negations counts the words that turn a statement round, those for "without" apart.
func (r *reading) negations(at span) (nots int, without bool) {
	words := r.within(at)
	for i, m := range words {
		switch folded := fold(r.text[m.at.start:m.at.end]); {
		case lacks()[folded] && negationsOf()[r.lang][folded]:
			without = true
		case m.term == "NOT" || r.isNegation(m, words[i+1:]):
			nots++
		}
	}
	return nots + denials()[r.lang].count(r.wordsIn(at)), without
}

func (r *reading) isNeither(words []mention) bool {
	return slices.ContainsFunc(words, func(m mention) bool { return fold(r.text[m.at.start:m.at.end]) == "neither" })
}

// isLimited reports a word that makes what is said hold for some cases only. In French, what is between ne and que is such.
func (r *reading) isLimited(words []mention) bool {
	limit := limits[r.lang]
	if len(words) == 0 || limit == nil {
		return false
	}
	text := fold(r.text[words[0].at.start:words[len(words)-1].at.end])
	if r.lang == "fr" && (strings.Contains(text, " qu'avec") || strings.Contains(text, " qu’avec") || strings.Contains(text, " que sous")) {
		return true
	}
	return slices.ContainsFunc(wordsOf(text), func(w word) bool { return limit()[w.text] })
}

// needsLeave reports that somebody has to agree, or an "if", where that is not what is asked for.
func (r *reading) needsLeave(words []mention, wanted []string) bool {
	if len(words) == 0 {
		return false
	}
	text := r.text[words[0].at.start:words[len(words)-1].at.end]
	if slices.ContainsFunc(wordsOf(text), func(w word) bool { return ifs[r.lang] != nil && ifs[r.lang]()[w.text] }) {
		return true
	}
	return slices.ContainsFunc(words, func(m mention) bool {
		folded := fold(r.text[m.at.start:m.at.end])
		begins := func(stem string) bool { return strings.HasPrefix(folded, stem) }
		return slices.ContainsFunc(leave, begins) && m.term != "ALLOWED" && !containsTerm(wanted, m.term)
	})
}

// ifs open a condition, by language.
var ifs = map[answers.Lang]func() map[string]bool{
	"en": setsOf("if when where"), "es": setsOf("si cuando"), "pt": setsOf("quando"), "fr": setsOf("si lorsque quand"),
	"de": setsOf("wenn falls"), "it": setsOf("se quando qualora"), "nl": setsOf("als indien wanneer"), "sv": setsOf("om nar"),
	"pl": setsOf("jesli jezeli gdy"), "ro": setsOf("daca cand"),
}

// asksLeave reports that it is said what is required, where it is asked what is allowed.
func (r *reading) asksLeave(asked []string, s span) bool {
	said := func(term string) bool {
		return slices.ContainsFunc(r.within(s), func(m mention) bool { return m.term == term })
	}
	return slices.Contains(asked, "ALLOWED") && said("REQUIRED") && !said("ALLOWED")
}
