// Package ocr reads the text of pictures and scans with Tesseract, in ten languages, without a model server.
//
// A picture goes through these steps:
//
//   - It becomes gray, and loses the grain of a bad scan.
//   - The English model reads the part with the most text, in up to four directions. That shows the direction and the
//     language.
//   - Lines that run in another direction or are skewed become horizontal, and small letters larger: see package
//     straighten.
//   - The model of the language reads the picture, and once more the ink beside words that is part of no word.
//   - The words go to [recognized.Blocks], which finds columns, tables and paragraphs as on a page of a PDF.
//
// Text from a picture is untrusted, like that of any file. Tesseract runs as WebAssembly and can reach only its memory.
package ocr

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // a format of pictures
	_ "image/png"  // a format of pictures
	"io/fs"
	"runtime"
	"strings"
	"sync"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/ocr/internal/straighten"
	"portside/documents/ocr/internal/tesseract"
	"portside/documents/offline/language"
	"portside/documents/pdf/recognized"
	"portside/documents/picture"
)

// revision is part of the key under which answers are cached. Increase it with every change that may affect the text of
// a picture.
const revision = "1"

// ErrNotInstalled means that the program was built without the data of the OCR engine.
var ErrNotInstalled = errors.New("ocr: the engine is not part of this program: run `make engines` and build the program again")

// data has the engine and its models, which `make engines` downloads. Git has only the README.
//
//go:embed data
var data embed.FS

func read(name string) ([]byte, error) {
	content, err := data.ReadFile("data/" + name)
	if err != nil {
		return nil, ErrNotInstalled
	}
	return content, nil
}

// models are the names of the models, which are those of ISO 639-2.
var models = map[answers.Lang]string{
	"en": "eng", "es": "spa", "pt": "por", "fr": "fra", "de": "deu", "it": "ita", "nl": "nld", "sv": "swe", "pl": "pol", "ro": "ron",
}

// Reader reads pictures. Several goroutines can use it at the same time; as many pictures are read at once as there are
// processors.
type Reader struct {
	engine func() (*tesseract.Engine, error)
	turns  chan struct{}
}

// New returns a Reader. It compiles the engine for the first picture, which takes about two seconds. Error:
// ErrNotInstalled.
func New() (*Reader, error) {
	if _, err := fs.Stat(data, "data/"+moduleName); err != nil { // functions create a Reader when they start, so it reads nothing
		return nil, ErrNotInstalled
	}
	return &Reader{engine: sync.OnceValues(compile), turns: make(chan struct{}, runtime.GOMAXPROCS(0))}, nil
}

const moduleName = "tesseract.wasm"

func compile() (*tesseract.Engine, error) {
	module, err := read(moduleName)
	if err != nil {
		return nil, err
	}
	return tesseract.New(context.Background(), module)
}

// Version identifies the engine and the rules of this package.
func (*Reader) Version() string { return "tesseract.js-core 7.0.0 " + revision }

// MaxBytes returns how large a picture of a media type may be. It is 0 for formats other than PNG, JPEG, GIF and WebP.
func (*Reader) MaxBytes(mediaType string) int64 {
	const maxBytes = 10 << 20
	if picture.Supports(mediaType) {
		return maxBytes
	}
	return 0
}

// View returns the text of a picture as blocks in reading order. It has none if the picture shows no text. Errors:
// documents.ErrDamaged, limits of documents, and that of the context.
func (r *Reader) View(ctx context.Context, p documents.Picture) ([]documents.Block, error) {
	gray, err := r.decode(ctx, p)
	if err != nil {
		return nil, err
	}
	select {
	case r.turns <- struct{}{}:
		defer func() { <-r.turns }()
	case <-ctx.Done():
		return nil, fmt.Errorf("ocr: wait for a processor: %w", context.Cause(ctx))
	}
	engine, err := r.engine()
	if err != nil {
		return nil, fmt.Errorf("ocr: %w", err)
	}
	blocks, err := (&reading{ctx: ctx, engine: engine}).read(gray, p.Place)
	if errors.Is(err, tesseract.ErrBroken) {
		return nil, fmt.Errorf("%w (ocr: %w)", documents.ErrDamaged, err)
	}
	if err != nil {
		return nil, fmt.Errorf("ocr: %w", err)
	}
	return blocks, nil
}

// decode returns the picture as gray values.
func (r *Reader) decode(ctx context.Context, p documents.Picture) (*image.Gray, error) {
	if err := p.Check(r.MaxBytes(p.MediaType)); err != nil {
		return nil, err
	}
	p, err := picture.Convert(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("ocr: convert a picture: %w", err)
	}
	decoded, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil || decoded.Bounds().Empty() {
		return nil, fmt.Errorf("%w (ocr: the picture cannot be decoded)", documents.ErrDamaged)
	}
	return toGray(decoded), nil
}

// reading is the work on one picture.
type reading struct {
	ctx    context.Context
	engine *tesseract.Engine
}

// read returns the blocks of a picture. The place is that of the picture on its page.
func (r *reading) read(gray *image.Gray, place documents.Box) ([]documents.Block, error) {
	gray, isReadable := withoutGrain(gray)
	if !isReadable {
		return nil, nil
	}
	direction, sample, err := r.sample(gray)
	if err != nil {
		return nil, err
	}
	straight := straighten.Picture(gray, direction)
	request := tesseract.Request{
		Picture: straight.Gray,
		Missed:  func(words []tesseract.Word) []image.Rectangle { return missed(straight.Gray, words) },
	}
	lang := languageOf(sample, "en")
	text, err := r.recognize(request, lang)
	if err != nil {
		return nil, err
	}
	if better := languageOf(text, lang); better != lang {
		if text, err = r.recognize(request, better); err != nil {
			return nil, err
		}
	}
	size := gray.Rect.Size()
	return recognized.Blocks(r.ctx, recognized.Page{
		Width: float64(size.X), Height: float64(size.Y), Place: place, Lines: text.lines(straight, size),
	})
}

// languageOf returns the language of a text, or another one if it is not clear.
func languageOf(t text, otherwise answers.Lang) answers.Lang {
	return cmp.Or(language.Detect(t.String()), otherwise)
}

// minUpright is the confidence of a sample below which its lines may run in another direction.
const minUpright = 0.45

// sample reads the part of a picture that has the most text. It returns the direction in which the lines run: 0 from left
// to right, 1 downwards, 2 for a picture that is upside down, and 3 upwards.
func (r *reading) sample(gray *image.Gray) (best int, most text, err error) {
	part := straighten.DensestPart(gray)
	for direction := range 4 {
		text, err := r.recognize(tesseract.Request{Picture: straighten.Picture(part, direction).Gray}, "en")
		switch {
		case err != nil:
			return 0, text, err
		case direction == 0 && (text.letters == 0 || text.confidence >= minUpright):
			return 0, text, nil
		case direction == 0 || text.weight() > most.weight():
			best, most = direction, text
		}
	}
	return best, most, nil
}

// recognize reads a straight picture with the model of a language.
func (r *reading) recognize(request tesseract.Request, lang answers.Lang) (found text, err error) {
	if request.Model, err = read(models[lang] + ".traineddata.gz"); err != nil {
		return text{}, err
	}
	words, err := r.engine.Recognize(r.ctx, request)
	if lang == "ro" {
		for i := range words {
			words[i].Text = withCommas.Replace(words[i].Text)
		}
	}
	return newText(words), err
}

// withCommas replaces the letters with a cedilla, which the Romanian model returns, by those with a comma below, which
// Romanian has.
var withCommas = strings.NewReplacer("ş", "ș", "ţ", "ț", "Ş", "Ș", "Ţ", "Ț")

// text is what was recognized in a picture.
type text struct {
	words      []tesseract.Word
	letters    int
	confidence float64 // mean of all letters, of which those of sideways words count as 0
}

func newText(words []tesseract.Word) text {
	t := text{words: words}
	sum := 0.0
	for _, w := range words {
		t.letters += len(w.Text)
		if !isSideways(w) {
			sum += w.Confidence * float64(len(w.Text))
		}
	}
	if t.letters > 0 {
		t.confidence = sum / float64(t.letters)
	}
	return t
}

// isSideways reports a word that runs upwards or downwards. Tesseract reads some of them, but not their lines.
func isSideways(w tesseract.Word) bool {
	const leastLetters = 3
	return len(w.Text) >= leastLetters && w.Box.Dy() > w.Box.Dx()
}

// weight says how much text was surely recognized.
func (t text) weight() float64 { return t.confidence * t.confidence * float64(t.letters) }

// String returns the words in reading order.
func (t text) String() string {
	var b strings.Builder
	for i, w := range t.words {
		if i > 0 && w.Line != t.words[i-1].Line {
			b.WriteByte('\n')
		}
		b.WriteString(w.Text + " ")
	}
	return b.String()
}

// lines returns the lines with their places in the original picture, which has the size.
func (t text) lines(straight straighten.Straight, size image.Point) []recognized.Line {
	var lines []recognized.Line
	for i, w := range t.words {
		if i == 0 || w.Line != t.words[i-1].Line {
			lines = append(lines, nil)
		}
		word := recognized.Word{Text: w.Text, Doubt: doubt(w.Confidence)}
		box := w.Box
		for k, corner := range [4]image.Point{box.Min, {X: box.Max.X, Y: box.Min.Y}, box.Max, {X: box.Min.X, Y: box.Max.Y}} {
			x, y := straight.Original(float64(corner.X), float64(corner.Y))
			word.Corners[k] = recognized.Point{X: x / float64(size.X), Y: y / float64(size.Y)}
		}
		last := len(lines) - 1
		lines[last] = append(lines[last], word)
	}
	return lines
}

// doubt returns the probability that a word is wrong.
func doubt(confidence float64) float32 { return float32(1 - confidence) }
