package candidates

import (
	"math"
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/offline/scan"
)

// neighbours pairs a label with what stands right of it on the page, and below it.
func (c *pairCollector) neighbours(i int, label scan.Span) {
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
	if !strings.Contains(c.doc.Text[value.Start:value.End], ": ") || blocks[next].Kind == documents.ListItem {
		c.add(label, value, belowWeight)
	}
}

// columnsOfLines pairs labels that stand in a block below each other with the values in the block beside it, line by line.
func (c *pairCollector) columnsOfLines(i int) bool {
	blocks := c.doc.Blocks
	side := sideOf(blocks, i)
	if side < 0 || !strings.Contains(blocks[i].Text, "\n") {
		return false
	}
	labels, values := scan.LineSpans(&blocks[i]), scan.LineSpans(&blocks[side])
	if slices.ContainsFunc(labels, func(s scan.Span) bool { return !c.opensValue(s) || !c.doc.IsOnlyTerms(s) }) {
		return false
	}
	if len(labels) == len(values) {
		for n := range labels {
			c.add(labels[n], values[n], sideWeight)
		}
	}
	return true
}

// listFrom is the stretch of the list items that follow each other.
func listFrom(blocks []documents.Block, i int) scan.Span {
	s := scan.Span{Start: blocks[i].Start, End: blocks[i].End()}
	last := min(len(blocks), i+nearBlocks)
	for i++; i < last && blocks[i].Kind == documents.ListItem; i++ {
		s.End = blocks[i].End()
	}
	return s
}

func firstLine(b *documents.Block) scan.Span {
	line, _, _ := strings.Cut(b.Text, "\n")
	return scan.Span{Start: b.Start, End: b.Start + len(line)}
}

const nearBlocks = 60 // blocks before and after that are looked at on a page

// sideOf finds the nearest block to the right on the same line, or -1.
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

// underOf finds the nearest block below that begins at the same left, or -1.
func underOf(blocks []documents.Block, i int) int {
	const sameLeft, lines = 12.0, 3.0
	best, gap := -1, math.Inf(1)
	own := blocks[i].Box
	for j := max(0, i-nearBlocks); j < min(len(blocks), i+nearBlocks); j++ {
		b := blocks[j].Box
		distance := b.Top - own.Bottom
		if j == i || blocks[j].Page != blocks[i].Page || math.Abs(b.Left-own.Left) > sameLeft || distance < -1 {
			continue
		}
		if distance < gap && distance < lines*(own.Bottom-own.Top) {
			best, gap = j, distance
		}
	}
	return best
}
