package tracks

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// iso is a file of boxes: MP4, M4A, QuickTime (ISO/IEC 14496-12).
type iso struct {
	*input
	at        *window
	movieTime uint32 // time units per second of the movie, in which edits count
	texts     []*isoTrack
	chapters  []uint64 // numbers of tracks that hold chapters of others
	runs      map[uint64]isoRun
}

// isoBeginnings are the boxes that may begin such a file. The oldest QuickTime files have no ftyp box.
var isoBeginnings = []string{"ftyp", "moov", "mdat", "wide", "free", "skip", "pnot", "styp"}

// isoTrack is a text track with what reading it needs.
type isoTrack struct {
	track
	decode    decoder
	timeScale uint32
	empty     uint64 // pause before the track begins, in units of the movie
	begin     int64  // time in the track at which it begins, in units of the track

	times, chunks, sizes, offsets box
}

// box is a box with the place of its body.
type box struct {
	kind     string
	from, to int64
	start    int64 // of the header
}

// inside visits the boxes between two places.
func (m *iso) inside(from, to int64, visit func(box) error) error {
	const header = 8
	for at := from; at <= to-header; {
		b, err := m.box(at, to)
		if err == nil {
			err = visit(b)
		}
		if err != nil {
			return err
		}
		at = b.to
	}
	return nil
}

// box reads the header of a box, which ends before the limit.
func (m *iso) box(at, limit int64) (box, error) {
	if err := m.step(); err != nil {
		return box{}, err
	}
	head, err := m.at.read(at, min(16, limit-at))
	if err != nil {
		return box{}, err
	}
	f := fields{data: head}
	size, kind, header := uint64(f.u32()), string(f.take(4)), int64(8)
	switch size {
	case 0:
		size = uint64(limit - at)
	case 1:
		size, header = f.u64(), 16
	}
	if f.short || size < uint64(header) {
		return box{}, errCut
	}
	size = min(size, uint64(limit-at))
	return box{kind, at + header, at + int64(size), at}, nil
}

// head returns the first n bytes of a box, or all if it is shorter.
func (m *iso) head(b box, n int64) (*fields, error) {
	data, err := m.at.read(b.from, min(n, b.to-b.from))
	return &fields{data: data}, err
}

// tracks implements container.
func (m *iso) tracks() ([]track, error) {
	found := false
	err := m.inside(0, m.source.Size, func(b box) error {
		if b.kind != "moov" || found {
			return nil
		}
		found = true
		return m.movie(b)
	})
	m.texts = slices.DeleteFunc(m.texts, func(t *isoTrack) bool { return slices.Contains(m.chapters, t.number) })
	all := make([]track, len(m.texts))
	for i, t := range m.texts {
		all[i] = t.track
	}
	return all, err
}

func (m *iso) movie(b box) error {
	m.runs = map[uint64]isoRun{}
	return m.inside(b.from, b.to, func(b box) error {
		switch b.kind {
		case "mvhd":
			return m.movieHeader(b)
		case "trak":
			return m.trak(b)
		case "mvex":
			return m.inside(b.from, b.to, m.defaults)
		}
		return nil
	})
}

func (m *iso) movieHeader(b box) error {
	f, err := m.head(b, 24)
	if err != nil {
		return err
	}
	eight := f.u32()>>24 == 1
	f.wide(eight)
	f.wide(eight)
	m.movieTime = f.u32()
	return nil
}

// trak keeps a track if it is a text track that is not damaged.
func (m *iso) trak(b box) error {
	t := &isoTrack{}
	err := m.inside(b.from, b.to, func(b box) error {
		switch b.kind {
		case "tkhd":
			return m.trackHeader(b, t)
		case "tref":
			return m.inside(b.from, b.to, m.reference)
		case "edts":
			return m.inside(b.from, b.to, func(b box) error { return m.edits(b, t) })
		case "mdia":
			return m.inside(b.from, b.to, func(b box) error { return m.mediaBox(b, t) })
		}
		return nil
	})
	if errors.Is(err, errCut) {
		return nil
	}
	if t.decode != nil && t.timeScale > 0 && len(m.texts) < maxTracks {
		m.texts = append(m.texts, t)
	}
	return err
}

func (m *iso) trackHeader(b box, t *isoTrack) error {
	f, err := m.head(b, 24)
	if err != nil {
		return err
	}
	flags := f.u32()
	eight := flags>>24 == 1
	f.wide(eight)
	f.wide(eight)
	t.isDefault, t.number = flags&1 != 0, uint64(f.u32())
	return nil
}

// reference keeps the numbers of the tracks that hold the chapters of this one.
func (m *iso) reference(b box) error {
	if b.kind != "chap" {
		return nil
	}
	f, err := m.head(b, 4*maxTracks)
	for err == nil && len(f.data) >= 4 && len(m.chapters) < maxTracks {
		m.chapters = append(m.chapters, uint64(f.u32()))
	}
	return err
}

// edits reads when the track begins in the movie. It ignores later cuts, which text tracks do not have.
func (m *iso) edits(b box, t *isoTrack) error {
	const maxEdits = 16
	f, err := m.head(b, 8+maxEdits*20)
	if b.kind != "elst" || err != nil {
		return err
	}
	eight := f.u32()>>24 == 1
	for n := f.u32(); n > 0 && !f.short; n-- {
		duration, begin := f.wide(eight), int64(f.wide(eight))
		if !eight {
			begin = int64(int32(begin))
		}
		f.u32() // the speed
		if f.short {
			return nil
		}
		if begin >= 0 {
			t.begin = begin
			return nil
		}
		t.empty += duration
	}
	return nil
}

// mediaBox reads a box in mdia.
func (m *iso) mediaBox(b box, t *isoTrack) error {
	switch b.kind {
	case "mdhd":
		return m.mediaHeader(b, t)
	case "elng":
		f, err := m.head(b, 40)
		f.u32()
		t.language, _, _ = strings.Cut(string(f.data), "\x00")
		return err
	case "minf":
		return m.inside(b.from, b.to, func(b box) error {
			if b.kind != "stbl" {
				return nil
			}
			return m.inside(b.from, b.to, func(b box) error { return m.sampleBox(b, t) })
		})
	}
	return nil
}

func (m *iso) mediaHeader(b box, t *isoTrack) error {
	f, err := m.head(b, 36)
	if err != nil {
		return err
	}
	eight := f.u32()>>24 == 1
	f.wide(eight)
	f.wide(eight)
	t.timeScale = f.u32()
	f.wide(eight)
	t.language = cmp.Or(t.language, isoLanguage(f.u16()))
	return nil
}

// isoLanguage returns the language of a code: three packed letters, or a number in old QuickTime files.
func isoLanguage(code uint16) string {
	const letters, last = 0x400, 0x7fff
	if code >= letters && code != last {
		return string([]byte{byte(code>>10&31) + '`', byte(code>>5&31) + '`', byte(code&31) + '`'})
	}
	macLanguages := []string{"en", "fr", "de", "it", "nl", "sv", "es", "da", "pt"}
	if int(code) < len(macLanguages) {
		return macLanguages[code]
	}
	return "und"
}

// sampleBox reads a box in stbl.
func (m *iso) sampleBox(b box, t *isoTrack) error {
	switch b.kind {
	case "stsd":
		return m.description(b, t)
	case "stts":
		t.times = b
	case "stsc":
		t.chunks = b
	case "stsz", "stz2":
		t.sizes = b
	case "stco", "co64":
		t.offsets = b
	}
	return nil
}

// description reads the format of the samples. The first description applies to all samples.
func (m *iso) description(b box, t *isoTrack) error {
	f, err := m.head(b, 28)
	if err != nil {
		return err
	}
	f.take(12) // version, number of descriptions, size of the first one
	kind := string(f.take(4))
	t.decode = map[string]decoder{
		"tx3g": timedText, "text": timedText, "wvtt": boxedVTT, "stpp": timedXML, "dfxp": timedXML,
	}[kind]
	f.take(8)
	const allForced = 1 << 31
	t.isPartial = kind == "tx3g" && f.u32()&allForced != 0
	return nil
}
