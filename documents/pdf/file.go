package pdf

import (
	"context"
	"slices"

	"portside/documents"
)

// file is the objects of a PDF, read when they are asked for, and what reading may still cost. What it remembers is bounded
// too: caches that have grown too large are emptied, as every object can be read again.
type file struct {
	ctx     context.Context
	data    []byte
	limits  documents.Limits
	entries map[int]entry
	trailer dict
	crypt   *crypt // nil: not encrypted

	budget   int64 // bytes that may still be unpacked
	work     int   // operators, glyphs and values that may still be run
	mapped   int   // entries of the CMaps so far
	damaged  bool  // whether that matters or not
	lost     bool  // something of what the pages say, which is told
	repaired bool
	tooMuch  bool  // something was left out for its size
	strays   []int // pages that repair found, for when the page tree lacks them

	known   map[int]any // objects
	cells   int         // that known may still take
	loading map[int]bool
	packs   map[int]*pack
	packed  int   // bytes of packs
	ends    []int // where streams may end, found when first needed
	glyphs  glyphTable
	fonts   map[int]*face
	faces   int // what fonts keep
	forms   map[int]*form
	formed  int // bytes of forms
}

// entry says where an object is: at an offset of the file, or in an object stream.
type entry struct {
	offset int
	pack   int // number of the object stream; 0: none
}

// What is remembered, and what one object may take.
const (
	maxWork    = 12_000_000
	maxCells   = 600_000
	maxPacked  = 24 << 20
	maxLoading = 8 // objects that are needed to read an object, as the length of a stream is
)

// openFile reads where the objects are, by the tables of the file or, where these are broken, by looking for the objects.
func openFile(ctx context.Context, data []byte, limits documents.Limits) (*file, error) {
	f := &file{
		ctx: ctx, data: fromHeader(data), limits: limits, entries: map[int]entry{}, trailer: dict{},
		budget: limits.Inflated, work: maxWork, known: map[int]any{}, cells: maxCells, loading: map[int]bool{}, packs: map[int]*pack{},
		glyphs: newGlyphTable(), fonts: map[int]*face{}, forms: map[int]*form{},
	}
	err := f.readTables()
	if err == nil {
		err = f.unlock()
	}
	if settled(err) {
		return nil, err
	}
	if err != nil || !f.hasPages() {
		err = f.repair()
	}
	return f, err
}

// resolve follows a reference; what is missing is nil.
func (f *file) resolve(o any) any {
	for range 8 {
		r, ok := o.(reference)
		if !ok {
			return o
		}
		o = f.object(r.number)
	}
	return nil
}

// object reads an object, or remembers it.
func (f *file) object(number int) any {
	if known, ok := f.known[number]; ok {
		return known
	}
	if f.loading[number] || len(f.loading) >= maxLoading || f.work < 0 {
		return nil
	}
	f.loading[number] = true
	defer delete(f.loading, number)
	made, cells, err := f.load(number)
	if err != nil && !f.repaired && f.repair() == nil {
		made, cells, err = f.load(number)
	}
	if err != nil {
		f.damaged = true
		return nil
	}
	if f.cells -= cells; f.cells < 0 {
		clear(f.known)
		f.cells = maxCells - cells
	}
	f.known[number] = made
	return made
}

// load reads an object, and tells what it takes. One that does not exist is nil.
func (f *file) load(number int) (made any, cells int, err error) {
	e, ok := f.entries[number]
	switch {
	case !ok:
		return nil, 1, nil
	case e.pack != 0:
		return f.unpack(e.pack, number)
	case e.offset >= len(f.data):
		return nil, 0, errSyntax
	}
	p := f.parser(f.data, e.offset)
	n, generation, obj := p.lex.next(), p.lex.next(), p.lex.next()
	if !digits(n.bytes) || !digits(generation.bytes) || int(n.value) != number || !obj.is("obj") {
		return nil, 0, errSyntax
	}
	owner := reference{number, int(generation.value)}
	p.decrypt = f.crypt.strings(owner)
	made, cells, err = f.parse(p)
	f.lost = f.lost || p.cut
	if d, ok := made.(dict); ok {
		if next := p.lex.next(); next.is("stream") {
			s := &stream{dict: d, owner: owner}
			s.raw, s.cut = f.body(d, p.lex.at)
			return s, cells, nil
		}
	}
	return made, cells, err
}

func (f *file) parser(data []byte, at int) *parser {
	return &parser{lex: lexer{data: data, at: at}, deepest: f.limits.Depth, cells: maxCells}
}

// parse reads an object and has it paid for by what was looked at.
func (f *file) parse(p *parser) (any, int, error) {
	from := p.lex.at
	made, err := p.next()
	f.work -= 8 + (p.lex.at-from)/16
	if err == errLarge { //nolint:errorlint // it is never wrapped
		f.tooMuch = true
	}
	return made, maxCells - p.cells, err
}

// body is the data of the stream that begins behind its keyword. Its length may be wrong. It is cut if the file ends within it.
func (f *file) body(d dict, at int) (raw []byte, cut bool) {
	for at < len(f.data) && f.data[at] == ' ' {
		at++
	}
	if at < len(f.data) && f.data[at] == '\r' {
		at++
	}
	if at < len(f.data) && f.data[at] == '\n' {
		at++
	}
	if length, ok := whole(f.resolve(d["Length"])); ok && length >= 0 && length <= len(f.data)-at {
		if after := (&lexer{data: f.data, at: at + length}); after.endsStream() {
			return f.data[at : at+length], false
		}
	}
	end := f.endAfter(at)
	cut = end == len(f.data)
	for end > at && (f.data[end-1] == '\r' || f.data[end-1] == '\n') {
		end--
	}
	return f.data[at:end], cut
}

// endsStream reports whether only a few blanks are in front of endstream.
func (l *lexer) endsStream() bool {
	for range 4 {
		if l.at < len(l.data) && blank(l.data[l.at]) {
			l.at++
		}
	}
	return l.starts("endstream") || l.starts("endobj")
}

// endAfter finds the end of a stream by its keyword, looked up in a list: a search for each of many streams that do not end
// would take minutes.
func (f *file) endAfter(at int) int {
	if f.ends == nil {
		f.ends = append(occurrences(f.data, "endstream"), occurrences(f.data, "endobj")...)
		slices.Sort(f.ends)
		f.ends = append(f.ends, len(f.data))
	}
	i, _ := slices.BinarySearch(f.ends, at)
	return f.ends[min(i, len(f.ends)-1)]
}

func (f *file) dict(o any) dict {
	switch o := f.resolve(o).(type) {
	case dict:
		return o
	case *stream:
		return o.dict
	}
	return nil
}

func (f *file) array(o any) array {
	a, _ := f.resolve(o).(array)
	return a
}

func (f *file) name(o any) string {
	n, _ := f.resolve(o).(atom)
	return string(n)
}

func (f *file) number(o any, otherwise float64) float64 {
	if n, ok := f.resolve(o).(float64); ok {
		return n
	}
	return otherwise
}

func (f *file) stream(o any) *stream {
	s, _ := f.resolve(o).(*stream)
	return s
}

// words is what a string says that people read.
func (f *file) words(o any) string {
	raw, _ := f.resolve(o).(literal)
	return textString([]byte(raw))
}

func (f *file) title() string { return f.words(f.dict(f.trailer["Info"])["Title"]) }

// id is the number of the object that o refers to, or 0.
func id(o any) int {
	r, _ := o.(reference)
	return r.number
}
