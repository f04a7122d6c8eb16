package tracks

// isoTable is an array in a box. It is read entry by entry, because a hostile file may claim any length.
type isoTable struct {
	*input
	at    *window
	from  int64
	width int64
	count int64 // entries that the box has room for
}

// table returns the table of a box. The header before it ends with the number of entries.
func (m *iso) table(b box, header, width int64) (isoTable, error) {
	if b.to-b.from < header {
		return isoTable{}, nil
	}
	f, err := m.head(b, header)
	if err != nil {
		return isoTable{}, err
	}
	f.take(int(header) - 4)
	count := min(int64(f.u32()), (b.to-b.from-header)/width)
	return isoTable{m.input, m.window(), b.from + header, width, count}, nil
}

func (t *isoTable) entry(i int64) (*fields, error) {
	data, err := t.at.read(t.from+i*t.width, t.width)
	return &fields{data: data}, err
}

// number returns an entry that is one number. It returns errCut if no file is that large.
func (t *isoTable) number(i int64) (int64, error) {
	f, err := t.entry(i)
	if err != nil {
		return 0, err
	}
	n := int64(number(f.data))
	if n < 0 {
		return 0, errCut
	}
	return n, nil
}

// isoTables are the tables that list the samples of a track. They are read in parallel.
type isoTables struct {
	offsets, sizes, times, chunks isoTable

	size      int64 // of every sample; 0 if sizes has the size of each
	index     int64 // of the next sample
	samples   int64
	timeRun   int64 // index of the next entry of times
	timesLeft uint32
	duration  uint32
	chunkRun  int64 // index of the entry of chunks for the current chunk
}

func (r *isoReading) newTables() (*isoTables, error) {
	t, tables := r.track, &isoTables{}
	width := int64(4)
	if t.offsets.kind == "co64" {
		width = 8
	}
	var err error
	if tables.offsets, err = r.table(t.offsets, 8, width); err != nil {
		return nil, err
	}
	if tables.times, err = r.table(t.times, 8, 8); err != nil {
		return nil, err
	}
	if tables.chunks, err = r.table(t.chunks, 8, 12); err != nil {
		return nil, err
	}
	return tables, r.sizes(tables)
}

// sizes reads the header of stsz, or of stz2, which has the number of bits of each size.
func (r *isoReading) sizes(tables *isoTables) error {
	b := r.track.sizes
	if b.to-b.from < 12 {
		return nil
	}
	f, err := r.head(b, 12)
	if err != nil {
		return err
	}
	f.u32()
	size, width := int64(f.u32()), int64(4)
	tables.samples = int64(f.u32())
	if b.kind == "stz2" {
		size, width = 0, size&0xff/8
	}
	if width == 0 {
		return errCut
	}
	tables.sizes, err = r.table(b, 12, width)
	if tables.size = size; size == 0 {
		tables.samples = tables.sizes.count
	}
	return err
}

func (t *isoTables) done() bool { return t.index >= t.samples }

// next returns the size and the duration of the next sample.
func (t *isoTables) next() (size, duration int64, err error) {
	if size = t.size; size == 0 {
		if size, err = t.sizes.number(t.index); err != nil {
			return 0, 0, err
		}
	}
	t.index++
	for t.timesLeft == 0 && t.timeRun < t.times.count {
		f, err := t.times.entry(t.timeRun)
		if err == nil {
			err = t.times.step()
		}
		if err != nil {
			return 0, 0, err
		}
		t.timesLeft, t.duration = f.u32(), f.u32()
		t.timeRun++
	}
	if t.timesLeft > 0 {
		t.timesLeft--
	}
	return size, int64(t.duration), nil
}

// inChunk returns the number of samples in a chunk. Chunks count from 1, and must be asked for in order.
func (t *isoTables) inChunk(chunk int64) (int64, error) {
	for t.chunkRun+1 < t.chunks.count {
		f, err := t.chunks.entry(t.chunkRun + 1)
		if err == nil {
			err = t.chunks.step()
		}
		if err != nil {
			return 0, err
		}
		if int64(f.u32()) > chunk {
			break
		}
		t.chunkRun++
	}
	if t.chunks.count == 0 {
		return 0, nil
	}
	f, err := t.chunks.entry(t.chunkRun)
	if err != nil {
		return 0, err
	}
	f.u32()
	return int64(f.u32()), nil
}
