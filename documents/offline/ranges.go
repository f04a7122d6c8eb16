package offline

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"portside/documents/answers"
)

// bounds are two values that a text joins: a range from one to the other, or a change. Neither is the value by itself.
type bounds struct {
	at     span // both
	ends   [2]span
	values [2]string // of the variable's type, as in its Value
	isDate bool

	currency, percent, measured, doubtful bool

	either bool // of the two is meant, and nothing tells which
}

// rangesIn finds the ranges between days and between numbers.
func (r *reading) rangesIn() []bounds {
	var all []bounds
	for i := 1; i < len(r.dates); i++ {
		if r.watch.ended() {
			return nil
		}
		a, b := r.dates[i-1], r.dates[i]
		if how := r.joins(a.at, b.at); how != nothing {
			all = append(all, bounds{at: span{a.at.start, b.at.end}, ends: [2]span{a.at, b.at}, values: [2]string{a.iso(), b.iso()},
				isDate: true, doubtful: a.doubtful || b.doubtful, either: how == byChoice})
		}
	}
	for i := 1; i < len(r.figures); i++ {
		if r.watch.ended() {
			return nil
		}
		if b, ok := r.rangeOf(r.figures[i-1], r.figures[i]); ok {
			all = append(all, b)
		}
	}
	for _, d := range r.dates {
		if b, ok := r.daysOfMonth(d); ok {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b bounds) int { return a.at.start - b.at.start })
	return all
}

// rangesFrom returns the ranges that begin in a stretch.
func (r *reading) rangesFrom(s span) []bounds {
	from := sort.Search(len(r.ranges), func(i int) bool { return r.ranges[i].at.start >= s.start })
	size := sort.Search(len(r.ranges)-from, func(i int) bool { return r.ranges[from+i].at.start >= s.end })
	return r.ranges[from : from+size]
}

// rangeOf joins two numbers that may be ends of the same: from 3,850 to 4,920 EUR.
func (r *reading) rangeOf(a, b figure) (bounds, bool) {
	how := r.joins(a.at, b.at)
	alike := (a.currency == b.currency || a.currency == "" || b.currency == "") && (a.percent == b.percent || b.percent)
	if how == nothing || !alike || how == byDash && !isRising(a, b) {
		return bounds{}, false
	}
	return bounds{at: span{a.at.start, b.at.end}, ends: [2]span{a.at, b.at}, values: [2]string{a.value, b.value},
		currency: a.currency+b.currency != "", percent: b.percent, measured: r.isMeasured(b), either: how == byChoice}, true
}

// isRising reports numbers that a dash may join: not the size of a thing and its price.
func isRising(a, b figure) bool {
	const mostTimes = 10
	x, errX := strconv.ParseFloat(a.value, 64)
	y, errY := strconv.ParseFloat(b.value, 64)
	return errX == nil && errY == nil && x > 0 && x < y && (a.currency == b.currency || y <= mostTimes*x)
}

// daysOfMonth joins a day without its month with a whole one: from 20 to 27 November 2026.
func (r *reading) daysOfMonth(d dated) (bounds, bool) {
	const near = 24
	before := r.figuresIn(span{max(0, d.at.start-near), d.at.start})
	if len(before) == 0 {
		return bounds{}, false
	}
	f := before[len(before)-1]
	day, err := strconv.Atoi(f.value)
	first := dated{year: d.year, month: d.month, day: day}
	how := r.joins(f.at, d.at)
	if err != nil || !first.exists() || how == nothing {
		return bounds{}, false
	}
	return bounds{at: span{f.at.start, d.at.end}, ends: [2]span{f.at, d.at}, values: [2]string{first.iso(), d.iso()}, isDate: true,
		either: how == byChoice}, true
}

// joint is how two values are joined.
type joint int

const (
	nothing joint = iota
	byWords
	byDash
	byChoice
)

// ors leave open which of two values it is.
var ors = setsOf("or oder o u ou oppure eller lub albo sau ori")

var dashes = setsOf("- – — → -> ⟶ ➔")

// untils join two values by themselves, moves only where a word for "from" stands before the first one.
var untils = setsOf("to till until bis tot hasta naar jusqua jusqu'a")

var moves = setsOf("through auf au a al alla allo ai ate ao aos para do na la pe zu zum op vers")

// pairsUp join two values where a word for "between" stands before the first one.
var pairsUp = setsOf("and und y e et en och i oraz si")

var betweens = setsOf("between zwischen entre tra fra tussen mellan miedzy pomiedzy intre")

var froms = setsOf("from von vom de del desde do da dos du des depuis dal dalla dallo dai van vanaf fran od z ze din dela la")

// afters may stand between the joining word and a value.
var afters = setsOf("the den dem el o le il lo la den dnia data de het")

// joins tells what stands between two values.
func (r *reading) joins(a, b span) joint {
	const longest, most = 48, 5
	if b.start < a.end || b.start-a.end > longest {
		return nothing
	}
	gap := r.text[a.end:b.start]
	if dashes()[strings.TrimSpace(gap)] {
		return byDash
	}
	words := wordsOf(gap)
	if strings.ContainsAny(gap, "\n\t,;:()|") || strings.Contains(gap, ". ") || len(words) == 0 || len(words) > most {
		return nothing
	}
	if slices.ContainsFunc(r.within(span{a.end, b.start}), isMatter) {
		return nothing // what the second value is about begins between them
	}
	last := len(words) - 1
	for last > 0 && afters()[words[last].text] && !untils()[words[last].text] {
		last--
	}
	switch word := words[last].text; {
	case last == 0 && (ors()[word] || word == "of" && r.lang == "nl"):
		return byChoice
	case last == 0 && untils()[word],
		r.follows(froms, a.start) && (untils()[word] || moves()[word] || afters()[word]),
		r.follows(betweens, a.start) && pairsUp()[word]:
		return byWords
	}
	return nothing
}

// isMatter reports a word with a meaning of its own, which no measure is.
func isMatter(m mention) bool {
	measures := append([]string{"MONTHLY", "ANNUAL", "GROSS", "NET", "UNIT"}, units...)
	return isTerm(m.term) && !m.small && !slices.Contains(measures, m.term) && !harmless(m.term)
}

// follows reports that one of the words stands shortly before a value.
func (r *reading) follows(words func() map[string]bool, at int) bool {
	const near, most = 16, 2
	from := max(0, at-near)
	for from < at && r.text[from]&0xC0 == 0x80 {
		from++
	}
	if i := strings.LastIndexAny(r.text[from:at], "\n\t.;:,"); i >= 0 {
		from += i + 1
	}
	before := wordsOf(r.text[from:at])
	return slices.ContainsFunc(before[max(0, len(before)-most):], func(w word) bool { return words()[w.text] })
}

// besidesRanges leaves out values that are ends of a range and not the end asked for.
func (r *reading) besidesRanges(q *query, all []candidate) []candidate {
	shapes := []shape{timeShape, idShape, ibanShape, phoneShape, nameShape, listShape, textShape}
	if len(r.ranges) == 0 || q.variable.Type == answers.String && (q.shape == anyShape || slices.Contains(shapes, q.shape)) {
		return all
	}
	const longest = 256 // of a range: two values and what joins them
	return slices.DeleteFunc(all, func(c candidate) bool {
		near := r.rangesFrom(span{c.at.start - longest, c.at.end})
		return slices.ContainsFunc(near, func(b bounds) bool { return b.forbids(q.end, c.at) })
	})
}

// forbids reports that a value is an end, but not the one asked for.
func (b bounds) forbids(asked end, at span) bool {
	for i, e := range b.ends {
		isBoth := at.start <= b.ends[0].start && at.end >= b.ends[1].end
		if at.start < e.end && e.start < at.end && !isBoth {
			return b.either || asked != end(i+1)
		}
	}
	return false
}

// fromEnds are the values that stand at the end asked for of a range about the matter, or beside a word for that end.
func (r *reading) fromEnds(q *query) []candidate {
	if q.plain == nil || q.end == noEnd {
		return nil
	}
	var all []candidate
	for i := range r.pairs {
		p := &r.pairs[i]
		if r.watch.ended() {
			return nil
		}
		if !touchesAny(q.plain.touched, p.label) {
			continue
		}
		score := q.plain.match(p, r.topic)
		if score <= leastScore-againBonus {
			continue
		}
		for _, b := range r.rangesFrom(span{p.value.start, min(p.value.end, p.value.start+nearBytes)}) {
			all = append(all, r.endOf(q, b, score)...)
		}
		if endIn(r.text[p.labelAt.start:p.labelAt.end]) == q.end {
			all = append(all, r.besidesRanges(q, r.valuesOf(q.plain, p, score))...)
		}
	}
	for _, s := range r.sentences {
		if r.watch.ended() {
			return nil
		}
		if ranges := r.rangesFrom(s); len(ranges) > 0 && r.mayAnswer(q.plain, s) {
			all = append(all, r.endsIn(q, s, ranges)...)
		}
	}
	return append(all, r.endsBeside(q)...)
}

// endsIn reads the ends of the ranges of a sentence, each by the words around it.
func (r *reading) endsIn(q *query, s span, ranges []bounds) []candidate {
	var spans []span
	for _, b := range ranges {
		spans = append(spans, b.at)
	}
	var all []candidate
	for i, score := range r.beside(q.plain, s, spans) {
		all = append(all, r.endOf(q, ranges[i], score)...)
	}
	return all
}

// endOf is the end asked for of a range.
func (r *reading) endOf(q *query, b bounds, score float64) []candidate {
	if score == 0 || b.either || !b.fits(q.plain) {
		return nil
	}
	n := int(q.end) - 1
	c := candidate{value: answers.Value{Type: q.variable.Type, Text: b.values[n]}, at: b.ends[n], score: score, key: b.values[n],
		doubtful: b.doubtful}
	const mostDay = 2
	if b.isDate && c.at.end-c.at.start <= mostDay {
		c.at = b.at // a day without its month says nothing by itself
	}
	if q.variable.Type == answers.String {
		c = stringCandidate(r.text, c.at, score)
	}
	return []candidate{c}
}

func (b *bounds) fits(q *query) bool {
	isDate := q.variable.Type == answers.Date || q.shape == dateShape
	switch {
	case isDate || b.isDate:
		return isDate == b.isDate
	case q.variable.Type != answers.Number && q.shape == anyShape:
		return false
	case q.shape == durationShape:
		return b.measured
	}
	return b.percent == (q.shape == percentShape)
}

// endsBeside reads sentences that name the end: the new price is 45 EUR.
func (r *reading) endsBeside(q *query) []candidate {
	var all []candidate
	for _, c := range r.besidesRanges(q, r.fromSentences(q.plain)) {
		if r.watch.ended() {
			return nil
		}
		i := sort.Search(len(r.sentences), func(i int) bool { return r.sentences[i].start > c.at.start }) - 1
		if i < 0 {
			continue
		}
		before := span{r.sentences[i].start, c.at.start}
		for _, f := range r.figuresIn(before) {
			before.start = max(before.start, f.at.end)
		}
		for _, d := range r.datesIn(before) {
			before.start = max(before.start, d.at.end)
		}
		if endIn(r.text[before.start:before.end]) == q.end {
			all = append(all, c)
		}
	}
	return all
}
