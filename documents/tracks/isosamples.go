package tracks

import (
	"slices"
)

// read implements container. It reads the samples in the tables of the track, then those in fragments.
func (m *iso) read(number uint64, into *cues) error {
	i := slices.IndexFunc(m.texts, func(t *isoTrack) bool { return t.number == number })
	r := &isoReading{iso: m, track: m.texts[i], into: into}
	if err := r.listed(); err != nil {
		return err
	}
	if len(m.runs) == 0 { // there are no fragments
		return nil
	}
	return m.inside(0, m.source.Size, func(b box) error {
		if b.kind != "moof" {
			return nil
		}
		return m.inside(b.from, b.to, func(traf box) error {
			if traf.kind != "traf" {
				return nil
			}
			return r.fragment(traf, b.start)
		})
	})
}

// isoReading reads one track.
type isoReading struct {
	*iso
	track *isoTrack
	into  *cues
	now   uint64 // time of the next sample, in units of the track
}

// sample reads the next sample.
func (r *isoReading) sample(at, size int64, duration uint64) error {
	if err := r.step(); err != nil {
		return err
	}
	from := r.seconds(r.now)
	r.now += duration
	if size == 0 {
		return nil
	}
	data, err := r.input.sample(at, size)
	if err != nil {
		return err
	}
	return r.track.decode(data, span{from, r.seconds(r.now)}, r.into)
}

// seconds converts a time of the track to a time of the movie.
func (r *isoReading) seconds(units uint64) float64 {
	t := r.track
	at := (float64(units) - float64(t.begin)) / float64(t.timeScale)
	if r.movieTime > 0 {
		at += float64(t.empty) / float64(r.movieTime)
	}
	return at
}

// listed reads the samples in the tables, chunk by chunk.
func (r *isoReading) listed() error {
	tables, err := r.newTables()
	if err != nil {
		return err
	}
	for chunk := int64(0); chunk < tables.offsets.count && !tables.done(); chunk++ {
		if err := r.chunk(tables, chunk); err != nil {
			return err
		}
	}
	return nil
}

func (r *isoReading) chunk(tables *isoTables, chunk int64) error {
	if err := r.step(); err != nil {
		return err
	}
	at, err := tables.offsets.number(chunk)
	if err != nil {
		return err
	}
	n, err := tables.inChunk(chunk + 1)
	for ; err == nil && n > 0 && !tables.done(); n-- {
		var size, duration int64
		size, duration, err = tables.next()
		if err == nil {
			err = r.sample(at, size, uint64(duration))
		}
		at += size
	}
	return err
}
