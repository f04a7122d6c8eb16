package learned

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/index"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/names"
	"portside/documents/offline/numbers"
	"portside/documents/offline/questions"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// candidate is a value that may be the answer.
type candidate struct {
	answer   ranking.Answer
	piece    int
	number   *numbers.Number // only of a number
	features Features
}

// Reader finds values in one document.
type Reader struct {
	ix        *index.Index
	layout    *layout
	values    *values.Reader
	flat      string                      // the text with spaces in place of line breaks
	known     map[int][places]label       // cache of the labels of a piece
	formulas  map[scan.Span]*surroundings // cache of the wordings around a value
	registers map[scan.Span]bool          // cache of isNearRegister
	roles     map[scan.Span][]string      // cache of roleOf
	places    map[scan.Span][2]bool       // cache of placeWords
	cash      map[int]bool                // cache of isBeforeCash, by piece
	gridRows  map[int]gridRow             // the rows of tables with headers, by their offset; nil until they are needed
	accounts  *[]scan.Span                // the international bank account numbers of the document; nil until they are needed
	domains   *string                     // the e-mail and web addresses of the document, with spaces between them; nil until they are needed
}

// NewReader returns a Reader of a document.
func NewReader(ix *index.Index, v *values.Reader) *Reader {
	return &Reader{
		ix: ix, layout: newLayout(findPieces(ix)), values: v, flat: strings.ReplaceAll(ix.Text, "\n", " "),
		known: map[int][places]label{}, formulas: map[scan.Span]*surroundings{}, registers: map[scan.Span]bool{},
		roles: map[scan.Span][]string{}, places: map[scan.Span][2]bool{}, cash: map[int]bool{},
	}
}

// remembered returns the value of a key in a cache, which it finds at the first call.
func remembered[K comparable, V any](cache map[K]V, key K, find func() V) V {
	value, isKnown := cache[key]
	if !isKnown {
		value = find()
		cache[key] = value
	}
	return value
}

// maxCandidates bounds the candidates of one question.
const maxCandidates = 4_000

// candidates returns the values that have the type of a question, and those that the rules found. It leaves out values that a
// label, a range or a column gives to another question. Of strings, it also leaves out parts of company names, which would
// take probability from the whole name, and titles such as "Mr.".
func (r *Reader) candidates(q *questions.Question, rules Rules) []candidate {
	all := r.ofType(q)
	const maxAdded = 5
	for _, a := range rules.Ranked[:min(len(rules.Ranked), maxAdded)] {
		isKnown := slices.ContainsFunc(all, func(c candidate) bool { return c.answer.Key == a.Key })
		if !isKnown && !a.NoValue {
			all = r.add(all, candidate{answer: a})
		}
	}
	columns := columnFilter{reader: r, asked: q, named: map[*candidates.Grid]bool{}}
	all = slices.DeleteFunc(all, func(c candidate) bool {
		return r.values.IsOtherEnd(q, c.answer.At) || r.contradicts(q, &c) || columns.excludes(&c)
	})
	if q.Variable.Type != answers.String {
		return r.withoutBalances(q, all)
	}
	return slices.DeleteFunc(all, func(c candidate) bool {
		return names.IsCut(r.ix.Text, c.answer.At) || q.Shape == questions.NameShape && names.IsTitle(c.answer.Value.Text)
	})
}

// withoutBalances leaves out balances that are due if the question asks for a total, and another value has the label of a
// total: part of it may have been paid.
func (r *Reader) withoutBalances(q *questions.Question, all []candidate) []candidate {
	asksForBalance := lexicon.Overlap([]string{"BALANCE", "DUE", "PAY"}, q.NameTerms)
	if KindOf(q) != Amounts || !lexicon.Contains(q.NameTerms, "TOTAL") || asksForBalance || !lexicon.Contains(r.ix.AllTerms, "BALANCE") {
		return all
	}
	has := func(term string) func(c candidate) bool {
		return func(c candidate) bool { return slices.Contains(lexicon.LabelTerms(r.ownLabel(&c)), term) }
	}
	isTotal, isBalance := has("TOTAL"), has("BALANCE")
	if !slices.ContainsFunc(all, isTotal) {
		return all
	}
	return slices.DeleteFunc(all, func(c candidate) bool { return isBalance(c) && !isTotal(c) })
}

func (r *Reader) ofType(q *questions.Question) []candidate {
	switch q.Variable.Type {
	case answers.Date:
		return r.dates(q)
	case answers.Number:
		return r.numbers(q)
	case answers.String:
		return r.strings(q)
	}
	return nil
}

func (r *Reader) dates(q *questions.Question) []candidate {
	var all []candidate
	for _, d := range r.ix.Dates {
		if a := values.DateAnswer(q, d, 1); !a.NoValue {
			all = r.add(all, candidate{answer: a})
		}
	}
	for _, a := range r.values.FirstDays() {
		all = r.add(all, candidate{answer: a})
	}
	return all
}

func (r *Reader) numbers(q *questions.Question) []candidate {
	var all []candidate
	if q.Shape == questions.DurationShape {
		for _, p := range r.layout.pieces {
			for _, d := range r.ix.DurationsIn(p.at) {
				if a := values.DurationAnswer(r.ix.Text, q, d, 1); a.Value.Found() {
					all = r.add(all, candidate{answer: a})
				}
			}
		}
	}
	for i := range r.ix.Numbers {
		n := &r.ix.Numbers[i]
		isMeasure := q.AsksForCount() && (r.ix.HasUnit(*n) || n.Currency != "")
		if q.Shape == questions.PercentShape != n.Percent || r.isInAccount(n.At) || isMeasure {
			continue
		}
		all = r.add(all, candidate{answer: values.NumberAnswer(*n, 1), number: n})
	}
	return all
}

func (r *Reader) strings(q *questions.Question) []candidate {
	switch q.Shape {
	case questions.TitleShape:
		return r.titles()
	case questions.AddressShape:
		return r.addresses()
	}
	var all []candidate
	for i := range r.layout.pieces {
		if r.ix.Watch.Stopped() || len(all) >= maxCandidates {
			return all
		}
		p := &r.layout.pieces[i]
		switch q.Shape {
		case questions.IDShape:
			for _, at := range r.codes(p.at, q.AsksForAccount()) {
				all = r.add(all, candidate{answer: values.StringAnswer(r.ix.Text, at, 1)})
			}
		case questions.IBANShape, questions.EmailShape, questions.PhoneShape, questions.CurrencyShape, questions.TimeShape:
			for _, a := range r.values.WithShape(q.Shape, p.at, 1) {
				all = r.add(all, candidate{answer: a})
			}
		case questions.DurationShape:
			for _, d := range r.ix.DurationsIn(p.at) {
				a := values.StringAnswer(r.ix.Text, d.At, 1)
				a.Key = d.Value + d.Unit
				all = r.add(all, candidate{answer: a})
			}
		default:
			for _, at := range r.namesIn(i) {
				all = r.add(all, candidate{answer: values.StringAnswer(r.ix.Text, at, 1)})
			}
		}
	}
	return all
}

// isInAccount reports whether a number is a part of an international bank account number.
func (r *Reader) isInAccount(at scan.Span) bool {
	if r.accounts == nil {
		found := names.IBANs(r.ix.Text, scan.Between(0, len(r.ix.Text)))
		r.accounts = &found
	}
	i, _ := slices.BinarySearchFunc(*r.accounts, at.Start+1, func(a scan.Span, start int) int { return a.Start - start })
	return i > 0 && at.End <= (*r.accounts)[i-1].End
}

// codes returns the words of a span that may be identifiers: words with a digit that are neither a date nor an amount.
// International bank account numbers are identifiers only of accounts.
func (r *Reader) codes(s scan.Span, ofAccounts bool) []scan.Span {
	const maxCode = 60 // bytes
	var all []scan.Span
	text := r.ix.Text
	accounts := names.IBANs(text, s)
	if ofAccounts {
		all = append(all, accounts...)
	}
	for at := s.Start; at < s.End && !r.ix.Watch.Stopped(); {
		if i := slices.IndexFunc(accounts, func(a scan.Span) bool { return a.Start <= at && at < a.End }); i >= 0 {
			at = accounts[i].End // the parts of an account number are no identifiers
			continue
		}
		end := s.End
		if i := strings.IndexAny(text[at:s.End], " \t\n"); i >= 0 {
			end = at + i
		}
		word := names.Trim(text, scan.Between(at, end))
		if at = end + 1; word.Len() > maxCode || !strings.ContainsAny(word.In(text), "0123456789") ||
			r.ix.IsDateAt(word.Start) || r.ix.IsAmountAt(word.Start) {
			continue
		}
		if i := strings.LastIndexAny(word.In(text), ":#"); i >= 0 && i+1 < word.Len() {
			word.Start += i + 1
		}
		all = append(all, word)
		longest := scan.RuneStart(text, min(s.End, word.Start+maxCode), s.End)
		if longer := r.values.Identifier(scan.Between(word.Start, longest)); longer.End > word.End {
			all = append(all, longer)
		}
	}
	return all
}

// Bounds of names, in bytes. A run of more than longestRun bytes is read in parts. Only its last part can be short enough to
// be a name.
const (
	maxName    = 90
	longestRun = 2 * maxName
)

// namesIn returns the parts of a piece that may be a name: the whole piece, the part after a colon, and runs of
// capitalized words. In a table, it may be any cell.
func (r *Reader) namesIn(i int) []scan.Span {
	p := &r.layout.pieces[i]
	s := p.at
	found := spanSet{isKnown: map[scan.Span]bool{}}
	add := func(at scan.Span) {
		if at = names.CutAddress(r.ix.Text, names.Trim(r.ix.Text, at)); r.mayBeName(at) {
			found.add(at)
		}
	}
	whole := s.In(r.ix.Text)
	if i := strings.LastIndex(whole, ": "); i >= 0 {
		add(scan.Between(s.Start+i+len(": "), s.End))
	}
	if s.Len() <= maxName {
		add(s)
		if at := cutRegister(r.ix.Text, names.Trim(r.ix.Text, s)); r.mayBeName(at) {
			found.add(at) // with what stands in brackets, which may be a part of the name
		} else if r.isBodyCell(i) {
			found.add(s) // the words of a label are a value in a cell
		}
	}
	for at := s.Start; at < s.End && !r.ix.Watch.Stopped(); {
		run := r.capitalized(at, s.End)
		if run.IsEmpty() {
			at = r.nextWord(at, s.End)
			continue
		}
		add(run)
		if run.End < s.End && r.ix.Text[run.End] == ',' {
			add(scan.Between(run.Start, r.legalForm(run.End, s.End)))
		}
		blockEnd := r.ix.Blocks[p.block].End()
		last := scan.RuneStart(r.ix.Text, min(blockEnd, at+longestRun), blockEnd)
		if longer := names.CapitalizedRun(r.flat, scan.Between(at, last)); longer.End > s.End {
			add(longer) // continues on the next line
		}
		at = run.End
	}
	return found.all
}

// spanSet is a list of distinct spans.
type spanSet struct {
	all     []scan.Span
	isKnown map[scan.Span]bool
}

func (s *spanSet) add(at scan.Span) {
	if !s.isKnown[at] {
		s.isKnown[at] = true
		s.all = append(s.all, at)
	}
}

// jointPlaces are places whose names are two names.
var jointPlaces = []string{
	"England and Wales", "Bosnia and Herzegovina", "Trinidad and Tobago", "Antigua and Barbuda", "Newfoundland and Labrador",
	"Turks and Caicos Islands", "Saint Kitts and Nevis",
}

// capitalized returns the run of capitalized words that begins at an offset, or an empty span.
func (r *Reader) capitalized(at, end int) scan.Span {
	const least = 3
	if first, _ := utf8.DecodeRuneInString(r.ix.Text[at:]); !unicode.IsUpper(first) {
		return scan.Span{}
	}
	for _, place := range jointPlaces {
		if strings.HasPrefix(r.ix.Text[at:end], place) {
			return scan.Between(at, at+len(place))
		}
	}
	last := scan.RuneStart(r.ix.Text, min(end, at+longestRun), end)
	if run := names.CapitalizedRun(r.ix.Text, scan.Between(at, last)); run.Len() >= least {
		return run
	}
	return scan.Span{}
}

// nextWord returns the start of the next word, or the end.
func (r *Reader) nextWord(at, end int) int {
	_, size := utf8.DecodeRuneInString(r.ix.Text[at:])
	at = min(at+size, end)
	i := strings.IndexByte(r.ix.Text[at:end], ' ')
	if i < 0 {
		return end
	}
	return at + i + 1
}

func (r *Reader) mayBeName(at scan.Span) bool {
	const least = 2
	return at.Len() >= least && at.Len() <= maxName && !strings.ContainsAny(at.In(r.ix.Text), "“”\"") &&
		scan.HasWord(at.In(r.ix.Text)) &&
		!r.ix.IsOnlyTerms(at)
}

// legalForm returns the end of a legal form, such as ", Inc.", that begins at an offset. Without one, it returns the
// offset.
func (r *Reader) legalForm(at, end int) int {
	for _, form := range []string{", Inc.", ", Inc", ", LLC", ", Ltd.", ", Ltd", ", L.P.", ", LP", ", Corp.", ", N.A."} {
		if strings.HasPrefix(r.ix.Text[at:end], form) {
			return at + len(form)
		}
	}
	return at
}

// add adds a candidate if it is in a piece, up to maxCandidates.
func (r *Reader) add(all []candidate, c candidate) []candidate {
	if c.answer.At.IsEmpty() || len(all) >= maxCandidates {
		return all
	}
	if c.piece = r.layout.pieceAt(c.answer.At.Start); c.piece < 0 {
		return all
	}
	return append(all, c)
}
