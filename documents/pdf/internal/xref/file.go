// Package xref finds and reads the indirect objects of a file (ISO 32000-1, 7.5).
//
// A [File] knows where each object is, from cross-reference tables and streams or, if these are
// broken, from a search for "12 0 obj" in the whole file. It reads objects on demand, because loading
// all of them first takes many times the memory of the file.
//
// Files are hostile: loading an object may require others (the length of a stream, the object stream
// around it), so the number of objects that are being loaded is bounded, as is the memory for objects
// that were read.
package xref

import (
	"bytes"

	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/crypt"
	"portside/documents/pdf/internal/filters"
	"portside/documents/pdf/internal/syntax"
)

const (
	// maxCachedCells bounds the memory for objects, in cells of package syntax.
	maxCachedCells = syntax.MaxObjectCells
	// maxObjectStreamBytes bounds the memory for decoded object streams.
	maxObjectStreamBytes = 24 << 20
	// maxLoading bounds the objects that are needed to read one object.
	maxLoading = 8
)

// File is the objects of a PDF file.
type File struct {
	Objects syntax.Resolver // reads objects of this file
	Decoder *filters.Decoder
	Budget  *budget.Budget
	Damage  *budget.Damage

	data          []byte
	table         table
	objects       *budget.Cache[any]
	objectStreams *budget.Cache[*objectStream]
	loading       map[int]bool
	streamEnds    *streamEnds
}

// New returns a File that does not know any objects yet. ReadTables or Repair must follow.
func New(b *budget.Budget, data []byte) *File {
	f := &File{
		Budget: b, Damage: &budget.Damage{}, data: trimBeforeHeader(data), table: newTable(b.Limits.Objects),
		objects:       budget.NewCache[any](maxCachedCells),
		objectStreams: budget.NewCache[*objectStream](maxObjectStreamBytes),
		loading:       map[int]bool{},
	}
	f.Objects = syntax.Resolver{Loader: f}
	f.Decoder = &filters.Decoder{Objects: f.Objects, Budget: b, Damage: f.Damage}
	f.streamEnds = &streamEnds{data: f.data}
	return f
}

// trimBeforeHeader removes the bytes before the header, because offsets count from the header.
func trimBeforeHeader(data []byte) []byte {
	const maxHeaderOffset = 1024
	return data[max(0, bytes.Index(data[:min(len(data), maxHeaderOffset)], []byte("%PDF-"))):]
}

// Catalog returns the root of the document's objects.
func (f *File) Catalog() syntax.Dict { return f.Objects.Dict(f.table.trailer["Root"]) }

// Title returns the title in the document information dictionary.
func (f *File) Title() string {
	return f.Objects.Text(f.Objects.Dict(f.table.trailer["Info"])["Title"])
}

// StrayPages returns the numbers of the page objects that a repair found. The page tree may lack them.
func (f *File) StrayPages() []int { return f.table.strayPages }

// Expect records a loss if one of the objects is a reference to a missing object in a repaired file.
// In other files such a reference is legal and means null, but a repaired file may have lost the
// object.
func (f *File) Expect(objects ...any) {
	for _, o := range objects {
		f.Damage.Lost = f.Damage.Lost || f.table.isRepaired && syntax.ObjectNumber(o) != 0 && f.Budget.HasWork() &&
			f.Objects.Resolve(o) == nil
	}
}

// Object implements [syntax.Loader]. If an object cannot be read, it repairs the file once and
// retries.
func (f *File) Object(number int) any {
	if known, ok := f.objects.Get(number); ok {
		return known
	}
	if f.loading[number] || len(f.loading) >= maxLoading || !f.Budget.HasWork() {
		return nil
	}
	f.loading[number] = true
	defer delete(f.loading, number)
	object, cells, err := f.load(number)
	if err != nil && !f.table.isRepaired && f.Repair() == nil {
		object, cells, err = f.load(number)
	}
	if err != nil {
		f.Damage.Found = true
		return nil
	}
	f.objects.Put(number, object, cells)
	return object
}

// load reads an object, and returns its size in cells. An object without an entry in the table is
// nil.
func (f *File) load(number int) (object any, cells int, err error) {
	e, ok := f.table.entries[number]
	switch {
	case !ok:
		return nil, 1, nil
	case e.objectStream != 0:
		return f.loadCompressed(e.objectStream, number)
	case e.offset >= len(f.data):
		return nil, 0, syntax.ErrSyntax
	}
	p := f.parser(f.data, e.offset)
	n, generation, keyword := p.Next(), p.Next(), p.Next()
	isHeader := syntax.IsDigits(n.Bytes) && syntax.IsDigits(generation.Bytes) && keyword.Is("obj")
	if !isHeader || int(n.Value) != number {
		return nil, 0, syntax.ErrSyntax
	}
	owner := syntax.Reference{Number: number, Generation: int(generation.Value)}
	p.Decrypt = f.Decoder.Crypt.Strings(owner)
	object, cells, err = f.parse(p)
	f.Damage.Lost = f.Damage.Lost || p.Truncated
	if d, ok := object.(syntax.Dict); ok {
		if next := p.Next(); next.Is("stream") {
			s := &syntax.Stream{Dict: d, Owner: owner}
			s.Raw, s.Truncated = f.streamData(d, p.Pos)
			return s, cells, nil
		}
	}
	return object, cells, err
}

func (f *File) parser(data []byte, offset int) *syntax.Parser {
	return syntax.NewParser(data, offset, f.Budget.Limits.Depth)
}

// parse parses an object, and spends work in proportion to the bytes that it reads.
func (f *File) parse(p *syntax.Parser) (object any, cells int, err error) {
	start := p.Pos
	object, err = p.Object()
	f.Budget.SpendWork(8 + (p.Pos-start)/16)
	if err == syntax.ErrTooLarge { //nolint:errorlint // the parser never wraps it
		f.Damage.TooLarge = true
	}
	return object, p.Cells(), err
}

// unlock prepares decryption. Errors: documents.ErrEncrypted for a file that needs a password.
func (f *File) unlock() error {
	f.Decoder.Crypt = nil // the strings of the encryption dictionary are not encrypted
	encrypt := f.Objects.Dict(f.table.trailer["Encrypt"])
	if encrypt == nil {
		return nil
	}
	var fileID []byte
	if ids := f.Objects.Array(f.table.trailer["ID"]); len(ids) > 0 {
		fileID = f.Objects.Bytes(ids[0])
	}
	handler, err := crypt.New(f.Objects, encrypt, fileID)
	if err != nil {
		return err
	}
	f.Decoder.Crypt = handler
	f.objects.Clear() // the strings in them are still encrypted
	return nil
}
