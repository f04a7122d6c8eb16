package picture

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Markers of JPEG.
const (
	firstSegment = 0xc0
	firstRestart = 0xd0
	lastRestart  = 0xd7
	startOfImage = 0xd8
	endOfImage   = 0xd9
	startOfScan  = 0xda
	app0         = 0xe0
	app1         = 0xe1
	app14        = 0xee
	app15        = 0xef
	comment      = 0xfe
)

// splitJPEG takes the segments apart, up to the end of the image: cameras put more behind it. Not needed are comments and what
// applications wrote, but for what says how colours are meant.
func splitJPEG(head []byte) (parts []part, whole bool) {
	parts = []part{{raw: head[:2], keep: true}}
	for at := 2; len(head)-at >= 2 && head[at] == 0xff; {
		marker := head[at+1]
		if marker == 0xff { // padding
			at++
			continue
		}
		if marker == endOfImage {
			return append(parts, part{raw: []byte{0xff, endOfImage}, keep: true}), true
		}
		if marker < firstSegment || marker >= firstRestart && marker <= startOfImage {
			break // no segments; a decoder may skip them, so that nobody knows any more what it sees
		}
		if len(head)-at < 4 {
			break
		}
		end := at + 2 + int(binary.BigEndian.Uint16(head[at+2:]))
		if end > len(head) || end < at+4 {
			break
		}
		p := part{name: string([]byte{marker}), body: head[at+4 : end]}
		if marker == startOfScan {
			end += scanned(head[end:])
		}
		p.raw, p.keep = head[at:end], marker <= app0 || marker == app14 || marker > app15 && marker != comment
		parts = append(parts, p)
		at = end
	}
	return parts, false
}

// scanned is how many bytes there are before the next marker. Within a scan, restarts and escaped bytes are none.
func scanned(data []byte) int {
	for at := 0; ; at++ {
		next := bytes.IndexByte(data[at:], 0xff)
		if next < 0 || at+next+1 >= len(data) {
			return len(data)
		}
		at += next
		if after := data[at+1]; after != 0 && (after < firstRestart || after > lastRestart) {
			return at
		}
	}
}

// takesJPEG reckons with the samples of a pixel, with coefficients of four bytes where several scans refine them, and with
// the copies that other colours than JPEG's own need.
func takesJPEG(f facts) float64 {
	const unknown = 4*(1+4) + 4 // no frame among the headers: the worst
	for _, p := range f.parts {
		if p.name >= "\xc0" && p.name <= "\xc2" && len(p.body) >= 6 && len(p.body) >= 6+3*int(p.body[5]) {
			perPixel := samples(p.body)
			if p.name == "\xc2" {
				perPixel *= 1 + 4
			}
			if p.body[5] == 4 || p.body[6] == 'R' || slices.ContainsFunc(f.parts, saysRGB) {
				perPixel += 4
			}
			return perPixel
		}
	}
	return unknown
}

// samples are those of a pixel, of all components: 3 where each has all, 1.5 where two have a quarter.
func samples(frame []byte) (perPixel float64) {
	mostAcross, mostDown, total := 1, 1, 0
	for i := range int(frame[5]) {
		across, down := int(frame[7+3*i]>>4), int(frame[7+3*i]&15)
		mostAcross, mostDown, total = max(mostAcross, across), max(mostDown, down), total+across*down
	}
	return float64(total) / float64(mostAcross*mostDown)
}

// saysRGB reports whether Adobe's segment says that the colours are no transformed ones.
func saysRGB(p part) bool {
	return p.name == string([]byte{app14}) && len(p.body) >= 12 && bytes.HasPrefix(p.body, []byte("Adobe")) && p.body[11] == 0
}
