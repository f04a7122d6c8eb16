package offline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"portside/documents"
)

// What bounds the work for one document. Text comes from strangers: five megabytes of it may be one word, one line, or two
// million numbers. What lies beyond is left out, and a warning says so.
const (
	mostWords     = 200_000 // that are searched: 500 full pages
	mostSearched  = 2 << 20 // bytes, for text with hardly any words
	mostPairs     = 40_000
	mostStretch   = 4 << 10  // bytes of a sentence, and of what stands with a label
	mostWord      = 64       // bytes of one that may be looked up
	mostBeside    = 256      // values of one sentence
	mostSentences = 40_000   // that a summary is chosen from
	mostSentence  = 64 << 10 // bytes of one of them: more words than any summary has, so that it is never taken whole
)

const (
	partlySearched   = "Only the first part of the document was searched."
	partlySummarized = "Only the first part of the document was summarized."
)

// watch looks at a context every few steps and remembers that it ended: loops stop, and whoever began them asks for the error.
type watch struct {
	ctx  context.Context //nolint:containedctx // lives as long as the one call that reads the document
	step uint
	err  error
}

// ended counts a step. A watch that is nil never ends.
func (w *watch) ended() bool {
	const every = 64
	if w == nil {
		return false
	}
	if w.step++; w.err == nil && w.step%every == 0 {
		w.err = w.ctx.Err()
	}
	return w.err != nil
}

// look looks at the context at once.
func (w *watch) look() error {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err
}

// beginningOf returns the blocks that begin within the first bytes of the text, the last of them cut to it.
func beginningOf(blocks []documents.Block, limit int) []documents.Block {
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

// stretches cuts a stretch of a text where it is too long to be a sentence or a value, between words where it has any.
func stretches(text string, s span) []span {
	var parts []span
	for s.end-s.start > mostStretch {
		cut := firstStretch(text, s, mostStretch).end
		parts = append(parts, span{s.start, cut})
		s.start = cut + len(text[cut:s.end]) - len(strings.TrimLeft(text[cut:s.end], " \n\t"))
	}
	return append(parts, s)
}

// beforeGap is where the last word of a stretch begins that may go on behind it; its whole length if it is one word.
func beforeGap(text string) int {
	if i := strings.LastIndexAny(text, " \n\t"); i > 0 {
		return i
	}
	end := len(text)
	for end > 0 && len(text)-end < utf8.UTFMax {
		if last, size := utf8.DecodeLastRuneInString(text[:end]); last != utf8.RuneError || size != 1 {
			break
		}
		end--
	}
	return max(end, 1)
}

// firstStretch keeps what of a stretch lies within so many bytes, between words where it has any.
func firstStretch(text string, s span, most int) span {
	if s.end-s.start <= most {
		return s
	}
	return span{s.start, s.start + beforeGap(text[s.start:s.start+most])}
}

// extracting names what was going on when a context ended.
func extracting(err error) error { return fmt.Errorf("extract: %w", err) }
