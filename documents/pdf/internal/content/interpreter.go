// Package content interprets content streams (ISO 32000-1, 7.8) and collects the glyphs and the images
// that they show.
//
// It implements the operators that text needs: graphics state, text, XObjects, marked content and
// inline images, and ignores all others. Every operator and glyph counts against the budget of the
// document. Operands, saved states, nested forms, glyphs and images are bounded, and a form that
// contains itself is painted once.
package content

import (
	"fmt"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/fonts"
	"portside/documents/pdf/internal/geometry"
	"portside/documents/pdf/internal/pages"
	"portside/documents/pdf/internal/syntax"
	"portside/documents/pdf/internal/xref"
)

// Bounds of one page.
const (
	maxSavedStates = 512 // q without Q
	maxFormDepth   = 12  // forms in forms
	maxGlyphs      = 120_000
	maxImages      = 500
)

// maxFormBytes bounds the memory for decoded forms.
const maxFormBytes = 24 << 20

// Glyph is a shown glyph. Coordinates are points in the frame of the page.
type Glyph struct {
	Text   string
	X, Y   float64 // the origin, on the baseline
	DX, DY float64 // the displacement to the origin of the next glyph
	Size   float64 // of the font, in points
	IsBold bool
	Doubt  float32 // as in documents.Word
	// StartsLine is true for the first word of a line that a program recognized. Such programs end a line at a gap that
	// is wide for people.
	StartsLine bool
}

// Image is a painted image XObject. Matrix maps the unit square to the frame of the page.
type Image struct {
	Stream *syntax.Stream
	Matrix geometry.Matrix
}

// Document has what the pages of a document share.
type Document struct {
	file  *xref.File
	fonts *fonts.Loader
	forms *budget.Cache[*form]

	shown, unknown int // glyphs, and those whose text the font does not tell
}

// NewDocument returns the shared state for the pages of a file.
func NewDocument(f *xref.File) *Document {
	return &Document{file: f, fonts: fonts.NewLoader(f), forms: budget.NewCache[*form](maxFormBytes)}
}

func (d *Document) count(text string) {
	d.shown++
	if text == "" || text == "\ufffd" {
		d.unknown++
	}
}

// LacksText reports whether fonts do not tell the text of so many glyphs that they are more than bullets and icons.
func (d *Document) LacksText() bool {
	const few = 20
	return d.unknown > few && d.unknown*few > d.shown || d.unknown > 0 && d.unknown == d.shown
}

// Interpreter interprets the content of one page.
type Interpreter struct {
	Glyphs []Glyph // in the order in which they are shown
	Images []Image

	doc      *Document
	frame    pages.Frame
	state    graphicsState
	saved    []graphicsState
	operands operands
	marks    []mark
	depth    int // of the current form
	tokens   int
	painting map[int]bool // the forms that are being painted, by object number
}

// NewInterpreter returns an interpreter for a page with the given frame.
func NewInterpreter(doc *Document, frame pages.Frame) *Interpreter {
	return &Interpreter{doc: doc, frame: frame, state: newGraphicsState(frame.Matrix), painting: map[int]bool{}}
}

// Run interprets a content stream. Errors: documents.ErrTooMuch, and the error of the context. The glyphs
// in front of an error remain.
func (in *Interpreter) Run(content []byte, resources syntax.Dict) error {
	const tokensPerCheck = 2048
	lex := &syntax.Lexer{Data: content}
	work := in.doc.file.Budget
	in.operands = in.operands[:0]
	for {
		t := lex.Next()
		if !work.SpendWork(1) {
			return documents.ErrTooMuch
		}
		if in.tokens++; in.tokens%tokensPerCheck == 0 && work.Err() != nil {
			return fmt.Errorf("interpret a page: %w", work.Err())
		}
		switch t.Kind {
		case syntax.EndToken:
			return nil
		case syntax.KeywordToken:
			if err := in.execute(t, lex, resources); err != nil {
				return err
			}
			in.operands = in.operands[:0]
		case syntax.OpenToken:
			in.operands.push(readContainer(lex, t, work))
		case syntax.CloseToken:
		default:
			in.operands.push(operand{Token: t})
		}
	}
}

// execute executes an operator.
func (in *Interpreter) execute(operator syntax.Token, lex *syntax.Lexer, resources syntax.Dict) error {
	switch string(operator.Bytes) {
	case "q":
		if len(in.saved) < maxSavedStates {
			in.saved = append(in.saved, in.state)
		}
	case "Q":
		if n := len(in.saved); n > 0 {
			in.state, in.saved = in.saved[n-1], in.saved[:n-1]
		}
	case "cm":
		if next := in.operands.matrix().Times(in.state.ctm); next.IsUsable() {
			in.state.ctm = next
		}
	case "Do":
		return in.paintXObject(resources)
	case "BI":
		skipInlineImage(lex)
	case "BDC", "BMC":
		in.beginMarkedContent(resources)
	case "EMC":
		in.endMarkedContent()
	case "Tf":
		in.setFont(resources)
	case "Tj", "'", "\"", "TJ":
		return in.showText(string(operator.Bytes))
	default:
		in.state.executeText(string(operator.Bytes), in.operands)
	}
	return nil
}

func (in *Interpreter) setFont(resources syntax.Dict) {
	if len(in.operands) < 2 {
		return
	}
	in.doc.file.Expect(resources["Font"])
	resource := in.doc.file.Objects.Dict(resources["Font"])[string(in.operands[0].Bytes)]
	in.state.font = in.doc.fonts.Load(resource)
	in.state.fontSize = in.operands.number(1)
}
