package index

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/dates"
	"portside/documents/offline/language"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/numbers"
	"portside/documents/offline/scan"
)

const (
	MaxWords = 200_000
	MaxBytes = 2 << 20
)

// reading is a document prepared for looking things up: where it says what, and what stands beside what.
type Index struct {
	Doc          *documents.Document
	Text         string
	Lang         answers.Lang
	Mentions     []lexicon.Mention
	Numbers      []numbers.Number
	Dates        []dates.Date
	InvalidDates []dates.Date
	Ranges       []Range
	Topic        []string          // terms of the title and the first lines
	AllTerms     []string          // every term once, in order of the alphabet
	Blocks       []documents.Block // that are searched
	Truncated    bool              // there is more than is searched
	Watch        *scan.Watch
}

// newReading prepares a document. A long one takes seconds, hence the context.
func New(ctx context.Context, d *documents.Document) (*Index, error) {
	r := &Index{Doc: d, Text: d.Text(), Lang: language.Guess(d.Text()), Watch: scan.NewWatch(ctx)}
	r.findMentions()
	if err := r.Watch.Check(); err != nil {
		return nil, err
	}
	r.Truncated = strings.TrimSpace(d.Text()[len(r.Text):]) != ""
	r.Blocks = firstBlocks(d.Blocks, len(r.Text))
	days := dates.Find(r.Watch, r.Text, r.Lang)
	r.Dates, r.InvalidDates = days.Dates, days.Invalid
	r.Numbers = outside(outside(numbers.Find(r.Watch, r.Text, r.Lang), days.Dates), days.Invalid)
	r.markAnchors()
	r.Ranges = r.findRanges()
	r.Topic = r.topicTerms()
	r.AllTerms = r.collectTerms()
	return r, r.Watch.Check()
}

// mention notes what the words mean, some thousands at a time, and ends the text where there are more than are searched. No
// form runs over a break, so a stretch ends at one, or in a text without any, between two words.
func (r *Index) findMentions() {
	const stretch, longest = 4_000, 4_200
	words := scan.WordReader{Text: r.Text[:searchedBytes(r.Text)]}
	r.Text = words.Text
	for left := MaxWords; words.Offset < len(words.Text) && r.Watch.Check() == nil; {
		part := words.Read(min(stretch, left), min(longest, left))
		if left -= len(part); left == 0 {
			words.Text = words.Text[:words.Offset]
			r.Text = words.Text
		}
		for _, m := range lexicon.Business().Mentions(part) {
			if !isCodeHead(r.Text[m.At.End:]) {
				r.Mentions = append(r.Mentions, m)
			}
		}
	}
}

// searchedBytes is how much of a text is searched at most, in whole characters.
func searchedBytes(text string) int {
	n := min(len(text), MaxBytes)
	for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// outside leaves out the numbers that are parts of dates.
func outside(figures []numbers.Number, dates []dates.Date) []numbers.Number {
	kept := figures[:0]
	i := 0
	for _, f := range figures {
		for i < len(dates) && dates[i].At.End <= f.At.Start {
			i++
		}
		if i == len(dates) || f.At.End <= dates[i].At.Start {
			kept = append(kept, f)
		}
	}
	return kept
}

func (r *Index) topicTerms() []string {
	const lines, most = 4, 200
	terms := lexicon.LabelTerms(lexicon.Business().Mentions(scan.Words(r.Doc.Title)))
	for i := range r.Blocks[:min(lines, len(r.Blocks))] {
		b := &r.Blocks[i]
		if len(b.Text) <= most && (i == 0 || b.Kind == documents.Heading) {
			terms = append(terms, r.TermsIn(scan.Span{Start: b.Start, End: b.End()})...)
		}
	}
	return terms
}

func (r *Index) collectTerms() []string {
	known := map[string]bool{}
	for _, m := range r.Mentions {
		if r.Watch.Stopped() {
			return nil
		}
		known[m.Term] = true
	}
	return slices.Sorted(maps.Keys(known))
}

// touching are the terms of the document that meet any of those wanted, with the one for days, which a label has by itself.
// Whatever has none of them is no answer, which saves looking at it closely.
func (r *Index) SimilarTerms(wanted []string) map[string]bool {
	touched := map[string]bool{"DATE": lexicon.Contains(wanted, "DATE")}
	for _, t := range r.AllTerms {
		if r.Watch.Stopped() {
			return touched
		}
		if lexicon.Contains(wanted, t) {
			touched[t] = true
		}
	}
	return touched
}

func (r *Index) MentionsAny(touched map[string]bool, s scan.Span) bool {
	return slices.ContainsFunc(r.MentionsIn(s), func(m lexicon.Mention) bool { return touched[m.Term] })
}

// within returns the mentions that lie in a stretch.
func (r *Index) MentionsIn(s scan.Span) []lexicon.Mention {
	from := sort.Search(len(r.Mentions), func(i int) bool { return r.Mentions[i].At.Start >= s.Start })
	size := sort.Search(len(r.Mentions)-from, func(i int) bool { return r.Mentions[from+i].At.End > s.End })
	return r.Mentions[from : from+size]
}

func (r *Index) TermsIn(s scan.Span) []string { return lexicon.LabelTerms(r.MentionsIn(s)) }

func (r *Index) NumbersIn(s scan.Span) []numbers.Number {
	from := sort.Search(len(r.Numbers), func(i int) bool { return r.Numbers[i].At.Start >= s.Start })
	size := sort.Search(len(r.Numbers)-from, func(i int) bool { return r.Numbers[from+i].At.End > s.End })
	return r.Numbers[from : from+size]
}

func (r *Index) DatesIn(s scan.Span) []dates.Date {
	from := sort.Search(len(r.Dates), func(i int) bool { return r.Dates[i].At.Start >= s.Start })
	size := sort.Search(len(r.Dates)-from, func(i int) bool { return r.Dates[from+i].At.End > s.End })
	return r.Dates[from : from+size]
}

// isCodeHead reports that the letters before a text begin a number: the PO of PO-55817 is no order.
func isCodeHead(rest string) bool {
	return len(rest) > 1 && strings.IndexByte("-/", rest[0]) >= 0 && scan.IsDigit(rest[1])
}

// daysSaid are the days of a stretch with those that are void: they answer nothing, but what they stand with is answered.
func (r *Index) AllDatesIn(s scan.Span) []dates.Date {
	from := sort.Search(len(r.InvalidDates), func(i int) bool { return r.InvalidDates[i].At.Start >= s.Start })
	size := sort.Search(len(r.InvalidDates)-from, func(i int) bool { return r.InvalidDates[from+i].At.End > s.End })
	if size == 0 {
		return r.DatesIn(s)
	}
	all := slices.Concat(r.DatesIn(s), r.InvalidDates[from:from+size])
	slices.SortFunc(all, func(a, b dates.Date) int { return a.At.Start - b.At.Start })
	return all
}

// blockAt finds the block that holds an offset, or -1.
func BlockAt(blocks []documents.Block, offset int) int {
	i, exact := slices.BinarySearchFunc(blocks, offset, func(b documents.Block, at int) int { return b.Start - at })
	if exact {
		return i
	}
	return i - 1
}

// beginningOf returns the blocks that begin within the first bytes of the text, the last of them cut to it.
func firstBlocks(blocks []documents.Block, limit int) []documents.Block {
	n := len(blocks)
	for n > 0 && blocks[n-1].Start >= limit {
		n--
	}
	if n == 0 || blocks[n-1].End() <= limit {
		return blocks[:n:n]
	}
	kept := slices.Clone(blocks[:n])
	last := &kept[n-1]
	last.Text = last.Text[:limit-last.Start]
	last.Cells = slices.DeleteFunc(slices.Clone(last.Cells), func(c documents.Cell) bool { return c.Start >= limit })
	for i := range last.Cells {
		c := &last.Cells[i]
		c.Text = c.Text[:min(len(c.Text), limit-c.Start)]
	}
	return kept
}

// rangesFrom returns the ranges that begin in a stretch.
func (r *Index) RangesFrom(s scan.Span) []Range {
	from := sort.Search(len(r.Ranges), func(i int) bool { return r.Ranges[i].At.Start >= s.Start })
	size := sort.Search(len(r.Ranges)-from, func(i int) bool { return r.Ranges[from+i].At.Start >= s.End })
	return r.Ranges[from : from+size]
}

// isOnlyLabel reports that a text has no word but such as name things: the next label of a form, not a name.
func (r *Index) IsOnlyTerms(s scan.Span) bool {
	words := r.MentionsIn(s)
	return len(words) > 0 && !slices.ContainsFunc(words, func(m lexicon.Mention) bool { return !lexicon.IsTerm(m.Term) && !m.Filler && !scan.IsDigit(m.Term[0]) })
}

func (r *Index) IsDateAt(at int) bool {
	dates := r.DatesIn(r.Following(at))
	return len(dates) > 0 && dates[0].At.Start == at
}

// isAmount reports a number with a currency or in percent.
func (r *Index) IsAmountAt(at int) bool {
	figures := r.NumbersIn(r.Following(at))
	return len(figures) > 0 && figures[0].At.Start == at && (figures[0].Currency != "" || figures[0].Percent)
}

// isMeasured reports that a unit of time, weight or length follows: the number is no amount of money.
func (r *Index) HasUnit(f numbers.Number) bool {
	const besides = 2
	words := r.MentionsIn(r.Following(f.At.End))
	if len(words) == 0 || words[0].At.Start-f.At.End >= besides {
		return false
	}
	return slices.Contains(lexicon.TimeUnits, words[0].Term) || numbers.IsUnit(scan.Fold(r.Text[words[0].At.Start:words[0].At.End]))
}

// shortly is a stretch that is long enough for any number, day or unit that begins it.
func (r *Index) Following(at int) scan.Span {
	const bytes = 80
	return scan.Span{Start: at, End: min(at+bytes, len(r.Text))}
}
