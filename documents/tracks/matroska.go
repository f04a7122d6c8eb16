package tracks

import (
	"errors"
	"math/bits"
	"strings"
)

// matroska is a file of EBML elements: Matroska and WebM (RFC 9559).
//
// Segments and clusters are walked as if they were not there: their headers are stepped over, and their content lies between
// that of all others. So it does not matter where one ends whose size is not known, nor how they are nested.
type matroska struct {
	*walked
	at    *window
	scale uint64 // nanoseconds of a tick
	texts []*matroskaTrack
}

// The elements that are looked into.
const (
	idSegment        = 0x18538067
	idInfo           = 0x1549A966
	idTimestampScale = 0x2AD7B1
	idTracks         = 0x1654AE6B
	idTrackEntry     = 0xAE
	idTrackNumber    = 0xD7
	idCodec          = 0x86
	idLanguage       = 0x22B59C
	idLanguageTag    = 0x22B59D
	idFlagDefault    = 0x88
	idFlagEnabled    = 0xB9
	idFlagForced     = 0x55AA
	idFlagCommentary = 0x55AF
	idEncodings      = 0x6D80
	idEncoding       = 0x6240
	idEncodingScope  = 0x5032
	idEncodingType   = 0x5033
	idCompression    = 0x5034
	idAlgorithm      = 0x4254
	idSettings       = 0x4255
	idCluster        = 0x1F43B675
	idTimestamp      = 0xE7
	idSimpleBlock    = 0xA3
	idBlockGroup     = 0xA0
	idBlock          = 0xA1
	idBlockDuration  = 0x9B
)

// matroskaTrack is a track as its elements say.
type matroskaTrack struct {
	track
	decode  decoder
	unpack  unpacker
	disused bool
	tagged  bool // its language is a tag, which counts more than a code
}

// element is an element with its body. One of unknown size ends with the file.
type element struct {
	id       uint64
	from, to int64
	unknown  bool
}

// element reads an element's header. It ends where what it is in does, at the latest.
func (m *matroska) element(at, limit int64) (element, error) {
	if err := m.step(); err != nil {
		return element{}, err
	}
	head, err := m.at.read(at, min(12, limit-at))
	if err != nil {
		return element{}, err
	}
	id, n := vint(head, true)
	size, wide := vint(head[n:], false)
	if n == 0 || n > 4 || wide == 0 {
		return element{}, errCut
	}
	e := element{id: id, from: at + int64(n+wide), unknown: size == 1<<(7*wide)-1}
	e.to = e.from + int64(min(size, uint64(limit-e.from))) //nolint:gosec // of 56 bits, and within the file
	return e, nil
}

// vint reads a number that tells its own width, with the mark of that or without; width 0 where there is none.
func vint(data []byte, marked bool) (n uint64, width int) {
	if len(data) == 0 {
		return 0, 0
	}
	width = bits.LeadingZeros8(data[0]) + 1
	if width > 8 || width > len(data) {
		return 0, 0
	}
	n = number(data[:width])
	if !marked {
		n &^= 1 << (7 * width)
	}
	return n, width
}

// inside visits the elements of another.
func (m *matroska) inside(e element, visit func(element) error) error {
	if e.unknown {
		return errCut
	}
	for at := e.from; at < e.to; {
		child, err := m.element(at, e.to)
		if err == nil {
			err = visit(child)
		}
		if err != nil {
			return err
		}
		at = child.to
	}
	return nil
}

// errFound ends a walk early.
var errFound = errors.New("found")

// walk visits the elements of the file, of its segments and, where they are to be, of its clusters.
func (m *matroska) walk(clusters bool, visit func(element) error) error {
	for at := int64(0); at < m.source.Size; {
		e, err := m.element(at, m.source.Size)
		if err != nil {
			return err
		}
		if e.id == idSegment || e.id == idCluster && (clusters || e.unknown) {
			at = e.from
			continue
		}
		if e.unknown {
			return errCut
		}
		if err := visit(e); err != nil {
			return err
		}
		at = e.to
	}
	return nil
}

// tracks implements container.
func (m *matroska) tracks() ([]track, error) {
	err := m.walk(false, func(e element) error {
		if e.id != idTracks {
			return nil
		}
		if err := m.inside(e, m.entry); err != nil {
			return err
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	all := make([]track, len(m.texts))
	for i, t := range m.texts {
		all[i] = t.track
	}
	return all, err
}

// entry notes a track if it is of text that can be read.
func (m *matroska) entry(e element) error {
	if e.id != idTrackEntry {
		return nil
	}
	t := &matroskaTrack{track: track{shown: true, language: "en"}}
	err := m.inside(e, func(e element) error { return m.property(e, t) })
	if err == nil && t.decode != nil && !t.disused && len(m.texts) < mostTracks {
		m.texts = append(m.texts, t)
	}
	return err
}

// property reads what is said of a track.
func (m *matroska) property(e element, t *matroskaTrack) error {
	if e.id == idEncodings {
		return m.inside(e, func(e element) error { return m.encoding(e, t) })
	}
	const longest = 64
	data, err := m.at.read(e.from, min(e.to-e.from, longest))
	if err != nil {
		return err
	}
	text, _, _ := strings.Cut(string(data), "\x00")
	switch e.id {
	case idTrackNumber:
		t.number = number(data)
	case idCodec:
		t.decode = matroskaDecoder(text)
	case idLanguage:
		if !t.tagged {
			t.language = text
		}
	case idLanguageTag:
		t.language, t.tagged = text, true
	case idFlagDefault:
		t.shown = number(data) != 0
	case idFlagEnabled:
		t.disused = number(data) == 0
	case idFlagForced, idFlagCommentary:
		t.partial = t.partial || number(data) != 0
	}
	return nil
}

// encoding notes how a track is compressed. What cannot be undone makes it one that is not read.
func (m *matroska) encoding(e element, t *matroskaTrack) error {
	if e.id != idEncoding {
		return nil
	}
	code := struct{ scope, kind, algorithm uint64 }{scope: 1}
	var settings []byte
	err := m.inside(e, func(e element) error {
		switch e.id {
		case idEncodingScope:
			return m.value(e, &code.scope)
		case idEncodingType:
			return m.value(e, &code.kind)
		case idCompression:
			return m.inside(e, func(e element) error { return m.compression(e, &code.algorithm, &settings) })
		}
		return nil
	})
	if err != nil || code.scope&1 == 0 { // not of the blocks
		return err
	}
	once := t.unpack == nil
	t.unpack = unpackerFor(code.algorithm, settings)
	t.disused = t.disused || !once || code.kind != 0 || t.unpack == nil
	return nil
}

func (m *matroska) compression(e element, algorithm *uint64, settings *[]byte) error {
	switch e.id {
	case idAlgorithm:
		return m.value(e, algorithm)
	case idSettings:
		const most = 1 << 10
		data, err := m.at.read(e.from, min(e.to-e.from, most))
		*settings = append([]byte(nil), data...)
		return err
	}
	return nil
}

// value reads a number.
func (m *matroska) value(e element, into *uint64) error {
	data, err := m.at.read(e.from, min(e.to-e.from, 8))
	if err == nil {
		*into = number(data)
	}
	return err
}
