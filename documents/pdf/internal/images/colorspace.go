package images

import "image/color"

// maxPaletteColors is the size of the largest Indexed color space.
const maxPaletteColors = 256

// colorSpace converts samples to gray or to red, green and blue.
type colorSpace struct {
	samples    int    // per pixel: 1, 3 or 4
	palette    []byte // red, green and blue by index; nil if samples are levels
	isInverted bool   // high samples are dark
}

// colorSpace reads a color space (ISO 32000-1, 8.6). It returns nil for spaces that scans do not use.
func (r *Renderer) colorSpace(o any, depth int) *colorSpace {
	const maxDepth = 4
	if depth > maxDepth {
		return nil
	}
	family, elements := r.Objects.Name(o), r.Objects.Array(o)
	if len(elements) > 0 {
		family = r.Objects.Name(elements[0])
	}
	element := func(i int) any {
		if i < len(elements) {
			return elements[i]
		}
		return nil
	}
	switch family {
	case "DeviceGray", "G", "CalGray":
		return &colorSpace{samples: 1}
	case "DeviceRGB", "RGB", "CalRGB":
		return &colorSpace{samples: 3}
	case "DeviceCMYK", "CMYK":
		return &colorSpace{samples: 4}
	case "Separation":
		return &colorSpace{samples: 1, isInverted: true}
	case "ICCBased":
		return r.iccBased(element(1), depth)
	case "Indexed", "I":
		base := r.colorSpace(element(1), depth+1)
		return r.indexed(base, r.Objects.Int(element(2), 0), element(3))
	}
	return nil
}

// iccBased returns the device space with as many samples as an ICC profile.
func (r *Renderer) iccBased(profile any, depth int) *colorSpace {
	d := r.Objects.Dict(profile)
	switch n := r.Objects.Int(d["N"], 0); n {
	case 1, 3, 4:
		return &colorSpace{samples: n}
	}
	return r.colorSpace(d["Alternate"], depth+1)
}

// indexed returns an Indexed space. Missing colors at the end of the table are black.
func (r *Renderer) indexed(base *colorSpace, highest int, table any) *colorSpace {
	if base == nil || base.palette != nil {
		return nil
	}
	stored := r.Objects.Bytes(table)
	if s := r.Objects.Stream(table); s != nil {
		stored, _ = r.Decoder.Decode(s) // a truncated table is better than none
	}
	colors := min(max(highest, 0), maxPaletteColors-1) + 1
	samples := make([]byte, colors*base.samples)
	copy(samples, stored)
	space := &colorSpace{samples: 1, palette: make([]byte, 3*maxPaletteColors)}
	if base.channels() == 3 {
		base.convert(space.palette[:3*colors], samples)
		return space
	}
	gray := make([]byte, colors)
	base.convert(gray, samples)
	for i, level := range gray {
		fill(space.palette[3*i:3*i+3], level)
	}
	return space
}

// channels returns the bytes per pixel of converted rows.
func (c *colorSpace) channels() int {
	if c.samples == 1 && c.palette == nil {
		return 1
	}
	return 3
}

// convert converts a row of samples to pixels.
func (c *colorSpace) convert(row, samples []byte) {
	switch {
	case c.palette != nil:
		for i, s := range samples {
			copy(row[3*i:3*i+3], c.palette[3*int(s):])
		}
	case c.samples == 4:
		for i := 0; 4*i+3 < len(samples); i++ {
			row[3*i], row[3*i+1], row[3*i+2] = convertCMYK([4]byte(samples[4*i:]), c.isInverted)
		}
	default:
		copy(row, samples)
		if c.isInverted {
			for i := range row {
				row[i] = 255 - row[i]
			}
		}
	}
}

// convertCMYK converts cyan, magenta, yellow and black to red, green and blue.
func convertCMYK(ink [4]byte, isInverted bool) (r, g, b byte) {
	if isInverted {
		ink = [4]byte{255 - ink[0], 255 - ink[1], 255 - ink[2], 255 - ink[3]}
	}
	return color.CMYKToRGB(ink[0], ink[1], ink[2], ink[3])
}
