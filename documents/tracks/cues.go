package tracks

import (
	"cmp"
	"slices"
	"strings"

	"portside/documents"
)

// span is the time in which something is shown, in seconds. If it ends before it begins, it lasts until the next one.
type span struct{ from, to float64 }

type cue struct {
	span
	text string
}

// cues collects the text of a track in the order in which it is found.
type cues struct {
	all  []cue
	size int
}

// decoder adds the text of a sample to the cues.
type decoder func(sample []byte, at span, into *cues) error

// maxSeconds is the maxSeconds time of a recording. Damaged or hostile files may have any number as a time.
const maxSeconds = 1e7

// add cleans and adds a text, unless it is empty. It returns errFull if there are too many.
func (c *cues) add(at span, text string) error {
	text = documents.Clean(text)
	if text == "" {
		return nil
	}
	c.size += len(text)
	if c.size > maxTextBytes || len(c.all) >= maxCues {
		return errFull
	}
	at.from = min(max(at.from, 0), maxSeconds)
	at.to = min(at.to, maxSeconds)
	c.all = append(c.all, cue{at, text})
	return nil
}

// touching is the largest gap between two cues without a break between them, in seconds. Files round their times.
const touching = 0.1

// blocks returns the captions in the order of time. Text that stays on the screen over several cues appears once.
func (c *cues) blocks() []documents.Block {
	slices.SortStableFunc(c.all, func(a, b cue) int { return cmp.Compare(a.from, b.from) })
	c.end()
	var said rolled
	for _, one := range c.all {
		said.add(one)
	}
	return said.blocks
}

// end sets the end of cues that have none.
func (c *cues) end() {
	const usual = 8
	for i := range c.all {
		one := &c.all[i]
		if one.to >= one.from {
			continue
		}
		one.to = one.from
		if i+1 < len(c.all) {
			one.to = min(c.all[i+1].from, one.from+usual)
		}
	}
}

// rolled builds captions from cues, without the lines that a cue repeats.
type rolled struct {
	blocks []documents.Block
	lines  []string // of the last cue
	until  float64  // end of the last cue
}

func (r *rolled) add(next cue) {
	if r.extended(next) {
		return
	}
	lines := strings.Split(next.text, "\n")
	fresh := lines
	if next.from <= r.until+touching {
		fresh = lines[repeated(r.lines, lines):]
	}
	r.lines, r.until = lines, next.to
	if len(fresh) == 0 {
		last := &r.blocks[len(r.blocks)-1].Time
		last.To = max(last.To, next.to)
		return
	}
	r.blocks = append(r.blocks, documents.Block{
		Kind: documents.Caption, Text: strings.Join(fresh, "\n"), Time: documents.Span{From: next.from, To: next.to},
	})
}

// extended extends the time of a recent caption if the cue repeats it. It reports whether it did.
func (r *rolled) extended(next cue) bool {
	const together = 4 // cues on the screen at once
	for i := len(r.blocks) - 1; i >= max(0, len(r.blocks)-together); i-- {
		block := &r.blocks[i]
		if block.Text == next.text && next.from <= block.Time.To+touching {
			block.Time.To = max(block.Time.To, next.to)
			r.lines, r.until = strings.Split(next.text, "\n"), next.to
			return true
		}
	}
	return false
}

// repeated returns how many of the first lines are the last lines of the cue before.
func repeated(before, lines []string) int {
	const maxLines = 8
	for n := min(len(before), len(lines), maxLines); n > 0; n-- {
		if slices.Equal(before[len(before)-n:], lines[:n]) {
			return n
		}
	}
	return 0
}
