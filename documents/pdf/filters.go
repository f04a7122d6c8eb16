package pdf

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/lzw"
	"encoding/ascii85"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/adler32"
	"io"

	"portside/documents"
)

// maxStream bounds what one stream may unpack to, and maxFilters how often it may be packed.
const (
	maxStream  = 24 << 20
	maxFilters = 6
)

// filter is a way to pack data.
type filter struct {
	name  string
	parms dict
}

func (f *file) filters(s *stream) []filter {
	names, parms := f.resolve(s.dict["Filter"]), f.resolve(s.dict["DecodeParms"])
	if n, ok := names.(atom); ok {
		names = array{n}
	}
	if d, ok := parms.(dict); ok {
		parms = array{d}
	}
	all, _ := names.(array)
	given, _ := parms.(array)
	var found []filter
	for i, n := range all[:min(len(all), maxFilters)] {
		one := filter{name: f.name(n)}
		if i < len(given) {
			one.parms = f.dict(given[i])
		}
		found = append(found, one)
	}
	return found
}

// metered is a layer of unpacking. Each one counts, as there are streams that unpack to nothing from much.
type metered struct {
	io.Reader
	f *file
}

// Read implements [io.Reader].
func (m metered) Read(p []byte) (int, error) {
	if m.f.budget <= 0 {
		return 0, documents.ErrTooMuch
	}
	if err := m.f.ctx.Err(); err != nil {
		return 0, fmt.Errorf("unpack: %w", err)
	}
	n, err := m.Reader.Read(p[:min(len(p), 64<<10)])
	m.f.budget -= int64(n) + 1
	return n, err //nolint:wrapcheck // io.EOF has to stay what it is
}

// unpacked reads a stream through its filters, up to one that is of pictures, which is returned.
func (f *file) unpacked(s *stream) (io.Reader, filter) {
	f.work -= 100
	f.lost = f.lost || s.cut
	filters := f.filters(s)
	raw := s.raw
	if len(filters) == 0 || filters[0].name != "Crypt" {
		raw = f.crypt.stream(s.owner, raw)
	}
	var r io.Reader = bytes.NewReader(raw)
	for _, one := range filters {
		next := f.layer(one, r)
		if next == nil {
			return r, one
		}
		r = metered{next, f}
	}
	return r, filter{}
}

// layer undoes a filter; nil: it is not known, or of pictures.
func (f *file) layer(one filter, r io.Reader) io.Reader {
	switch one.name {
	case "Crypt":
		return r
	case "FlateDecode", "Fl":
		header := bufio.NewReader(r)
		if _, err := header.Peek(1); err == io.EOF {
			return header // an empty page may be packed to nothing
		}
		_, _ = header.Discard(2) // of zlib
		return f.predicted(one.parms, &inflated{flate.NewReader(header), header, adler32.New(), f})
	case "LZWDecode", "LZW":
		if f.number(one.parms["EarlyChange"], 1) == 0 {
			return f.predicted(one.parms, lzw.NewReader(r, lzw.MSB, 8))
		}
		return f.predicted(one.parms, earlyLZW(r))
	case "ASCII85Decode", "A85":
		text := f.some(r)
		text = bytes.TrimPrefix(bytes.TrimSpace(text), []byte("<~"))
		text, _, _ = bytes.Cut(text, []byte("~"))
		return ascii85.NewDecoder(bytes.NewReader(text))
	case "ASCIIHexDecode", "AHx":
		digits := lexer{data: append([]byte("<"), f.some(r)...)}
		return bytes.NewReader(digits.hex())
	case "RunLengthDecode", "RL":
		return &runs{from: bufio.NewReader(r)}
	}
	return nil
}

// some reads what there is, damaged or not.
func (f *file) some(r io.Reader) []byte {
	data, err := io.ReadAll(io.LimitReader(r, maxStream)) // what came before an error counts
	f.lost = f.lost || err != nil
	return data
}

// decode unpacks a stream within the budget. A stream that is damaged gives what it has; a picture gives nothing.
func (f *file) decode(s *stream) ([]byte, error) {
	if f.budget <= 0 {
		return nil, documents.ErrTooMuch
	}
	r, rest := f.unpacked(s)
	if picture := f.name(s.dict["Subtype"]) == "Image"; picture || rest.name != "" {
		f.lost = f.lost || !picture
		return nil, nil
	}
	if s.dict["Filter"] == nil && f.crypt == nil {
		f.budget -= int64(len(s.raw)) + 1
		return s.raw, nil
	}
	data, err := io.ReadAll(io.LimitReader(r, maxStream))
	if settled(err) {
		return nil, err
	}
	f.damaged, f.lost = f.damaged || err != nil, f.lost || err != nil
	f.budget--
	return data, nil
}

// inflated undoes Flate. A wrong checksum is not worth failing for, but something is lost.
type inflated struct {
	io.Reader

	from *bufio.Reader
	sum  hash.Hash32
	f    *file
}

// Read implements [io.Reader].
func (i *inflated) Read(p []byte) (int, error) {
	n, err := i.Reader.Read(p)
	_, _ = i.sum.Write(p[:n])
	if err == io.EOF {
		sum, _ := i.from.Peek(adler32.Size) // some programs leave it out
		i.f.lost = i.f.lost || len(sum) == adler32.Size && binary.BigEndian.Uint32(sum) != i.sum.Sum32()
	}
	return n, err //nolint:wrapcheck // io.EOF has to stay what it is
}

// runs undoes RunLengthDecode.
type runs struct {
	from    *bufio.Reader
	left    int
	same    byte
	literal bool
}

// Read implements [io.Reader].
func (r *runs) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if r.left == 0 {
			if err := r.begin(); err != nil {
				return n, err
			}
		}
		p[n] = r.same
		if r.literal {
			c, err := r.from.ReadByte()
			if err != nil {
				return n, err //nolint:wrapcheck // io.EOF has to stay what it is
			}
			p[n] = c
		}
		r.left--
		n++
	}
	return n, nil
}

func (r *runs) begin() error {
	length, err := r.from.ReadByte()
	switch {
	case err != nil:
		return err //nolint:wrapcheck // io.EOF has to stay what it is
	case length == 128:
		return io.EOF
	case length < 128:
		r.literal, r.left = true, int(length)+1
		return nil
	}
	r.literal, r.left = false, 257-int(length)
	r.same, err = r.from.ReadByte()
	return err //nolint:wrapcheck // io.EOF has to stay what it is
}
