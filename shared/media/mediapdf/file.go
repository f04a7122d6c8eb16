package mediapdf

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"portside/shared/media"
)

// maxStream bounds what one stream may unpack to.
const maxStream = 32 << 20

// file is the objects of a PDF, and what reading them may still cost.
type file struct {
	table   *model.XRefTable
	limits  media.Limits
	budget  int64 // bytes that may still be unpacked
	work    int   // operators and glyphs that may still be run
	mapped  int   // entries of the CMaps so far
	damaged bool
	strays  []int // pages that salvage found, for when the page tree lacks them
	glyphs  glyphTable
	fonts   map[int]*face
	forms   map[int]*form
}

// parse reads the objects. pdfcpu's own defaults are generous, and would look for its settings in the user's home: hence
// every field here.
func parse(ctx context.Context, data []byte, limits media.Limits) (*file, error) {
	unpacked, err := measure(data, limits.Inflated)
	if err != nil {
		return nil, err
	}
	read, err := pdfcpu.ReadWithContext(ctx, meter(ctx, data), configuration(int64(len(data)), limits))
	switch {
	case err == nil:
	case errors.Is(err, pdfcpu.ErrWrongPassword), errors.Is(err, pdfcpu.ErrUnsupportedEncryptionFeature):
		return nil, media.ErrEncrypted
	default:
		return nil, fmt.Errorf("read the objects: %w", err)
	}
	const maxWork = 12_000_000
	return &file{
		table: read.XRefTable, limits: limits, budget: limits.Inflated - unpacked, work: maxWork,
		glyphs: newGlyphTable(), fonts: map[int]*face{}, forms: map[int]*form{},
	}, nil
}

func configuration(size int64, limits media.Limits) *model.Configuration {
	return &model.Configuration{
		Cmd: model.EXTRACTCONTENT, Reader15: true, Offline: true, ValidationMode: model.ValidationRelaxed, Eol: types.EolLF,
		UnsupportedResourcePolicy: model.UnsupportedResourceSkip,
		Limits: model.ResourceLimits{
			MaxStreamBytes: size + 1, MaxDecodeBytes: min(maxStream/2, limits.Inflated), MaxImagePixels: 1, MaxImageBytes: 1,
			MaxObjectCount: limits.Objects, MaxObjectStreamCount: limits.Objects, MaxObjectStreamFirst: 4 << 20,
			MaxXRefEntries: limits.Objects, MaxRecursionDepth: limits.Depth,
		},
	}
}

// metered is the file for pdfcpu. A small file can name the same bytes as many objects, and pdfcpu keeps a copy for each: what
// it may read in all is bounded. What it keeps of an object is several times what it reads, half a kilobyte at least; files with
// that many small objects pack them into streams.
type metered struct {
	*bytes.Reader
	ctx  context.Context
	left int64
}

func meter(ctx context.Context, data []byte) *metered {
	return &metered{bytes.NewReader(data), ctx, 8<<20 + 6*int64(len(data))}
}

// Read gives small pieces to small requests: pdfcpu asks for 4 KB to read an object of 50 bytes.
func (m *metered) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	const piece = 512
	if len(p) == 4096 {
		p = p[:piece]
	}
	n, err := m.Reader.Read(p)
	if m.left -= int64(n); m.left < 0 {
		return 0, media.ErrTooMuch
	}
	return n, err
}

// decode unpacks a stream within the budget. A stream that is cut short gives what it has.
func (f *file) decode(sd *types.StreamDict) ([]byte, error) {
	if sd.Image() {
		return nil, nil
	}
	if f.budget <= 0 {
		return nil, media.ErrTooMuch
	}
	limit := min(maxStream, f.budget)
	kept := *sd
	kept.Content = nil
	if err := kept.DecodeWithLimit(limit); err != nil {
		f.damaged = true
		kept.Content = inflateSome(sd, limit)
	}
	f.budget -= int64(len(kept.Content)) + 1
	return kept.Content, nil
}

// inflateSome unpacks a damaged stream as far as it goes.
func inflateSome(sd *types.StreamDict, limit int64) []byte {
	if len(sd.FilterPipeline) != 1 || sd.FilterPipeline[0].Name != "FlateDecode" || len(sd.Raw) < 3 {
		return nil
	}
	some, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(sd.Raw[2:])), limit)) // what came before the error counts
	return some
}

// resolve follows a reference; what is missing is nil.
func (f *file) resolve(o types.Object) types.Object {
	for range 8 {
		if _, ok := o.(types.IndirectRef); !ok {
			return o
		}
		next, err := f.table.Dereference(o)
		if err != nil {
			f.damaged = true
			return nil
		}
		o = next
	}
	return nil
}

func (f *file) dict(o types.Object) types.Dict {
	switch o := f.resolve(o).(type) {
	case types.Dict:
		return o
	case types.StreamDict:
		return o.Dict
	}
	return nil
}

func (f *file) array(o types.Object) types.Array {
	a, _ := f.resolve(o).(types.Array)
	return a
}

func (f *file) name(o types.Object) string {
	n, _ := f.resolve(o).(types.Name)
	return string(n)
}

func (f *file) number(o types.Object, otherwise float64) float64 {
	switch n := f.resolve(o).(type) {
	case types.Integer:
		return float64(n)
	case types.Float:
		return float64(n)
	}
	return otherwise
}

func (f *file) stream(o types.Object) *types.StreamDict {
	if sd, ok := f.resolve(o).(types.StreamDict); ok {
		return &sd
	}
	return nil
}

func (f *file) title() string {
	if f.table.Info == nil {
		return ""
	}
	info := f.dict(*f.table.Info)
	if info == nil {
		return ""
	}
	title, err := model.Text(f.resolve(info["Title"]))
	if err != nil {
		return ""
	}
	return title
}

// id is the number of the object that o refers to, or 0.
func id(o types.Object) int {
	if ref, ok := o.(types.IndirectRef); ok {
		return int(ref.ObjectNumber)
	}
	return 0
}
