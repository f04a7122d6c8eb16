package learned

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/offline/lexicon"
	"portside/documents/offline/names"
	"portside/documents/offline/ranking"
	"portside/documents/offline/scan"
	"portside/documents/offline/values"
)

// Bounds of the titles of documents.
const (
	titlePieces = 120 // at the beginning of the document; headings count everywhere
	titleLines  = 3
	maxTitle    = 160 // bytes
	leastTitle  = 4   // bytes
)

// titles returns the texts that may be the title of the document: headings, the lines of its first page, and runs of
// capitalized words that name a kind of document, such as "this Supply Agreement".
func (r *Reader) titles() []candidate {
	found := spanSet{isKnown: map[scan.Span]bool{}}
	add := func(at scan.Span) {
		at = names.Trim(r.ix.Text, at)
		if text := at.In(r.ix.Text); at.Len() >= leastTitle && at.Len() <= maxTitle && strings.IndexFunc(text, unicode.IsLetter) >= 0 {
			found.add(at)
		}
	}
	pieces := r.layout.pieces
	for i := range pieces {
		if r.ix.Watch.Stopped() || len(found.all) > maxCandidates {
			break
		}
		if i >= titlePieces && !pieces[i].isHeading {
			continue
		}
		for n := 1; n <= titleLines && i+n <= len(pieces) && (n == 1 || r.isNextLine(i+n-2)); n++ {
			add(cutTitle(r.ix.Text, scan.Between(pieces[i].at.Start, pieces[i+n-1].at.End)))
		}
		for _, run := range r.titleRuns(pieces[i].at) {
			add(run)
		}
	}
	all := make([]candidate, 0, len(found.all))
	for _, at := range found.all {
		all = r.add(all, candidate{answer: joined(values.StringAnswer(r.ix.Text, at, 1), " ")})
	}
	return all
}

// isNextLine reports whether the piece after a piece is the line below it.
func (r *Reader) isNextLine(i int) bool {
	const maxGap = 1.6 // heights of a line
	a, b := &r.layout.pieces[i], &r.layout.pieces[i+1]
	height := a.box.Bottom - a.box.Top
	return a.page == b.page && b.block-a.block <= 1 && b.box.Top > a.box.Top && b.box.Top-a.box.Bottom < maxGap*height
}

// partyWords begin what follows the title of a contract.
var partyWords = []string{" (", " between ", "\nbetween ", " by and ", "\nby and ", " dated ", " zwischen ", " entre ", " tra ", " tussen ",
	" mellan ", " między ", " între "}

// cutTitle removes what follows the title in its line: the parties or the date of an agreement.
func cutTitle(text string, at scan.Span) scan.Span {
	lower := strings.ToLower(at.In(text))
	for _, words := range partyWords {
		if i := strings.Index(lower, words); i > leastTitle && i < at.Len() {
			at.End = at.Start + i
			lower = lower[:i]
		}
	}
	return at
}

// namesDocument reports whether the first or the last word of a span names a kind of document, as in "Supply Agreement"
// and "Contrato de arrendamiento".
func (r *Reader) namesDocument(at scan.Span) bool {
	found := r.ix.MentionsIn(at)
	return len(found) > 1 && (isDocument(found[len(found)-1].Term) || isDocument(found[0].Term))
}

// hasDocument reports whether a word of a span names a kind of document.
func (r *Reader) hasDocument(at scan.Span) bool {
	return slices.ContainsFunc(r.ix.MentionsIn(at), func(m lexicon.Mention) bool { return isDocument(m.Term) })
}

func isDocument(term string) bool {
	return slices.Contains(lexicon.DocumentTerms, term) || slices.Contains([]string{"POLICY", "DELIVERYNOTE", "PAYSLIP", "DOCUMENT"}, term)
}

// joiners stand in lower case between the words of a title.
var joiners = scan.LazySet("and of for the or und der des et de du y e di van och i in on to")

// titleRuns returns the runs of capitalized words that end in a word for a kind of document.
func (r *Reader) titleRuns(s scan.Span) []scan.Span {
	var all []scan.Span
	for _, m := range r.ix.MentionsIn(s) {
		if !isDocument(m.Term) || !startsUpper(m.At.In(r.ix.Text)) {
			continue
		}
		run := m.At
		words := scan.WordsIn(r.ix.Text, scan.Between(s.Start, m.At.Start))
		for _, w := range slices.Backward(words) {
			word := scan.Between(s.Start+w.At.Start, s.Start+w.At.End) // WordsIn counts from the start of the span
			isPart := startsUpper(word.In(r.ix.Text)) && !isThis(w.Text) || joiners()[w.Text]
			if !isPart || strings.Trim(r.ix.Text[word.End:run.Start], " ,&-/") != "" {
				break
			}
			run.Start = word.Start
		}
		for !startsUpper(run.In(r.ix.Text)) && strings.Contains(run.In(r.ix.Text), " ") { // a joiner is no first word
			run.Start += strings.IndexByte(run.In(r.ix.Text), ' ') + 1
		}
		all = append(all, run)
	}
	return all
}

func startsUpper(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first)
}

var thisWords = scan.LazySet("this dieser diese dieses ce cette este esta questo dit deze detta")

func isThis(word string) bool {
	return thisWords()[word]
}

// joined returns an answer whose value has a separator in place of each line break.
func joined(a ranking.Answer, separator string) ranking.Answer {
	if !strings.Contains(a.Value.Text, "\n") {
		return a
	}
	lines := strings.Split(a.Value.Text, "\n")
	text := strings.TrimSpace(lines[0])
	for _, line := range lines[1:] {
		glue := separator
		if separator != " " && strings.HasSuffix(text, strings.TrimSpace(separator)) {
			glue = " "
		}
		text += glue + strings.TrimSpace(line)
	}
	a.Value.Text = text
	return a
}
