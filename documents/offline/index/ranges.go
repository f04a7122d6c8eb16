package index

import (
	"slices"
	"strconv"
	"strings"

	"portside/documents/offline/dates"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/numbers"
	"portside/documents/offline/scan"
)

// bounds are two values that a text joins: a range from one to the other, or a change. Neither is the value by itself.
type Range struct {
	At     scan.Span // both
	Ends   [2]scan.Span
	Values [2]string // of the variable's type, as in its Value
	IsDate bool

	currency, Percent, HasUnit, Ambiguous bool

	Either bool // of the two is meant, and nothing tells which
}

// rangesIn finds the ranges between days and between numbers.
func (r *Index) findRanges() []Range {
	var all []Range
	for i := 1; i < len(r.Dates); i++ {
		if r.Watch.Stopped() {
			return nil
		}
		a, b := r.Dates[i-1], r.Dates[i]
		if how := r.joins(a.At, b.At); how != notJoined {
			all = append(all, Range{At: scan.Span{Start: a.At.Start, End: b.At.End}, Ends: [2]scan.Span{a.At, b.At}, Values: [2]string{a.ISO(), b.ISO()},
				IsDate: true, Ambiguous: a.Ambiguous || b.Ambiguous, Either: how == byChoice})
		}
	}
	for i := 1; i < len(r.Numbers); i++ {
		if r.Watch.Stopped() {
			return nil
		}
		if b, ok := r.rangeOf(r.Numbers[i-1], r.Numbers[i]); ok {
			all = append(all, b)
		}
	}
	for _, d := range r.Dates {
		if b, ok := r.daysOfMonth(d); ok {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b Range) int { return a.At.Start - b.At.Start })
	return all
}

// rangeOf joins two numbers that may be ends of the same: from 3,850 to 4,920 EUR.
func (r *Index) rangeOf(a, b numbers.Number) (Range, bool) {
	how := r.joins(a.At, b.At)
	alike := (a.Currency == b.Currency || a.Currency == "" || b.Currency == "") && (a.Percent == b.Percent || b.Percent)
	if how == notJoined || !alike || how == byDash && !isRising(a, b) {
		return Range{}, false
	}
	return Range{At: scan.Span{Start: a.At.Start, End: b.At.End}, Ends: [2]scan.Span{a.At, b.At}, Values: [2]string{a.Value, b.Value},
		currency: a.Currency+b.Currency != "", Percent: b.Percent, HasUnit: r.HasUnit(b), Either: how == byChoice}, true
}

// isRising reports numbers that a dash may join: not the size of a thing and its price.
func isRising(a, b numbers.Number) bool {
	const mostTimes = 10
	x, errX := strconv.ParseFloat(a.Value, 64)
	y, errY := strconv.ParseFloat(b.Value, 64)
	return errX == nil && errY == nil && x > 0 && x < y && (a.Currency == b.Currency || y <= mostTimes*x)
}

// daysOfMonth joins a day without its month with a whole one: from 20 to 27 November 2026.
func (r *Index) daysOfMonth(d dates.Date) (Range, bool) {
	const near = 24
	before := r.NumbersIn(scan.Span{Start: max(0, d.At.Start-near), End: d.At.Start})
	if len(before) == 0 {
		return Range{}, false
	}
	f := before[len(before)-1]
	day, err := strconv.Atoi(f.Value)
	first := dates.Date{Year: d.Year, Month: d.Month, Day: day}
	how := r.joins(f.At, d.At)
	if err != nil || !first.Exists() || how == notJoined {
		return Range{}, false
	}
	return Range{At: scan.Span{Start: f.At.Start, End: d.At.End}, Ends: [2]scan.Span{f.At, d.At}, Values: [2]string{first.ISO(), d.ISO()}, IsDate: true,
		Either: how == byChoice}, true
}

// joint is how two values are joined.
type joining int

const (
	notJoined joining = iota
	byWords
	byDash
	byChoice
)

// ors leave open which of two values it is.
var ors = scan.LazySet("or oder o u ou oppure eller lub albo sau ori")

var dashes = scan.LazySet("- – — → -> ⟶ ➔")

// untils join two values by themselves, moves only where a word for "from" stands before the first one.
var untils = scan.LazySet("to till until bis tot hasta naar jusqua jusqu'a")

var moves = scan.LazySet("through auf au a al alla allo ai ate ao aos para do na la pe zu zum op vers")

// pairsUp join two values where a word for "between" stands before the first one.
var pairsUp = scan.LazySet("and und y e et en och i oraz si")

var betweens = scan.LazySet("between zwischen entre tra fra tussen mellan miedzy pomiedzy intre")

var froms = scan.LazySet("from von vom de del desde do da dos du des depuis dal dalla dallo dai van vanaf fran od z ze din dela la")

// afters may stand between the joining word and a value.
var afters = scan.LazySet("the den dem el o le il lo la den dnia data de het")

// joins tells what stands between two values.
func (r *Index) joins(a, b scan.Span) joining {
	const longest, most = 48, 5
	if b.Start < a.End || b.Start-a.End > longest {
		return notJoined
	}
	gap := r.Text[a.End:b.Start]
	if dashes()[strings.TrimSpace(gap)] {
		return byDash
	}
	words := scan.Words(gap)
	if strings.ContainsAny(gap, "\n\t,;:()|") || strings.Contains(gap, ". ") || len(words) == 0 || len(words) > most {
		return notJoined
	}
	if slices.ContainsFunc(r.MentionsIn(scan.Span{Start: a.End, End: b.Start}), hasMeaning) {
		return notJoined // what the second value is about begins between them
	}
	last := len(words) - 1
	for last > 0 && afters()[words[last].Text] && !untils()[words[last].Text] {
		last--
	}
	switch word := words[last].Text; {
	case last == 0 && (ors()[word] || word == "of" && r.Lang == "nl"):
		return byChoice
	case last == 0 && untils()[word],
		r.follows(froms, a.Start) && (untils()[word] || moves()[word] || afters()[word]),
		r.follows(betweens, a.Start) && pairsUp()[word]:
		return byWords
	}
	return notJoined
}

// isMatter reports a word with a meaning of its own, which no measure is.
func hasMeaning(m lexicon.Mention) bool {
	measures := append([]string{"MONTHLY", "ANNUAL", "GROSS", "NET", "UNIT"}, lexicon.TimeUnits...)
	return lexicon.IsTerm(m.Term) && !m.Filler && !slices.Contains(measures, m.Term) && !lexicon.IsNeutral(m.Term)
}

// follows reports that one of the words stands shortly before a value.
func (r *Index) follows(words func() map[string]bool, at int) bool {
	const near, most = 16, 2
	from := max(0, at-near)
	for from < at && r.Text[from]&0xC0 == 0x80 {
		from++
	}
	if i := strings.LastIndexAny(r.Text[from:at], "\n\t.;:,"); i >= 0 {
		from += i + 1
	}
	before := scan.Words(r.Text[from:at])
	return slices.ContainsFunc(before[max(0, len(before)-most):], func(w scan.Word) bool { return words()[w.Text] })
}
