package content_test

import (
	"testing"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/content"
	"portside/documents/pdf/internal/fonts"
	"portside/documents/pdf/internal/geometry"
	"portside/documents/pdf/internal/layout"
	"portside/documents/pdf/internal/pages"
	"portside/documents/pdf/internal/syntax"
	"portside/documents/pdf/internal/xref"
)

// FuzzContent checks that any content stream can be interpreted and laid out, and that it does not show
// more glyphs than it has bytes.
func FuzzContent(f *testing.F) {
	f.Add([]byte("q 1 0 0 1 0 0 cm BT /F1 12 Tf 5 Tc 50 700 Td [(a) -900 <4142>] TJ T* (x) ' ET Q " +
		"BI /W 1 ID x EI /S <</ActualText(b)>> BDC EMC"))
	f.Fuzz(func(t *testing.T, data []byte) {
		const maxWork = 100_000
		work := budget.New(t.Context(), documents.DefaultLimits())
		work.LimitWork(maxWork)
		file := xref.New(work, nil)
		frame := pages.Frame{Matrix: geometry.Matrix{1, 0, 0, -1, 0, 842}, Width: 595, Height: 842}
		in := content.NewInterpreter(content.NewDocument(file), frame)
		helvetica := syntax.Dict{
			"Subtype": syntax.Name("Type1"), "BaseFont": syntax.Name("Helvetica"),
			"Encoding": syntax.Name("WinAnsiEncoding"),
		}
		in.SetFont(fonts.NewLoader(file).Load(helvetica), 10)
		if err := in.Run(data, nil); err == nil && len(in.Glyphs) > len(data) {
			t.Errorf("%d glyphs of %d bytes", len(in.Glyphs), len(data))
		}
		if _, err := layout.Blocks(t.Context(), in.Glyphs); err != nil {
			t.Error(err)
		}
	})
}
