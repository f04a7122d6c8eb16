package office

import (
	"bufio"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoded makes UTF-8 of a part in UTF-16, the only other encoding that the formats allow.
func decoded(from io.Reader) *bufio.Reader {
	const buffer = 32 << 10
	in := bufio.NewReaderSize(from, buffer)
	mark, err := in.Peek(2)
	if err != nil {
		return in // too short; reading it says so again
	}
	switch string(mark) {
	case "\xff\xfe":
		return bufio.NewReaderSize(&wide{from: in, order: binary.LittleEndian}, buffer)
	case "\xfe\xff":
		return bufio.NewReaderSize(&wide{from: in, order: binary.BigEndian}, buffer)
	}
	return in
}

// wide reads UTF-16. A half of a pair becomes a replacement character, which a Builder drops.
type wide struct {
	from  *bufio.Reader
	order binary.ByteOrder
	high  rune
	ready []byte
}

func (w *wide) Read(into []byte) (int, error) {
	for len(w.ready) == 0 {
		var unit [2]byte
		if _, err := io.ReadFull(w.from, unit[:]); err != nil {
			return 0, err
		}
		w.take(rune(w.order.Uint16(unit[:])))
	}
	n := copy(into, w.ready)
	w.ready = w.ready[n:]
	return n, nil
}

func (w *wide) take(unit rune) {
	const firstLow, surrogates, firstAfter = 0xdc00, 0xd800, 0xe000
	switch {
	case unit >= surrogates && unit < firstLow:
		w.high = unit
		return
	case unit >= firstLow && unit < firstAfter:
		unit = utf16.DecodeRune(w.high, unit)
	}
	w.high = 0
	w.ready = utf8.AppendRune(w.ready[:0], unit)
}

// charset reads what declares another encoding. UTF-16 is already decoded, and most of what is left is Latin-1.
func charset(label string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "iso-8859-1", "latin1", "windows-1252", "us-ascii":
		return bufio.NewReader(&narrow{from: in}), nil
	}
	return in, nil
}

// narrow reads Latin-1, with the letters that Windows adds to it.
type narrow struct {
	from  io.Reader
	ready []byte
}

func (n *narrow) Read(into []byte) (int, error) {
	for len(n.ready) == 0 {
		var b [1]byte
		if _, err := io.ReadFull(n.from, b[:]); err != nil {
			return 0, err
		}
		n.ready = utf8.AppendRune(n.ready[:0], latin(b[0]))
	}
	c := copy(into, n.ready)
	n.ready = n.ready[c:]
	return c, nil
}

func latin(b byte) rune {
	const firstAddition = 0x80
	additions := [...]rune{
		'€', '\u0081', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u008d', 'Ž', '\u008f',
		'\u0090', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u009d', 'ž', 'Ÿ',
	}
	if i := int(b) - firstAddition; i >= 0 && i < len(additions) {
		return additions[i]
	}
	return rune(b)
}
