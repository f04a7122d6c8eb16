package xref

import (
	"bytes"
	"errors"
	"fmt"

	"portside/documents"
	"portside/documents/pdf/internal/syntax"
)

var errTable = errors.New("broken cross-reference table")

// entry is where an object is: at an offset of the file, or in an object stream.
type entry struct {
	offset       int
	objectStream int // the number of the object stream; 0 for an object outside of one
}

// table is the cross-reference table of a file: the merged entries and trailers of all its sections.
type table struct {
	entries    map[int]entry
	trailer    syntax.Dict
	maxEntries int
	isRepaired bool  // the entries come from a search for objects
	strayPages []int // the page objects that the search found
}

func newTable(maxEntries int) table {
	return table{entries: map[int]entry{}, trailer: syntax.Dict{}, maxEntries: maxEntries}
}

// add adds an entry unless a newer section has one. Errors: documents.ErrTooMuch.
func (t *table) add(number int, e entry) error {
	if _, ok := t.entries[number]; ok || number == 0 || e.offset < 0 {
		return nil
	}
	if len(t.entries) >= t.maxEntries {
		return documents.ErrTooMuch
	}
	t.entries[number] = e
	return nil
}

// mergeOlder adds the entries of an older trailer that newer trailers lack.
func (t *table) mergeOlder(trailer syntax.Dict) {
	for _, key := range []string{"Root", "Info", "Encrypt", "ID"} {
		if t.trailer[key] == nil && trailer[key] != nil {
			t.trailer[key] = trailer[key]
		}
	}
}

// mergeNewer replaces the entries that a newer trailer has.
func (t *table) mergeNewer(trailer syntax.Dict) {
	older := t.trailer
	t.trailer = syntax.Dict{}
	t.mergeOlder(trailer)
	t.mergeOlder(older)
}

// ReadTables reads the cross-reference tables of the file and prepares decryption. Errors: those for
// which budget.IsFinal is true, and others for a file that Repair may still read.
func (f *File) ReadTables() error {
	if err := f.readSections(); err != nil {
		return err
	}
	return f.unlock()
}

// readSections reads the cross-reference sections from the newest to the oldest. A chain of sections
// that leads back to itself ends there.
func (f *File) readSections() error {
	start := bytes.LastIndex(f.data, []byte("startxref"))
	if start < 0 {
		return errTable
	}
	lex := syntax.Lexer{Data: f.data, Pos: start + len("startxref")}
	next, ok := syntax.Integer(lex.Next().Value)
	visited := map[int]bool{}
	for ok && !visited[next] {
		visited[next] = true
		trailer, err := f.readSection(next)
		if err != nil {
			return err
		}
		if hybrid, ok := syntax.Integer(trailer["XRefStm"]); ok && !visited[hybrid] {
			visited[hybrid] = true
			if _, err := f.readSection(hybrid); err != nil {
				return err
			}
		}
		next, ok = syntax.Integer(trailer["Prev"])
	}
	if f.table.trailer["Root"] == nil {
		return errTable
	}
	return nil
}

// readSection reads the table or the cross-reference stream at an offset, and returns its trailer.
func (f *File) readSection(offset int) (trailer syntax.Dict, err error) {
	if err := f.Budget.Err(); err != nil {
		return nil, fmt.Errorf("read the cross-reference tables: %w", err)
	}
	if offset < 0 || offset >= len(f.data) {
		return nil, errTable
	}
	p := f.parser(f.data, offset)
	first := p.Next()
	switch {
	case first.Is("xref"):
		trailer, err = f.readTable(p)
	case syntax.IsDigits(first.Bytes):
		trailer, err = f.readStreamSection(int(first.Value), offset)
	default:
		err = errTable
	}
	f.table.mergeOlder(trailer)
	return trailer, err
}

// readTable reads the subsections of a table, and its trailer.
func (f *File) readTable(p *syntax.Parser) (syntax.Dict, error) {
	for {
		first := p.Next()
		if first.Is("trailer") {
			object, _, err := f.parse(p)
			trailer, _ := object.(syntax.Dict)
			return trailer, err
		}
		count := p.Next()
		if !syntax.IsDigits(first.Bytes) || !syntax.IsDigits(count.Bytes) {
			return nil, errTable
		}
		if err := f.table.readSubsection(p, int(first.Value), int(count.Value)); err != nil {
			return nil, err
		}
	}
}

// readSubsection reads the entries of count objects from number first on.
func (t *table) readSubsection(p *syntax.Parser, first, count int) error {
	for i := range count {
		offset, generation, kind := p.Next(), p.Next(), p.Next()
		if offset.Kind != syntax.NumberToken || generation.Kind != syntax.NumberToken {
			return errTable
		}
		if kind.Is("n") {
			if err := t.add(first+i, entry{offset: int(offset.Value)}); err != nil {
				return err
			}
		}
	}
	return nil
}
