// Package tesseract runs the OCR engine Tesseract, which is compiled to WebAssembly, so it needs neither cgo nor a
// program on the machine.
//
// Each picture gets a new instance of the module with a memory of its own. So nothing of a picture remains for the next
// one, and a picture that breaks the engine harms only itself.
package tesseract

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// ErrBroken means that the engine failed on a picture: it ran out of memory, or has a defect.
var ErrBroken = errors.New("the OCR engine failed")

// maxMemoryPages bounds the memory of an instance, in pages of 64 KB: 384 MB. A page of 300 dpi needs 60 MB.
const maxMemoryPages = 384 << 20 >> 16

// maxModelBytes bounds an unpacked model. The largest one has 5 MB.
const maxModelBytes = 32 << 20

// Engine is a compiled module. Several goroutines can use it at the same time.
type Engine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// New compiles the module tesseract-core-simd-lstm.wasm of the npm package tesseract.js-core, which takes some seconds.
func New(ctx context.Context, module []byte) (*Engine, error) {
	config := wazero.NewRuntimeConfigCompiler().WithMemoryLimitPages(maxMemoryPages)
	e := &Engine{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	var err error
	if e.module, err = e.runtime.CompileModule(ctx, module); err != nil {
		return nil, fmt.Errorf("compile the OCR engine: %w", err)
	}
	if err = provideImports(ctx, e.runtime, e.module); err != nil {
		return nil, fmt.Errorf("link the OCR engine: %w", err)
	}
	return e, nil
}

// Request is a picture to read.
type Request struct {
	Model   []byte // a traineddata file, compressed with gzip
	Picture *image.Gray
	// Missed returns parts of the picture that have text which is not among the words. Each is read as a line. It may be
	// nil.
	Missed func([]Word) []image.Rectangle
}

// Word is a word in a picture.
type Word struct {
	Text       string
	Box        image.Rectangle // around its ink, in pixels
	Line       int             // number of the line, from 1, in reading order
	Confidence float64         // 0 to 1
}

// Recognize returns the words of a picture in reading order. Errors: ErrBroken and that of the context.
func (e *Engine) Recognize(ctx context.Context, r Request) ([]Word, error) {
	model, err := unpack(r.Model)
	if err != nil {
		return nil, fmt.Errorf("unpack a model of the OCR engine: %w", err)
	}
	i, err := e.instantiate(ctx, &host{model: model})
	if err != nil {
		return nil, err
	}
	defer func() { _ = i.module.Close(context.WithoutCancel(ctx)) }()
	words := i.recognize(r)
	if i.err != nil {
		return nil, i.err
	}
	return words, nil
}

func unpack(model []byte) ([]byte, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(model))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(unzipped, maxModelBytes))
}

// Names of the functions that the module exports. The build minifies them; tesseract-core-simd-lstm.js of the same
// package assigns them to their real names.
const (
	exportInitialize    = "U"  // _initialize, which runs the constructors
	exportMalloc        = "xf" // malloc
	exportNewAPI        = "Kc" // TessBaseAPI()
	exportInit          = "ad" // TessBaseAPI.Init(path, language, mode)
	exportSetVariable   = "Tc" // TessBaseAPI.SetVariable(name, value)
	exportSegmentation  = "gd" // TessBaseAPI.SetPageSegMode(mode)
	exportSetImage      = "ld" // TessBaseAPI.SetImage(data, width, height, bytesPerPixel, bytesPerLine, orientation, angle)
	exportSetRectangle  = "od" // TessBaseAPI.SetRectangle(left, top, width, height)
	exportRecognize     = "Ed" // TessBaseAPI.Recognize(monitor)
	exportTable         = "Ld" // TessBaseAPI.GetTSVText(page)
	exportSetThrew      = "Af" // setThrew(threw, value)
	exportRestoreStack  = "Bf" // emscripten_stack_restore(pointer)
	exportStackPosition = "Cf" // emscripten_stack_get_current()
)

// instance is a module with its memory. After the first error, its methods do nothing.
type instance struct {
	ctx    context.Context // of one call of Recognize
	module api.Module
	err    error
}

func (e *Engine) instantiate(ctx context.Context, h *host) (*instance, error) {
	ctx = context.WithValue(ctx, hostKey{}, h)
	module, err := e.runtime.InstantiateModule(ctx, e.module, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, fmt.Errorf("%w: instantiate it: %w", ErrBroken, err)
	}
	i := &instance{ctx: ctx, module: module}
	i.call(exportInitialize)
	return i, nil
}

// Segmentations of Tesseract: how it divides a picture into lines.
const (
	automatic  = 3 // it finds columns, blocks and lines
	singleLine = 7
)

// recognize returns the words of the picture, and then those of its missed parts.
func (i *instance) recognize(r Request) []Word {
	const lstmOnly = 1
	tess := i.call(exportNewAPI)
	if result := i.call(exportInit, tess, i.text("/"), i.text(modelName), lstmOnly); i.err == nil && result != 0 {
		i.err = fmt.Errorf("%w: it does not accept its model", ErrBroken)
	}
	i.call(exportSetVariable, tess, i.text("tessedit_do_invert"), i.text("0"))
	i.call(exportSegmentation, tess, automatic)
	const upright, straight = 1, 0
	size := r.Picture.Rect.Size()
	i.call(exportSetImage, tess, i.bytes(r.Picture.Pix), uint64(size.X), uint64(size.Y), 1, uint64(r.Picture.Stride), upright, straight)
	words := i.words(tess, 0)
	if i.err != nil || r.Missed == nil {
		return words
	}
	i.call(exportSegmentation, tess, singleLine)
	for _, part := range r.Missed(words) {
		i.call(exportSetRectangle, tess, uint64(part.Min.X), uint64(part.Min.Y), uint64(part.Dx()), uint64(part.Dy()))
		lines := 0
		if len(words) > 0 {
			lines = words[len(words)-1].Line
		}
		words = append(words, i.words(tess, lines)...)
	}
	return words
}

// words reads the picture, or its rectangle if that is set. The numbers of the lines begin after lines.
func (i *instance) words(tess uint64, lines int) []Word {
	i.call(exportRecognize, tess, 0)
	words := parseWords(i.textAt(uint32(i.call(exportTable, tess, 0))))
	for k := range words {
		words[k].Line += lines
	}
	return words
}

// call calls an exported function and returns its result, or 0.
func (i *instance) call(name string, arguments ...uint64) uint64 {
	if i.err != nil {
		return 0
	}
	results, err := i.module.ExportedFunction(name).Call(i.ctx, arguments...)
	switch {
	case i.ctx.Err() != nil:
		i.err = fmt.Errorf("recognize a picture: %w", context.Cause(i.ctx))
	case err != nil:
		i.err = fmt.Errorf("%w: %w", ErrBroken, err)
	case len(results) > 0:
		return uint64(uint32(results[0])) // all results are pointers or 32-bit numbers
	}
	return 0
}

// bytes copies b into the memory of the module and returns its address there.
func (i *instance) bytes(b []byte) uint64 {
	address := i.call(exportMalloc, uint64(len(b)))
	if i.err == nil && (address == 0 || !i.module.Memory().Write(uint32(address), b)) {
		i.err = fmt.Errorf("%w: it has no memory for %d bytes", ErrBroken, len(b))
	}
	return address
}

func (i *instance) text(s string) uint64 { return i.bytes(append([]byte(s), 0)) }

// textAt returns the text at an address of the memory.
func (i *instance) textAt(address uint32) string {
	if i.err != nil {
		return ""
	}
	rest, ok := i.module.Memory().Read(address, i.module.Memory().Size()-min(address, i.module.Memory().Size()))
	end := bytes.IndexByte(rest, 0)
	if !ok || address == 0 || end < 0 {
		i.err = fmt.Errorf("%w: it returns no words", ErrBroken)
		return ""
	}
	return string(rest[:end])
}
