package offline

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/answers"
)

// valuesOf reads what stands with a label as a value of the variable's type.
func (r *reading) valuesOf(q *query, p *pair, score float64) []candidate {
	var all []candidate
	switch q.variable.Type {
	case answers.Date:
		all = r.dateOf(q, p.value)
	case answers.Number:
		all = r.numberOf(q, p)
	case answers.String:
		all = r.stringOf(q, p.value)
	default:
		return nil
	}
	for i := range all {
		all[i].score *= score
		all[i].score += r.early(all[i].at.start)
	}
	return all
}

// early prefers what a document says first, by little.
func (r *reading) early(at int) float64 {
	const most = 0.02
	return most * (1 - float64(at)/float64(len(r.text)+1))
}

const (
	farIn     = 0.8 // the value does not begin with what was read
	oneOfMany = 0.85
	nearBytes = 24
)

func (r *reading) dateOf(q *query, s span) []candidate {
	dates := r.daysSaid(s)
	if len(dates) == 0 {
		return nil
	}
	c := q.dayOf(dates[0], 1)
	if dates[0].at.start-s.start > nearBytes {
		c.score *= farIn
	}
	if len(dates) > 1 {
		c.score *= oneOfMany
	}
	return []candidate{c}
}

func dateCandidate(d dated, score float64) candidate {
	return candidate{value: answers.Value{Type: answers.Date, Text: d.iso()}, at: d.at, score: score, key: d.iso(), doubtful: d.doubtful}
}

// ofPeriod reads the first or the second day of a period, for variables that ask for its start or end.
func (r *reading) ofPeriod(q *query, s span, said []string) []candidate {
	dates := r.datesIn(s)
	if len(dates) != 2 || !isUntil(r.text[dates[0].at.end:dates[1].at.start]) {
		return nil
	}
	subjects := []string{"TERM", "CONTRACT", "START", "END", "RENT", "POLICY", "INSURANCE", "VALID"}
	known := func(terms []string) bool {
		return slices.ContainsFunc(terms, func(t string) bool { return slices.Contains(subjects, t) })
	}
	if !known(said) && !known(r.topic) {
		return nil
	}
	const score = 0.85
	if q.asksForEnd() {
		return []candidate{q.dayOf(dates[1], score)}
	}
	return []candidate{q.dayOf(dates[0], score)}
}

func (q *query) asksForStart() bool { return q.asksFor("START", "contract start") }
func (q *query) asksForEnd() bool   { return q.asksFor("END", "contract end") }

// asksFor reports that a variable asks for one end of a period.
func (q *query) asksFor(end, concept string) bool {
	return q.concept == concept || q.variable.Type == answers.Date && slices.Contains(q.named, end) && len(without(q.named,
		[]string{end, "DATE", "TERM"})) == 0
}

// isUntil reports what stands between the two days of a period.
func isUntil(between string) bool {
	switch strings.Trim(fold(between), " .r") {
	case "to", "till", "until", "through", "bis", "bis zum", "au", "jusqu'au", "al", "hasta", "hasta el", "ate", "a",
		"tot", "tot en met", "till den",
		"t.o.m", "till och med den", "do", "do dnia", "pana la", "pana la data de", "-", "–", "—", "to and including", "und", "and":
		return true
	}
	return false
}

func numberCandidate(f figure, score float64) candidate {
	return candidate{value: answers.Value{Type: answers.Number, Text: f.value}, at: f.at, score: score, key: f.value}
}

func (r *reading) numberOf(q *query, p *pair) []candidate {
	figures := r.figuresIn(p.value)
	switch q.shape {
	case durationShape:
		return r.durationNumber(q, p)
	case percentShape:
		figures = slices.Concat(figures, r.figuresIn(p.labelAt))
		return oneFigure(figures, p.value, func(f figure) bool { return f.percent })
	case moneyShape:
		if with := oneFigure(figures, p.value, func(f figure) bool { return f.currency != "" && !f.percent }); with != nil {
			return with
		}
		return oneFigure(figures, p.value, func(f figure) bool { return !f.percent && !r.isMeasured(f) && !r.numbersClause(q, f) })
	case idShape:
		return oneFigure(figures, p.value, func(f figure) bool { return f.fraction == "" && f.currency == "" && !f.percent })
	}
	counts := slices.Contains(q.named, "QUANTITY")
	return oneFigure(figures, p.value, func(f figure) bool {
		return (!counts || f.currency == "" && !f.percent) && !r.numbersClause(q, f)
	})
}

// oneFigure takes the only figure that fits, or the first of several with less certainty.
func oneFigure(figures []figure, s span, fit func(figure) bool) []candidate {
	var fitting []figure
	for _, f := range figures {
		if fit(f) {
			fitting = append(fitting, f)
		}
	}
	if len(fitting) == 0 {
		return nil
	}
	c := numberCandidate(fitting[0], 1)
	if len(fitting) > 1 && fitting[1].value != fitting[0].value {
		c.score *= oneOfMany
	}
	if fitting[0].at.start-s.start > nearBytes {
		c.score *= farIn
	}
	return []candidate{c}
}

func stringCandidate(text string, at span, score float64) candidate {
	quote := text[at.start:at.end]
	return candidate{value: answers.Value{Type: answers.String, Text: quote}, at: at, score: score, key: keyOf(quote)}
}

// keyOf makes texts alike that differ in case, marks and punctuation only.
func keyOf(text string) string {
	var key strings.Builder
	for _, w := range wordsOf(text) {
		key.WriteString(w.text)
		key.WriteByte(' ')
	}
	return key.String()
}

// stringOf reads the shortest sensible text that has the shape asked for.
func (r *reading) stringOf(q *query, s span) []candidate {
	fit := 1.0
	switch q.shape {
	case dateShape:
		return r.shownDate(q, s)
	case moneyShape, percentShape, plainShape:
		return r.shownFigure(q, s)
	case idShape:
		s = r.id(s)
	case nameShape:
		s = r.name(r.clause(s))
		if r.isOnlyLabel(s) {
			return nil
		}
	case timeShape:
		s = r.timeIn(s)
	case ibanShape, emailShape, phoneShape, currencyShape:
		return r.shaped(q.shape, s, 1)
	case lawShape:
		s = r.law(r.clause(s))
	default:
		s = r.clause(s)
	}
	if s.end <= s.start || !hasWord(r.text[s.start:s.end]) {
		return nil
	}
	if q.shape == nameShape && !r.isName(s) {
		fit = 0.6
	}
	if q.shape == durationShape {
		if found := r.durationsIn(s); len(found) > 0 {
			return []candidate{durationCandidate(r, q, found[0], 1)}
		}
	}
	return []candidate{stringCandidate(r.text, s, fit)}
}

// isOnlyLabel reports that a text has no word but such as name things: the next label of a form, not a name.
func (r *reading) isOnlyLabel(s span) bool {
	words := r.within(s)
	return len(words) > 0 && !slices.ContainsFunc(words, func(m mention) bool { return !isTerm(m.term) && !m.small && !isDigit(m.term[0]) })
}

// timeIn finds the first time of the day, such as 9:15, 9.15 or 9h15.
func (r *reading) timeIn(s span) span {
	text := r.text[s.start:s.end]
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		end := skipDigits(text, i)
		if size := timeSize(text[i:]); size > 0 && !r.isAmount(s.start+i) && !r.dateStarts(s.start+i) {
			return span{s.start + i, s.start + i + size}
		}
		i = end
	}
	return span{s.start, s.start}
}

// timeSize is how long the time is that a text begins with; 0 if it does not.
func timeSize(text string) int {
	hours := skipDigits(text, 0)
	if hours == 0 || hours > 2 || hours == len(text) || strings.IndexByte(":.h", text[hours]) < 0 {
		return 0
	}
	end := skipDigits(text, hours+1)
	const minuteDigits = 2
	if end-hours-1 != minuteDigits || text[:hours] > "24" && hours == 2 || text[hours+1] > '5' {
		return 0
	}
	rest := text[end:]
	goesOn := len(rest) > 1 && strings.IndexByte(".:", rest[0]) >= 0 && isDigit(rest[1])
	if goesOn || rest != "" && isLetterOrDigit(rest[0]) {
		return 0
	}
	return end
}

func hasWord(text string) bool { return strings.IndexFunc(text, isWordRune) >= 0 }

func (r *reading) shownDate(q *query, s span) []candidate {
	if dates := r.daysSaid(s); len(dates) > 0 {
		c := q.dayOf(dates[0], 1)
		c.value, c.doubtful = answers.Value{Type: answers.String, Text: r.text[c.at.start:c.at.end]}, false
		return []candidate{c}
	}
	return nil
}

func (r *reading) shownFigure(q *query, s span) []candidate {
	for _, f := range r.figuresIn(s) {
		if (q.shape == percentShape) == f.percent {
			c := stringCandidate(r.text, f.at, 1)
			c.key = f.value
			return []candidate{c}
		}
	}
	return nil
}

const mostValueBytes = 240

// clause cuts a value to its line and takes off what only ends it.
func (r *reading) clause(s span) span {
	s.end = min(s.end, r.sentenceEnd(s.start))
	if s.end-s.start > mostValueBytes {
		text := r.text[s.start:s.end]
		if i := strings.IndexAny(text, ".;\n"); i > 0 {
			s.end = s.start + i
		}
	}
	return r.bare(s)
}

// sentenceEnd is where the sentence ends that an offset lies in: what follows is about something else.
func (r *reading) sentenceEnd(at int) int {
	i := sort.Search(len(r.sentences), func(i int) bool { return r.sentences[i].start > at })
	if i > 0 && r.sentences[i-1].end > at {
		return r.sentences[i-1].end
	}
	return len(r.text)
}

// bare takes spaces, closing punctuation and quotes around it off.
func (r *reading) bare(s span) span {
	s = r.trim(s)
	for s.end > s.start {
		last, size := utf8.DecodeLastRuneInString(r.text[s.start:s.end])
		if !strings.ContainsRune(" ,;:\t\n", last) && (last != '.' || r.endsShort(s)) {
			break
		}
		s.end -= size
	}
	for s.start < s.end && strings.IndexByte(" ,;:.-#", r.text[s.start]) >= 0 {
		s.start++
	}
	for _, sign := range []string{"º", "°"} { // of n.º, which is no word
		if rest, ok := strings.CutPrefix(r.text[s.start:s.end], sign+" "); ok {
			s.start = s.end - len(rest)
		}
	}
	return r.unquoted(s)
}

func (r *reading) unquoted(s span) span {
	text := r.text[s.start:s.end]
	for _, marks := range [][2]string{{"\"", "\""}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"«", "»"}, {"‘", "’"}} {
		inner, ok := strings.CutPrefix(text, marks[0])
		if inner, end := strings.CutSuffix(inner, marks[1]); ok && end && inner != "" {
			return span{s.start + len(marks[0]), s.end - len(marks[1])}
		}
	}
	return s
}

// endsShort reports that the last point belongs to an abbreviation, such as Inc. and S.A.
func (r *reading) endsShort(s span) bool {
	text := r.text[s.start : s.end-1]
	lastWord := text[strings.LastIndexAny(text, " ,\n\t")+1:]
	switch fold(lastWord) {
	case "inc", "ltd", "co", "corp", "s.a", "s.l", "s.r.l", "s.p.a", "sp. z o.o", "o.o", "b.v", "n.v", "lda", "s.c", "bros", "jr",
		"s.a.s", "k.k", "r.l":
		return true
	}
	return false
}

// id takes the words of a number: RE-2026-17, INV 2026/4, but not what is said about it.
func (r *reading) id(s span) span {
	s = r.bare(s)
	end, digits := s.start, false
	for at := s.start; at < s.end; {
		stop := at + len(r.text[at:s.end])
		if n := strings.IndexAny(r.text[at:s.end], " \t\n,;()"); n >= 0 {
			stop = at + n
		}
		if r.isAmount(at) {
			break
		}
		part := r.text[at:stop]
		hasDigit := strings.ContainsAny(part, "0123456789")
		if !hasDigit && (digits || !isCode(part)) || hasDigit && r.dateStarts(at) && digits {
			break
		}
		end, digits = stop, digits || hasDigit
		if stop == s.end || r.text[stop] != ' ' {
			break
		}
		at = stop + 1
	}
	if !digits || r.dateStarts(s.start) {
		return span{s.start, s.start}
	}
	return r.bare(span{s.start, end})
}

func (r *reading) dateStarts(at int) bool {
	dates := r.datesIn(r.shortly(at))
	return len(dates) > 0 && dates[0].at.start == at
}

// isAmount reports a number with a currency or in percent.
func (r *reading) isAmount(at int) bool {
	figures := r.figuresIn(r.shortly(at))
	return len(figures) > 0 && figures[0].at.start == at && (figures[0].currency != "" || figures[0].percent)
}

// isCode reports letters that belong to a number, such as INV or FT.
func isCode(part string) bool {
	const most = 5
	return part != "" && len(part) <= most && strings.IndexFunc(part, unicode.IsLower) < 0
}

// isMeasured reports that a unit of time, weight or length follows: the number is no amount of money.
func (r *reading) isMeasured(f figure) bool {
	const besides = 2
	words := r.within(r.shortly(f.at.end))
	if len(words) == 0 || words[0].at.start-f.at.end >= besides {
		return false
	}
	return slices.Contains(units, words[0].term) || isUnit(fold(r.text[words[0].at.start:words[0].at.end]))
}

// shortly is a stretch that is long enough for any number, day or unit that begins it.
func (r *reading) shortly(at int) span {
	const bytes = 80
	return span{at, min(at+bytes, len(r.text))}
}
