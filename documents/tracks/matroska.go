package tracks

import (
	"errors"
	"math/bits"
	"strings"
)

// matroska is a file of EBML elements: Matroska and WebM (RFC 9559).
//
// The reader steps over the headers of segments and clusters and reads their content as if it lay outside. So it need
// not know where one of unknown size ends, nor how they are nested.
type matroska struct {
	*input
	at    *window
	scale uint64 // nanoseconds per tick
	texts []*matroskaTrack
}

// IDs of the elements that are read.
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

// matroskaTrack is a text track with what reading it needs.
type matroskaTrack struct {
	track
	decode   decoder
	unpack   unpacker
	disabled bool // or in an encoding that is not supported
	hasTag   bool // its language is a BCP 47 tag, which takes precedence over a code
}

// element is an element with the place of its body. If its size is unknown, it ends with the file.
type element struct {
	id       uint64
	from, to int64
	unknown  bool
}

// element reads the header of an element, which ends before the limit.
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
	e.to = e.from + int64(min(size, uint64(limit-e.from)))
	return e, nil
}

// vint reads a number of variable width, with the bit that marks the width or without. It returns width 0 if the data
// has no number.
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

// inside visits the child elements.
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

// walk visits the elements of the file and its segments, and also of its clusters if these are wanted.
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

// entry keeps a track if it is a text track that can be read.
func (m *matroska) entry(e element) error {
	if e.id != idTrackEntry {
		return nil
	}
	t := &matroskaTrack{track: track{isDefault: true, language: "en"}}
	err := m.inside(e, func(e element) error { return m.property(e, t) })
	if err == nil && t.decode != nil && !t.disabled && len(m.texts) < maxTracks {
		m.texts = append(m.texts, t)
	}
	return err
}

// property reads a property of a track.
func (m *matroska) property(e element, t *matroskaTrack) error {
	if e.id == idEncodings {
		return m.inside(e, func(e element) error { return m.encoding(e, t) })
	}
	const maxBytes = 64
	data, err := m.at.read(e.from, min(e.to-e.from, maxBytes))
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
		if !t.hasTag {
			t.language = text
		}
	case idLanguageTag:
		t.language, t.hasTag = text, true
	case idFlagDefault:
		t.isDefault = number(data) != 0
	case idFlagEnabled:
		t.disabled = number(data) == 0
	case idFlagForced, idFlagCommentary:
		t.isPartial = t.isPartial || number(data) != 0
	}
	return nil
}

// encoding reads how a track is compressed. It disables the track if that is not supported.
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
	if err != nil || code.scope&1 == 0 { // does not apply to blocks
		return err
	}
	first := t.unpack == nil
	t.unpack = unpackerFor(code.algorithm, settings)
	t.disabled = t.disabled || !first || code.kind != 0 || t.unpack == nil
	return nil
}

func (m *matroska) compression(e element, algorithm *uint64, settings *[]byte) error {
	switch e.id {
	case idAlgorithm:
		return m.value(e, algorithm)
	case idSettings:
		const maxSettings = 1 << 10
		data, err := m.at.read(e.from, min(e.to-e.from, maxSettings))
		*settings = append([]byte(nil), data...)
		return err
	}
	return nil
}

// value reads a number into a variable.
func (m *matroska) value(e element, into *uint64) error {
	data, err := m.at.read(e.from, min(e.to-e.from, 8))
	if err == nil {
		*into = number(data)
	}
	return err
}
