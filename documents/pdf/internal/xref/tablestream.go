package xref

import "portside/documents/pdf/internal/syntax"

// Types of the entries in a cross-reference stream (ISO 32000-1, table 18).
const (
	entryInFile         = 1
	entryInObjectStream = 2
)

// readStreamSection reads a cross-reference stream, and returns its dictionary as the trailer. A damaged
// stream is an error and not a loss, because a repair restores the table.
func (f *File) readStreamSection(number, offset int) (syntax.Dict, error) {
	lostBefore := f.Damage.Lost
	f.Damage.Lost = false
	defer func() { f.Damage.Lost = lostBefore }()
	object, err := f.loadAt(number, offset)
	s, ok := object.(*syntax.Stream)
	if err != nil || !ok || f.Objects.Name(s.Dict["Type"]) != "XRef" {
		return nil, errTable
	}
	data, err := f.Decoder.Decode(s)
	if f.Damage.Lost && err == nil {
		err = errTable
	}
	if err != nil {
		return nil, err
	}
	return s.Dict, f.readEntries(s.Dict, data)
}

// loadAt reads the object at an offset, whatever the table says about its number.
func (f *File) loadAt(number, offset int) (any, error) {
	saved, ok := f.table.entries[number]
	f.table.entries[number] = entry{offset: offset}
	object, _, err := f.load(number)
	if delete(f.table.entries, number); ok {
		f.table.entries[number] = saved
	}
	return object, err
}

// readEntries reads the entries of a cross-reference stream. W has the widths of their three fields in
// bytes, Index the ranges of object numbers.
func (f *File) readEntries(d syntax.Dict, data []byte) error {
	const maxFieldBytes = 8
	var widths [3]int
	for i, w := range f.Objects.Array(d["W"]) {
		if n, ok := syntax.Integer(w); ok && n >= 0 && n <= maxFieldBytes && i < len(widths) {
			widths[i] = n
		}
	}
	length := widths[0] + widths[1] + widths[2]
	index := f.Objects.Array(d["Index"])
	if index == nil {
		index = syntax.Array{0.0, d["Size"]}
	}
	if length == 0 {
		return errTable
	}
	for i := 0; i+1 < len(index); i += 2 {
		first, _ := syntax.Integer(index[i])
		count, _ := syntax.Integer(index[i+1])
		for n := 0; n < count && len(data) >= length; n++ {
			if err := f.table.addStreamEntry(first+n, data, widths); err != nil {
				return err
			}
			data = data[length:]
		}
	}
	return nil
}

// addStreamEntry adds an entry of a cross-reference stream. A field of width 0 has its default, which is 1
// for the type.
func (t *table) addStreamEntry(number int, data []byte, widths [3]int) error {
	fields := [3]int{entryInFile, 0, 0}
	for i, width := range widths {
		if width > 0 {
			fields[i] = 0
		}
		for _, c := range data[:width] {
			fields[i] = fields[i]<<8 | int(c)
		}
		data = data[width:]
	}
	switch fields[0] {
	case entryInFile:
		return t.add(number, entry{offset: fields[1]})
	case entryInObjectStream:
		return t.add(number, entry{objectStream: fields[1]})
	}
	return nil
}
