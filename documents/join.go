package documents

import (
	"slices"
	"strings"
)

// Part locates a document within a joined document.
type Part struct {
	Start       int // offset of the part's text in the joined text, in bytes
	PagesBefore int // pages of the documents before the part
	HasPages    bool
}

// Join returns a document with the blocks of all documents in order, and the part for each. A document without pages
// becomes one page. Join does not change the documents.
func Join(docs ...*Document) (*Document, []Part) {
	if len(docs) == 1 {
		return docs[0], []Part{{HasPages: docs[0].Pages > 0}}
	}
	joined, parts, tables := &Document{}, make([]Part, len(docs)), 0
	texts := make([]string, len(docs))
	for i, d := range docs {
		part := Part{PagesBefore: joined.Pages, HasPages: d.Pages > 0}
		if i > 0 {
			part.Start = parts[i-1].Start + len(texts[i-1]) + 1
		}
		texts[i], parts[i] = d.text, part
		joined.Blocks = append(joined.Blocks, part.blocks(d, tables, len(joined.Blocks))...)
		tables += lastTable(d)
		joined.Pages += max(d.Pages, 1)
		joined.Format, joined.Incomplete = d.Format, joined.Incomplete || d.Incomplete
	}
	if slices.ContainsFunc(docs, func(d *Document) bool { return d.Format != joined.Format }) {
		joined.Format = PlainText
	}
	joined.text = strings.Join(texts, "\n")
	joined.countCharacters()
	return joined, parts
}

// lastTable returns the highest number of a table in the document.
func lastTable(d *Document) (last int) {
	for i := range d.Blocks {
		last = max(last, d.Blocks[i].Table)
	}
	return last
}

// blocks returns the blocks of a document for the joined document, in which the given numbers of tables and blocks
// precede them.
func (p Part) blocks(d *Document, tables, before int) []Block {
	blocks := slices.Clone(d.Blocks)
	for i := range blocks {
		b := &blocks[i]
		b.Start += p.Start
		b.Page = p.PagesBefore + max(b.Page, 1)
		if b.Table > 0 {
			b.Table += tables
		}
		if b.at.heading > 0 {
			b.at.heading += int32(before)
		}
		b.Cells, b.Words = slices.Clone(b.Cells), slices.Clone(b.Words)
		for j := range b.Cells {
			b.Cells[j].Start += p.Start
		}
		for j := range b.Words {
			b.Words[j].Start += p.Start
		}
	}
	return blocks
}
