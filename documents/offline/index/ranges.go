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

// Range is two values that a text connects: a range from one to the other, a change, or a choice.
// Neither of them is the value of a label.
type Range struct {
	At     scan.Span // from the start of the first to the end of the second value
	Ends   [2]scan.Span
	Values [2]string // as in [answers.Value]
	IsDate bool

	Percent, HasUnit, Ambiguous bool

	Either bool // one of the two is meant, and the text does not say which
}

// findRanges finds the ranges between dates and between numbers.
func findRanges(ix *Index) []Range {
	var all []Range
	for i := 1; i < len(ix.Dates); i++ {
		if ix.Watch.Stopped() {
			return nil
		}
		a, b := ix.Dates[i-1], ix.Dates[i]
		if kind := joins(ix, a.At, b.At); kind != notJoined {
			all = append(all, Range{At: scan.Between(a.At.Start, b.At.End), Ends: [2]scan.Span{a.At, b.At},
				Values: [2]string{a.ISO(), b.ISO()}, IsDate: true, Ambiguous: a.Ambiguous || b.Ambiguous, Either: kind == byChoice})
		}
	}
	for i := 1; i < len(ix.Numbers); i++ {
		if ix.Watch.Stopped() {
			return nil
		}
		if b, ok := rangeOf(ix, ix.Numbers[i-1], ix.Numbers[i]); ok {
			all = append(all, b)
		}
	}
	for _, d := range ix.Dates {
		if b, ok := daysOfMonth(ix, d); ok {
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, func(a, b Range) int { return a.At.Start - b.At.Start })
	return all
}

// rangeOf connects two numbers that may be the ends of a range: from 3,850 to 4,920 EUR.
func rangeOf(ix *Index, a, b numbers.Number) (Range, bool) {
	kind := joins(ix, a.At, b.At)
	alike := (a.Currency == b.Currency || a.Currency == "" || b.Currency == "") && (a.Percent == b.Percent || b.Percent)
	if kind == notJoined || !alike || kind == byDash && !isRising(a, b) {
		return Range{}, false
	}
	return Range{At: scan.Between(a.At.Start, b.At.End), Ends: [2]scan.Span{a.At, b.At},
		Values:  [2]string{a.Value, b.Value},
		Percent: b.Percent, HasUnit: ix.HasUnit(b), Either: kind == byChoice}, true
}

// isRising reports whether a dash may connect two numbers as a range. The size of a thing and its
// price are not a range.
func isRising(a, b numbers.Number) bool {
	const maxFactor = 10
	x, errX := strconv.ParseFloat(a.Value, 64)
	y, errY := strconv.ParseFloat(b.Value, 64)
	return errX == nil && errY == nil && x > 0 && x < y && (a.Currency == b.Currency || y <= maxFactor*x)
}

// daysOfMonth connects a day without a month with a complete date: from 20 to 27 November 2026.
func daysOfMonth(ix *Index, d dates.Date) (Range, bool) {
	const near = 24
	before := ix.NumbersIn(scan.Between(max(0, d.At.Start-near), d.At.Start))
	if len(before) == 0 {
		return Range{}, false
	}
	f := before[len(before)-1]
	day, err := strconv.Atoi(f.Value)
	first := dates.Date{Year: d.Year, Month: d.Month, Day: day}
	kind := joins(ix, f.At, d.At)
	if err != nil || !first.Exists() || kind == notJoined {
		return Range{}, false
	}
	return Range{At: scan.Between(f.At.Start, d.At.End), Ends: [2]scan.Span{f.At, d.At},
		Values: [2]string{first.ISO(), d.ISO()}, IsDate: true, Either: kind == byChoice}, true
}

// joining is how a text connects two values.
type joining int

const (
	notJoined joining = iota
	byWords
	byDash
	byChoice
)

// ors leave open which of two values is meant.
var ors = scan.LazySet("or oder o u ou oppure eller lub albo sau ori")

// dashes connect two values without words.
var dashes = scan.LazySet("- – — → -> ⟶ ➔")

// untils connect two values. moves connect them only if a word for "from" comes before the first
// one.
var untils = scan.LazySet("to till until bis tot hasta naar jusqua jusqu'a")

var moves = scan.LazySet("through auf au a al alla allo ai ate ao aos para do na la pe zu zum op vers")

// pairsUp connect two values if a word for "between" comes before the first one.
var pairsUp = scan.LazySet("and und y e et en och i oraz si")

// betweens and froms come before the first of two values.
var betweens = scan.LazySet("between zwischen entre tra fra tussen mellan miedzy pomiedzy intre")
var froms = scan.LazySet("from von vom de del desde do da dos du des depuis dal dalla dallo dai van vanaf fran od z ze din dela la")

// afters may stand between the connecting word and a value.
var afters = scan.LazySet("the den dem el o le il lo la den dnia data de het")

// joins returns how the text between two values connects them.
func joins(ix *Index, a, b scan.Span) joining {
	const maxGap, maxWords = 48, 5
	if b.Start < a.End || b.Start-a.End > maxGap {
		return notJoined
	}
	gap := ix.Text[a.End:b.Start]
	if dashes()[strings.TrimSpace(gap)] {
		return byDash
	}
	words := scan.Words(gap)
	if strings.ContainsAny(gap, "\n\t,;:()|") || strings.Contains(gap, ". ") || len(words) == 0 || len(words) > maxWords {
		return notJoined
	}
	if slices.ContainsFunc(ix.MentionsIn(scan.Between(a.End, b.Start)), hasMeaning) {
		return notJoined // the label of the second value is between them
	}
	last := len(words) - 1
	for last > 0 && afters()[words[last].Text] && !untils()[words[last].Text] {
		last--
	}
	switch word := words[last].Text; {
	case last == 0 && (ors()[word] || word == "of" && ix.Lang == "nl"):
		return byChoice
	case last == 0 && untils()[word],
		follows(ix, froms, a.Start) && (untils()[word] || moves()[word] || afters()[word]),
		follows(ix, betweens, a.Start) && pairsUp()[word]:
		return byWords
	}
	return notJoined
}

// hasMeaning reports a term that says what a value is about. Units and similar terms do not.
func hasMeaning(m lexicon.Mention) bool {
	measures := append([]string{"MONTHLY", "ANNUAL", "GROSS", "NET", "UNIT"}, lexicon.TimeUnits...)
	return lexicon.IsTerm(m.Term) && !m.Filler && !slices.Contains(measures, m.Term) && !lexicon.IsNeutral(m.Term)
}

// follows reports whether one of the words comes shortly before an offset.
func follows(ix *Index, words func() map[string]bool, at int) bool {
	const maxBytes, maxWords = 16, 2
	from := scan.RuneStart(ix.Text, max(0, at-maxBytes), at)
	if i := strings.LastIndexAny(ix.Text[from:at], "\n\t.;:,"); i >= 0 {
		from += i + 1
	}
	before := scan.Words(ix.Text[from:at])
	return slices.ContainsFunc(before[max(0, len(before)-maxWords):], func(w scan.Word) bool { return words()[w.Text] })
}
