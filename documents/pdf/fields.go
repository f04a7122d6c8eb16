package pdf

import (
	"math"
	"strings"
	"unicode/utf8"
)

// What is laid over a page: the fields of a form, and text that was added to the page.
const (
	maxAnnotations = 5_000 // of a page
	maxParents     = 32    // of a field
	hidden         = 1<<1 | 1<<5
	pushButton     = 1 << 16
	password       = 1 << 13
)

// annotate shows what was filled in and added, where it stands on the page.
func (m *machine) annotate(annotations array, frame matrix) error {
	form := m.f.dict(m.f.dict(m.f.trailer["Root"])["AcroForm"])
	stale := m.f.resolve(form["NeedAppearances"]) == true
	for _, a := range annotations[:min(len(annotations), maxAnnotations)] {
		m.f.work -= 20
		d := m.f.dict(a)
		if int(m.f.number(d["F"], 0))&hidden != 0 {
			continue
		}
		m.state, m.saved = newState(frame), nil
		var err error
		switch m.f.name(d["Subtype"]) {
		case "Widget":
			err = m.widget(d, stale)
		case "FreeText":
			err = m.shownOr(d, m.f.words(d["Contents"]))
		case "Stamp":
			err = m.shownOr(d, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inherited is an entry of a field or of those above it.
func (m *machine) inherited(field dict, key string) any {
	for range maxParents {
		if own := m.f.resolve(field[key]); own != nil || field == nil {
			return own
		}
		field = m.f.dict(field["Parent"])
	}
	return nil
}

// widget shows a field. What it looks like counts, but where that is missing or stale, what it holds.
func (m *machine) widget(d dict, stale bool) error {
	flags := int(m.f.number(m.inherited(d, "Ff"), 0))
	switch m.f.name(m.inherited(d, "FT")) {
	case "Btn":
		if flags&pushButton == 0 {
			m.tick(d)
			return nil
		}
	case "Tx":
		if flags&password != 0 {
			return nil
		}
		if value := m.value(d); stale && value != "" {
			m.write(d, value)
			return nil
		}
		return m.shownOr(d, m.value(d))
	case "Ch":
		return m.shownOr(d, m.choice(d))
	}
	return m.shownOr(d, "")
}

func (m *machine) value(d dict) string {
	value := m.inherited(d, "V")
	if long, ok := value.(*stream); ok {
		data, _ := m.f.decode(long) // what there is of it
		return textString(data)
	}
	return m.f.words(value)
}

// choice is the value of a list as people see it; options may be pairs of what is sent and what is shown.
func (m *machine) choice(d dict) string {
	chosen := m.f.array(m.inherited(d, "V"))
	if chosen == nil {
		chosen = array{m.inherited(d, "V")}
	}
	options := m.f.array(m.inherited(d, "Opt"))
	const most = 1000
	var names []string
	for _, value := range chosen[:min(len(chosen), most)] {
		named := m.f.words(value)
		for _, o := range options[:min(len(options), most)] {
			m.f.work--
			if pair := m.f.array(o); len(pair) == 2 && named != "" && m.f.words(pair[0]) == named {
				named = m.f.words(pair[1])
				break
			}
		}
		names = append(names, named)
	}
	return strings.Join(names, ", ")
}

// tick shows a box or a radio button: a character says better than the glyph of a font of signs whether it is on.
func (m *machine) tick(d dict) {
	state := m.f.name(d["AS"])
	if state == "" {
		state = m.f.name(m.inherited(d, "V"))
		if looks := m.f.dict(m.f.dict(d["AP"])["N"]); looks != nil && looks[state] == nil {
			state = "Off"
		}
	}
	sign := "☐"
	if state != "" && state != "Off" {
		sign = "☒"
	}
	m.write(d, sign)
}

// shownOr runs what an annotation looks like; where that has no text, the words given are written.
func (m *machine) shownOr(d dict, words string) error {
	before, frame := len(m.glyphs), m.state.ctm
	look := m.f.dict(d["AP"])["N"]
	if states, ok := m.f.resolve(look).(dict); ok {
		look = states[m.f.name(d["AS"])]
	}
	if sd := m.f.stream(look); sd != nil {
		m.state.ctm = m.fitted(sd, d).times(frame)
		if err := m.paint(id(look), sd, nil); err != nil {
			return err
		}
	}
	for _, g := range m.glyphs[before:] {
		if strings.TrimSpace(g.text) != "" {
			return nil
		}
	}
	m.state.ctm = frame
	m.write(d, words)
	return nil
}

// rectangle reads the corners of one.
func (f *file) rectangle(o any) (left, bottom, right, top float64) {
	var c [4]float64
	if a := f.array(o); len(a) == 4 {
		for i := range c {
			c[i] = f.number(a[i], 0)
		}
	}
	return min(c[0], c[2]), min(c[1], c[3]), max(c[0], c[2]), max(c[1], c[3])
}

// fitted is the matrix that puts the box of an appearance into the rectangle of its annotation.
func (m *machine) fitted(sd *stream, d dict) matrix {
	own := m.f.matrixOf(sd.dict["Matrix"])
	x1, y1, x2, y2 := m.f.rectangle(sd.dict["BBox"])
	left, bottom, right, top := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, corner := range [4][2]float64{{x1, y1}, {x2, y1}, {x1, y2}, {x2, y2}} {
		x, y := own.apply(corner[0], corner[1])
		left, right, bottom, top = min(left, x), max(right, x), min(bottom, y), max(top, y)
	}
	x1, y1, x2, y2 = m.f.rectangle(d["Rect"])
	scale := func(to, from float64) float64 {
		if from <= 0 || to <= 0 {
			return 1
		}
		return to / from
	}
	across, up := scale(x2-x1, right-left), scale(y2-y1, top-bottom)
	fitted := matrix{across, 0, 0, up, x1 - left*across, y1 - bottom*up}
	if !fitted.sane() {
		return matrix{1, 0, 0, 1, 0, 0}
	}
	return fitted
}

// write sets words into the rectangle of an annotation.
func (m *machine) write(d dict, words string) {
	left, bottom, right, top := m.f.rectangle(d["Rect"])
	x1, y1 := m.state.ctm.apply(left, bottom)
	x2, y2 := m.state.ctm.apply(right, top)
	left, right, top, bottom = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
	lines := strings.FieldsFunc(words, func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 || right <= left || bottom <= top || left > m.width || top > m.height {
		return
	}
	const largest, smallest, leading = 11, 4, 1.2
	size := min(max((bottom-top)/(leading*float64(len(lines))), smallest), largest)
	base := top + 0.8*size
	if len(lines) == 1 {
		base = (top+bottom)/2 + 0.35*size
	}
	for i, line := range lines {
		m.writeLine(line, glyph{x: left, y: base + float64(i)*leading*size, size: size}, right-left)
	}
}

func (m *machine) writeLine(line string, at glyph, width float64) {
	step := min(0.5*at.size, width/float64(utf8.RuneCountInString(line)))
	for _, r := range line {
		if len(m.glyphs) > maxGlyphs || m.f.work < 0 {
			m.f.tooMuch = true
			return
		}
		m.f.work -= 2
		at.text, at.dx = string(r), step
		m.glyphs = append(m.glyphs, at)
		at.x += step
	}
}
