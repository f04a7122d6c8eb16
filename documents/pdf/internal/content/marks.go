package content

import "portside/documents/pdf/internal/syntax"

// maxMarks bounds the nesting of marked content on a page.
const maxMarks = 512

// mark is a marked-content sequence that is open (ISO 32000-1, 14.6). ActualText replaces the text of its
// glyphs.
type mark struct {
	actualText    string
	hasActualText bool
	firstGlyph    int // the index of the first glyph in the sequence
}

// beginMarkedContent opens a sequence. The properties are a dictionary or the name of a resource.
func (in *Interpreter) beginMarkedContent(resources syntax.Dict) {
	if len(in.marks) >= maxMarks {
		return
	}
	next := mark{firstGlyph: len(in.Glyphs)}
	properties := in.operands.last()
	if properties.isContainer {
		next.readActualText(properties.items)
	}
	if properties.Kind == syntax.NameToken {
		objects := in.doc.file.Objects
		named := objects.Dict(objects.Dict(resources["Properties"])[string(properties.Bytes)])
		if named["ActualText"] != nil {
			next.actualText, next.hasActualText = objects.Text(named["ActualText"]), true
		}
	}
	in.marks = append(in.marks, next)
}

// readActualText finds ActualText among the keys and values of a dictionary.
func (m *mark) readActualText(items []syntax.Token) {
	for i := 0; i+1 < len(items); i++ {
		key, value := items[i], items[i+1]
		if key.Kind == syntax.NameToken && key.Is("ActualText") && value.Kind == syntax.StringToken {
			m.actualText, m.hasActualText = syntax.DecodeText(value.Bytes), true
		}
	}
}

// endMarkedContent closes the innermost sequence. If the sequence has ActualText, one glyph with that
// text replaces its glyphs.
func (in *Interpreter) endMarkedContent() {
	if len(in.marks) == 0 {
		return
	}
	m := in.marks[len(in.marks)-1]
	in.marks = in.marks[:len(in.marks)-1]
	if !m.hasActualText || m.firstGlyph >= len(in.Glyphs) {
		return
	}
	first, last := in.Glyphs[m.firstGlyph], in.Glyphs[len(in.Glyphs)-1]
	in.Glyphs = in.Glyphs[:m.firstGlyph]
	if m.actualText == "" {
		return
	}
	first.Text = m.actualText
	first.DX, first.DY = last.X+last.DX-first.X, last.Y+last.DY-first.Y
	in.Glyphs = append(in.Glyphs, first)
}
