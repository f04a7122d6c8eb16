package tracks

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// timedXML decodes a sample that is a document of TTML. Its times are those of the recording, whatever the sample's is; only
// some fragments of older programs count from the sample.
func timedXML(sample []byte, at span, into *cues) error {
	if i := bytes.IndexByte(sample, '<'); i > 0 {
		sample = sample[i:]
	}
	d := &ttml{xml: xml.NewDecoder(bytes.NewReader(sample)), frameRate: 30, tickRate: 1, own: at}
	d.xml.Strict = false
	d.xml.Entity = xml.HTMLEntity
	err := d.read()
	for _, one := range d.found {
		if d.until > 0 && d.until <= at.from {
			one.from += at.from
			one.to += at.from
		}
		if err := into.add(one.span, one.text); err != nil {
			return err
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, errFull):
		return errFull
	}
	return errCut // with whatever encoding/xml does not like
}

// ttml is a document as it is read. Its elements are followed with a stack of their times, not with recursion.
type ttml struct {
	xml       *xml.Decoder
	frameRate float64
	tickRate  float64
	own       span     // the sample's
	shown     []timing // of the elements that are open
	inside    int      // the depth of the paragraph that is read; 0: none
	text      strings.Builder
	found     []cue
	until     float64
}

func (d *ttml) read() error {
	const deepest = 64
	for len(d.shown) <= deepest && len(d.found) < mostCues {
		token, err := d.xml.Token()
		if err != nil {
			return err //nolint:wrapcheck // only ever told from io.EOF
		}
		switch t := token.(type) {
		case xml.StartElement:
			d.start(t)
		case xml.EndElement:
			d.end()
		case xml.CharData:
			if d.inside > 0 {
				d.text.WriteString(spaced(string(t)))
			}
		}
	}
	return errFull
}

func (d *ttml) start(e xml.StartElement) {
	if e.Name.Local == "tt" {
		d.rates(e.Attr)
	}
	d.shown = append(d.shown, d.timing(e.Attr))
	switch {
	case e.Name.Local == "br" && d.inside > 0:
		d.text.WriteByte('\n')
	case e.Name.Local == "p" && d.inside == 0:
		d.inside = len(d.shown)
		d.text.Reset()
	}
}

func (d *ttml) end() {
	if len(d.shown) == 0 {
		return
	}
	if d.inside == len(d.shown) {
		d.paragraph(d.shown[len(d.shown)-1])
	}
	d.shown = d.shown[:len(d.shown)-1]
}

func (d *ttml) paragraph(at timing) {
	d.inside = 0
	if d.text.Len() == 0 {
		return
	}
	d.until = max(d.until, at.from, at.to)
	if !at.told {
		at.span = d.own
	}
	d.found = append(d.found, cue{at.span, d.text.String()})
}

// rates notes what frames and ticks are.
func (d *ttml) rates(attributes []xml.Attr) {
	for _, a := range attributes {
		n, err := strconv.ParseFloat(a.Value, 64)
		if err != nil || !(n >= 1 && n <= 1e9) {
			continue
		}
		switch a.Name.Local {
		case "frameRate":
			d.frameRate = n
		case "tickRate":
			d.tickRate = n
		}
	}
}

// timing is when an element is shown, its times counted like the document's.
type timing struct {
	span
	told bool // by the element or what holds it
}

// timing reads that of an element. Its times count from when that which holds it begins; what it does not tell, that tells.
func (d *ttml) timing(attributes []xml.Attr) timing {
	outer := timing{span: span{0, -1}}
	if n := len(d.shown); n > 0 {
		outer = d.shown[n-1]
	}
	at, lasts := outer, -1.0
	for _, a := range attributes {
		seconds, ok := d.time(a.Value)
		switch a.Name.Local {
		case "begin":
			at.from = outer.from + seconds
		case "end":
			at.to = outer.from + seconds
		case "dur":
			lasts = seconds
		default:
			ok = false
		}
		at.told = at.told || ok
	}
	if lasts >= 0 {
		at.to = at.from + lasts
	}
	return at
}

// time reads hours:minutes:seconds, with a fraction or with frames, or a number with its unit. What is no time is 0.
func (d *ttml) time(text string) (seconds float64, ok bool) {
	text = strings.TrimSpace(text)
	if strings.Contains(text, ":") {
		return d.clock(strings.Split(text, ":"))
	}
	number := strings.TrimRight(text, "hmsft")
	unit, known := map[string]float64{
		"h": 3600, "m": 60, "s": 1, "ms": 0.001, "f": 1 / d.frameRate, "t": 1 / d.tickRate,
	}[text[len(number):]]
	n, ok := decimal(number)
	return n * unit, ok && known
}

func (d *ttml) clock(parts []string) (seconds float64, ok bool) {
	units := []float64{3600, 60, 1, 1 / d.frameRate}
	if len(parts) < 3 || len(parts) > len(units) {
		return 0, false
	}
	for i, part := range parts {
		n, ok := decimal(part)
		if !ok {
			return 0, false
		}
		seconds += n * units[i]
	}
	return seconds, true
}

// decimal reads a number without a sign or an exponent.
func decimal(text string) (float64, bool) {
	if text == "" || len(text) > 20 || strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// spaced makes spaces of line breaks: in XML they only fit the text to the page.
func spaced(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, text)
}
