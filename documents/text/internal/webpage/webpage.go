// Package webpage reads HTML.
package webpage

import (
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"portside/documents"
	"portside/documents/charset"
	"portside/documents/text/internal/page"
)

// Read reads a page.
func Read(to page.Page, data []byte) error {
	return ReadFrom(to, strings.NewReader(charset.Decode(data, charset.Declared(data))), Options{})
}

// ReadXHTML reads a chapter of a book.
func ReadXHTML(to page.Page, from io.Reader) error {
	options := Options{isXHTML: true, NumberLists: true, ignoreTitle: true}
	return ReadFrom(to, charset.NewReader(from), options)
}

// ReadUntitled reads a page and ignores its title.
func ReadUntitled(to page.Page, data []byte) error {
	return ReadFrom(to, strings.NewReader(charset.Decode(data, charset.Declared(data))), Options{ignoreTitle: true})
}

// Tags of elements and tables that are nested deeper are ignored; their text is read.
const (
	maxOpen   = 256
	maxTables = 16
)

// maxHeld is how many blocks may wait in cells for the ends of their rows. Otherwise a table around a whole page would
// hold the page in memory, and each table would copy it to the one around it.
const maxHeld = 20_000

// Options are what differs between web pages, chapters of books and HTML made of Markdown.
type Options struct {
	isXHTML          bool // a tag that closes itself has no content, and CDATA is text
	NumberLists      bool // items of ordered lists begin with their number
	TitleFromHeading bool // the first heading of level 1 is the document's title
	ignoreTitle      bool // the title element is not the document's title
}

// ReadFrom reads HTML in UTF-8 as a stream. It returns the errors of the reader as they are.
func ReadFrom(to page.Page, from io.Reader, options Options) error {
	w := &walker{to: to, options: options, hiding: map[string]bool{}}
	tokens := html.NewTokenizer(from)
	tokens.AllowCDATA(options.isXHTML)
	for {
		kind := tokens.Next()
		if err := to.Context.Err(); err != nil {
			return err
		}
		if kind == html.ErrorToken {
			if err := tokens.Err(); !errors.Is(err, io.EOF) {
				return err
			}
			return w.finish()
		}
		if err := w.token(kind, tokens); err != nil {
			return err
		}
	}
}

// element is an open element.
type element struct {
	name   atom.Atom
	hidden bool
}

// walker follows the tokens of a page. It gathers text until a block ends, and adds the block to the innermost open
// cell, or to the document.
type walker struct {
	to      page.Page
	options Options
	hiding  map[string]bool // classes (".x") and ids ("#x") that the style sheet hides
	open    []element
	hidden  int        // how many of the open elements are hidden
	lists   []htmlList // the open lists
	item    bool       // the next block is a list item
	label   string     // the number before its text

	deeper     int // open elements beyond maxOpen
	hiddenFrom int // number of the first hidden one among them; 0 if none is hidden
	beyond     int // open tables beyond maxTables
	held       int // blocks that wait in cells
	heldText   int // bytes of their text

	title  strings.Builder
	text   strings.Builder
	term   string // the last <dt>
	tables []*table
}

func (w *walker) token(kind html.TokenType, tokens *html.Tokenizer) error {
	switch kind {
	case html.TextToken:
		w.words(string(tokens.Text()))
	case html.StartTagToken, html.SelfClosingTagToken:
		name, more := tokens.TagName()
		tag := atom.Lookup(name)
		var attributes map[string]string
		if more {
			attributes = usedAttributes(tokens)
		}
		closesSelf := kind == html.SelfClosingTagToken
		if closesSelf && w.options.isXHTML {
			tokens.NextIsNotRawText()
		}
		return w.start(startTag{tag, attributes, closesSelf})
	case html.EndTagToken:
		name, _ := tokens.TagName()
		return w.end(atom.Lookup(name))
	}
	return nil
}

// words adds the text between tags. White space becomes a space unless it is preformatted.
func (w *walker) words(text string) {
	switch {
	case w.inside(atom.Style) && !w.inside(atom.Svg):
		w.learn(text)
	case w.inside(atom.Title) && !w.inside(atom.Svg):
		w.title.WriteString(text)
	case w.hidden > 0 || w.hiddenFrom > 0:
	case w.inside(atom.Pre) || w.inside(atom.Textarea):
		w.text.WriteString(text)
	default:
		w.text.WriteString(asSpaces.Replace(text))
	}
}

var asSpaces = strings.NewReplacer("\n", " ", "\r", " ", "\f", " ", "\v", " ", "\u2028", " ", "\u2029", " ", "\u0085", " ")

// inside reports whether one of the eight innermost open elements has the name.
func (w *walker) inside(name atom.Atom) bool {
	for i := len(w.open) - 1; i >= max(0, len(w.open)-8); i-- {
		if w.open[i].name == name {
			return true
		}
	}
	return false
}

func (w *walker) start(tag startTag) error {
	if err := w.closeImplied(tag.name); err != nil {
		return err
	}
	if IsVoid[tag.name] {
		return w.void(tag.name)
	}
	if IsBlock[tag.name] {
		if err := w.flush(); err != nil {
			return err
		}
	}
	hidden := IsUnseen[tag.name] || isHidden(tag) || isNoteMark(tag) || w.hiddenByRule(tag.attributes)
	if tag.closesSelf && !hidden && !w.options.isXHTML {
		return nil
	}
	if len(w.open) >= maxOpen {
		w.deeper++
		if hidden && w.hiddenFrom == 0 {
			w.hiddenFrom = w.deeper
		}
		return nil
	}
	w.open = append(w.open, element{tag.name, hidden})
	if hidden {
		w.hidden++
	}
	if w.hidden == 0 {
		w.opened(tag)
	}
	if tag.closesSelf && w.options.isXHTML {
		return w.closeTo(len(w.open) - 1)
	}
	return nil
}

func (w *walker) opened(tag startTag) {
	switch tag.name {
	case atom.Ul, atom.Ol, atom.Menu:
		w.lists = append(w.lists, newList(tag))
	case atom.Li:
		w.item, w.label = true, ""
		if n := len(w.lists); n > 0 && w.options.NumberLists {
			w.label = w.lists[n-1].nextLabel()
		}
	case atom.Table:
		if len(w.tables) < maxTables {
			w.tables = append(w.tables, &table{})
		} else {
			w.beyond++
		}
	case atom.Tr:
		if t := w.table(); t != nil {
			t.startRow()
		}
	case atom.Td, atom.Th:
		if t := w.table(); t != nil {
			t.startCell(tag, w.inside(atom.Thead))
		}
	}
}

func (w *walker) void(tag atom.Atom) error {
	switch {
	case w.hidden > 0:
	case tag == atom.Br:
		w.text.WriteByte('\n')
	case tag == atom.Hr:
		return w.flush()
	}
	return nil
}

// closeImplied ends the elements whose end tag may be missing before this start tag.
func (w *walker) closeImplied(tag atom.Atom) error {
	ends, within := impliedEnds(tag)
	if ends == nil || w.deeper > 0 {
		return nil
	}
	for i, e := range slices.Backward(w.open) {
		if ends[e.name] {
			return w.closeTo(i)
		}
		if within[e.name] {
			return nil
		}
	}
	return nil
}

// end ends the innermost open element of the name and all elements in it. An end tag in a cell cannot end an element
// outside the cell.
func (w *walker) end(tag atom.Atom) error {
	if w.deeper > 0 {
		if !IsVoid[tag] {
			w.deeper--
		}
		if w.deeper < w.hiddenFrom {
			w.hiddenFrom = 0
		}
		return nil
	}
	if tag == atom.Br {
		return w.void(tag)
	}
	for i, e := range slices.Backward(w.open) {
		if e.name == tag {
			return w.closeTo(i)
		}
		if isCell[e.name] && !isTablePart[tag] || e.name == atom.Table {
			return nil
		}
	}
	return nil
}

// closeTo closes the open elements down to the i-th.
func (w *walker) closeTo(i int) error {
	for len(w.open) > i {
		last := w.open[len(w.open)-1]
		if w.hidden == 0 {
			if err := w.closed(last.name); err != nil {
				return err
			}
		}
		w.open = w.open[:len(w.open)-1]
		if last.hidden {
			w.hidden--
		}
	}
	return nil
}

func (w *walker) closed(tag atom.Atom) error {
	if IsBlock[tag] {
		if err := w.flushAs(tag); err != nil {
			return err
		}
	}
	switch tag {
	case atom.Ul, atom.Ol, atom.Menu:
		w.lists = w.lists[:max(0, len(w.lists)-1)]
	case atom.Li:
		w.item = false
	case atom.Tr:
		return w.endRow()
	case atom.Td, atom.Th:
		if t := w.table(); t != nil {
			t.inCell = false
		}
	case atom.Table:
		return w.endTable()
	case atom.Dl:
		w.term = ""
	}
	return nil
}

func (w *walker) finish() error {
	if err := w.closeTo(0); err != nil {
		return err
	}
	if title := strings.TrimSpace(w.title.String()); title != "" && !w.options.ignoreTitle {
		w.to.Into.Title(title)
	}
	return w.flush()
}

// flush ends the current block where another begins.
func (w *walker) flush() error {
	for _, e := range slices.Backward(w.open) {
		if IsBlock[e.name] {
			return w.flushAs(e.name)
		}
	}
	return w.flushAs(0)
}

// flushAs adds the gathered text as the block of an element.
func (w *walker) flushAs(tag atom.Atom) error {
	text := w.text.String()
	w.text.Reset()
	if strings.TrimSpace(text) == "" || w.hidden > 0 {
		return nil
	}
	switch {
	case headingLevels[tag] > 0:
		if w.options.TitleFromHeading && tag == atom.H1 {
			w.options.TitleFromHeading = false
			w.to.Into.Title(text)
		}
		return w.add(documents.Block{Kind: documents.Heading, Text: text, Level: headingLevels[tag]})
	case tag == atom.Dt:
		w.term = text
		return nil
	case tag == atom.Dd && w.term != "":
		return w.add(page.Field(w.term, text))
	case w.item:
		w.item = false // further paragraphs of the item are paragraphs
		text = w.label + strings.TrimSpace(text)
		return w.add(documents.Block{Kind: documents.ListItem, Text: text, Level: max(0, len(w.lists)-1)})
	}
	return w.add(documents.Block{Kind: documents.Paragraph, Text: text})
}

// add adds the block to the innermost open cell, or to the document.
func (w *walker) add(b documents.Block) error {
	if err := w.to.Context.Err(); err != nil {
		return err
	}
	if len(w.tables) > 0 && w.tables[len(w.tables)-1].inCell {
		return w.hold(w.tables[len(w.tables)-1], b)
	}
	return w.to.Add(b)
}

// table returns the innermost open table, or nil if no table is open or its tags are ignored.
func (w *walker) table() *table {
	if len(w.tables) == 0 || w.beyond > 0 {
		return nil
	}
	return w.tables[len(w.tables)-1]
}
