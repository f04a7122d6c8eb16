package picture

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Markers of JPEG.
const (
	firstSegment   = 0xc0
	baselineFrame  = "\xc0"
	progressive    = "\xc2"
	firstRestart   = 0xd0
	lastRestart    = 0xd7
	startOfImage   = 0xd8
	endOfImage     = 0xd9
	startOfScan    = 0xda
	app0           = 0xe0
	app1           = 0xe1
	app14          = 0xee
	app15          = 0xef
	commentSegment = 0xfe
)

// splitJPEG splits a JPEG into segments up to the end of the image. Cameras append more data. It does not
// require comments and application segments, except those that determine the meaning of colors.
func splitJPEG(data []byte) (segments []chunk, isComplete bool) {
	segments = []chunk{{raw: data[:2], isRequired: true}}
	for pos := 2; len(data)-pos >= 2 && data[pos] == 0xff; {
		marker := data[pos+1]
		if marker == 0xff { // padding
			pos++
			continue
		}
		if marker == endOfImage {
			return append(segments, chunk{raw: []byte{0xff, endOfImage}, isRequired: true}), true
		}
		end, ok := segmentEnd(data, pos)
		if !ok {
			break
		}
		s := chunk{name: string([]byte{marker}), body: data[pos+4 : end]}
		if marker == startOfScan {
			end += scanBytes(data[end:])
		}
		isMetadata := marker > app0 && marker <= app15 && marker != app14 || marker == commentSegment
		s.raw, s.isRequired = data[pos:end], !isMetadata
		segments = append(segments, s)
		pos = end
	}
	return segments, false
}

// segmentEnd returns the end of the segment at a position. It reports false for a truncated segment, and for
// a marker without a segment: decoders may skip such markers, so their result is uncertain.
func segmentEnd(data []byte, pos int) (end int, ok bool) {
	const headerBytes = 4 // marker and length
	marker := data[pos+1]
	isBare := marker < firstSegment || marker >= firstRestart && marker <= startOfImage
	if isBare || len(data)-pos < headerBytes {
		return 0, false
	}
	end = pos + 2 + int(binary.BigEndian.Uint16(data[pos+2:]))
	return end, end >= pos+headerBytes && end <= len(data)
}

// scanBytes returns the length of the entropy-coded data in front of the next marker. Restart markers and
// escaped bytes are part of the data.
func scanBytes(data []byte) int {
	for pos := 0; ; pos++ {
		next := bytes.IndexByte(data[pos:], 0xff)
		if next < 0 || pos+next+1 >= len(data) {
			return len(data)
		}
		pos += next
		if after := data[pos+1]; after != 0 && (after < firstRestart || after > lastRestart) {
			return pos
		}
	}
}

// bytesPerPixelJPEG accounts for subsampling, for the coefficients that a progressive JPEG keeps, and for the
// copy that colors other than YCbCr need.
func bytesPerPixelJPEG(h header) float64 {
	const (
		coefficientBytes = 4
		copyBytes        = 4
		maximum          = 4*(1+coefficientBytes) + copyBytes // for a JPEG without a frame in its header
	)
	for _, s := range h.chunks {
		if !isFrame(s) {
			continue
		}
		n := samplesPerPixel(s.body)
		if s.name == progressive {
			n *= 1 + coefficientBytes
		}
		components, firstID := s.body[5], s.body[6]
		if components == 4 || firstID == 'R' || slices.ContainsFunc(h.chunks, declaresRGB) {
			n += copyBytes
		}
		return n
	}
	return maximum
}

// isFrame reports whether a segment is the header of a frame that package jpeg decodes.
func isFrame(s chunk) bool {
	return s.name >= baselineFrame && s.name <= progressive && len(s.body) >= 6 && len(s.body) >= 6+3*int(s.body[5])
}

// samplesPerPixel returns the samples of all components per pixel: 3 without subsampling, and 1.5 if two
// components have a quarter of the samples.
func samplesPerPixel(frame []byte) float64 {
	maxX, maxY, total := 1, 1, 0
	for i := range int(frame[5]) {
		x, y := int(frame[7+3*i]>>4), int(frame[7+3*i]&15)
		maxX, maxY, total = max(maxX, x), max(maxY, y), total+x*y
	}
	return float64(total) / float64(maxX*maxY)
}

// declaresRGB reports whether a segment of Adobe declares that the colors are not transformed.
func declaresRGB(s chunk) bool {
	return s.name == string([]byte{app14}) && len(s.body) >= 12 && bytes.HasPrefix(s.body, []byte("Adobe")) &&
		s.body[11] == 0
}
