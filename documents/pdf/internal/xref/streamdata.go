package xref

import (
	"bytes"
	"slices"

	"portside/documents/pdf/internal/syntax"
)

// streamData returns the data of the stream that begins behind its keyword. It verifies the length in
// the dictionary, which is wrong in many files, and otherwise searches for the end. isTruncated means
// that the file ends within the stream.
func (f *File) streamData(d syntax.Dict, start int) (raw []byte, isTruncated bool) {
	start = skipEndOfLine(f.data, start)
	length, ok := syntax.Integer(f.Objects.Resolve(d["Length"]))
	if ok && length >= 0 && length <= len(f.data)-start && endsStream(f.data, start+length) {
		return f.data[start : start+length], false
	}
	end := f.streamEnds.after(start)
	isTruncated = end == len(f.data)
	for end > start && (f.data[end-1] == '\r' || f.data[end-1] == '\n') {
		end--
	}
	return f.data[start:end], isTruncated
}

// skipEndOfLine returns the offset behind spaces and one end-of-line marker.
func skipEndOfLine(data []byte, offset int) int {
	for offset < len(data) && data[offset] == ' ' {
		offset++
	}
	if offset < len(data) && data[offset] == '\r' {
		offset++
	}
	if offset < len(data) && data[offset] == '\n' {
		offset++
	}
	return offset
}

// endsStream reports whether the keyword endstream or endobj is at an offset, behind at most four
// white-space characters.
func endsStream(data []byte, offset int) bool {
	const maxSpaces = 4
	lex := syntax.Lexer{Data: data, Pos: offset}
	for range maxSpaces {
		if lex.Pos < len(data) && syntax.IsSpace(data[lex.Pos]) {
			lex.Pos++
		}
	}
	return lex.HasPrefix("endstream") || lex.HasPrefix("endobj")
}

// streamEnds finds where streams end by their keywords. It lists all keywords of the file once: a
// search per stream would take minutes for a file with many unterminated streams.
type streamEnds struct {
	data    []byte
	offsets []int // in increasing order, with the end of the file; nil before the first use
}

// after returns the offset of the first keyword at or behind start, or the end of the file.
func (e *streamEnds) after(start int) int {
	if e.offsets == nil {
		e.offsets = append(occurrences(e.data, "endstream"), occurrences(e.data, "endobj")...)
		slices.Sort(e.offsets)
		e.offsets = append(e.offsets, len(e.data))
	}
	i, _ := slices.BinarySearch(e.offsets, start)
	return e.offsets[min(i, len(e.offsets)-1)]
}

// occurrences returns the offsets of a word.
func occurrences(data []byte, word string) []int {
	found := []int{}
	for pos := 0; ; {
		next := bytes.Index(data[pos:], []byte(word))
		if next < 0 {
			return found
		}
		found = append(found, pos+next)
		pos += next + len(word)
	}
}
