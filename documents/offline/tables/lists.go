package tables

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/offline/candidates"
	"portside/documents/offline/lexicon"
	"portside/documents/offline/names"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// list has the values that stand below or beside one label.
type list struct {
	items []ranking.Answer
	score float64
}

// The weights of lists: how surely a label and the items belong together, by their layout.
const (
	bulletWeight = 0.96
	linesWeight  = 0.9
	unsureWeight = 0.85 // factor for a text that may be one value or two
)

// minScore is the least score of a label for a list. It is higher than that of headers, because only one label matches.
const minScore = 0.8

// bestList returns the values of the label that matches the only column best. If several labels match equally well, it
// joins lists of one value each, such as lines with "Attendee: Ada". Longer lists are of several things, such as the
// attendees of two meetings, so it returns none.
func (f finder) bestList(set *candidates.Set) list {
	all := slices.Concat(f.belowLabels(), f.besideLabels(set))
	slices.SortStableFunc(all, func(a, b list) int { return cmp.Compare(b.score, a.score) })
	if len(all) == 0 {
		return list{}
	}
	best := list{score: all[0].score}
	isSingle := true
	for _, l := range all {
		if all[0].score-l.score > ranking.RepeatBonus || slices.EqualFunc(l.items, best.items, isSame) {
			continue
		}
		if isSingle = isSingle && len(l.items) == 1; !isSingle && len(best.items) > 0 {
			return list{}
		}
		best.items = append(best.items, l.items...)
	}
	slices.SortStableFunc(best.items, func(a, b ranking.Answer) int { return cmp.Compare(a.At.Start, b.At.Start) })
	best.items = slices.CompactFunc(best.items, func(a, b ranking.Answer) bool { return a.At == b.At })
	return best
}

func isSame(a, b ranking.Answer) bool { return a.Key == b.Key }

// records returns a list as the rows of a table with one column.
func (l list) records(column string) []Record {
	var all []Record
	for _, item := range l.items {
		all = append(all, Record{column: item})
	}
	return all
}

// label returns how well a text names the only column.
func (f finder) label(at scan.Span, heading []string, weight float64) headerMatch {
	const maxBytes, maxTerms = 120, 9
	match := headerMatch{column: f.columns[0]}
	match.header.Terms = f.doc.TermsIn(at)
	if at.Len() > maxBytes || len(match.header.Terms) > maxTerms || !lexicon.AnyIn(f.columns[0].question.Relevant, match.header.Terms) {
		return match
	}
	pair := candidates.Pair{Label: match.header.Terms, LabelAt: at, Heading: heading, Weight: weight}
	match.score = ranking.MatchLabel(f.columns[0].question, &pair, f.doc.Topic)
	return match
}

// belowLabels returns the lists whose items are blocks or lines below a label.
func (f finder) belowLabels() (all []list) {
	heading := -1
	for i := 0; i < len(f.doc.Blocks) && !f.doc.Watch.Stopped(); i++ {
		b := &f.doc.Blocks[i]
		switch b.Kind {
		case documents.Heading:
			heading = i
		case documents.ListItem:
			end := i + 1
			for end < len(f.doc.Blocks) && f.doc.Blocks[end].Kind == documents.ListItem {
				end++
			}
			all = f.add(all, f.labelAbove(i, heading), itemsOf(f.doc.Blocks[i:end]))
			heading, i = -1, end-1
		case documents.Row, documents.Field:
		default:
			lines := scan.LineSpans(b)
			if len(lines) > 1 && strings.HasSuffix(lines[0].In(f.doc.Text), ":") && areItems(f.doc.Text, lines[1:]) {
				all = f.add(all, f.label(lines[0], nil, linesWeight), lines[1:])
			}
		}
	}
	return all
}

// add adds the list of a label, if the label matches and at least half of the items have the type of the column.
func (f finder) add(all []list, label headerMatch, items []scan.Span) []list {
	if label.score < minScore {
		return all
	}
	found := list{score: label.score}
	for _, item := range items {
		if value, isTyped := f.value(label, names.Trim(f.doc.Text, item)); isTyped {
			found.items = append(found.items, value)
		}
	}
	if len(found.items) == 0 || 2*len(found.items) < len(items) {
		return all
	}
	return append(all, found)
}

// labelAbove returns the label of the list that begins at a block: the line above it if that ends with a colon, or else
// the heading. heading is -1 if another list stands between.
func (f finder) labelAbove(i, heading int) (best headerMatch) {
	var terms []string
	if heading >= 0 {
		b := &f.doc.Blocks[heading]
		at := scan.Between(b.Start, b.End())
		terms, best = f.doc.TermsIn(at), f.label(at, nil, bulletWeight)
	}
	if i == 0 || i-1 == heading {
		return best
	}
	lines := scan.LineSpans(&f.doc.Blocks[i-1])
	last := lines[len(lines)-1]
	if !strings.HasSuffix(last.In(f.doc.Text), ":") {
		return best
	}
	if above := f.label(last, terms, bulletWeight); above.score > best.score {
		return above
	}
	return best
}

// itemsOf returns the items of the outer level of a list, without their numbers.
func itemsOf(blocks []documents.Block) []scan.Span {
	var all []scan.Span
	for i := range blocks {
		if blocks[i].Level > blocks[0].Level {
			continue
		}
		at := scan.Between(blocks[i].Start, blocks[i].End())
		digits := scan.SkipDigits(blocks[i].Text, 0)
		if rest := blocks[i].Text[digits:]; digits > 0 && (strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")) {
			at.Start += digits + len(". ")
		}
		all = append(all, at)
	}
	return all
}

// areItems reports whether lines are short, and neither sentences nor labels with values.
func areItems(text string, lines []scan.Span) bool {
	const maxBytes = 80
	return !slices.ContainsFunc(lines, func(line scan.Span) bool {
		return line.Len() > maxBytes || strings.ContainsAny(line.In(text), ":") || strings.HasSuffix(line.In(text), ".")
	})
}

// besideLabels returns the lists that stand beside a label, as in "Attendees: Ada, Grace and Alan".
func (f finder) besideLabels(set *candidates.Set) (all []list) {
	for i := range set.Pairs {
		p := &set.Pairs[i]
		if f.doc.Watch.Stopped() {
			return nil
		}
		question := f.columns[0].question
		if p.InGrid || !lexicon.AnyIn(question.Relevant, p.Label) {
			continue
		}
		match := headerMatch{column: f.columns[0], header: candidates.Header{Terms: p.Label}}
		match.score = ranking.MatchLabel(question, p, f.doc.Topic)
		if match.score < minScore {
			continue
		}
		all = f.addSplit(all, match, f.continued(p.Value))
	}
	return all
}

// continued ends a value with its sentence, and adds the next lines if its last line ends with a comma.
func (f finder) continued(at scan.Span) scan.Span {
	at = f.read.Sentence(at)
	i := documents.LastBlockFrom(f.doc.Blocks, at.Start)
	for i >= 0 && strings.HasSuffix(at.In(f.doc.Text), ",") && at.Len() < scan.MaxStretch {
		rest, isNext := strings.CutPrefix(f.doc.Text[at.End:max(at.End, f.doc.Blocks[i].End())], "\n")
		if !isNext {
			break
		}
		line, _, _ := strings.Cut(rest, "\n")
		at.End = f.read.Sentence(scan.Between(at.End+1, at.End+1+len(line))).End
	}
	return at
}

// addSplit adds the values in a text. Dates and numbers may have commas, so they are not split.
func (f finder) addSplit(all []list, label headerMatch, at scan.Span) []list {
	found := list{score: label.score}
	question := label.column.question
	switch question.Variable.Type {
	case answers.Date:
		for _, day := range f.doc.AllDatesIn(at) {
			if value := values.DateAnswer(question, day, label.score); !value.NoValue && !value.Ambiguous {
				found.items = append(found.items, value)
			}
		}
	case answers.Number:
		for _, n := range f.doc.NumbersIn(at) {
			found.items = append(found.items, values.NumberAnswer(n, label.score))
		}
	default:
		parts, isSure := split(f.doc.Text, at, conjunctions[f.doc.Lang])
		if !isSure {
			label.score *= unsureWeight
		}
		if len(parts) == 1 && isText(question) && f.isOther(parts[0]) {
			return all
		}
		return f.add(all, label, parts)
	}
	if len(found.items) == 0 {
		return all
	}
	return append(all, found)
}

// isOther reports whether a text is not a value of a list, but the number of its values, as in "Attendees: 37 members",
// another label, or a label with its value.
func (f finder) isOther(at scan.Span) bool {
	found := f.doc.NumbersIn(at)
	return len(found) > 0 && found[0].At.Start == at.Start || strings.Contains(at.In(f.doc.Text), ": ") || f.doc.IsOnlyTerms(at)
}

// conjunctions stand before the last value of a list.
var conjunctions = map[answers.Lang][]string{
	"en": {"and", "or", "as well as"}, "es": {"y", "e", "así como"}, "pt": {"e", "assim como"}, "fr": {"et", "ainsi que"},
	"de": {"und", "sowie"}, "it": {"e", "ed", "nonché"}, "nl": {"en", "alsmede"}, "sv": {"och", "samt"}, "pl": {"i", "oraz"},
	"ro": {"și", "şi", "precum și"},
}

// split splits a list at semicolons, or else at commas, and at the conjunction before the last value. It is not sure
// about two texts with a conjunction alone, which may be one value: "Research and Development".
func split(text string, at scan.Span, and []string) (parts []scan.Span, isSure bool) {
	separator := ','
	if cutAt(text, at, ';') != nil {
		separator = ';'
	}
	cuts := cutAt(text, at, separator)
	start := at.Start
	for _, cut := range cuts {
		parts = addPart(text, parts, scan.Between(start, cut))
		start = cut + 1
	}
	last := names.Trim(text, scan.Between(start, at.End))
	isSure = true
	for _, word := range and {
		if rest, begins := strings.CutPrefix(last.In(text), word+" "); begins && len(cuts) > 0 {
			last.Start = last.End - len(rest)
			break
		}
		if n := strings.Index(last.In(text), " "+word+" "); n > 0 {
			parts = addPart(text, parts, scan.Between(last.Start, last.Start+n))
			last.Start += n + len(word) + len("  ")
			isSure = len(cuts) > 0
			break
		}
	}
	return addPart(text, parts, last), isSure
}

// addPart adds a part of a list. The legal form of a company belongs to its name: Harbour Works, Inc.
func addPart(text string, parts []scan.Span, part scan.Span) []scan.Span {
	part = names.Trim(text, part)
	switch {
	case part.IsEmpty() || isNoValue(part.In(text)):
	case len(parts) > 0 && names.IsLegalForm(part.In(text)):
		parts[len(parts)-1].End = part.End
	default:
		parts = append(parts, part)
	}
	return parts
}

// cutAt returns where a separator stands outside of brackets, with a space or a line break after it.
func cutAt(text string, at scan.Span, separator rune) (all []int) {
	depth := 0
	for i, r := range at.In(text) {
		switch r {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case separator:
			next, _ := utf8.DecodeRuneInString(text[at.Start+i+1 : at.End])
			if depth == 0 && unicode.IsSpace(next) {
				all = append(all, at.Start+i)
			}
		}
	}
	return all
}

// noValues are what a list has in place of a value, or of the values that it leaves out.
var noValues = scan.LazySet(`etc usw ecc enz osv itd none nil ninguno ninguna ningunos nenhum nenhuma aucun aucune keine keiner nessuno
	nessuna geen inga ingen brak niciunul niciuna`)

func isNoValue(text string) bool { return noValues()[scan.Fold(strings.Trim(text, ". …"))] }
