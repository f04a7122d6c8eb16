package pdf

// colors knows what the samples of a picture look like.
type colors struct {
	samples  int    // of a pixel: 1, 3 or 4
	palette  []byte // red, green, blue of each number; nil: samples are levels
	inverted bool   // high is dark
}

// colors reads a colour space; nil for those that pages of text are not scanned in.
func (f *file) colors(o any, depth int) *colors {
	if depth > 4 {
		return nil
	}
	named, parts := f.name(o), f.array(o)
	if len(parts) > 0 {
		named = f.name(parts[0])
	}
	part := func(i int) any {
		if i < len(parts) {
			return parts[i]
		}
		return nil
	}
	switch named {
	case "DeviceGray", "G", "CalGray":
		return &colors{samples: 1}
	case "DeviceRGB", "RGB", "CalRGB":
		return &colors{samples: 3}
	case "DeviceCMYK", "CMYK":
		return &colors{samples: 4}
	case "Separation":
		return &colors{samples: 1, inverted: true}
	case "ICCBased":
		return f.profiled(f.dict(part(1)), depth)
	case "Indexed", "I":
		return f.indexed(f.colors(part(1), depth+1), int(f.number(part(2), 0)), part(3))
	}
	return nil
}

// profiled takes a profile for the plain space of as many samples.
func (f *file) profiled(d dict, depth int) *colors {
	switch n := int(f.number(d["N"], 0)); n {
	case 1, 3, 4:
		return &colors{samples: n}
	}
	return f.colors(d["Alternate"], depth+1)
}

func (f *file) indexed(base *colors, highest int, table any) *colors {
	if base == nil || base.palette != nil {
		return nil
	}
	given := f.bytes(table)
	if s := f.stream(table); s != nil {
		given, _ = f.decode(s) // a table that is cut short is black at its end
	}
	count := min(max(highest, 0), 255) + 1
	levels := make([]byte, count*base.samples)
	copy(levels, given)
	made := &colors{samples: 1, palette: make([]byte, 3*256)}
	if base.channels() == 3 {
		base.paint(made.palette[:3*count], levels)
		return made
	}
	gray := make([]byte, count)
	base.paint(gray, levels)
	for i, level := range gray {
		fill(made.palette[3*i:3*i+3], level)
	}
	return made
}

// channels is how many bytes a pixel is painted with.
func (c *colors) channels() int {
	if c.samples == 1 && c.palette == nil {
		return 1
	}
	return 3
}

// paint makes pixels of a row of samples.
func (c *colors) paint(row, samples []byte) {
	switch {
	case c.palette != nil:
		for i, s := range samples {
			copy(row[3*i:3*i+3], c.palette[3*int(s):])
		}
	case c.samples == 4:
		for i := 0; 4*i+3 < len(samples); i++ {
			row[3*i], row[3*i+1], row[3*i+2] = inks([4]byte(samples[4*i:]), c.inverted)
		}
	default:
		copy(row, samples)
		if c.inverted {
			for i := range row {
				row[i] = 255 - row[i]
			}
		}
	}
}
