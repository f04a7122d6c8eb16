package fonts

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// compact reads a font program in the Compact Font Format (Adobe Technical Note 5176), as far as the encoding needs it.
// Reading beyond the end of the data gives zeros.
type compact struct {
	data     []byte
	names    glyphNames
	strings  [][]byte
	standard []string // the texts of the first numbers
}

// Operators of the dictionary of a font.
const (
	charsetOperator     = 15
	encodingOperator    = 16
	charStringsOperator = 17
)

// parseCompact returns the encoding of a font program, which may be in an OpenType file. It returns nil for an encoding
// that has no names of glyphs.
func (l *Loader) parseCompact(data []byte) *encodingTable {
	if bytes.HasPrefix(data, []byte("OTTO")) {
		data = openTypeTable(data, "CFF ")
	}
	if len(data) < 4 {
		return nil
	}
	c := &compact{data: data, names: l.glyphNames}
	_, at := c.index(int(data[2])) // the names of fonts
	fonts, at := c.index(at)
	c.strings, _ = c.index(at)
	if len(fonts) == 0 {
		return nil
	}
	entries := parseEntries(fonts[0])
	glyphs := c.number(entries[charStringsOperator], 2)
	l.file.Budget.SpendWork(glyphs + len(c.strings))
	switch at := entries[encodingOperator]; at {
	case 0:
		table := namedEncoding("StandardEncoding")
		return &table
	case 1:
		return nil // small capitals
	default:
		c.standard = standardStrings()
		return c.encoding(at, c.charset(entries[charsetOperator], glyphs))
	}
}

// openTypeTable returns a table of an OpenType file.
func openTypeTable(data []byte, tag string) []byte {
	const header, entry = 12, 16
	for at := header; at+entry <= len(data) && at < header+64*entry; at += entry {
		offset, size := binary.BigEndian.Uint32(data[at+8:]), binary.BigEndian.Uint32(data[at+12:])
		if string(data[at:at+4]) == tag && uint64(offset)+uint64(size) <= uint64(len(data)) {
			return data[offset : offset+size]
		}
	}
	return nil
}

// number returns the number of some bytes.
func (c *compact) number(at, size int) int {
	n := 0
	for i := range size {
		n <<= 8
		if at >= 0 && at+i < len(c.data) {
			n |= int(c.data[at+i])
		}
	}
	return n
}

// index returns the objects of an INDEX, and where it ends.
func (c *compact) index(at int) (objects [][]byte, end int) {
	count, size := c.number(at, 2), c.number(at+2, 1)
	if count == 0 || size == 0 || size > 4 || at < 0 || at+3+(count+1)*size > len(c.data) {
		return nil, at + 2
	}
	base := at + 2 + (count+1)*size // offsets are from 1
	for i := range count {
		from, to := base+c.number(at+3+i*size, size), base+c.number(at+3+(i+1)*size, size)
		if from < 0 || from > to || to > len(c.data) {
			return objects, len(c.data)
		}
		objects, end = append(objects, c.data[from:to]), to
	}
	return objects, end
}

// parseEntries returns the last operand of each operator of a dictionary, if it is an integer.
func parseEntries(dict []byte) map[int]int {
	entries := map[int]int{}
	operand := 0
	for i := 0; i < len(dict); i++ {
		b, rest := int(dict[i]), dict[i+1:]
		switch {
		case b == 12: // an operator of two bytes
			i++
		case b <= 21:
			entries[b] = operand
		case b == 28 && len(rest) >= 2:
			operand = int(int16(binary.BigEndian.Uint16(rest)))
			i += 2
		case b == 29 && len(rest) >= 4:
			operand = int(int32(binary.BigEndian.Uint32(rest)))
			i += 4
		case b == 30: // a real number, whose last byte has an f
			for i++; i < len(dict) && dict[i]&0xf != 0xf && dict[i]>>4 != 0xf; i++ {
			}
		case b >= 32 && b <= 246:
			operand = b - 139
		case b >= 247 && b <= 250 && len(rest) >= 1:
			operand = (b-247)*256 + int(rest[0]) + 108
			i++
		case b >= 251 && b <= 254 && len(rest) >= 1:
			operand = -(b-251)*256 - int(rest[0]) - 108
			i++
		}
	}
	return entries
}

// charset returns the string number of each glyph.
func (c *compact) charset(at, glyphs int) []int {
	ids := make([]int, 1, glyphs+1) // the first glyph stands for missing ones
	if at <= 2 {                    // a predefined charset
		for id := 1; id < glyphs; id++ {
			ids = append(ids, id)
		}
		return ids
	}
	format := c.number(at, 1)
	at++
	for len(ids) < glyphs && at < len(c.data) {
		first, left := c.number(at, 2), 0
		at += 2
		if format == 1 || format == 2 { // ranges
			left = c.number(at, format)
			at += format
		}
		for i := 0; i <= left && len(ids) < glyphs; i++ {
			ids = append(ids, first+i)
		}
	}
	return ids
}

// encoding returns the text of each code. charset has the string numbers of the glyphs.
func (c *compact) encoding(at int, charset []int) *encodingTable {
	const hasRanges, hasSupplement = 1, 0x80
	table := &encodingTable{}
	glyph := 1
	set := func(code int) {
		if glyph < len(charset) && code < len(table) {
			table[code] = c.text(charset[glyph])
		}
		glyph++
	}
	format, count := c.number(at, 1), c.number(at+1, 1)
	at += 2
	for range count {
		first, left := c.number(at, 1), 0
		at++
		if format&^hasSupplement == hasRanges {
			left = c.number(at, 1)
			at++
		}
		for i := range left + 1 {
			set(first + i)
		}
	}
	if format&hasSupplement != 0 {
		for i := range c.number(at, 1) {
			table[c.number(at+1+3*i, 1)] = c.text(c.number(at+2+3*i, 2))
		}
	}
	return table
}

// text returns the text of a string number. The first numbers stand for standard strings.
func (c *compact) text(id int) string {
	const standardStrings, oldStyleZero, oldStyleNine = 391, 239, 248
	switch own := id - standardStrings; {
	case own >= 0 && own < len(c.strings):
		return c.names.text(string(c.strings[own]))
	case id < len(c.standard):
		return c.standard[id]
	case id >= oldStyleZero && id <= oldStyleNine:
		return string(rune('0' + id - oldStyleZero))
	}
	return ""
}

// standardStrings returns the texts of the standard strings: the characters of the standard encoding and some more. The
// first one stands for missing glyphs.
func standardStrings() []string {
	const more = "¹¬µ™Ð½±Þ¼÷¦°þ¾²®−ð×³©ÁÂÄÀÅÃÇÉÊËÈÍÎÏÌÑÓÔÖÒÕŠÚÛÜÙÝŸŽáâäàåãçéêëèíîïìñóôöòõšúûüùýÿž"
	texts := []string{""}
	for _, character := range namedEncoding("StandardEncoding") {
		if character != "" && character != "\ufffd" {
			texts = append(texts, character)
		}
	}
	return append(texts, strings.Split(more, "")...)
}
