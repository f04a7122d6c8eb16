package tracks

import (
	"cmp"
	"slices"
	"strings"

	"portside/documents"
)

// span is when something is shown, in seconds. One that ends before it begins lasts until the next one.
type span struct{ from, to float64 }

type cue struct {
	span
	text string
}

// cues are what a track says, as it is found.
type cues struct {
	all  []cue
	size int
}

// decoder finds the words in a sample of a text track.
type decoder func(sample []byte, at span, into *cues) error

// longest is the time that a recording may have, in seconds: numbers that are read as times may be anything.
const longest = 1e7

// add takes the words, cleaned; what has none is dropped. It returns errFull when there are too many.
func (c *cues) add(at span, text string) error {
	text = documents.Clean(text)
	if text == "" {
		return nil
	}
	c.size += len(text)
	if c.size > mostText || len(c.all) >= mostCues {
		return errFull
	}
	at.from = min(max(at.from, 0), longest)
	at.to = min(at.to, longest)
	c.all = append(c.all, cue{at, text})
	return nil
}

// touching is how far apart two cues may be that show the same without a break, in seconds: times are rounded.
const touching = 0.1

// blocks returns what was said in the order of time. What is only shown on, as a whole or with a new line below it, is said once.
func (c *cues) blocks() []documents.Block {
	slices.SortStableFunc(c.all, func(a, b cue) int { return cmp.Compare(a.from, b.from) })
	c.end()
	var said rolled
	for _, one := range c.all {
		said.add(one)
	}
	return said.blocks
}

// end gives an end to cues that have none.
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

// rolled are captions of which each is new.
type rolled struct {
	blocks []documents.Block
	lines  []string // of the last cue, as it was shown
	until  float64  // when that one ends
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

// extended lets one of the last captions last longer, if it is what is shown.
func (r *rolled) extended(next cue) bool {
	const together = 4 // cues that are shown at once
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

// repeated returns how many of the first lines were the last ones before.
func repeated(before, lines []string) int {
	const most = 8
	for n := min(len(before), len(lines), most); n > 0; n-- {
		if slices.Equal(before[len(before)-n:], lines[:n]) {
			return n
		}
	}
	return 0
}
