package pdf

import (
	"bytes"
	"errors"
	"fmt"

	"portside/documents"
)

var errTable = errors.New("a broken table of objects")

// fromHeader cuts off what stands before the header, as offsets count from there.
func fromHeader(data []byte) []byte {
	const reach = 1024
	return data[max(0, bytes.Index(data[:min(len(data), reach)], []byte("%PDF-"))):]
}

// occurrences are the places of a word.
func occurrences(data []byte, word string) []int {
	found := []int{}
	for at := 0; ; {
		next := bytes.Index(data[at:], []byte(word))
		if next < 0 {
			return found
		}
		found = append(found, at+next)
		at += next + len(word)
	}
}

// readTables reads the cross references, the newest first; what they say of an object is not changed by older ones. A chain of
// tables that leads back to itself ends there.
func (f *file) readTables() error {
	at := bytes.LastIndex(f.data, []byte("startxref"))
	if at < 0 {
		return errTable
	}
	lex := lexer{data: f.data, at: at + len("startxref")}
	next, ok := whole(lex.next().value)
	visited := map[int]bool{}
	for ok && !visited[next] {
		visited[next] = true
		newest, err := f.readTable(next)
		if err != nil {
			return err
		}
		if hybrid, found := whole(newest["XRefStm"]); found && !visited[hybrid] {
			visited[hybrid] = true
			if _, err := f.readTable(hybrid); err != nil {
				return err
			}
		}
		next, ok = whole(newest["Prev"])
	}
	if f.trailer["Root"] == nil {
		return errTable
	}
	return nil
}

// readTable reads the table at an offset, and returns its trailer.
func (f *file) readTable(at int) (dict, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, fmt.Errorf("read the tables: %w", err)
	}
	if at < 0 || at >= len(f.data) {
		return nil, errTable
	}
	p := f.parser(f.data, at)
	first := p.lex.next()
	var newest dict
	var err error
	switch {
	case first.is("xref"):
		newest, err = f.readPlainTable(p)
	case digits(first.bytes):
		newest, err = f.readPackedTable(int(first.value), at)
	default:
		err = errTable
	}
	f.adopt(newest)
	return newest, err
}

// adopt takes over what a trailer says and newer ones did not.
func (f *file) adopt(trailer dict) {
	for _, key := range []string{"Root", "Info", "Encrypt", "ID"} {
		if f.trailer[key] == nil && trailer[key] != nil {
			f.trailer[key] = trailer[key]
		}
	}
}

func (f *file) readPlainTable(p *parser) (dict, error) {
	for {
		first := p.lex.next()
		if first.is("trailer") {
			made, _, err := f.parse(p)
			trailer, _ := made.(dict)
			return trailer, err
		}
		count := p.lex.next()
		if !digits(first.bytes) || !digits(count.bytes) {
			return nil, errTable
		}
		for i := range int(count.value) {
			offset, generation, kind := p.lex.next(), p.lex.next(), p.lex.next()
			if offset.kind != number || generation.kind != number {
				return nil, errTable
			}
			if kind.is("n") {
				if err := f.note(int(first.value)+i, entry{offset: int(offset.value)}); err != nil {
					return nil, err
				}
			}
		}
	}
}

// note adds an entry unless a newer one is there.
func (f *file) note(number int, e entry) error {
	if _, known := f.entries[number]; known || number == 0 || e.offset < 0 {
		return nil
	}
	if len(f.entries) >= f.limits.Objects {
		return documents.ErrTooMuch
	}
	f.entries[number] = e
	return nil
}

// readPackedTable reads a table that is a stream.
func (f *file) readPackedTable(number, at int) (dict, error) {
	before := f.lost
	f.lost = false
	defer func() { f.lost = before }()
	saved, known := f.entries[number]
	f.entries[number] = entry{offset: at}
	made, _, err := f.load(number)
	if delete(f.entries, number); known {
		f.entries[number] = saved
	}
	s, ok := made.(*stream)
	if err != nil || !ok || f.name(s.dict["Type"]) != "XRef" {
		return nil, errTable
	}
	data, err := f.decode(s)
	if f.lost && err == nil {
		err = errTable // which can be made anew
	}
	if err != nil {
		return nil, err
	}
	return s.dict, f.readRecords(s.dict, data)
}

// readRecords reads the entries of a packed table: fields of fixed widths, for the ranges of numbers that Index names.
func (f *file) readRecords(d dict, data []byte) error {
	var widths [3]int
	for i, w := range f.array(d["W"]) {
		if n, ok := whole(w); ok && n >= 0 && n <= 8 && i < 3 {
			widths[i] = n
		}
	}
	length := widths[0] + widths[1] + widths[2]
	index := f.array(d["Index"])
	if index == nil {
		index = array{0.0, d["Size"]}
	}
	if length == 0 {
		return errTable
	}
	for i := 0; i+1 < len(index); i += 2 {
		first, _ := whole(index[i])
		count, _ := whole(index[i+1])
		for n := 0; n < count && len(data) >= length; n++ {
			if err := f.noteRecord(first+n, data, widths); err != nil {
				return err
			}
			data = data[length:]
		}
	}
	return nil
}

func (f *file) noteRecord(number int, record []byte, widths [3]int) error {
	fields := [3]int{1, 0, 0}
	for i, w := range widths {
		if w > 0 {
			fields[i] = 0
		}
		for _, c := range record[:w] {
			fields[i] = fields[i]<<8 | int(c)
		}
		record = record[w:]
	}
	switch fields[0] {
	case 1:
		return f.note(number, entry{offset: fields[1]})
	case 2:
		return f.note(number, entry{pack: fields[1]})
	}
	return nil
}

// pack is an object stream, unpacked.
type pack struct {
	data []byte
	at   map[int]int // where each object begins
}

// unpack reads an object of an object stream. Its strings are plain, as the stream was encrypted as a whole.
func (f *file) unpack(number, wanted int) (any, int, error) {
	from, err := f.pack(number)
	if err != nil {
		return nil, 0, err
	}
	at, ok := from.at[wanted]
	if !ok {
		return nil, 1, nil
	}
	return f.parse(f.parser(from.data, at))
}

func (f *file) pack(number int) (*pack, error) {
	if known, ok := f.packs[number]; ok {
		return known, nil
	}
	if f.entries[number].pack != 0 {
		return nil, errSyntax // a stream is never in a stream
	}
	s := f.stream(reference{number: number})
	if s == nil {
		return nil, errSyntax
	}
	data, err := f.decode(s)
	if err != nil {
		return nil, err
	}
	made := &pack{data: data, at: map[int]int{}}
	first, count := int(f.number(s.dict["First"], 0)), int(f.number(s.dict["N"], 0))
	lex := lexer{data: data}
	for range min(count, f.limits.Objects) {
		n, at := lex.next(), lex.next()
		if !digits(n.bytes) || !digits(at.bytes) {
			break
		}
		made.at[int(n.value)] = min(first+int(at.value), len(data))
	}
	f.work -= len(made.at)
	if f.packed += len(data) + 64*len(made.at); f.packed > maxPacked {
		clear(f.packs)
		f.packed = len(data) + 64*len(made.at)
	}
	f.packs[number] = made
	return made, nil
}
