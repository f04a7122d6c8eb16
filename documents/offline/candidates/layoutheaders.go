package candidates

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
	"portside/documents/offline/index"
)

// layoutHeader is a column header with its horizontal bounds.
type layoutHeader struct {
	words       []documents.Word
	left, right float64
}

// text returns the words of a header. It joins a word that is hyphenated at the end of a line.
func (h layoutHeader) text() (text string) {
	for i, w := range h.words {
		first, _ := utf8.DecodeRuneInString(w.Text)
		switch {
		case i == 0:
		case strings.HasSuffix(text, "-") && unicode.IsLower(first) && !isLevel(h.words[i-1].Box, w.Box):
			text = strings.TrimSuffix(text, "-")
		default:
			text += " "
		}
		text += w.Text
	}
	return text
}

// headersIn returns the headers of a table that begins on line i, and the index of the last line of the headers. It
// returns nil if no table begins there. Headers are one or more lines of words without values, and one of the next
// three lines has values. The header line with the most pieces must have at least three, and half of them must look
// like headers.
func headersIn(doc *index.Index, lines []layoutLine, i int) (headers []layoutHeader, last int) {
	const minHeaders, maxHeaders, maxLines = 3, 100, 5
	last = i
	for last+1 < len(lines) && last+1 < i+maxLines && mayBeHeaders(doc, lines[last+1]) &&
		isClose(lines[last], lines[last+1]) {
		last++
	}
	if !mayBeHeaders(doc, lines[i]) || last+1 >= len(lines) || !hasValues(doc, lines[last+1:min(len(lines), last+4)]) {
		return nil, 0
	}
	band := lines[i : last+1]
	base := slices.MaxFunc(band, func(a, b layoutLine) int { return len(a.pieces) - len(b.pieces) })
	known := 0
	for _, p := range base.pieces {
		if isHeader(doc, p.at) {
			known++
		}
	}
	if len(base.pieces) < minHeaders || len(base.pieces) > maxHeaders || 2*known < len(base.pieces) {
		return nil, 0
	}
	return stackHeaders(band, base), last
}

// mayBeHeaders reports whether a line has only short texts without values.
func mayBeHeaders(doc *index.Index, line layoutLine) bool {
	return !slices.ContainsFunc(line.pieces, func(p piece) bool { return p.at.Len() > maxLabelBytes || doc.HasValue(p.at) })
}

// isClose reports whether the gap between two lines is small enough for headers on several lines.
func isClose(above, below layoutLine) bool {
	return below.box.Top-above.box.Bottom < min(above.height(), below.height())
}

// hasValues reports whether one of the lines has at least two values.
func hasValues(doc *index.Index, lines []layoutLine) bool {
	return slices.ContainsFunc(lines, func(line layoutLine) bool {
		values := 0
		for _, p := range line.pieces {
			if doc.HasValue(p.at) {
				values++
			}
		}
		return values > 1
	})
}

// stackHeaders joins the pieces of consecutive lines that are above each other into headers. It leaves out a piece that
// spans several pieces of the base line, such as the title of a group of columns.
func stackHeaders(band []layoutLine, base layoutLine) []layoutHeader {
	headers := make([]layoutHeader, 0, len(base.pieces))
	for _, p := range base.pieces {
		headers = append(headers, layoutHeader{left: p.box.Left, right: p.box.Right})
	}
	for _, line := range band {
		for _, p := range line.pieces {
			spanned := 0
			for _, b := range base.pieces {
				if overlap(p.box, b.box.Left, b.box.Right) > 0 {
					spanned++
				}
			}
			if spanned > 1 {
				continue
			}
			i := slices.IndexFunc(headers, func(h layoutHeader) bool { return overlap(p.box, h.left, h.right) > 0 })
			if i < 0 {
				headers = append(headers, layoutHeader{left: p.box.Left, right: p.box.Right})
				i = len(headers) - 1
			}
			h := &headers[i]
			h.words = append(h.words, p.words...)
			h.left, h.right = min(h.left, p.box.Left), max(h.right, p.box.Right)
		}
	}
	slices.SortStableFunc(headers, func(a, b layoutHeader) int { return cmp.Compare(a.left, b.left) })
	return headers
}

// overlap returns the width that a box and a column share, or the negative gap between them.
func overlap(box documents.Box, left, right float64) float64 {
	return min(box.Right, right) - max(box.Left, left)
}

// dividedHeaders divides headers that were taken for one header, because they are as close together as words. A row
// below shows where to divide: it has several pieces below the one header.
func dividedHeaders(doc *index.Index, headers []layoutHeader, below []layoutLine) (divided []layoutHeader) {
	const maxLines = 4
	g := newLayoutGrid(doc, headers)
	var row layoutLine
	for _, line := range below[:min(len(below), maxLines)] {
		if len(line.pieces) > len(row.pieces) && hasValues(doc, []layoutLine{line}) {
			row = line
		}
	}
	cuts := make([][]float64, len(headers)) // the positions at which to divide each header
	last := make([]*piece, len(headers))
	for n := range row.pieces {
		p := &row.pieces[n]
		i := g.columnOf(p.box)
		if i < 0 {
			continue
		}
		if last[i] != nil {
			cuts[i] = append(cuts[i], (last[i].box.Right+p.box.Left)/2)
		}
		last[i] = p
	}
	for i, h := range headers {
		divided = append(divided, h.divide(cuts[i])...)
	}
	return divided
}

// divide divides a header at horizontal positions. It returns the whole header if a part would have no words.
func (h layoutHeader) divide(cuts []float64) []layoutHeader {
	parts := make([]layoutHeader, len(cuts)+1)
	for _, w := range h.words {
		center := (w.Box.Left + w.Box.Right) / 2
		i, _ := slices.BinarySearch(cuts, center)
		part := &parts[i]
		if part.words == nil {
			part.left, part.right = w.Box.Left, w.Box.Right
		}
		part.words = append(part.words, w)
		part.left, part.right = min(part.left, w.Box.Left), max(part.right, w.Box.Right)
	}
	if slices.ContainsFunc(parts, func(p layoutHeader) bool { return p.words == nil }) {
		return []layoutHeader{h}
	}
	return parts
}
