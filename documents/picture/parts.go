package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"slices"
)

// part is a segment or a chunk of a file.
type part struct {
	name string // of a chunk; of a JPEG's segment its marker; empty for what is none
	raw  []byte // with its header
	body []byte
	keep bool // a decoder needs it
}

// joined are the parts that a picture consists of, without what is said about it.
func joined(parts []part) []byte {
	var out bytes.Buffer
	for _, p := range parts {
		if p.keep {
			out.Write(p.raw)
		}
	}
	data := out.Bytes()
	if hasMagic(data, "RIFF????WEBP") {
		binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8)) //nolint:gosec // at most mostBytes
	}
	return data
}

// named returns the body of the first part of the name; nil if there is none.
func named(parts []part, name string) []byte {
	at := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
	if at < 0 {
		return nil
	}
	return parts[at].body
}

// splitPNG takes the chunks apart. Needed are those that PNG calls critical, and transparency.
func splitPNG(head []byte) (parts []part, whole bool) {
	const before, around = 8, 12 // the magic; length, name and checksum
	parts = []part{{raw: head[:before], keep: true}}
	for at := before; len(head)-at >= around; {
		size := int(binary.BigEndian.Uint32(head[at:]))
		end := at + around + size
		if size < 0 || end > len(head) {
			break
		}
		p := part{name: string(head[at+4 : at+8]), raw: head[at:end], body: head[at+8 : end-4]}
		p.keep = p.name[0] >= 'A' && p.name[0] <= 'Z' || p.name == "tRNS"
		parts = append(parts, p)
		if at = end; p.name == "IEND" {
			return parts, true
		}
	}
	return parts, false
}

// takesPNG knows that 16 bits a channel are kept as such, and that an interlaced picture is put together of others.
func takesPNG(f facts) float64 {
	const depth, interlace = 24, 28 // where they stand: IHDR comes first, or there would be no config
	_, paletted := f.config.ColorModel.(color.Palette)
	perPixel := 4.0 // transparency makes that of gray as well
	switch {
	case paletted:
		perPixel = 1
	case f.head[depth] == 16:
		perPixel = 8
	}
	if f.head[interlace] != 0 {
		perPixel *= 1.5
	}
	return perPixel
}

func takesGIF(facts) float64 { return 1 }

// splitWebP takes the chunks apart. Needed are those that hold pixels; what the header says of the others is unsaid.
func splitWebP(head []byte) (parts []part, whole bool) {
	const before, around = 12, 8 // the header of RIFF; name and length
	parts = []part{{raw: bytes.Clone(head[:before]), keep: true}}
	at := before
	for len(head)-at >= around {
		size := int(binary.LittleEndian.Uint32(head[at+4:]))
		end := at + around + size + size%2
		if size < 0 || end > len(head) {
			break
		}
		p := part{name: string(head[at : at+4]), raw: head[at:end], body: head[at+around : at+around+size]}
		p.keep = slices.Contains([]string{"VP8 ", "VP8L", "VP8X", "ALPH"}, p.name)
		if p.name == "VP8X" && size > 0 {
			const alpha = 1 << 4
			p.raw = bytes.Clone(p.raw)
			p.raw[around] &= alpha
		}
		parts = append(parts, p)
		at = end
	}
	return parts, at == len(head)
}

// takesWebP knows that what is not lossy, and so transparency, is decoded by way of several copies.
func takesWebP(f facts) float64 {
	lossy := named(f.parts, "VP8 ") != nil && named(f.parts, "VP8L") == nil && named(f.parts, "ALPH") == nil
	if lossy {
		return 2
	}
	return 10
}

// fits reports whether models take such a size.
func fits(b image.Rectangle) bool { return b.Dx() <= mostSide && b.Dy() <= mostSide }
