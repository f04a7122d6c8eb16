package outlook_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf16"
)

// storage is what a compound file is made of: streams and further storages by name.
type storage struct {
	streams  map[string][]byte
	storages map[string]storage
}

const (
	sectorSize  = 512
	smallSize   = 64
	noEntry     = 0xffffffff
	endOfChain  = 0xfffffffe
	tableSector = 0xfffffffd
)

// builder builds a compound file. Its first sectors are those of streams.
type builder struct {
	entries []byte
	sectors []byte
	next    []uint32
	small   []byte
	nextOf  []uint32 // of the small sectors
}

// compound returns the bytes of a compound file.
func compound(root storage) []byte {
	b := &builder{}
	b.entry("Root Entry", 5)
	b.fill(0, root)
	start := b.chain(b.small)
	binary.LittleEndian.PutUint32(b.entries[116:], start)
	binary.LittleEndian.PutUint32(b.entries[120:], uint32(len(b.small)))
	smallTable := make([]byte, 4*len(b.nextOf))
	for i, n := range b.nextOf {
		binary.LittleEndian.PutUint32(smallTable[4*i:], n)
	}
	smallStart, directory := b.chain(smallTable), b.chain(b.entries)
	header := make([]byte, sectorSize)
	copy(header, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	binary.LittleEndian.PutUint16(header[30:], 9)
	for at, n := range map[int]uint32{48: directory, 60: smallStart, 68: endOfChain} {
		binary.LittleEndian.PutUint32(header[at:], n)
	}
	tables := len(b.next)/(sectorSize/4-1) + 1
	for i := range 109 {
		n := uint32(noEntry)
		if i < tables {
			n = uint32(len(b.next))
			b.next = append(b.next, tableSector)
		}
		binary.LittleEndian.PutUint32(header[76+4*i:], n)
	}
	table := bytes.Repeat([]byte{0xff}, tables*sectorSize)
	for i, n := range b.next {
		binary.LittleEndian.PutUint32(table[4*i:], n)
	}
	return slices.Concat(header, b.sectors, table)
}

// entry adds an entry and returns its number.
func (b *builder) entry(name string, kind byte) int {
	raw := make([]byte, 128)
	for i, unit := range utf16.Encode([]rune(name)) {
		binary.LittleEndian.PutUint16(raw[2*i:], unit)
	}
	binary.LittleEndian.PutUint16(raw[64:], uint16(2*len(name)+2))
	raw[66] = kind
	for at := 68; at <= 76; at += 4 {
		binary.LittleEndian.PutUint32(raw[at:], noEntry)
	}
	b.entries = append(b.entries, raw...)
	return len(b.entries)/128 - 1
}

// fill adds the content of a storage. Its entries are a list of right neighbors.
func (b *builder) fill(parent int, s storage) {
	link := 128*parent + 76
	add := func(name string, kind byte) int {
		n := b.entry(name, kind)
		binary.LittleEndian.PutUint32(b.entries[link:], uint32(n))
		link = 128*n + 72
		return n
	}
	for name, data := range s.streams {
		n := add(name, 2)
		start := b.stream(data)
		binary.LittleEndian.PutUint32(b.entries[128*n+116:], start)
		binary.LittleEndian.PutUint32(b.entries[128*n+120:], uint32(len(data)))
	}
	for name, inner := range s.storages {
		b.fill(add(name, 1), inner)
	}
}

func (b *builder) stream(data []byte) uint32 {
	if len(data) >= 4096 {
		return b.chain(data)
	}
	start := uint32(len(b.nextOf))
	for at := 0; at < len(data); at += smallSize {
		b.small = append(b.small, data[at:min(at+smallSize, len(data))]...)
		b.small = append(b.small, make([]byte, (smallSize-len(b.small)%smallSize)%smallSize)...)
		b.nextOf = append(b.nextOf, uint32(len(b.nextOf)+1))
	}
	if len(data) > 0 {
		b.nextOf[len(b.nextOf)-1] = endOfChain
	}
	return start
}

// chain adds sectors and returns the number of the first.
func (b *builder) chain(data []byte) uint32 {
	start := uint32(len(b.next))
	for at := 0; at < len(data); at += sectorSize {
		b.sectors = append(b.sectors, data[at:min(at+sectorSize, len(data))]...)
		b.sectors = append(b.sectors, make([]byte, (sectorSize-len(b.sectors)%sectorSize)%sectorSize)...)
		b.next = append(b.next, uint32(len(b.next)+1))
	}
	if len(data) == 0 {
		return endOfChain
	}
	b.next[len(b.next)-1] = endOfChain
	return start
}

// unicode encodes a text as properties have it.
func unicode(text string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

// fixed returns the stream of the fixed properties: a header, and 16 bytes for each property.
func fixed(header int, values map[uint32]uint64) []byte {
	out := make([]byte, header)
	for tag, v := range values {
		out = binary.LittleEndian.AppendUint32(out, tag)
		out = binary.LittleEndian.AppendUint32(out, 6)
		out = binary.LittleEndian.AppendUint64(out, v)
	}
	return out
}

// compressed returns rich text in its compressed form. It refers to the longest text before, as Outlook does.
func compressed(text string) []byte {
	const window, longest = 4096, 17
	const before = "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor " +
		"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
	all := before + text
	var body []byte
	var flags byte
	var items []byte
	count := 0
	flush := func() {
		body = append(append(body, flags), items...)
		flags, items, count = 0, nil, 0
	}
	reference := func(at, length int) {
		flags |= 1 << count
		items = append(items, byte(at%window>>4), byte(at%window<<4|(length-2)&0xf))
		count++
	}
	for at := len(before); at < len(all); {
		length, from := 0, 0
		for l := min(longest, len(all)-at); l >= 2 && length == 0; l-- {
			if i := strings.LastIndex(all[max(0, at-window+longest):at], all[at:at+l]); i >= 0 {
				length, from = l, i+max(0, at-window+longest)
			}
		}
		if length > 0 {
			reference(from, length)
			at += length
		} else {
			items = append(items, all[at])
			count++
			at++
		}
		if count == 8 {
			flush()
		}
	}
	reference(len(all), 2) // the end
	flush()
	out := make([]byte, 16)
	binary.LittleEndian.PutUint32(out, uint32(len(body)+12))
	binary.LittleEndian.PutUint32(out[4:], uint32(len(text)))
	copy(out[8:], "LZFu")
	return slices.Concat(out, body)
}
