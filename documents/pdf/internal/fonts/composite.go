package fonts

import (
	"slices"

	"portside/documents/pdf/internal/syntax"
)

// readComposite reads a Type0 font: its encoding, and the widths of its descendant font.
func (l *Loader) readComposite(f *Font, dict syntax.Dict) {
	objects := l.file.Objects
	f.isComposite, f.defaultWidth = true, 1
	if s := objects.Stream(dict["Encoding"]); s != nil {
		if data, err := l.file.Decoder.Decode(s); err == nil {
			f.encoding = l.parseCMap(data)
		}
	}
	f.national = nationalEncoding(objects.Name(dict["Encoding"]))
	descendants := objects.Array(dict["DescendantFonts"])
	if len(descendants) == 0 {
		return
	}
	l.file.Expect(descendants[0])
	descendant := objects.Dict(descendants[0])
	f.IsBold = f.IsBold || isBold(objects.Name(descendant["BaseFont"]))
	ordering := objects.Text(objects.Dict(descendant["CIDSystemInfo"])["Ordering"])
	f.hasLatinCIDs = slices.Contains([]string{"Japan1", "GB1", "CNS1", "Korea1", "KR"}, ordering)
	f.defaultWidth = objects.Number(descendant["DW"], 1000) / 1000
	l.readCIDWidths(f, objects.Array(descendant["W"]))
}

// readCIDWidths reads the array W of a CIDFont, whose elements are "first [w w w]" or "first last w".
func (l *Loader) readCIDWidths(f *Font, w syntax.Array) {
	const maxCID = 1 << 16
	objects := l.file.Objects
	for i := 0; i+1 < len(w); {
		first := uint32(max(objects.Number(w[i], 0), 0))
		if list, ok := objects.Resolve(w[i+1]).(syntax.Array); ok {
			for j, width := range list {
				f.widths[first+uint32(j)] = objects.Number(width, 0) / 1000
			}
			i += 2
			continue
		}
		if i+2 >= len(w) {
			return
		}
		last := uint32(min(max(objects.Number(w[i+1], 0), 0), maxCID))
		for cid := first; cid <= last && l.file.Budget.SpendWork(1); cid++ {
			f.widths[cid] = objects.Number(w[i+2], 0) / 1000
		}
		i += 3
	}
}
