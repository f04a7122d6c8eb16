package tracks

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"slices"
	"strings"
)

// matroskaDecoder returns the decoder for a codec; nil if it is not text.
func matroskaDecoder(codec string) decoder {
	switch codec {
	case "S_TEXT/UTF8", "S_TEXT/ASCII", "S_TEXT/WEBVTT":
		return func(text []byte, at span, into *cues) error { return into.add(at, tagged(decoded(text))) }
	case "S_TEXT/ASS", "S_TEXT/SSA", "S_ASS", "S_SSA":
		return event
	case "D_WEBVTT/SUBTITLES", "D_WEBVTT/CAPTIONS":
		return webmVTT
	}
	return nil
}

// event decodes an event of SSA or ASS. Its ninth field is the text.
func event(block []byte, at span, into *cues) error {
	const text = 9
	fields := strings.SplitN(decoded(block), ",", text)
	if len(fields) < text {
		return nil
	}
	return into.add(at, scripted(fields[text-1]))
}

// webmVTT decodes a cue of older WebM files: a line with its name, one with its settings, and its text.
func webmVTT(block []byte, at span, into *cues) error {
	lines := strings.SplitN(decoded(block), "\n", 3)
	if len(lines) < 3 {
		return nil
	}
	return into.add(at, tagged(lines[2]))
}

// unpacker decompresses a block within the budget of the input.
type unpacker func(in *input, data []byte) ([]byte, error)

func unpackerFor(algorithm uint64, settings []byte) unpacker {
	switch algorithm {
	case 0:
		return inflated
	case 3: // header stripping: the blocks lack the bytes in the settings
		return func(_ *input, data []byte) ([]byte, error) { return slices.Concat(settings, data), nil }
	}
	return nil
}

func inflated(in *input, data []byte) ([]byte, error) {
	const maxInflated = 64 << 10
	if err := in.inflate(data); err != nil {
		return nil, fmt.Errorf("%w: %w", errCut, err)
	}
	text, err := io.ReadAll(io.LimitReader(in.inflater, maxInflated+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errCut, err)
	}
	if len(text) > maxInflated {
		return nil, errFull
	}
	return text, in.spend(int64(len(text)))
}

// inflate resets the inflater to the data. All blocks share one inflater, because it takes much more memory than a
// block.
func (in *input) inflate(data []byte) (err error) {
	if in.inflater == nil {
		in.inflater, err = zlib.NewReader(bytes.NewReader(data))
		return err
	}
	return in.inflater.(zlib.Resetter).Reset(bytes.NewReader(data), nil)
}

// matroskaReading is the reading of one track.
type matroskaReading struct {
	*matroska
	track   *matroskaTrack
	into    *cues
	cluster uint64 // time of the cluster in ticks
}

// read implements container.
func (m *matroska) read(number uint64, into *cues) error {
	m.scale = 1_000_000
	i := slices.IndexFunc(m.texts, func(t *matroskaTrack) bool { return t.number == number })
	r := &matroskaReading{matroska: m, track: m.texts[i], into: into}
	return m.walk(true, r.visit)
}

func (r *matroskaReading) visit(e element) error {
	switch e.id {
	case idInfo:
		return r.inside(e, func(e element) error {
			if e.id != idTimestampScale {
				return nil
			}
			return r.value(e, &r.scale)
		})
	case idTimestamp:
		return r.value(e, &r.cluster)
	case idSimpleBlock:
		return r.block(e, nil)
	case idBlockGroup:
		return r.group(e)
	}
	return nil
}

// group reads a block with its duration, which comes after it.
func (r *matroskaReading) group(e element) error {
	var block *element
	var duration *uint64
	err := r.inside(e, func(e element) error {
		switch e.id {
		case idBlock:
			block = &e
		case idBlockDuration:
			duration = new(uint64)
			return r.value(e, duration)
		}
		return nil
	})
	if err != nil || block == nil {
		return err
	}
	return r.block(*block, duration)
}

// block reads a block of the track: the track number, the time since the time of the cluster, flags, and the text.
func (r *matroskaReading) block(e element, duration *uint64) error {
	const maxHeader = 8 + 2 + 1
	head, err := r.at.read(e.from, min(maxHeader, e.to-e.from))
	if err != nil {
		return err
	}
	number, wide := vint(head, false)
	if wide == 0 || number != r.track.number {
		return nil
	}
	f := fields{data: head[wide:]}
	after, flags := int16(f.u16()), f.u8()
	const laced = 6
	if f.short || flags&laced != 0 {
		return nil
	}
	from := e.from + int64(wide) + 3
	data, err := r.sample(from, e.to-from)
	if err == nil && r.track.unpack != nil {
		data, err = r.track.unpack(r.input, data)
	}
	if err != nil {
		return err
	}
	at := span{r.seconds(float64(r.cluster) + float64(after)), -1}
	if duration != nil {
		at.to = at.from + r.seconds(float64(*duration))
	}
	return r.track.decode(data, at, r.into)
}

func (r *matroskaReading) seconds(ticks float64) float64 {
	return ticks * float64(r.scale) / 1e9
}
