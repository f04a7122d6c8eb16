package learned

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/answers"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/numbers"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
)

// raisedProbability is the probability of an answer that a rule of this package makes the first one. Of values that are the
// only one of their shape in a public document, at least this share was right.
const raisedProbability = 0.9

// doubtProbability is the probability of an answer that a rule makes doubtful. It is below Likely, so the value is null.
const doubtProbability = 0.5

// plainTerms are the terms of a question that asks for the only value of its shape, such as the only phone number.
var plainTerms = map[questions.Shape][]string{
	questions.IBANShape:  {"IBAN", "ACCOUNT", "NUMBER", "BANK", "PAY", "PAYMENT"},
	questions.EmailShape: {"EMAIL", "ADDRESS", "CONTACT"},
	questions.PhoneShape: {"PHONE", "NUMBER", "CONTACT"},
	questions.DateShape:  {"DATE", "DOCUMENT"},
}

// raiseOnly raises the probability of the only value of its shape in the document, if the question asks for no more
// than the shape and no label says that the value is something else.
func (r *Reader) raiseOnly(q *questions.Question, ranked []ranking.Answer, found []candidate, rules Rules) []ranking.Answer {
	plain, known := plainTerms[q.Shape]
	inConflict := !rules.Found && len(rules.Ranked) > 0
	if !known || inConflict || len(ranked) != 1 || ranked[0].Ambiguous || len(q.NameTerms) == 0 {
		return ranked
	}
	allowed := slices.Concat(plain, lexicon.DocumentTerms)
	isOther := func(c candidate) bool {
		label := lexicon.LabelTerms(r.ownLabel(&c))
		return namesOtherThing(label, allowed) || c.features[afterColon] == 1 && !lexicon.Subset(label, allowed)
	}
	if lexicon.Subset(q.NameTerms, allowed) && lexicon.Subset(q.DescriptionTerms, allowed) && !slices.ContainsFunc(found, isOther) {
		ranked[0].Score = max(ranked[0].Score, raisedProbability)
	}
	return ranked
}

// namesOtherThing reports whether a label says that the value is something else: it has a term that is not allowed, or another
// word beside an allowed term, as in "print date". In labels of more than three words, which are parts of sentences, only
// terms of the lexicon count.
func namesOtherThing(label, allowed []string) bool {
	const maxLabel = 3 // words
	if len(label) > maxLabel {
		label = slices.DeleteFunc(slices.Clone(label), func(t string) bool { return !lexicon.IsTerm(t) })
	}
	isAllowed := func(t string) bool { return slices.Contains(allowed, t) }
	return slices.ContainsFunc(label, func(t string) bool {
		return !isAllowed(t) && (lexicon.IsTerm(t) || slices.ContainsFunc(label, isAllowed))
	})
}

// headPieces is how many pieces at the beginning of a curriculum vitae may be the name of the applicant.
const headPieces = 3

// raiseHead makes the name that heads a curriculum vitae the first answer to the question for the name of the applicant.
func (r *Reader) raiseHead(q *questions.Question, ranked []ranking.Answer) []ranking.Answer {
	asksForName := q.Shape == questions.NameShape && lexicon.Subset(q.NameTerms, []string{"NAME", "APPLICANT"})
	has := func(term string) bool { return lexicon.Contains(r.ix.AllTerms, term) }
	isVitae := has("CV") || has("EDUCATION") && has("EXPERIENCE")
	if !asksForName || !isVitae {
		return ranked
	}
	for i := range ranked {
		at := ranked[i].At
		piece := r.layout.pieceAt(at.Start)
		if piece < 0 || piece >= headPieces || !isPersonName(at.In(r.ix.Text)) || at.Len() < r.layout.pieces[piece].at.Len() {
			continue
		}
		return raised(ranked, ranked[i].Key)
	}
	return ranked
}

// isPersonName reports whether a text has two to four words, each of which begins with a capital.
func isPersonName(text string) bool {
	const least, most = 2, 4
	words := strings.Fields(text)
	return len(words) >= least && len(words) <= most && !slices.ContainsFunc(words, func(w string) bool {
		first, _ := utf8.DecodeRuneInString(w)
		return !unicode.IsUpper(first) || strings.ContainsAny(w, "0123456789:")
	})
}

// raiseCross makes the value of a table the first answer, if it is the only one whose row and column together have all
// words of the question: "maximum supply voltage" is in the row of the supply voltage and the column of the maximum.
func raiseCross(ranked []ranking.Answer, found []candidate) []ranking.Answer {
	const complete, inPart = 0.95, 0.9
	key, hits := "", 0
	for i := range found {
		f := &found[i].features
		whole := f[int(cross)*labelFeatures+labelRecall]
		row, column := f[int(leftmost)*labelFeatures+labelRecall], f[int(head)*labelFeatures+labelRecall]
		if whole >= complete && row > 0 && column > 0 && max(row, column) < inPart && found[i].answer.Key != key {
			key = found[i].answer.Key
			hits++
		}
	}
	if hits != 1 || ranked[0].Score >= raisedProbability {
		return ranked
	}
	return raised(ranked, key)
}

// labeledRoles are the terms of roles whose names hardly ever stand without a label.
var labeledRoles = []string{"PATIENT", "DOCTOR", "CARRIER", "EMPLOYEE", "CHAIR", "SECRETARY", "POLICYHOLDER"}

// headingNames are words for names that often stand without a label, at the top of a paper.
var headingNames = scan.LazySet("company shop store firm business merchant advertiser organization organisation brand title name " +
	"firma unternehmen geschaft laden titel societe entreprise magasin titre nom empresa tienda negocio titulo nombre nome azienda ditta " +
	"negozio titolo loja bedrijf winkel naam foretag butik namn sklep tytul nazwa magazin titlu nume")

// doubtUnrelated lowers the probability of the first answer if none of its labels has a term of the question, and the
// question is not one of those that values without a label may answer, such as the total or the seller.
func doubtUnrelated(q *questions.Question, ranked []ranking.Answer, found []candidate) []ranking.Answer {
	kind := KindOf(q)
	isPlain := kind == Numbers || q.Concept == "" && (kind == Codes || kind == AnyTexts && !q.HasAnyWord(headingNames()))
	isRole := kind == Names && lexicon.Overlap(labeledRoles, q.NameTerms)
	if len(ranked) == 0 || len(q.NameTerms) == 0 || !isPlain && !isRole {
		return ranked
	}
	isRelated := func(c candidate) bool {
		for k := range int(places) {
			if c.features[k*labelFeatures+labelRecall] > 0 {
				return true
			}
		}
		return c.features[definedAsRole]+c.features[definedAsAsked]+c.features[inRange]+c.features[isRulesAnswer] > 0
	}
	for i := range found {
		if found[i].answer.Key == ranked[0].Key && isRelated(found[i]) {
			return ranked
		}
	}
	ranked[0].Score = min(ranked[0].Score, doubtProbability)
	return ranked
}

// preferRounded makes the rounded total the answer of a receipt that rounds its total to five cents, as shops do in countries
// without smaller coins. It gets the probability of both, because they are the same total.
func (r *Reader) preferRounded(q *questions.Question, ranked []ranking.Answer) []ranking.Answer {
	const step, most, exact = 0.05, 0.045, 0.001
	if KindOf(q) != Amounts || !lexicon.Contains(q.NameTerms, "TOTAL") || len(ranked) == 0 || !lexicon.Contains(r.ix.AllTerms, "ROUNDING") {
		return ranked
	}
	isRounded := func(v float64) bool { return math.Abs(math.Remainder(v, step)) < exact }
	best := ranked[0].Value.Number()
	for i, other := range ranked[1:] {
		v := other.Value.Number()
		if distance := math.Abs(v - best); distance < exact || distance > most || isRounded(v) == isRounded(best) {
			continue
		}
		sum := ranked[0].Score + other.Score
		if isRounded(v) {
			ranked[0] = other
		}
		ranked[0].Score = sum
		return slices.Delete(ranked, 1+i, 2+i)
	}
	return ranked
}

// raiseCounted makes the number before the things that the question counts the first answer, if no other number stands
// before them: "2 bedrooms" says how many bedrooms there are.
func (r *Reader) raiseCounted(q *questions.Question, ranked []ranking.Answer, found []candidate) []ranking.Answer {
	isPlain := q.Shape == questions.AnyShape || q.Shape == questions.PlainShape
	if q.Variable.Type != answers.Number || !isPlain {
		return ranked
	}
	vague := slices.Concat(lexicon.GenericTerms, lexicon.DocumentTerms, []string{"QUANTITY", "TOTAL", "RATE", "UNIT", "ITEM"})
	things := lexicon.Without(q.NameTerms, vague)
	key, hits := "", 0
	for i := range found {
		around := r.labels(&found[i])
		following, sentence := lexicon.LabelTerms(around[after]), lexicon.LabelTerms(slices.Concat(around[inline], around[after]))
		isCounted := len(following) > 0 && lexicon.Contains(things, following[0]) &&
			!slices.ContainsFunc(things, func(t string) bool { return !lexicon.Contains(sentence, t) })
		n := found[i].number
		isClause := found[i].features[startsPiece] == 1 || n == nil || numbers.IsClauseNumber(r.ix.Text, *n, q.Text())
		if isCounted && !isClause && found[i].answer.Key != key {
			key = found[i].answer.Key
			hits++
		}
	}
	if hits != 1 {
		return ranked
	}
	return raised(ranked, key)
}

// raised returns ranked answers with the one of the key first, as a likely answer.
func raised(ranked []ranking.Answer, key string) []ranking.Answer {
	i := slices.IndexFunc(ranked, func(a ranking.Answer) bool { return a.Key == key })
	if i < 0 {
		return ranked
	}
	first := ranked[i]
	first.Score = max(first.Score, raisedProbability)
	for j := range ranked {
		ranked[j].Score = min(ranked[j].Score, 1-raisedProbability)
	}
	return append([]ranking.Answer{first}, slices.Delete(ranked, i, i+1)...)
}
