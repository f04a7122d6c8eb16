package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation is the value of the Exif tag Orientation, from 1 to 8.
type orientation int

const (
	upright         orientation = 1
	firstTransposed orientation = 5 // from here on, rows and columns are exchanged
	lastOrientation orientation = 8
)

// findOrientation returns the orientation in the Exif data of a picture. Missing or invalid data mean
// upright.
func findOrientation(chunks []chunk) orientation {
	for _, c := range chunks {
		switch c.name {
		case string([]byte{app1}), "eXIf", "EXIF":
			body, hasPrefix := bytes.CutPrefix(c.body, []byte("Exif\x00\x00"))
			if hasPrefix || c.name != string([]byte{app1}) {
				return parseOrientation(body)
			}
		}
	}
	return upright
}

// parseOrientation looks for the tag in the first directory of Exif data, which have the structure of a
// TIFF.
func parseOrientation(tiff []byte) orientation {
	const headerBytes, entryBytes = 8, 12
	const orientationTag, shortType = 0x0112, 3
	if len(tiff) < headerBytes {
		return upright
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(tiff[:4]) == "II*\x00" {
		order = binary.LittleEndian
	} else if string(tiff[:4]) != "MM\x00*" {
		return upright
	}
	directory := uint64(order.Uint32(tiff[4:]))
	if directory+2 > uint64(len(tiff)) {
		return upright
	}
	entries := tiff[directory+2:]
	for range order.Uint16(tiff[directory:]) {
		if len(entries) < entryBytes {
			break
		}
		if order.Uint16(entries) == orientationTag && order.Uint16(entries[2:]) == shortType {
			return validOrientation(orientation(order.Uint16(entries[8:])))
		}
		entries = entries[entryBytes:]
	}
	return upright
}

func validOrientation(o orientation) orientation {
	if o < upright || o > lastOrientation {
		return upright
	}
	return o
}

// orient returns the picture upright.
func orient(m *image.RGBA, o orientation) *image.RGBA {
	if o == upright {
		return m
	}
	width, height := m.Rect.Dx(), m.Rect.Dy()
	size := image.Pt(width, height)
	if o >= firstTransposed {
		size = image.Pt(height, width)
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	for y := range height {
		for x := range width {
			to := destination(x, y, o, m.Rect.Max)
			copy(out.Pix[out.PixOffset(to.X, to.Y):][:4], m.Pix[m.PixOffset(x, y):])
		}
	}
	return out
}

// destination returns where a pixel is in the upright picture.
func destination(x, y int, o orientation, size image.Point) image.Point {
	mirroredX, mirroredY := size.X-1-x, size.Y-1-y
	return [...]image.Point{
		1: {x, y}, 2: {mirroredX, y}, 3: {mirroredX, mirroredY}, 4: {x, mirroredY},
		5: {y, x}, 6: {mirroredY, x}, 7: {mirroredY, mirroredX}, 8: {y, mirroredX},
	}[o]
}
