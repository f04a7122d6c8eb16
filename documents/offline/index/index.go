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

// MaxWords and MaxBytes limit the text that is searched. 200,000 words are 500 full pages; a text
// with few words ends at MaxBytes.
const (
	MaxWords = 200_000
	MaxBytes = 2 << 20
)

// Index is a document, prepared for looking up facts by position. All lists are in the order of the
// text.
type Index struct {
	Source       *documents.Document
	Text         string
	Lang         answers.Lang
	Mentions     []lexicon.Mention
	Numbers      []numbers.Number
	Dates        []dates.Date
	InvalidDates []dates.Date
	Ranges       []Range
	Topic        []string          // terms of the title and the first lines
	AllTerms     []string          // every term once, in alphabetical order
	Blocks       []documents.Block // those that are searched
	Truncated    bool              // the document has more text than is searched
	Watch        *scan.Watch
}

// New reads a document. This takes seconds for a long one, so New returns the error of the context
// soon after it ends.
func New(ctx context.Context, d *documents.Document) (*Index, error) {
	lang, isSure := language.Guess(d.Text())
	ix := &Index{Source: d, Text: d.Text(), Lang: lang, Watch: scan.NewWatch(ctx)}
	ix.findMentions()
	if err := ix.Watch.Check(); err != nil {
		return nil, err
	}
	ix.Truncated = strings.TrimSpace(d.Text()[len(ix.Text):]) != ""
	ix.Blocks = firstBlocks(d.Blocks, len(ix.Text))
	text := apart(ix.Text, ix.Blocks)
	days := dates.Find(ix.Watch, text, ix.Lang)
	ix.Dates, ix.InvalidDates = days.Dates, days.Invalid
	if !isSure {
		lang = "" // then no language decides how decimals are written
	}
	ix.Numbers = outside(outside(numbers.Find(ix.Watch, without(text, days.Dates), lang), days.Dates), days.Invalid)
	ix.addSpokenNumbers()
	markAnchors(ix)
	ix.Ranges = findRanges(ix)
	ix.Topic = ix.topicTerms()
	ix.AllTerms = ix.collectTerms()
	return ix, ix.Watch.Check()
}

// addSpokenNumbers adds the numbers that people say in a recording. In written text, numbers in words repeat digits.
func (ix *Index) addSpokenNumbers() {
	isRecording := false
	for i := range ix.Blocks {
		b := &ix.Blocks[i]
		if b.Kind != documents.Caption {
			continue
		}
		isRecording = true
		for _, n := range numbers.Spoken(ix.Watch, b.Text) {
			ix.Numbers = append(ix.Numbers, n.Moved(b.Start))
		}
	}
	if isRecording {
		slices.SortFunc(ix.Numbers, func(a, b numbers.Number) int { return a.At.Start - b.At.Start })
	}
}

// findMentions collects the terms of the text, a few thousand words at a time, and cuts the text at
// MaxWords. Each part ends at a break, because no form of the lexicon continues across one. In a
// text without breaks it ends between two words.
func (ix *Index) findMentions() {
	const partWords, maxPartWords = 4_000, 4_200
	words := scan.WordReader{Text: ix.Text[:searchedBytes(ix.Text)]}
	ix.Text = words.Text
	for left := MaxWords; words.Offset < len(words.Text) && ix.Watch.Check() == nil; {
		part := words.Read(min(partWords, left), min(maxPartWords, left))
		if left -= len(part); left == 0 {
			words.Text = words.Text[:words.Offset]
			ix.Text = words.Text
		}
		for _, m := range lexicon.Business().Mentions(part) {
			if !isCodeHead(ix.Text[m.At.End:]) {
				ix.Mentions = append(ix.Mentions, m)
			}
		}
	}
}

// searchedBytes returns how many bytes of a text are searched at most, in whole characters.
func searchedBytes(text string) int {
	n := min(len(text), MaxBytes)
	for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// isCodeHead reports whether the letters before rest begin an identifier: the PO of PO-55817 does
// not mean an order.
func isCodeHead(rest string) bool {
	return len(rest) > 1 && strings.IndexByte("-/", rest[0]) >= 0 && scan.IsDigit(rest[1])
}

// apart returns the text with a tab in place of each space between words that stand far apart on the page. Otherwise
// "2" and "119.00" of neighboring columns would be read as 2119.
func apart(text string, blocks []documents.Block) string {
	const wide = 0.7 // of the height of a word
	changed := []byte(text)
	for i := range blocks {
		words := blocks[i].Words
		for j := 1; j < len(words); j++ {
			last, next := &words[j-1], &words[j]
			isFar := next.Box.Left-last.Box.Right > wide*(next.Box.Bottom-next.Box.Top)
			if gap := last.End(); isFar && gap+1 == next.Start && gap < len(changed) && changed[gap] == ' ' {
				changed[gap] = '\t'
			}
		}
	}
	return string(changed)
}

// without returns the text with tabs in place of dates, because the last digits of a date and the number after it may
// look like one number.
func without(text string, days []dates.Date) string {
	changed := []byte(text)
	for _, d := range days {
		for i := d.At.Start; i < d.At.End; i++ {
			changed[i] = '\t'
		}
	}
	return string(changed)
}

// outside removes the numbers that are part of a date.
func outside(all []numbers.Number, days []dates.Date) []numbers.Number {
	kept := all[:0]
	i := 0
	for _, n := range all {
		for i < len(days) && days[i].At.End <= n.At.Start {
			i++
		}
		if i == len(days) || n.At.End <= days[i].At.Start {
			kept = append(kept, n)
		}
	}
	return kept
}

// topicTerms returns the terms of the title and of the headings in the first lines.
func (ix *Index) topicTerms() []string {
	const maxBlocks, maxBytes = 4, 200
	terms := lexicon.LabelTerms(lexicon.Business().Mentions(scan.Words(ix.Source.Title)))
	for i := range ix.Blocks[:min(maxBlocks, len(ix.Blocks))] {
		b := &ix.Blocks[i]
		if len(b.Text) <= maxBytes && (i == 0 || b.Kind == documents.Heading) {
			terms = append(terms, ix.TermsIn(scan.Between(b.Start, b.End()))...)
		}
	}
	return terms
}

// collectTerms returns every term of the document once, sorted.
func (ix *Index) collectTerms() []string {
	known := map[string]bool{}
	for _, m := range ix.Mentions {
		if ix.Watch.Stopped() {
			return nil
		}
		known[m.Term] = true
	}
	return slices.Sorted(maps.Keys(known))
}

// firstBlocks returns the blocks that begin within the first bytes of the text. The last block is
// cut at the limit.
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

// within returns the items that lie within a span. Both their starts and their ends must be in
// ascending order.
func within[T any](all []T, s scan.Span, at func(*T) scan.Span) []T {
	from := sort.Search(len(all), func(i int) bool { return at(&all[i]).Start >= s.Start })
	size := sort.Search(len(all)-from, func(i int) bool { return at(&all[from+i]).End > s.End })
	return all[from : from+size]
}

// MentionsIn returns the mentions within a span.
func (ix *Index) MentionsIn(s scan.Span) []lexicon.Mention {
	return within(ix.Mentions, s, func(m *lexicon.Mention) scan.Span { return m.At })
}

// TermsIn returns the label terms of a span.
func (ix *Index) TermsIn(s scan.Span) []string { return lexicon.LabelTerms(ix.MentionsIn(s)) }

// MentionsAny reports whether a span mentions one of the terms.
func (ix *Index) MentionsAny(found map[string]bool, s scan.Span) bool {
	return slices.ContainsFunc(ix.MentionsIn(s), func(m lexicon.Mention) bool { return found[m.Term] })
}

// SimilarTerms returns the terms of the document that match any of the wanted terms. Text with none
// of them does not answer a question, so callers skip it. The set has DATE if it is wanted, because
// some labels have that term implicitly.
func (ix *Index) SimilarTerms(wanted []string) map[string]bool {
	found := map[string]bool{"DATE": lexicon.Contains(wanted, "DATE")}
	for _, t := range ix.AllTerms {
		if ix.Watch.Stopped() {
			return found
		}
		if lexicon.Contains(wanted, t) {
			found[t] = true
		}
	}
	return found
}

// NumbersIn returns the numbers within a span.
func (ix *Index) NumbersIn(s scan.Span) []numbers.Number {
	return within(ix.Numbers, s, func(n *numbers.Number) scan.Span { return n.At })
}

// DatesIn returns the valid dates within a span.
func (ix *Index) DatesIn(s scan.Span) []dates.Date {
	return within(ix.Dates, s, func(d *dates.Date) scan.Span { return d.At })
}

// HasValue reports whether a span has a number or a date.
func (ix *Index) HasValue(s scan.Span) bool {
	return len(ix.NumbersIn(s)) > 0 || len(ix.DatesIn(s)) > 0
}

// AllDatesIn returns the dates within a span, including invalid ones. An invalid date still shows
// that the label beside it has an answer.
func (ix *Index) AllDatesIn(s scan.Span) []dates.Date {
	invalid := within(ix.InvalidDates, s, func(d *dates.Date) scan.Span { return d.At })
	if len(invalid) == 0 {
		return ix.DatesIn(s)
	}
	all := slices.Concat(ix.DatesIn(s), invalid)
	slices.SortFunc(all, func(a, b dates.Date) int { return a.At.Start - b.At.Start })
	return all
}

// RangesFrom returns the ranges that begin within a span.
func (ix *Index) RangesFrom(s scan.Span) []Range {
	from := sort.Search(len(ix.Ranges), func(i int) bool { return ix.Ranges[i].At.Start >= s.Start })
	size := sort.Search(len(ix.Ranges)-from, func(i int) bool { return ix.Ranges[from+i].At.Start >= s.End })
	return ix.Ranges[from : from+size]
}

// IsOnlyTerms reports whether a span has only words that name things, such as the next label of a
// form.
func (ix *Index) IsOnlyTerms(s scan.Span) bool {
	words := ix.MentionsIn(s)
	isOther := func(m lexicon.Mention) bool { return !lexicon.IsTerm(m.Term) && !m.Filler && !scan.IsDigit(m.Term[0]) }
	return len(words) > 0 && !slices.ContainsFunc(words, isOther)
}

// IsDateAt reports whether a valid date begins at an offset.
func (ix *Index) IsDateAt(at int) bool {
	found := ix.DatesIn(ix.Following(at))
	return len(found) > 0 && found[0].At.Start == at
}

// IsAmountAt reports whether a number with a currency or a percent sign begins at an offset.
func (ix *Index) IsAmountAt(at int) bool {
	found := ix.NumbersIn(ix.Following(at))
	return len(found) > 0 && found[0].At.Start == at && (found[0].Currency != "" || found[0].Percent)
}

// HasUnit reports whether a unit of time, weight or length follows a number, so that it is not an
// amount of money.
func (ix *Index) HasUnit(f numbers.Number) bool {
	const besides = 2
	words := ix.MentionsIn(ix.Following(f.At.End))
	if len(words) == 0 || words[0].At.Start-f.At.End >= besides {
		return false
	}
	return slices.Contains(lexicon.TimeUnits, words[0].Term) || numbers.IsUnit(scan.Fold(words[0].At.In(ix.Text)))
}

// Following returns a span from an offset that is long enough for any number, date or unit.
func (ix *Index) Following(at int) scan.Span {
	const bytes = 80
	return scan.Between(at, min(at+bytes, len(ix.Text)))
}
