package learned

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"portside/documents/answers"
	"portside/documents/lazyregexp"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/names"
	"portside/documents/offline/questions"
	"portside/documents/offline/scan"
)

// The features of a label, for each place.
const (
	labelScore    = iota // recall times precision
	labelExact           // all words of the question, and no others
	labelRecall          // share of the words of the question
	labelOther           // the label has only other words
	labelExcluded        // a word gives the label another meaning
	labelFeatures
)

// The features after those of the labels. Each has a value from 0 to 1.
const (
	always = int(places)*labelFeatures + iota
	bestLabel
	secondLabel
	fittingLabels
	behindBest // how much the best label of any candidate is better
	standsTwice
	standsFourTimes
	early
	inFirstPart
	inLastPart
	onFirstPage
	onLastPage
	inHeading
	inCell
	fillsPiece
	onlyValue
	fewValues
	hasCurrency
	hasCents
	isWhole
	isLargest
	isZero
	magnitude
	isNegative
	numbersInPiece
	isShortNumber
	largestForTotal
	largestForPart
	isEarliest
	isLatest
	isAmbiguous
	firstForIssue
	earliestForStart
	latestForEnd
	inRange
	rangeStart
	rangeEnd
	digitShare
	isShort
	isLong
	hasLetters
	isPostcode
	hasLegalForm
	isOneWord
	isTwoWords
	isManyWords
	isCapitals
	hasDigits
	addressBelow
	startsPiece
	topForSupplier
	legalForSupplier
	addressForCustomer
	topForCustomer
	definedAsRole
	definedAsAsked
	afterColon
	codeInHeading
	inProse
	ruleScore // the score that the rules give the value
	ruleHigh
	rulesConflict // the rules find several values, or a text that is not a value
	rulesHaveNoValue
	rulesFindNothing
	isRulesAnswer
	rulesAnswerOther
	overlapsRulesAnswer
	rulesAnswerLabel
	afterLaws
	afterCourts
	afterState
	afterGoverned
	afterBetween
	afterAnd
	afterAsOf
	afterEntered
	afterPeriod
	afterEnding
	afterSecrecy
	afterNotice
	beforeKind
	beforeFrom
	beforeNotice
	beforeLaw
	crossesLine
	endsInLowerCase
	isPlace
	inDomain // a word of the name is in the domain of an e-mail or web address
	domainForSupplier
	domainForCustomer
	nearRegister // near a company register, tax or bank account number
	registerForSupplier
	registerForCustomer
	afterWork
	afterAgreementEnds
	afterOrigin
	beforeWork
	isFirstPiece
	inFirstPieces
	hasDocumentWord
	namesDocumentKind
	afterThis
	relativeSize // height of the characters, compared with the median of the document
	isCentered
	hasPostcode
	hasStreet
	manyLines
	underName // the line above has a legal form, or is the first one
	beforeCash
	featureCount
)

// FeatureCount is the number of features of a candidate.
const FeatureCount = featureCount

// Features are the features of one candidate.
type Features = [featureCount]float32

// describe sets the features of a candidate that do not depend on the other candidates. Of those of formulas, it sets only
// the used ones.
func (r *Reader) describe(q *questions.Question, c *candidate, used formulaSet) {
	c.features[always] = 1
	r.labelFeatures(q, c)
	r.positionFeatures(c)
	r.shapeFeatures(c)
	r.formulaFeatures(c, used)
	if q.Variable.Type == answers.String {
		r.nameFeatures(q, c)
	}
}

func (r *Reader) labelFeatures(q *questions.Question, c *candidate) {
	const fits, manyFits = 0.3, 4
	var scores []float64
	_, end := r.values.RangeAt(c.answer.At)
	switch {
	case end != questions.NoEnd && q.WithoutEnd != nil:
		c.features[inRange], q = 1, q.WithoutEnd // the place of the value in the range says which end it is
	case r.labelEnd(q, c) == q.End && q.WithoutEnd != nil:
		q = q.WithoutEnd // the label says it, maybe in another language
	}
	for k, l := range r.labels(c) {
		m := r.fit(q, l)
		f := c.features[k*labelFeatures:]
		f[labelScore], f[labelRecall] = float32(m.score()), float32(m.recall)
		f[labelExact] = truth(m.recall > 0.95 && m.precision > 0.95)
		f[labelOther], f[labelExcluded] = truth(m.words > 0 && m.recall == 0), truth(m.excluded)
		if place(k) != after && place(k) != heading && place(k) != cross {
			scores = append(scores, m.score())
			c.features[fittingLabels] += truth(m.score() > fits) / manyFits
		}
	}
	slices.Sort(scores)
	c.features[bestLabel], c.features[secondLabel] = float32(scores[len(scores)-1]), float32(scores[len(scores)-2])
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// positionFeatures sets the features of the position of a value.
func (r *Reader) positionFeatures(c *candidate) {
	const endPart, proseBytes, manyNumbers = 0.15, 70, 4
	p, f := &r.layout.pieces[c.piece], &c.features
	share := float64(c.answer.At.Start) / float64(len(r.ix.Text)+1)
	f[early], f[inFirstPart], f[inLastPart] = float32(1-share), truth(share < endPart), truth(share > 1-endPart)
	f[onFirstPage], f[onLastPage] = truth(p.page <= 1), truth(p.page == r.ix.Source.Pages)
	f[inHeading], f[inCell] = truth(p.isHeading), truth(p.isCell)
	f[fillsPiece] = truth(c.answer.At.Len() >= p.at.Len()-2)
	f[numbersInPiece] = float32(math.Min(1, float64(len(r.ix.NumbersIn(p.at)))/manyNumbers))
	f[inProse] = truth(p.at.Len() > proseBytes)
	before := strings.TrimRight(r.ix.Text[p.at.Start:c.answer.At.Start], " ")
	const firstPieces, tallest = 20, 3
	f[isFirstPiece], f[inFirstPieces] = truth(c.piece == 0), float32(math.Max(0, 1-float64(c.piece)/firstPieces))
	f[relativeSize] = float32(math.Min(1, (p.box.Bottom-p.box.Top)/(tallest*r.layout.height)))
	f[isCentered] = truth(r.layout.isCentered(c.piece))
	f[manyLines] = float32(strings.Count(c.answer.At.In(r.ix.Text), "\n")) / maxAddressLines
	f[beforeCash] = truth(r.isBeforeCash(c.piece))
	f[afterColon], f[startsPiece] = truth(strings.HasSuffix(before, ":")), truth(before == "")
}

// shapeFeatures sets the features of the characters of a value.
func (r *Reader) shapeFeatures(c *candidate) {
	const shortBytes, longBytes, postcodeDigits = 4, 16, 5
	text, f := c.answer.At.In(r.ix.Text), &c.features
	if n := c.number; n != nil {
		f[hasCurrency], f[hasCents], f[isWhole] = truth(n.Currency != ""), truth(len(n.Fraction) == 2),
			truth(n.Fraction == "")
		f[isZero], f[isNegative] = truth(strings.Trim(n.Value, "0.-") == ""), truth(strings.HasPrefix(n.Value, "-"))
		f[isShortNumber] = truth(len(n.Value) <= 2)
	}
	digits, letters := 0, 0
	for _, char := range text {
		digits += int(truth(unicode.IsDigit(char)))
		letters += int(truth(unicode.IsLetter(char)))
	}
	f[isAmbiguous] = truth(c.answer.Ambiguous)
	f[digitShare] = float32(digits) / float32(len(text)+1)
	f[isShort], f[isLong] = truth(len(text) < shortBytes), truth(len(text) > longBytes)
	f[hasLetters], f[hasDigits] = truth(letters > 0), truth(digits > 0)
	f[isPostcode] = truth(digits == postcodeDigits && len(text) == postcodeDigits)
	f[isCapitals] = truth(letters > 0 && strings.ToUpper(text) == text)
	place := r.placeWords(c.answer.At)
	f[hasPostcode], f[hasStreet] = truth(place[0]), truth(place[1])
	words := len(strings.Fields(text))
	f[isOneWord], f[isTwoWords], f[isManyWords] = truth(words == 1), truth(words == 2 || words == 3), truth(words > 5)
}

var legalForms = scan.LazySet(`inc llc ltd lp llp plc gmbh ag kg ohg sa sas sarl srl spa bv nv ab oy as corp corporation company limited
	co ug mbh eg ev group holdings partners associates bank bhd pty pte pvt aps as oyj kft zrt doo jsc sro`)

// nameFeatures sets the features of names of people and companies.
func (r *Reader) nameFeatures(q *questions.Question, c *candidate) {
	text, f := c.answer.At.In(r.ix.Text), &c.features
	f[hasLegalForm] = truth(slices.ContainsFunc(scan.Words(text), func(w scan.Word) bool { return legalForms()[w.Text] }))
	f[addressBelow] = truth(r.hasAddressBelow(c))
	f[codeInHeading] = f[inHeading] * f[hasDigits]
	rest := r.ix.Text[c.answer.At.End:scan.RuneStart(r.ix.Text, min(len(r.ix.Text), c.answer.At.End+60), len(r.ix.Text))]
	isRole := func(words string) bool { return strings.Contains(rest, words) }
	f[definedAsRole] = truth(isRole("(\"") || isRole("(“") || isRole("(the") ||
		slices.ContainsFunc(names.RolePhrases, isRole))
	f[hasDocumentWord], f[namesDocumentKind] = truth(r.hasDocument(c.answer.At)), truth(r.namesDocument(c.answer.At))
	const thisBytes = len("this\n ")
	before := strings.ToLower(strings.TrimRight(r.ix.Text[max(0, c.answer.At.Start-thisBytes):c.answer.At.Start], " \n"))
	f[afterThis] = truth(strings.HasSuffix(before, "this") || strings.HasPrefix(strings.ToLower(text), "this "))
	f[underName] = truth(r.isUnderName(c.piece))
	role := common(roles, q.NameTerms)
	f[definedAsAsked] = truth(len(role) > 0 && lexicon.Subset(role, r.roleOf(c)))
	f[crossesLine] = truth(strings.Contains(text, "\n"))
	last := text[strings.LastIndexAny(text, " \n")+1:]
	f[endsInLowerCase] = truth(last == strings.ToLower(last))
	f[isPlace] = truth(regions()[strings.ToLower(strings.TrimSuffix(text, "."))])
	f[inDomain], f[nearRegister] = truth(r.isInDomain(text)), truth(r.isNearRegister(c))
	terms := slices.Concat(q.NameTerms, q.DescriptionTerms)
	if slices.Contains(terms, "SUPPLIER") {
		f[topForSupplier], f[legalForSupplier] = f[inFirstPart], f[hasLegalForm]
		f[domainForSupplier], f[registerForSupplier] = f[inDomain], f[nearRegister]
	}
	if slices.Contains(terms, "CUSTOMER") {
		f[topForCustomer], f[addressForCustomer] = f[inFirstPart], f[addressBelow]
		f[domainForCustomer], f[registerForCustomer] = f[inDomain], f[nearRegister]
	}
}

// hasAddressBelow reports whether the piece after a candidate's piece may be the street or the town of an address.
func (r *Reader) hasAddressBelow(c *candidate) bool {
	const maxBytes, maxRest = 60, 2
	next := c.piece + 1
	if next == len(r.layout.pieces) {
		return false
	}
	p, below := &r.layout.pieces[c.piece], &r.layout.pieces[next]
	s := below.at.In(r.ix.Text)
	return below.block-p.block <= 1 && c.answer.At.End >= p.at.End-maxRest && len(s) < maxBytes &&
		strings.ContainsAny(s, "0123456789") && scan.HasWord(s)
}

// isUnderName reports whether the piece before a piece is the first one or has a legal form.
func (r *Reader) isUnderName(i int) bool {
	if i == 0 {
		return false
	}
	above := r.layout.pieces[i-1].at.In(r.ix.Text)
	return i == 1 || slices.ContainsFunc(scan.Words(above), func(w scan.Word) bool { return legalForms()[w.Text] })
}

var cash = lazyregexp.New(`(?i)^\W*(cash|change|tendered|card|visa|mastercard|bar|gegeben|rückgeld|espèces|rendu|efectivo|` +
	`cambio|dinheiro|troco|contanti|resto|contant|wisselgeld|kontant|växel|gotówka|reszta|numerar|rest)\b`) //nolint:misspell // Italian

// placeWords returns whether a text has a postal code, and whether it has a word for a street. The result is cached.
func (r *Reader) placeWords(at scan.Span) [2]bool {
	return remembered(r.places, at, func() [2]bool {
		text := at.In(r.ix.Text)
		return [2]bool{postcode().MatchString(text), street().MatchString(text)}
	})
}

// isBeforeCash reports whether one of the next lines of a receipt names the payment: cash, card or change. The result is
// cached.
func (r *Reader) isBeforeCash(i int) bool {
	return remembered(r.cash, i, func() bool { return r.findCash(i) })
}

func (r *Reader) findCash(i int) bool {
	const reach = 6
	for j := i + 1; j < min(i+reach, len(r.layout.pieces)); j++ {
		if cash().MatchString(r.layout.pieces[j].at.In(r.ix.Text)) {
			return true
		}
	}
	return false
}

// asksFor returns 1 if the question has one of the terms.
func asksFor(q *questions.Question, terms ...string) float32 {
	return truth(slices.ContainsFunc(terms, func(t string) bool {
		return lexicon.Contains(q.NameTerms, t) || lexicon.Contains(q.DescriptionTerms, t)
	}))
}
