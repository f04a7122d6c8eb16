package tracks

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"portside/documents"
	"portside/documents/charset"
)

// lyrics are the texts in the tags of a sound file. Only texts with times count.
type lyrics struct {
	*input
	at  *window
	all []lyric
}

type lyric struct {
	track
	from, size int64
	decode     func(data []byte, into *cues) error
}

const maxLyricBytes = 1 << 20

// offer keeps a text if it has lines with times.
func (l *lyrics) offer(one lyric) error {
	if one.size > maxLyricBytes || len(l.all) >= maxTracks {
		return nil
	}
	one.number, one.isDefault = uint64(len(l.all)), true
	l.all = append(l.all, one)
	into := &cues{}
	err := l.read(one.number, into)
	if len(into.all) == 0 {
		l.all = l.all[:one.number]
	}
	if errors.Is(err, errFull) {
		return nil // reading it returns the error again
	}
	return err
}

// read implements container.
func (l *lyrics) read(number uint64, into *cues) error {
	one := l.all[number]
	data, err := l.sample(one.from, one.size)
	if err != nil {
		return err
	}
	return one.decode(data, into)
}

func (l *lyrics) list() []track {
	all := make([]track, len(l.all))
	for i, one := range l.all {
		all[i] = one.track
	}
	return all
}

// timedLines decodes lines such as "[01:02.50]text". A line may have several times.
func timedLines(text string, into *cues) error {
	for line := range strings.Lines(text) {
		var times []float64
		for {
			stamp, rest, closed := strings.Cut(line, "]")
			minutes, seconds, timed := strings.Cut(strings.TrimPrefix(strings.TrimSpace(stamp), "["), ":")
			m, ok := decimal(minutes)
			s, fine := decimal(seconds)
			if !closed || !timed || !ok || !fine || !strings.HasPrefix(strings.TrimSpace(line), "[") {
				break
			}
			times, line = append(times, m*60+s), rest
		}
		if len(times) == 0 {
			continue
		}
		words := documents.Clean(tagged(line)) // before the loop, because a long line may have many times
		for _, at := range times {
			if err := into.add(span{at, -1}, words); err != nil {
				return err
			}
		}
	}
	return nil
}

// id3 is a file that begins with an ID3v2.3 or v2.4 tag: MP3.
type id3 struct{ lyrics }

// tracks implements container.
func (t *id3) tracks() ([]track, error) {
	head, err := t.at.read(0, 10)
	if err != nil {
		return nil, err
	}
	const unsynchronised, extended = 0x80, 0x40
	version, flags, end := head[3], head[5], 10+int64(sevenBits(head[6:]))
	if version != 3 && version != 4 || flags&(unsynchronised|extended) != 0 {
		return nil, nil
	}
	for at := int64(10); at+10 <= min(end, t.source.Size); {
		size, err := t.frame(at, version)
		if size < 0 || err != nil {
			return t.list(), err
		}
		at += 10 + size
	}
	return t.list(), nil
}

// frame reads a frame and returns the size of its body; it is negative after the last frame.
func (t *id3) frame(at int64, version byte) (size int64, err error) {
	if err := t.step(); err != nil {
		return 0, err
	}
	head, err := t.at.read(at, 10)
	if err != nil {
		return 0, err
	}
	coded := head[9] != 0
	size = int64(binary.BigEndian.Uint32(head[4:]))
	if version == 4 {
		size = int64(sevenBits(head[4:]))
	}
	decode := map[string]func([]byte, *cues) error{"SYLT": synchronised, "USLT": untimed}[string(head[:4])]
	switch {
	case head[0] == 0:
		return -1, nil // padding
	case decode == nil || coded || size < 4:
		return size, nil
	}
	code, err := t.at.read(at+11, 3)
	if err != nil {
		return 0, err
	}
	language := strings.ToLower(string(code))
	return size, t.offer(lyric{track{language: language}, at + 10, size, decode})
}

// sevenBits returns a number of four bytes with seven bits each.
func sevenBits(b []byte) uint32 {
	return uint32(b[0]&127)<<21 | uint32(b[1]&127)<<14 | uint32(b[2]&127)<<7 | uint32(b[3]&127)
}

// untimed decodes USLT. It is meant for lyrics without times, but programs put lines with times there too.
func untimed(data []byte, into *cues) error {
	_, rest, ok := terminated(data[0], data[4:])
	if !ok {
		return nil
	}
	return timedLines(tagText(data[0], rest), into)
}

// synchronised decodes SYLT: words with the millisecond at which they begin. If there are line breaks, it joins the
// words of a line.
func synchronised(data []byte, into *cues) error {
	const milliseconds, sung, transcription = 2, 1, 2
	if len(data) < 6 || data[4] != milliseconds || data[5] != sung && data[5] != transcription {
		return nil
	}
	code := data[0]
	_, rest, ok := terminated(code, data[6:])
	lined := strings.Contains(tagText(code, rest), "\n")
	var line strings.Builder
	begin := 0.0
	for ok {
		var word []byte
		word, rest, ok = terminated(code, rest)
		if !ok || len(rest) < 4 {
			break
		}
		text, at := tagText(code, word), float64(binary.BigEndian.Uint32(rest))/1000
		rest = rest[4:]
		if lined && line.Len() > 0 && !strings.HasPrefix(text, "\n") {
			line.WriteString(text)
			continue
		}
		if err := into.add(span{begin, at}, line.String()); err != nil {
			return err
		}
		line.Reset()
		line.WriteString(text)
		begin = at
	}
	return into.add(span{begin, -1}, line.String())
}

// terminated splits data at the zero that ends a text in the encoding.
func terminated(code byte, data []byte) (text, rest []byte, ok bool) {
	const utf16Marked, utf16Big = 1, 2
	if code != utf16Marked && code != utf16Big {
		return bytes.Cut(data, []byte{0})
	}
	for i := 0; i+1 < len(data); i += 2 {
		if data[i] == 0 && data[i+1] == 0 {
			return data[:i], data[i+2:], true
		}
	}
	return nil, nil, false
}

// tagText decodes a text by the encoding that the tag declares.
func tagText(code byte, data []byte) string {
	switch {
	case code == 0:
		return charset.Convert(data, charmap.ISO8859_1)
	case code == 2:
		return charset.Convert(data, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM))
	case code == 3 && utf8.Valid(data):
		return string(data)
	}
	return decoded(data)
}

// flac is a FLAC file. Its comments may have lyrics.
type flac struct{ lyrics }

// tracks implements container.
func (t *flac) tracks() ([]track, error) {
	for at := int64(4); ; {
		if err := t.step(); err != nil {
			return t.list(), err
		}
		head, err := t.at.read(at, 4)
		if err != nil {
			return t.list(), err
		}
		const lastFlag, comments = 0x80, 4
		kind, size := head[0], int64(number(head[1:4]))
		at += 4
		if kind&^lastFlag == comments {
			err = t.comments(at, at+size)
		}
		if kind&lastFlag != 0 || err != nil {
			return t.list(), err
		}
		at += size
	}
}

// comments keeps the comments with lyrics.
func (t *flac) comments(at, end int64) error {
	at, _, err := t.comment(at, 0) // the name of the encoder
	if err != nil {
		return err
	}
	for at += 4; at+4 <= min(end, t.source.Size); {
		next, name, err := t.comment(at, len("UNSYNCEDLYRICS="))
		if err != nil {
			return err
		}
		name, _, named := strings.Cut(strings.ToUpper(name), "=")
		if named && (name == "LYRICS" || name == "SYNCEDLYRICS" || name == "UNSYNCEDLYRICS") {
			from := at + 4 + int64(len(name)) + 1
			if err := t.offer(lyric{track{}, from, next - from, plainLines}); err != nil {
				return err
			}
		}
		at = next
	}
	return nil
}

func plainLines(data []byte, into *cues) error { return timedLines(decoded(data), into) }

// comment returns the place of the next comment, and the first bytes of this one.
func (t *flac) comment(at int64, first int) (next int64, head string, err error) {
	if err := t.step(); err != nil {
		return 0, "", err
	}
	size, err := t.at.read(at, 4)
	if err != nil {
		return 0, "", err
	}
	length := int64(binary.LittleEndian.Uint32(size))
	data, err := t.at.read(at+4, min(length, int64(first)))
	return at + 4 + length, string(data), err
}
