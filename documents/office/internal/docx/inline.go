package docx

import (
	"cmp"
	"strconv"
	"strings"

	"portside/documents"
	"portside/documents/office/internal/drawing"
	"portside/documents/office/internal/parts"
)

// inline reads the content of a paragraph. It descends into unknown elements, which may wrap runs.
func (d *reader) inline(s *parts.Scanner, e parts.Element, p *wordParagraph) error {
	switch e.Name {
	case "pPr":
		return d.properties(s, p)
	case "r":
		return d.run(s, p)
	case "t":
		return d.plain(s, p)
	case "p": // of a drawing
		p.write("\n")
	case "AlternateContent":
		return d.alternatives(s, p)
	case "txbxContent":
		return d.flow(s, &p.boxes)
	case "chart", "relIds":
		return d.graphic(e, p)
	case "blip", "imagedata":
		d.picture(e, p)
		return nil
	case "sdt":
		return d.control(s, p)
	case "checkBox":
		return checkBox(s, p)
	case "ddList":
		return dropDown(s, p)
	case "fldChar":
		p.endField(e)
	case "del", "moveFrom", "delText", "instrText", "delInstrText", "rt", "rPrChange", "pPrChange":
		return nil
	default:
		p.sign(e)
	}
	return s.Children(func(child parts.Element) error { return d.inline(s, child, p) })
}

// sign writes the character that an element stands for.
func (p *wordParagraph) sign(e parts.Element) {
	switch e.Name {
	case "tab", "ptab":
		p.write("\t")
	case "cr":
		p.write("\n")
	case "noBreakHyphen":
		p.write("-")
	case "sym":
		p.write(symbol(e.Attr("font"), e.Attr("char")))
	case "lastRenderedPageBreak":
		p.breakAt(false)
	case "br":
		if e.Attr("type") == "page" {
			p.breakAt(true)
		}
		p.write("\n")
	}
}

func (p *wordParagraph) write(text string) {
	if !p.hidden {
		p.text.WriteString(text)
	}
}

// run reads a run. It leaves out hidden text.
func (d *reader) run(s *parts.Scanner, p *wordParagraph) error {
	outer := p.hidden
	defer func() { p.hidden = outer }()
	err := s.Children(func(e parts.Element) error {
		if e.Name != "rPr" {
			return d.inline(s, e, p)
		}
		return s.Children(func(e parts.Element) error {
			if e.Name == "vanish" {
				p.hidden = p.hidden || e.On()
			}
			return nil
		})
	})
	if err == nil && p.text.Len() > d.into.Limits.Text {
		return documents.ErrTooMuch
	}
	return err
}

func (*reader) plain(s *parts.Scanner, p *wordParagraph) error {
	return s.Content(func(parts.Element) error { return nil }, func(text []byte) {
		if !p.hidden {
			s.Write(p.text, text)
		}
	})
}

// alternatives reads the first branch with content. The others repeat it for older programs.
func (d *reader) alternatives(s *parts.Scanner, p *wordParagraph) error {
	size := func() int { return p.text.Len() + len(p.boxes.Blocks) + len(p.boxes.Pictures) }
	before := size()
	return s.Children(func(parts.Element) error {
		if size() > before {
			return nil
		}
		return s.Children(func(child parts.Element) error { return d.inline(s, child, p) })
	})
}

// graphic reads a chart or a diagram, which is in a separate part.
func (d *reader) graphic(e parts.Element, p *wordParagraph) error {
	if e.Name == "chart" {
		return drawing.Chart(d.a, d.related, e.Reference("id"), &p.boxes)
	}
	return drawing.Diagram(d.a, d.related, e.Reference("dm"), &p.boxes)
}

// picture adds the picture of a drawing (blip), or of a shape of older programs (imagedata), after the paragraph.
func (d *reader) picture(e parts.Element, p *wordParagraph) {
	id := cmp.Or(e.Reference("embed"), e.Reference("id"))
	if r, ok := d.related.ByID(id); ok && !p.hidden {
		p.boxes.Picture(r.Target)
	}
}

const privateUse = 0xf000 // symbol fonts repeat their 256 signs here

// symbol maps characters of symbol fonts that have a meaning. Others are decoration.
func symbol(font, hex string) string {
	code, err := strconv.ParseUint(hex, 16, 16)
	if err != nil {
		return ""
	}
	if code >= privateUse && code < privateUse+0x100 {
		code -= privateUse
	}
	var signs string
	switch strings.ToLower(font) {
	case "symbol":
		signs = symbolSigns
	case "wingdings":
		signs = wingdingsSigns
	case "wingdings 2":
		signs = wingdings2Signs
	default:
		if code < ' ' || code >= 0xd800 && code < 0xf900 {
			return ""
		}
		return string(rune(code))
	}
	return signOf(signs, rune(code))
}

// signOf looks up the sign of a code in pairs of a code and a sign.
func signOf(pairs string, code rune) string {
	letters := []rune(pairs)
	for i := 0; i+1 < len(letters); i += 2 {
		if letters[i] == code {
			return string(letters[i+1])
		}
	}
	return ""
}

const (
	symbolSigns = "  (())++,,--..//00112233445566778899::;;<<==>>[[]]__{{||}}!!##%%&&??" +
		"AΑBΒCΧDΔEΕFΦGΓHΗIΙKΚLΛMΜNΝOΟPΠQΘRΡSΣTΤUΥWΩXΞYΨZΖ" +
		"aαbβcχdδeεfφgγhηiιjϕkκlλmμnνoοpπqθrρsσtτuυwωxξyψzζ" +
		"\u00a0€\u00a3≤\u00a5∞\u00ac←\u00ad↑\u00ae→\u00af↓\u00b0°\u00b1±\u00b3≥\u00b4×\u00b6∂\u00b7•\u00b8÷\u00b9≠\u00ba≡\u00bb≈\u00bc…" +
		"\u00c5⊕\u00c7∩\u00c8∪\u00ce∈\u00d2®\u00d3©\u00d4™\u00d5∏\u00d6√\u00de⇒\u00e5∑\u00f2∫"
	wingdingsSigns = "\u0028☎\u002a✉\u004a☺\u004c☹\u006e■\u006f☐\u0071❑\u00a7▪\u00a8☐\u00d8➢" +
		"\u00df←\u00e0→\u00e1↑\u00e2↓\u00e8➔\u00fb✗\u00fc✓\u00fd☒\u00fe☑"
	wingdings2Signs = "\u004f✗\u0050✓\u0051☒\u0052☑\u0053☒\u0054☒\u00a3☐"
)
