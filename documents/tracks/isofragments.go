package tracks

import "math/bits"

// isoRun is what holds for the samples of a track's fragments unless these say otherwise.
type isoRun struct {
	lasts, size uint32
}

// defaults notes those of a track.
func (m *iso) defaults(b box) error {
	f, err := m.head(b, 24)
	if b.kind != "trex" || err != nil {
		return err
	}
	f.u32()
	number := uint64(f.u32())
	f.u32()
	run := isoRun{f.u32(), f.u32()}
	if !f.short && len(m.runs) < 2*mostTracks {
		m.runs[number] = run
	}
	return nil
}

// isoFragment is the part of a track that is in one fragment.
type isoFragment struct {
	isoRun
	base int64 // what the places of samples count from
	next int64 // where the next sample is, unless it is told
	ours bool  // it is of the track that is read
}

// fragment reads what a fragment has of the track; moof is where that begins.
func (r *isoReading) fragment(traf box, moof int64) error {
	part := &isoFragment{base: moof, next: moof}
	return r.inside(traf.from, traf.to, func(b box) error {
		switch {
		case b.kind == "tfhd":
			return r.fragmentHeader(b, part)
		case b.kind == "tfdt" && part.ours:
			f, err := r.head(b, 12)
			if err == nil {
				r.now = f.wide(f.u32()>>24 == 1)
			}
			return err
		case b.kind == "trun" && part.ours:
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
	part.ours, part.isoRun = id == r.track.number, r.runs[id]
	if flags&hasBase != 0 {
		part.base = int64(f.u64()) //nolint:gosec // what is negative is refused where it is read
		part.next = part.base
	}
	if flags&hasDescription != 0 {
		f.u32()
	}
	if flags&hasDuration != 0 {
		part.lasts = f.u32()
	}
	if flags&hasSize != 0 {
		part.size = f.u32()
	}
	return nil
}

// What a run of samples says of itself, by flags.
const (
	runOffset   = 1
	runFirst    = 4
	runDuration = 0x100
	runSize     = 0x200
	runEach     = 0xf00 // all that each sample has
)

// run reads samples that lie one behind the other.
func (r *isoReading) run(b box, part *isoFragment) error {
	f, err := r.head(b, 16)
	if err != nil {
		return err
	}
	flags, count, header := f.u32(), int64(f.u32()), int64(8)
	if flags&runOffset != 0 {
		part.next = part.base + int64(int32(f.u32())) //nolint:gosec // a signed number of 32 bits
		header += 4
	}
	if flags&runFirst != 0 {
		header += 4
	}
	width := int64(4 * bits.OnesCount32(flags&runEach))
	if width > 0 {
		count = min(count, (b.to-b.from-header)/width)
	}
	rows := isoTable{r.walked, r.window(), b.from + header, width, count}
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
	lasts, size := part.lasts, part.size
	if flags&runDuration != 0 {
		lasts = row.u32()
	}
	if flags&runSize != 0 {
		size = row.u32()
	}
	at := part.next
	part.next += int64(size)
	return r.sample(at, int64(size), uint64(lasts))
}
