package candidates

import (
	"math"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/offline/scan"
)

// neighbors pairs a label with the text to its right and the text below it.
func (c *pairCollector) neighbors(i int, label scan.Span) {
	blocks := c.doc.Blocks
	if side := sideOf(blocks, i); side >= 0 {
		c.add(label, firstLine(&blocks[side]), sideWeight)
	}
	if blocks[i].Box != (documents.Box{}) {
		if under := underOf(blocks, i); under >= 0 {
			c.add(label, firstLine(&blocks[under]), belowWeight)
		}
		return
	}
	next := i + 1
	if next >= len(blocks) || blocks[next].Kind == documents.Row || blocks[next].Kind == documents.Field {
		return
	}
	value := firstLine(&blocks[next])
	if blocks[next].Kind == documents.ListItem {
		value = listFrom(blocks, next)
	}
	if !strings.Contains(value.In(c.doc.Text), ": ") || blocks[next].Kind == documents.ListItem {
		c.add(label, value, belowWeight)
	}
}

// columnsOfLines pairs a block whose lines are labels with the block beside it, line by line. It
// reports whether the block is such a column of labels.
func (c *pairCollector) columnsOfLines(i int) bool {
	blocks := c.doc.Blocks
	side := sideOf(blocks, i)
	if side < 0 || !strings.Contains(blocks[i].Text, "\n") {
		return false
	}
	labels, values := scan.LineSpans(&blocks[i]), scan.LineSpans(&blocks[side])
	if slices.ContainsFunc(labels, func(s scan.Span) bool { return !isOpenLabel(c.doc, s) || !c.doc.IsOnlyTerms(s) }) {
		return false
	}
	if len(labels) == len(values) {
		for n := range labels {
			c.add(labels[n], values[n], sideWeight)
		}
	}
	return true
}

// listFrom returns the span of consecutive list items.
func listFrom(blocks []documents.Block, i int) scan.Span {
	s := scan.Between(blocks[i].Start, blocks[i].End())
	last := min(len(blocks), i+nearBlocks)
	for i++; i < last && blocks[i].Kind == documents.ListItem; i++ {
		s.End = blocks[i].End()
	}
	return s
}

func firstLine(b *documents.Block) scan.Span {
	line, _, _ := strings.Cut(b.Text, "\n")
	return scan.Between(b.Start, b.Start+len(line))
}

// nearBlocks limits how many blocks before and after a block are compared with it.
const nearBlocks = 60

// sideOf returns the index of the nearest block to the right on the same line, or -1.
func sideOf(blocks []documents.Block, i int) int {
	best, gap := -1, math.Inf(1)
	own := blocks[i].Box
	for j := max(0, i-nearBlocks); j < min(len(blocks), i+nearBlocks) && own != (documents.Box{}); j++ {
		b := blocks[j].Box
		level := math.Min(own.Bottom, b.Bottom) - math.Max(own.Top, b.Top)
		if j == i || blocks[j].Page != blocks[i].Page || level < (own.Bottom-own.Top)/2 || b.Left < own.Right {
			continue
		}
		if b.Left-own.Right < gap {
			best, gap = j, b.Left-own.Right
		}
	}
	return best
}

// underOf returns the index of the nearest block below that begins at the same left margin, or -1.
func underOf(blocks []documents.Block, i int) int {
	const maxShift, maxLines = 12.0, 3.0 // points, and heights of the block
	best, gap := -1, math.Inf(1)
	own := blocks[i].Box
	for j := max(0, i-nearBlocks); j < min(len(blocks), i+nearBlocks); j++ {
		b := blocks[j].Box
		distance := b.Top - own.Bottom
		if j == i || blocks[j].Page != blocks[i].Page || math.Abs(b.Left-own.Left) > maxShift || distance < -1 {
			continue
		}
		if distance < gap && distance < maxLines*(own.Bottom-own.Top) {
			best, gap = j, distance
		}
	}
	return best
}
