package tracks

import "math/bits"

// isoRun has the defaults for the samples in the fragments of a track.
type isoRun struct {
	duration, size uint32
}

// defaults reads the defaults of a track.
func (m *iso) defaults(b box) error {
	f, err := m.head(b, 24)
	if b.kind != "trex" || err != nil {
		return err
	}
	f.u32()
	number := uint64(f.u32())
	f.u32()
	run := isoRun{f.u32(), f.u32()}
	if !f.short && len(m.runs) < 2*maxTracks {
		m.runs[number] = run
	}
	return nil
}

// isoFragment is the part of a track in one fragment.
type isoFragment struct {
	isoRun
	base     int64 // place in the file that offsets of samples count from
	next     int64 // place of the next sample
	isWanted bool  // it belongs to the track that is read
}

// fragment reads the samples of the track in a fragment that begins at moof.
func (r *isoReading) fragment(traf box, moof int64) error {
	part := &isoFragment{base: moof, next: moof}
	return r.inside(traf.from, traf.to, func(b box) error {
		switch {
		case b.kind == "tfhd":
			return r.fragmentHeader(b, part)
		case b.kind == "tfdt" && part.isWanted:
			f, err := r.head(b, 12)
			if err == nil {
				r.now = f.wide(f.u32()>>24 == 1)
			}
			return err
		case b.kind == "trun" && part.isWanted:
			return r.run(b, part)
		}
		return nil
	})
}

func (r *isoReading) fragmentHeader(b box, part *isoFragment) error {
	const hasBase, hasDescription, hasDuration, hasSize = 1, 2, 8, 16
	f, err := r.head(b, 28)
	if err != nil {
		return err
	}
	flags, id := f.u32(), uint64(f.u32())
	part.isWanted, part.isoRun = id == r.track.number, r.runs[id]
	if flags&hasBase != 0 {
		part.base = int64(f.u64())
		part.next = part.base
	}
	if flags&hasDescription != 0 {
		f.u32()
	}
	if flags&hasDuration != 0 {
		part.duration = f.u32()
	}
	if flags&hasSize != 0 {
		part.size = f.u32()
	}
	return nil
}

// Flags of a run of samples.
const (
	runOffset   = 1
	runFirst    = 4
	runDuration = 0x100
	runSize     = 0x200
	runEach     = 0xf00 // all fields of each sample
)

// run reads samples that follow each other.
func (r *isoReading) run(b box, part *isoFragment) error {
	f, err := r.head(b, 16)
	if err != nil {
		return err
	}
	flags, count, header := f.u32(), int64(f.u32()), int64(8)
	if flags&runOffset != 0 {
		part.next = part.base + int64(int32(f.u32()))
		header += 4
	}
	if flags&runFirst != 0 {
		header += 4
	}
	width := int64(4 * bits.OnesCount32(flags&runEach))
	if width > 0 {
		count = min(count, (b.to-b.from-header)/width)
	}
	rows := isoTable{r.input, r.window(), b.from + header, width, count}
	for i := range count {
		row, err := rows.entry(i)
		if err == nil {
			err = r.runSample(row, flags, part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *isoReading) runSample(row *fields, flags uint32, part *isoFragment) error {
	duration, size := part.duration, part.size
	if flags&runDuration != 0 {
		duration = row.u32()
	}
	if flags&runSize != 0 {
		size = row.u32()
	}
	at := part.next
	part.next += int64(size)
	return r.sample(at, int64(size), uint64(duration))
}
