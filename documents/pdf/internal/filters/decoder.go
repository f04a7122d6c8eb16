// Package filters decodes the data of streams (ISO 32000-1, 7.4).
//
// A [Decoder] decrypts a stream and undoes its filters as a chain of readers. Every filter that can
// produce more data than it reads takes its output from the budget of the document, so no stream
// decodes to more than that, in any combination of filters. The filters of images (JPEG, CCITT) are
// left to package images; [Decoder.CCITT] is there because its output counts as well.
package filters

import (
	"bytes"
	"encoding/ascii85"
	"io"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/crypt"
	"portside/documents/pdf/internal/syntax"
)

// MaxStreamBytes bounds what one stream may decode to.
const MaxStreamBytes = 24 << 20

// maxFilters bounds the filters of one stream.
const maxFilters = 6

// Decoder decodes streams.
type Decoder struct {
	Objects syntax.Resolver
	Budget  *budget.Budget
	Damage  *budget.Damage
	Crypt   *crypt.Handler // nil if the file is not encrypted
}

// Filter is a filter of a stream with its parameters.
type Filter struct {
	Name  string
	Parms syntax.Dict
}

// Decode returns the decoded data of a stream. A damaged stream gives the data in front of the
// damage; an image gives none. Errors: documents.ErrTooMuch, and the error of the context.
func (d *Decoder) Decode(s *syntax.Stream) ([]byte, error) {
	if !d.Budget.HasBytes() {
		return nil, documents.ErrTooMuch
	}
	r, imageFilter := d.Open(s)
	if isImage := d.Objects.Name(s.Dict["Subtype"]) == "Image"; isImage || imageFilter.Name != "" {
		d.Damage.Lost = d.Damage.Lost || !isImage
		return nil, nil
	}
	if s.Dict["Filter"] == nil && d.Crypt == nil {
		d.Budget.SpendBytes(int64(len(s.Raw)) + 1)
		return s.Raw, nil
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxStreamBytes))
	if budget.IsFinal(err) {
		return nil, err
	}
	d.Damage.Found, d.Damage.Lost = d.Damage.Found || err != nil, d.Damage.Lost || err != nil
	d.Budget.SpendBytes(1)
	return data, nil
}

// Open returns a reader of a stream's data. It undoes the filters up to the first one for images, or
// of an unknown name, and returns that filter.
func (d *Decoder) Open(s *syntax.Stream) (io.Reader, Filter) {
	const workPerStream = 100
	d.Budget.SpendWork(workPerStream)
	d.Damage.Lost = d.Damage.Lost || s.Truncated
	filters := d.filtersOf(s)
	raw := s.Raw
	if len(filters) == 0 || filters[0].Name != "Crypt" {
		raw = d.Crypt.Stream(s.Owner, raw)
	}
	var r io.Reader = bytes.NewReader(raw)
	for _, filter := range filters {
		next := d.undo(filter, r)
		if next == nil {
			return r, filter
		}
		r = meteredReader{next, d.Budget}
	}
	return r, Filter{}
}

// filtersOf returns the filters of a stream in the order in which they are undone.
func (d *Decoder) filtersOf(s *syntax.Stream) []Filter {
	names, parms := d.Objects.Resolve(s.Dict["Filter"]), d.Objects.Resolve(s.Dict["DecodeParms"])
	if name, ok := names.(syntax.Name); ok {
		names = syntax.Array{name}
	}
	if dict, ok := parms.(syntax.Dict); ok {
		parms = syntax.Array{dict}
	}
	allNames, _ := names.(syntax.Array)
	allParms, _ := parms.(syntax.Array)
	var filters []Filter
	for i, name := range allNames[:min(len(allNames), maxFilters)] {
		filter := Filter{Name: d.Objects.Name(name)}
		if i < len(allParms) {
			filter.Parms = d.Objects.Dict(allParms[i])
		}
		filters = append(filters, filter)
	}
	return filters
}

// undo returns a reader that undoes a filter, or nil for a filter of images or of an unknown name.
func (d *Decoder) undo(filter Filter, r io.Reader) io.Reader {
	switch filter.Name {
	case "Crypt":
		return r
	case "FlateDecode", "Fl":
		return d.openFlate(filter, r)
	case "LZWDecode", "LZW":
		return d.openLZW(filter, r)
	case "ASCII85Decode", "A85":
		text := d.readAll(r)
		text = bytes.TrimPrefix(bytes.TrimSpace(text), []byte("<~"))
		text, _, _ = bytes.Cut(text, []byte("~"))
		return ascii85.NewDecoder(bytes.NewReader(text))
	case "ASCIIHexDecode", "AHx":
		digits := syntax.Lexer{Data: append([]byte("<"), d.readAll(r)...)}
		return bytes.NewReader(digits.HexString())
	case "RunLengthDecode", "RL":
		return newRunLengthReader(r)
	}
	return nil
}

// readAll reads the data in front of the first error, and records the error as a loss.
func (d *Decoder) readAll(r io.Reader) []byte {
	data, err := io.ReadAll(io.LimitReader(r, MaxStreamBytes))
	d.Damage.Lost = d.Damage.Lost || err != nil
	return data
}
