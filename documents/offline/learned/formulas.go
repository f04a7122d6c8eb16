package learned

import (
	"regexp"
	"slices"
	"strings"

	"portside/documents/lazyregexp"
	"portside/documents/offline/scan"
)

// formula is a wording that contracts have before or after a value, in the languages of package lexicon.
type formula struct {
	feature int
	wording func() *regexp.Regexp
}

// before are wordings of the text before a value in its sentence, in lower case.
var before = []formula{
	{afterLaws, lazyregexp.New(`\b(laws?|recht|droit|loi|leyes|ley|legge|lei|leis|lag|prawu|prawem|prawo|legea|legile)\b[^.;]{0,30}$`)},
	{afterCourts, lazyregexp.New(`\b(courts?|gerichte?|gerichtsstand|tribuna\w*|rechter|rechtbank|domstol|sąd\w*|instan\w*)\b[^.;]{0,30}$`)},
	{afterState, lazyregexp.New(`\b(state|commonwealth|province|republic|kingdom)( of)?( the)? $`)},
	{afterGoverned, lazyregexp.New(`\b(govern|constru|interpret|unterlieg|régi|rege|regol|disciplin|beheers|rigen?\b|lyder|podlega|guvernat)`)},
	{afterBetween, lazyregexp.New(`\b(between|among|zwischen|entre|tra|fra|tussen|mellan|pomiędzy|między|între)\b[: ]*(\(?[1ia]\)? )?$`)},
	{afterAnd, lazyregexp.New(`\b(between|among|zwischen|entre|tra|fra|tussen|mellan|pomiędzy|między|între)\b.* (and|und|et|y|e|en|och|i|a|și)[: ]*(\(?\w{1,2}\)? )?$`)},
	{afterAsOf, lazyregexp.New(`\b(as of|dated?|effective( date)?( is)?|entered into|made|on|vom|am|le|del|dal|op|den|dnia|la data de)( on| as of)?( the| this)? $`)},
	{afterEntered, lazyregexp.New(`\b(agreement|entered into|made|effective|dated|vertrag|contrat|contrato|contratto|overeenkomst|avtal|umow\w+|contract)\b`)},
	{afterPeriod, lazyregexp.New(`\b(period|term|duration|for|laufzeit|durée|plazo|durata|prazo|looptijd|duur|okres|perioadă)( of)?( at least)? $`)},
	{afterEnding, lazyregexp.New(`\b(terminat|expir|in (full )?(force|effect)|continue|remain|surviv|endet|läuft|prend fin|vence|scade)`)},
	{afterSecrecy, lazyregexp.New(`\b(confidential|disclos|secre|obligation|vertraulich|geheim|confidenti)`)},
	{afterNotice, lazyregexp.New(`\b(notice|days? (after|before|prior)|within|kündigung|préavis|preaviso|preavviso|opzeg)`)},
	{afterWork, lazyregexp.New(`\b(employ|solicit|compet|hire|separation|restricted)`)},
	{afterAgreementEnds, lazyregexp.New(`\b(agreement|vertrag|contrat|contrato|contratto|overeenkomst)\b[^.]{0,80}\b(expir|terminat|remain|continu|in effect|endet|läuft)`)},
	{afterOrigin, lazyregexp.New(`\b(other than|except|excluding|incorporated|organized|existing|located|resid)[^.;]{0,40}$|\ba $`)},
}

// following are wordings of the text after a value, in lower case.
var following = []formula{
	{beforeKind, lazyregexp.New(`^,? ?(an?|the|eine?|une|una?|een) [a-z -]{0,40}(corporation|company|partnership|individual|association|bank|trust|gesellschaft|société|sociedad|società)`)},
	{beforeFrom, lazyregexp.New(`^ ?(from|after|following|commencing|beginning|ab|nach|à compter|desde|dal|vanaf|od|de la) `)},
	{beforeNotice, lazyregexp.New(`^['’]? ?(prior |advance |written )*(notice|of the|after receipt|kündigungsfrist)`)},
	{beforeLaw, lazyregexp.New(`^[,.]? ?(without|shall|law|and the parties|courts?|excluding|exclud|regardless)`)},
	{beforeWork, lazyregexp.New(`^[^.]{0,50}(employ|solicit|compet|separation|after the date)`)},
}

// formulaSet has a bit for each formula: those of before, and then those of following.
type formulaSet uint32

const allFormulas = ^formulaSet(0)

// formulasOf returns the formulas whose features the trees use. The expressions of the others need not be compiled.
func formulasOf(t Trees) (used formulaSet) {
	has := t.features()
	for i, f := range slices.Concat(before, following) {
		if has[f.feature] {
			used |= 1 << i
		}
	}
	return used
}

// surroundings are the texts around a value, with the formulas that were looked for and found in them.
type surroundings struct {
	head, tail   string
	known, found formulaSet
}

// formulaFeatures sets the features of the wordings around a value. It looks for each of them once per value.
func (r *Reader) formulaFeatures(c *candidate, used formulaSet) {
	around := r.formulas[c.answer.At]
	if around == nil {
		around = r.surroundings(c)
		r.formulas[c.answer.At] = around
	}
	set := func(f formula, bit formulaSet, text string) {
		if used&bit == 0 {
			return
		}
		if around.known&bit == 0 && f.wording().MatchString(text) {
			around.found |= bit
		}
		around.known |= bit
		c.features[f.feature] = truth(around.found&bit != 0)
	}
	for i, f := range before {
		set(f, 1<<i, around.head)
	}
	for i, f := range following {
		set(f, 1<<(len(before)+i), around.tail)
	}
}

// surroundings returns the texts around a value, in lower case.
func (r *Reader) surroundings(c *candidate) *surroundings {
	const maxBefore, maxAfter = 200, 70
	text, at := r.flat, c.answer.At
	start := scan.RuneStart(text, max(r.ix.Blocks[r.layout.pieces[c.piece].block].Start, at.Start-maxBefore), at.Start)
	head := text[start:at.Start]
	if i := strings.LastIndex(head, ". "); i >= 0 {
		head = head[i+len(". "):]
	}
	tail := text[at.End:scan.RuneStart(text, min(len(text), at.End+maxAfter), len(text))]
	return &surroundings{head: strings.ToLower(head), tail: strings.ToLower(tail)}
}
