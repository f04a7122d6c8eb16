package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Builder builds a document within limits. Its methods return ErrTooMuch once the document is full; the blocks that
// were added before stay in it. A reader returns that error unchanged.
type Builder struct {
	Limits Limits
	doc    Document
	size   int
	parts  int
	tables int

	pictures     []placed
	pictureBytes int64
}

// placed is a picture with the number of blocks before it.
type placed struct {
	Picture
	after int
}

// NewBuilder returns a Builder of an empty document.
func NewBuilder(format Format, limits Limits) *Builder {
	return &Builder{Limits: limits, doc: Document{Format: format}}
}

// Title sets the title that the file declares.
func (b *Builder) Title(title string) { b.doc.Title = Clean(title) }

// Page begins the next page, slide, sheet or chapter. It returns false at the limit of pages; the reader then stops and
// returns nil.
func (b *Builder) Page() bool {
	if b.doc.Pages >= b.Limits.Pages {
		b.Warn("Only the first pages were read; the file has more than can be.")
		return false
	}
	b.doc.Pages++
	return true
}

// Warn adds a warning to the document, unless it has the same warning already.
func (b *Builder) Warn(sentence string) {
	if !slices.Contains(b.doc.Warnings, sentence) {
		b.doc.Warnings = append(b.doc.Warnings, sentence)
	}
}

// Add cleans the text of a block and adds the block, unless it has no text. It sets the offsets, the page and, for a
// Row and a Field, the text.
func (b *Builder) Add(block Block) error {
	if len(block.Cells) > 0 {
		if b.overflows(block.Cells) {
			return b.tooLong()
		}
		block.Text = b.joined(block.Cells)
	} else {
		block.Text = Clean(block.Text)
	}
	if strings.Trim(block.Text, cellGap) == "" {
		return nil
	}
	b.size += len(block.Text) + 1
	b.parts += 1 + len(block.Cells)
	switch {
	case b.size > b.Limits.Text:
		return b.tooLong()
	case b.parts > b.Limits.Blocks:
		return TooMuch(fmt.Sprintf("It has more than the %d paragraphs and cells that can be read of one file. Send it in parts.",
			b.Limits.Blocks))
	}
	block.Page = b.doc.Pages
	block.Words = locate(block.Words, block.Text)
	b.doc.Blocks = append(b.doc.Blocks, block)
	return nil
}

// locate finds the words in the text of their block and sets their offsets in it. The text has them in the same order,
// but it lacks bullets and the hyphens of divided words. locate leaves out words that it does not find.
func locate(words []Word, text string) []Word {
	const maxGap = 4 // bytes between two words
	found := words[:0]
	at := 0
	for _, w := range words {
		w.Text = Clean(w.Text)
		window := text[at:min(len(text), at+maxGap+len(w.Text))]
		i := strings.Index(window, w.Text)
		if i < 0 {
			w.Text = strings.TrimRight(w.Text, "-\u2010")
			i = strings.Index(window, w.Text)
		}
		if i < 0 || w.Text == "" {
			continue
		}
		w.Start = at + i
		at = w.Start + len(w.Text)
		w.Text = text[w.Start:at] // do not keep another copy
		found = append(found, w)
	}
	return found
}

// overflows reports whether cells have more text than the document may have. It is called before their text is copied,
// because thousands of cells may share one text.
func (b *Builder) overflows(cells []Cell) bool {
	left := b.Limits.Text
	for i := range cells {
		left -= len(cells[i].Text)
	}
	return left < 0
}

func (b *Builder) tooLong() error {
	return TooMuch("It has more text than the " + megabytes(b.Limits.Text) +
		" that can be read of one file. Send it in parts.")
}

// megabytes formats a size in bytes for people.
func megabytes(size int) string {
	const unit = 1 << 20
	if size < unit/10 {
		return fmt.Sprintf("%d KB", (size+1<<10-1)>>10)
	}
	return strconv.FormatFloat(math.Round(float64(size)*10/unit)/10, 'f', -1, 64) + " MB"
}

// Picture adds a picture that stands for text at this place. It returns false once the document takes no more pictures;
// the reader then need not prepare another. If nothing can view pictures, Limits.Pictures is 0.
func (b *Builder) Picture(p Picture) bool {
	b.pictureBytes += int64(len(p.Data))
	if !b.TakesPictures() {
		b.Warn(b.unviewed())
		return false
	}
	p.Page = b.doc.Pages
	b.pictures = append(b.pictures, placed{p, len(b.doc.Blocks)})
	return b.TakesPictures()
}

// LeaveOutPicture adds the warning that pictures are left out.
func (b *Builder) LeaveOutPicture() { b.Warn(b.unviewed()) }

// ReplacePictures replaces each picture of the document by the picture that f returns. If f returns false, it removes
// the picture.
func (b *Builder) ReplacePictures(f func(Picture) (Picture, bool)) {
	kept := b.pictures[:0]
	for _, old := range b.pictures {
		if p, ok := f(old.Picture); ok {
			p.Page = old.Page
			kept = append(kept, placed{p, old.after})
		}
	}
	b.pictures = kept
}

func (b *Builder) unviewed() string {
	switch {
	case b.Limits.Pictures == 0 && b.doc.Format != PDF:
		return "Pictures in the file were left out; they are not read here."
	case b.Limits.Pictures == 0:
		return "Pages that are pictures were left out; they are not read here."
	}
	return "Only the first pictures were read; the file has more than can be."
}

// TakesPictures reports whether the document takes another picture.
func (b *Builder) TakesPictures() bool {
	return len(b.pictures) < b.Limits.Pictures && b.pictureBytes <= b.Limits.PictureBytes
}

// PictureText is the text that a viewer read in a picture, or its error.
type PictureText struct {
	Blocks []Block
	Err    error
}

// Pictures returns the pictures of the document so far, in reading order.
func (b *Builder) Pictures() []Picture {
	all := make([]Picture, len(b.pictures))
	for i := range b.pictures {
		all[i] = b.pictures[i].Picture
	}
	return all
}

// InsertPictures replaces the pictures by their text, in the order of [Builder.Pictures]. It leaves out pictures
// without text, and returns the first error of a picture, or ErrTooMuch.
func (b *Builder) InsertPictures(texts []PictureText) error {
	blocks, pictures := b.doc.Blocks, b.pictures
	b.doc.Blocks, b.pictures = nil, nil
	from := 0
	var failed error
	for i, p := range pictures {
		b.doc.Blocks = append(b.doc.Blocks, blocks[from:p.after]...)
		from = p.after
		err := texts[i].Err
		if err == nil {
			b.warnOfDoubts(texts[i].Blocks)
			err = b.addAll(texts[i].Blocks, p.Page)
		}
		failed = cmp.Or(failed, err)
	}
	b.doc.Blocks = append(b.doc.Blocks, blocks[from:]...)
	return failed
}

// maxDoubt is the doubt above which a word causes a warning.
const maxDoubt = 0.2

// warnOfDoubts adds a warning if the blocks of a picture have words that are hard to read.
func (b *Builder) warnOfDoubts(blocks []Block) {
	for i := range blocks {
		if slices.ContainsFunc(blocks[i].Words, func(w Word) bool { return w.Doubt > maxDoubt }) {
			b.Warn("Some words in the pictures are hard to read. Compare their values with the pictures.")
			return
		}
	}
}

// UsePicture replaces an empty document by one picture without pages, for formats whose whole file can be viewed.
func (b *Builder) UsePicture(p Picture) {
	b.doc.Pages = 0 // the page of each text is unknown
	b.pictures = []placed{{Picture: p}}
}

// addAll adds the blocks to an earlier page.
func (b *Builder) addAll(blocks []Block, page int) error {
	pages := b.doc.Pages
	defer func() { b.doc.Pages = pages }()
	b.doc.Pages = page
	tables := map[int]int{} // number in the document by number of the viewer
	for _, block := range blocks {
		if block.Table != 0 && tables[block.Table] == 0 {
			tables[block.Table] = b.NextTable()
		}
		block.Table = tables[block.Table]
		if err := b.Add(block); err != nil {
			return err
		}
	}
	return nil
}

func (b *Builder) joined(cells []Cell) string {
	texts := make([]string, len(cells))
	for i := range cells {
		cells[i].Text = strings.ReplaceAll(Clean(cells[i].Text), "\n", " ")
		texts[i] = cells[i].Text
	}
	return strings.Join(texts, cellGap)
}

// NextTable returns the number for the rows of another table.
func (b *Builder) NextTable() int {
	b.tables++
	return b.tables
}

// IsEmpty reports whether the document has neither blocks nor pictures yet.
func (b *Builder) IsEmpty() bool { return len(b.doc.Blocks)+len(b.pictures) == 0 }

// MarkIncomplete notes that the document lacks something that a later attempt may read.
func (b *Builder) MarkIncomplete() { b.doc.Incomplete = true }

// Document returns the document so far. The Builder must not be used afterwards.
func (b *Builder) Document() *Document {
	b.doc.seal()
	return &b.doc
}

// Finish returns the document of a reader that returned err. If err is ErrDamaged or ErrTooMuch, it returns the text
// read before, with a warning. Otherwise it returns ErrNoText, with the warnings that say why, or err; err is wrapped in
// ErrDamaged if it has no [Error] in its chain and does not come from a context. The Builder must not be used afterwards.
func (b *Builder) Finish(err error) (*Document, error) {
	d := b.Document()
	switch {
	case err == nil && len(d.Blocks) == 0 && len(d.Warnings) > 0:
		reason := newError("There is no text in the file that can be read. " + strings.Join(d.Warnings, " "))
		return nil, fmt.Errorf("%w (%w)", reason, ErrNoText)
	case err == nil && len(d.Blocks) == 0:
		return nil, ErrNoText
	case err == nil:
		return d, nil
	case isPartial(err) && len(d.Blocks) > 0:
		d.Warnings = append(d.Warnings, partialWarning(len(d.Text()), err))
		d.Incomplete = d.Incomplete || errors.Is(err, ErrSlow)
		return d, nil
	case AsError(err) == nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil, err
}

// isPartial reports whether the text that was read before the error can be used.
func isPartial(err error) bool { return errors.Is(err, ErrDamaged) || errors.Is(err, ErrTooMuch) }

// partialWarning returns the warning for a document of which size bytes of text were read.
func partialWarning(size int, err error) string {
	read := "Only a part of the file could be read, " + megabytes(size) + " of text. "
	if errors.Is(err, ErrDamaged) {
		return read + "The file is damaged or cut short."
	}
	return read + AsError(err).Message
}

// Clean returns text as blocks have it: valid UTF-8 without control and invisible formatting characters, trimmed, with
// single spaces, and with single line breaks without spaces around them.
func Clean(text string) string {
	var out strings.Builder
	out.Grow(min(len(text), 64<<10))
	gap := rune(0)
	for _, r := range text {
		switch kind := classify(r); {
		case kind == breaking:
			gap = '\n'
		case kind == spacing && gap == 0:
			gap = ' '
		case kind == visible:
			if gap != 0 && out.Len() > 0 {
				out.WriteRune(gap)
			}
			gap = 0
			out.WriteRune(r)
		}
	}
	if out.Cap() > 2*out.Len() {
		return strings.Clone(out.String()) // do not keep the unused capacity as long as the document
	}
	return out.String()
}

type class int

const (
	visible class = iota
	spacing
	breaking
	invisible
)

func classify(r rune) class {
	switch {
	case r == '\n' || r == '\r' || r == '\v' || r == '\f' || r == '\u2028' || r == '\u2029' || r == '\u0085':
		return breaking
	case unicode.IsSpace(r) || r == '\u00a0' || r == '\u202f':
		return spacing
	case r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
		return invisible // soft hyphens, direction marks, zero-width characters
	}
	return visible
}
