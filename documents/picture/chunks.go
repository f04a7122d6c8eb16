package picture

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"slices"
)

// chunk is a chunk of a PNG or a WebP, a segment of a JPEG, or the signature at the beginning of a file.
type chunk struct {
	name       string // of a segment its marker; "" for a signature
	raw        []byte // with its header
	body       []byte
	isRequired bool // for decoding; other chunks are metadata
}

// joinRequired returns the picture without metadata.
func joinRequired(chunks []chunk) []byte {
	var out bytes.Buffer
	for _, c := range chunks {
		if c.isRequired {
			out.Write(c.raw)
		}
	}
	data := out.Bytes()
	if hasMagic(data, webpMagic) {
		binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8))
	}
	return data
}

// findChunk returns the body of the first chunk with the name, or nil.
func findChunk(chunks []chunk, name string) []byte {
	i := slices.IndexFunc(chunks, func(c chunk) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return chunks[i].body
}

// splitPNG splits a PNG. It requires the chunks that PNG calls critical, and transparency.
func splitPNG(data []byte) (chunks []chunk, isComplete bool) {
	const signatureBytes = 8
	const overheadBytes = 12 // length, name and checksum
	chunks = []chunk{{raw: data[:signatureBytes], isRequired: true}}
	for pos := signatureBytes; len(data)-pos >= overheadBytes; {
		size := int(binary.BigEndian.Uint32(data[pos:]))
		end := pos + overheadBytes + size
		if size < 0 || end > len(data) {
			break
		}
		c := chunk{name: string(data[pos+4 : pos+8]), raw: data[pos:end], body: data[pos+8 : end-4]}
		isCritical := c.name[0] >= 'A' && c.name[0] <= 'Z'
		c.isRequired = isCritical || c.name == "tRNS"
		chunks = append(chunks, c)
		if pos = end; c.name == "IEND" {
			return chunks, true
		}
	}
	return chunks, false
}

// bytesPerPixelPNG accounts for 16 bits per channel, and for the copies that an interlaced picture needs.
// Gray takes as much as colors, because it may be transparent.
func bytesPerPixelPNG(h header) float64 {
	const depthOffset, interlaceOffset = 24, 28 // DecodeConfig fails unless IHDR is the first chunk
	_, hasPalette := h.config.ColorModel.(color.Palette)
	n := 4.0
	switch {
	case hasPalette:
		n = 1
	case h.data[depthOffset] == 16:
		n = 8
	}
	if h.data[interlaceOffset] != 0 {
		n *= 1.5
	}
	return n
}

// splitWebP splits a WebP. It requires the chunks with pixels, and clears the flags of all others in the
// extended header.
func splitWebP(data []byte) (chunks []chunk, isComplete bool) {
	const signatureBytes = 12
	const headerBytes = 8 // name and length
	chunks = []chunk{{raw: bytes.Clone(data[:signatureBytes]), isRequired: true}}
	pos := signatureBytes
	for len(data)-pos >= headerBytes {
		size := int(binary.LittleEndian.Uint32(data[pos+4:]))
		end := pos + headerBytes + size + size%2
		if size < 0 || end > len(data) {
			break
		}
		c := chunk{name: string(data[pos : pos+4]), raw: data[pos:end], body: data[pos+headerBytes : pos+headerBytes+size]}
		c.isRequired = slices.Contains([]string{"VP8 ", "VP8L", "VP8X", "ALPH"}, c.name)
		if c.name == "VP8X" && size > 0 {
			const alphaFlag = 1 << 4
			c.raw = bytes.Clone(c.raw)
			c.raw[headerBytes] &= alphaFlag
		}
		chunks = append(chunks, c)
		pos = end
	}
	return chunks, pos == len(data)
}

// bytesPerPixelWebP accounts for the copies that decoding needs unless the picture is lossy and opaque.
func bytesPerPixelWebP(h header) float64 {
	isLossy := findChunk(h.chunks, "VP8 ") != nil && findChunk(h.chunks, "VP8L") == nil
	if isLossy && findChunk(h.chunks, "ALPH") == nil {
		return 2
	}
	return 10
}
