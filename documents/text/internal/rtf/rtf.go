// Package rtf reads Rich Text Format.
package rtf

import (
	"bytes"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"portside/documents"
	"portside/documents/text/internal/page"
)

// Read reads Rich Text Format.
func Read(to page.Page, data []byte) error {
	data = bytes.TrimLeft(data, "\xef\xbb\xbf \t\r\n")
	if !bytes.HasPrefix(data, []byte(`{\rtf`)) {
		return documents.ErrDamaged
	}
	r := &rich{to: to, data: data, fonts: map[int]*font{}, state: richState{uc: 1}, page: codePages[1252], text: &strings.Builder{}}
	return r.read()
}

// maxGroups is how deep groups may be nested. No program nests them nearly as deep.
const maxGroups = 1000

// destination is what the text of a group is for.
type destination int

const (
	body destination = iota
	skipped
	fontTable
	docTitle
	listText // the mark of a list item
	note     // a paragraph elsewhere on the page
)

// richState is the state that a group inherits and restores at its end.
type richState struct {
	to     destination
	uc     int // bytes that stand for a \u where Unicode is not known
	font   int
	hidden bool
}

// paragraphState is the state that \pard resets.
type paragraphState struct {
	inTable bool
	list    bool
	level   int // of the list
	outline int // of a heading from 1; 0 for body text
}

// rich reads one file, byte by byte, without recursion.
type rich struct {
	to    page.Page
	data  []byte
	at    int
	fonts map[int]*font
	page  encoding.Encoding // of the whole file
	lead  byte              // the first byte of a character of two, or 0

	state  richState
	groups []richGroup
	skip   int    // bytes that stand for a \u just read
	high   uint16 // first half of a letter of two

	para  paragraphState
	text  *strings.Builder
	title strings.Builder
	mark  strings.Builder
	notes []string

	comments, objects int // left out

	cells  []string
	header bool
	table  page.Table // that the last row was in; zero outside
}

// richGroup is an open group.
type richGroup struct {
	state richState
	begun bool             // its destination began here
	held  *strings.Builder // the paragraph that a note interrupts
}

func (r *rich) read() error {
	steps := 0
	for r.at < len(r.data) {
		if steps++; steps&0xfff == 0 && r.to.Context.Err() != nil {
			return r.to.Context.Err()
		}
		c := r.data[r.at]
		r.at++
		var err error
		switch c {
		case '{':
			err = r.open()
		case '}':
			err = r.close()
		case '\\':
			err = r.control()
		case '\r', '\n', 0:
		default:
			r.byte(c)
		}
		if err != nil {
			return err
		}
	}
	err := r.end()
	if err == nil && len(r.groups) > 0 {
		return documents.ErrDamaged
	}
	return err
}

func (r *rich) end() error {
	if err := r.endRow(); err != nil {
		return err
	}
	r.to.Into.Title(r.title.String())
	r.to.Into.LeaveOutComments(r.comments)
	r.to.Into.LeaveOutObjects(r.objects)
	return r.endParagraph()
}

func (r *rich) open() error {
	if len(r.groups) >= maxGroups {
		return documents.ErrTooMuch
	}
	r.skip = 0
	r.groups = append(r.groups, richGroup{state: r.state})
	return nil
}

func (r *rich) close() error {
	if len(r.groups) == 0 {
		return nil // one too many; what follows is still text
	}
	group := r.groups[len(r.groups)-1]
	r.groups = r.groups[:len(r.groups)-1]
	r.skip = 0
	if group.begun && r.state.to == note {
		r.notes = append(r.notes, r.text.String())
		r.text = group.held
	}
	r.state = group.state
	if len(r.notes) > 0 && r.state.to == body && r.text.Len() == 0 && len(r.cells) == 0 {
		return r.endNotes()
	}
	return nil
}

// begin sets the destination of the group.
func (r *rich) begin(to destination) {
	if r.state.to == skipped || len(r.groups) == 0 {
		return
	}
	group := &r.groups[len(r.groups)-1]
	if to == note && r.state.to != body {
		return
	}
	r.state.to = to
	group.begun = true
	if to == note {
		group.held, r.text = r.text, &strings.Builder{}
	}
	if to == listText {
		r.mark.Reset()
		r.para.list = true
	}
}

// byte adds a character in the code page of its font.
func (r *rich) byte(c byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	if c < 0x80 && r.lead == 0 {
		r.write(string(rune(c)))
		return
	}
	codes := r.page
	if f := r.fonts[r.state.font]; f != nil && f.page != nil {
		codes = f.page
	}
	if single, ok := codes.(*charmap.Charmap); ok {
		r.lead = 0
		r.write(string(single.DecodeByte(c)))
		return
	}
	raw := []byte{c}
	if r.lead != 0 {
		raw = []byte{r.lead, c}
	}
	text, err := codes.NewDecoder().Bytes(raw)
	isHalf := len(raw) == 1 && (err != nil || string(text) == "\ufffd")
	if r.lead = 0; isHalf {
		r.lead = c
		return
	}
	r.write(string(text))
}

// unicode adds a UTF-16 code unit. A character above 16 bits has two.
func (r *rich) unicode(n int) {
	unit := uint16(n & 0xffff)
	r.skip = r.state.uc
	switch {
	case unit >= 0xd800 && unit < 0xdc00:
		r.high = unit
		return
	case r.high != 0 && unit >= 0xdc00 && unit < 0xe000:
		r.write(string(utf16.DecodeRune(rune(r.high), rune(unit))))
	case unit >= 0xf020 && unit <= 0xf0ff: // a symbol font's letter; mostly the mark of a list
		r.write("•")
	default:
		r.write(string(rune(unit)))
	}
	r.high = 0
}

func (r *rich) write(text string) {
	if r.state.hidden {
		return
	}
	switch r.state.to {
	case body, note:
		r.text.WriteString(text)
	case docTitle:
		r.title.WriteString(text)
	case listText:
		r.mark.WriteString(text)
	}
}

// endParagraph adds the paragraph and then its notes. In a table, it ends a line of the cell.
func (r *rich) endParagraph() error {
	if r.state.to == note || r.para.inTable {
		r.text.WriteByte('\n')
		return nil
	}
	block := documents.Block{Kind: documents.Paragraph, Text: r.text.String()}
	switch {
	case r.para.outline > 0:
		block.Kind, block.Level = documents.Heading, r.para.outline
	case r.para.list:
		block.Kind, block.Level = documents.ListItem, r.para.level
		block.Text = itemMark(r.mark.String()) + block.Text
	default:
		if text, ok := strings.CutPrefix(strings.TrimLeft(block.Text, " "), "•\t"); ok { // a list by hand
			block.Kind, block.Text = documents.ListItem, text
		}
	}
	r.text.Reset()
	r.mark.Reset()
	if strings.TrimSpace(block.Text) != "" {
		r.table = page.Table{}
	}
	if err := r.to.Add(block); err != nil {
		return err
	}
	return r.endNotes()
}

func (r *rich) endNotes() error {
	notes := r.notes
	r.notes = nil
	for _, text := range notes {
		if err := r.to.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
			return err
		}
	}
	return nil
}

// itemMark returns the number or letter of a list item, or nothing for a bullet.
func itemMark(mark string) string {
	mark = strings.TrimSpace(mark)
	if !strings.ContainsAny(mark, "0123456789.)") {
		return ""
	}
	return mark + " "
}

func (r *rich) endCell() {
	if len(r.cells) < page.MaxColumns {
		r.cells = append(r.cells, strings.TrimSpace(r.text.String()))
	}
	r.text.Reset()
}

func (r *rich) endRow() error {
	if len(r.cells) == 0 {
		return nil
	}
	cells := make([]documents.Cell, len(r.cells))
	for i, text := range r.cells {
		cells[i] = documents.Cell{Text: text, Column: i, Header: r.header}
	}
	r.cells, r.header = nil, false
	if err := r.to.Add(r.table.Next(r.to.Into, cells)); err != nil {
		return err
	}
	return r.endNotes()
}
