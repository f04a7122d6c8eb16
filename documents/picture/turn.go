package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation is how a picture has to be turned, as Exif counts.
type orientation int

const upright orientation = 1

// orientationOf finds what the camera noted; upright where it did not, or nobody can read it.
func orientationOf(parts []part) orientation {
	for _, p := range parts {
		switch p.name {
		case string([]byte{app1}), "eXIf", "EXIF":
			body, isExif := bytes.CutPrefix(p.body, []byte("Exif\x00\x00"))
			if isExif || p.name != string([]byte{app1}) {
				return orientationIn(body)
			}
		}
	}
	return upright
}

// orientationIn looks into the first directory of Exif, which is a TIFF.
func orientationIn(tiff []byte) orientation {
	const header, entrySize, tag, short = 8, 12, 0x0112, 3
	if len(tiff) < header {
		return upright
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(tiff[:4]) == "II*\x00" {
		order = binary.LittleEndian
	} else if string(tiff[:4]) != "MM\x00*" {
		return upright
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return upright
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < entrySize {
			break
		}
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			return known(orientation(order.Uint16(entries[8:])))
		}
		entries = entries[entrySize:]
	}
	return upright
}

func known(o orientation) orientation {
	if o < upright || o > 8 {
		return upright
	}
	return o
}

// turned is the picture as it is to be seen.
func turned(m *image.RGBA, o orientation) *image.RGBA {
	if o == upright {
		return m
	}
	w, h := m.Rect.Dx(), m.Rect.Dy()
	size := image.Pt(w, h)
	if o >= 5 {
		size = image.Pt(h, w)
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	for y := range h {
		for x := range w {
			to := place(x, y, o, m.Rect.Max)
			copy(out.Pix[out.PixOffset(to.X, to.Y):][:4], m.Pix[m.PixOffset(x, y):])
		}
	}
	return out
}

// place is where a pixel goes: 1 to 4 turn and mirror, 5 to 8 make rows of columns besides.
func place(x, y int, o orientation, size image.Point) image.Point {
	left, top := size.X-1-x, size.Y-1-y
	return [...]image.Point{1: {x, y}, {left, y}, {left, top}, {x, top}, {y, x}, {top, x}, {top, left}, {y, left}}[o]
}
