package outlook

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"

	"portside/documents"
)

const containerMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// container is a compound file ([MS-CFB]): storages, which are like directories, and streams, which are like files. Their
// bytes are in sectors, and those of short streams in small sectors of one stream. Tables link the sectors of a stream.
type container struct {
	data      []byte
	shift     uint // the size of a sector is 1<<shift
	next      []uint32
	small     []byte // the stream with the small sectors
	nextSmall []uint32
	entries   []entry
	// left bounds the bytes of entries and streams that are read: many entries may share their bytes.
	left int
}

// entry is a storage or a stream.
type entry struct {
	name               string
	left, right, child uint32 // storages keep their entries in a tree
	start              uint32
	size               uint32
}

const (
	smallShift = 6
	smallLimit = 4096 // shorter streams are in small sectors
)

// open reads the tables and the names of all entries.
func open(data []byte) (*container, error) {
	const header, firstTables, tables = 512, 76, 109
	if len(data) < header {
		return nil, documents.ErrDamaged
	}
	number := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	c := &container{data: data, shift: uint(binary.LittleEndian.Uint16(data[30:])), left: 4*len(data) + 1<<20}
	if c.shift != 9 && c.shift != 12 {
		return nil, documents.ErrDamaged
	}
	listed := numbers(data[firstTables : firstTables+4*tables])
	for more, steps := number(68), 0; steps < len(data)>>c.shift; steps++ { // the sectors of tables are listed in more sectors
		sector := numbers(c.sector(more))
		if len(sector) == 0 {
			break
		}
		listed, more = append(listed, sector[:len(sector)-1]...), sector[len(sector)-1]
	}
	for _, n := range listed[:min(len(listed), len(data)>>c.shift)] {
		c.next = append(c.next, numbers(c.sector(n))...)
	}
	c.nextSmall = numbers(c.chain(number(60), len(data)))
	directory := c.chain(number(48), len(data))
	for ; len(directory) >= entrySize; directory = directory[entrySize:] {
		c.entries = append(c.entries, parseEntry(directory))
	}
	if len(c.entries) == 0 {
		return nil, documents.ErrDamaged
	}
	c.small = c.chain(c.entries[0].start, min(int(c.entries[0].size), len(data)))
	return c, nil
}

const entrySize = 128

func parseEntry(raw []byte) entry {
	name := wide(raw[:min(64, max(0, int(binary.LittleEndian.Uint16(raw[64:]))-2))])
	number := func(at int) uint32 { return binary.LittleEndian.Uint32(raw[at:]) }
	return entry{name, number(68), number(72), number(76), number(116), number(120)}
}

// wide decodes UTF-16.
func wide(raw []byte) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(units))
}

func numbers(raw []byte) []uint32 {
	all := make([]uint32, len(raw)/4)
	for i := range all {
		all[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return all
}

// sector returns a sector, or the rest of the file.
func (c *container) sector(n uint32) []byte { return part(c.data, (uint64(n)+1)<<c.shift, 1<<c.shift) }

func part(data []byte, at, size uint64) []byte {
	at = min(at, uint64(len(data)))
	return data[at:min(at+size, uint64(len(data)))]
}

// chain returns at most size bytes of the sectors that begin with one.
func (c *container) chain(start uint32, size int) []byte {
	var out bytes.Buffer
	for n := start; out.Len() < size; n = c.next[n] {
		sector := c.sector(n)
		out.Write(sector)
		if len(sector) == 0 || uint64(n) >= uint64(len(c.next)) {
			break
		}
	}
	return out.Bytes()[:min(size, out.Len())]
}

// read returns at most limit bytes of a stream.
func (c *container) read(e entry, limit int) []byte {
	size := max(0, min(int(e.size), limit, len(c.data), c.left))
	c.left -= size
	if e.size >= smallLimit {
		return c.chain(e.start, size)
	}
	var out []byte
	for n := e.start; len(out) < size; n = c.nextSmall[n] {
		sector := part(c.small, uint64(n)<<smallShift, 1<<smallShift)
		out = append(out, sector...)
		if len(sector) == 0 || uint64(n) >= uint64(len(c.nextSmall)) {
			break
		}
	}
	return out[:min(size, len(out))]
}

// children returns the entries of a storage by name.
func (c *container) children(storage entry) map[string]entry {
	found, seen := map[string]entry{}, map[uint32]bool{}
	for open := []uint32{storage.child}; len(open) > 0 && c.left > 0; c.left -= entrySize {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if uint64(n) >= uint64(len(c.entries)) || seen[n] {
			continue
		}
		seen[n] = true
		e := c.entries[n]
		found[e.name] = e
		open = append(open, e.left, e.right)
	}
	return found
}
