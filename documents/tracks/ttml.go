package tracks

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// timedXML decodes a sample that is a TTML document. The times in it count from the start of the recording. Only in
// fragments of some older programs do they count from the start of the sample.
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
	return errCut // an error of encoding/xml
}

// ttml reads a document. It keeps a stack with the times of the open elements, instead of recursing.
type ttml struct {
	xml       *xml.Decoder
	frameRate float64
	tickRate  float64
	own       span     // of the sample
	open      []timing // of the open elements
	inside    int      // depth of the open paragraph; 0 without one
	text      strings.Builder
	found     []cue
	until     float64
}

func (d *ttml) read() error {
	const maxDepth = 64
	for len(d.open) <= maxDepth && len(d.found) < maxCues {
		token, err := d.xml.Token()
		if err != nil {
			return err //nolint:wrapcheck // the caller only compares it
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
	d.open = append(d.open, d.timing(e.Attr))
	switch {
	case e.Name.Local == "br" && d.inside > 0:
		d.text.WriteByte('\n')
	case e.Name.Local == "p" && d.inside == 0:
		d.inside = len(d.open)
		d.text.Reset()
	}
}

func (d *ttml) end() {
	if len(d.open) == 0 {
		return
	}
	if d.inside == len(d.open) {
		d.paragraph(d.open[len(d.open)-1])
	}
	d.open = d.open[:len(d.open)-1]
}

func (d *ttml) paragraph(at timing) {
	d.inside = 0
	if d.text.Len() == 0 {
		return
	}
	d.until = max(d.until, at.from, at.to)
	if !at.isSet {
		at.span = d.own
	}
	d.found = append(d.found, cue{at.span, d.text.String()})
}

// rates reads how long frames and ticks are.
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

// timing is the time in which an element is shown, from the start of the document.
type timing struct {
	span
	isSet bool // by the element or one around it
}

// timing reads the time of an element, which counts from the begin of the element around it. Without its own begin or
// end, it has the begin or end of the element around it.
func (d *ttml) timing(attributes []xml.Attr) timing {
	outer := timing{span: span{0, -1}}
	if n := len(d.open); n > 0 {
		outer = d.open[n-1]
	}
	at, duration := outer, -1.0
	for _, a := range attributes {
		seconds, ok := d.time(a.Value)
		switch a.Name.Local {
		case "begin":
			at.from = outer.from + seconds
		case "end":
			at.to = outer.from + seconds
		case "dur":
			duration = seconds
		default:
			ok = false
		}
		at.isSet = at.isSet || ok
	}
	if duration >= 0 {
		at.to = at.from + duration
	}
	return at
}

// time reads hours:minutes:seconds, with a fraction or with frames, or a number with a unit. It returns 0 for anything
// else.
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

// spaced replaces line breaks by spaces, because in XML they only wrap the source.
func spaced(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, text)
}
