package seals

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"portside/shared/core/audit"
)

// The limits of an object. They decide where a part ends. If they change between the write of an object and its record,
// the next run can report the object as differing, and continues.
const (
	maxEvents    = 5000
	maxEventText = 8 << 20 // of the lines of events; the one that exceeds it is the last one of the part
	maxLine      = 4 << 20 // an item has at most 400 KB, and JSON writes a byte with at most six
	maxObject    = maxEventText + 2*maxLine
)

const sealVersion = 1

// The kinds of lines, which are names of members.
const (
	headerLine    = "seal"
	eventLine     = "event"
	malformedLine = "item" // an event whose text is not the JSON of an event with its ID, which proves a change from outside
	endLine       = "end"
)

type header struct {
	Version  int    `json:"version"`
	Hour     string `json:"hour"`
	Part     int    `json:"part"`
	Previous string `json:"previous"` // hash of the last line of the object before; empty in the first object
}

type ending struct {
	Events int  `json:"events"`
	IsLast bool `json:"isLast"` // the hour has no further part
}

type malformedItem struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// line is a line of an object without its hash.
type line struct {
	number int
	kind   string
	text   string // JSON
}

func (l line) content() string { return fmt.Sprintf(`"line":%d,%q:%s}`, l.number, l.kind, l.text) }

// hashAfter returns the hash of the line after a line with the given hash.
func (l line) hashAfter(previous string) string {
	sum := sha256.Sum256([]byte(previous + l.content()))
	return hex.EncodeToString(sum[:])
}

// objectWriter writes the lines of an object.
type objectWriter struct {
	buffer    bytes.Buffer
	seal      Seal
	lines     int
	eventText int
}

func newObjectWriter(after Seal) *objectWriter {
	w := &objectWriter{seal: after.next()}
	w.seal.Hash = after.Hash
	w.addLine(headerLine, header{Version: sealVersion, Hour: w.seal.Hour.String(), Part: w.seal.Part, Previous: after.Hash})
	return w
}

// isFull reports whether the next event belongs to the next part.
func (w *objectWriter) isFull() bool {
	return w.events() == maxEvents || w.eventText >= maxEventText
}

func (w *objectWriter) events() int { return w.lines - 1 }

func (w *objectWriter) event(entry Entry) {
	before := w.buffer.Len()
	w.seal.Last = entry.ID
	if isPlain(entry) {
		w.addLine(eventLine, json.RawMessage(entry.Text))
	} else {
		w.addLine(malformedLine, malformedItem{ID: entry.ID, Text: entry.Text})
	}
	w.eventText += w.buffer.Len() - before
}

// isPlain reports whether the text of an entry is the JSON of an event with its ID, in one line.
func isPlain(entry Entry) bool {
	id, err := idIn(entry.Text)
	return err == nil && id == entry.ID && !strings.ContainsAny(entry.Text, "\r\n")
}

func idIn(text string) (string, error) {
	var event struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal([]byte(text), &event)
	return event.ID, err
}

// close returns the object and its seal.
func (w *objectWriter) close(isLast bool) ([]byte, Seal) {
	w.addLine(endLine, ending{Events: w.events(), IsLast: isLast})
	w.seal.IsLast = isLast
	return w.buffer.Bytes(), w.seal
}

// addLine writes a line. Encoding cannot fail for the types of form. The text of an event keeps every byte.
func (w *objectWriter) addLine(kind string, form any) {
	text, isRaw := form.(json.RawMessage)
	if !isRaw {
		text, _ = json.Marshal(form)
	}
	l := line{number: w.lines, kind: kind, text: string(text)}
	w.seal.Hash = l.hashAfter(w.seal.Hash)
	fmt.Fprintf(&w.buffer, `{"hash":"%s",%s`+"\n", w.seal.Hash, l.content())
	w.lines++
}

// errMalformed means that a line is not in the format that this package writes.
var errMalformed = errors.New("the line is not in the format of a sealed line")

// parseLine parses a line without its line break. It accepts only the bytes that objectWriter writes.
func parseLine(text string) (l line, hash string, err error) {
	rest, hasHash := strings.CutPrefix(text, `{"hash":"`)
	if !hasHash || len(rest) < hashDigits || !IsHash(rest[:hashDigits]) {
		return line{}, "", errMalformed
	}
	hash = rest[:hashDigits]
	rest, hasNumber := strings.CutPrefix(rest[hashDigits:], `","line":`)
	digits, rest, hasKind := strings.Cut(rest, `,"`)
	kind, rest, hasText := strings.Cut(rest, `":`)
	body, isClosed := strings.CutSuffix(rest, "}")
	number, err := strconv.ParseUint(digits, 10, 24)
	l = line{number: int(number), kind: kind, text: body}
	isComplete := hasNumber && hasKind && hasText && isClosed && err == nil
	if !isComplete || !json.Valid([]byte(body)) || text != `{"hash":"`+hash+`",`+l.content() {
		return line{}, "", errMalformed
	}
	return l, hash, nil
}

const hashDigits = 2 * sha256.Size

// IsHash reports whether a text has the form of a hash.
func IsHash(text string) bool {
	return len(text) == hashDigits && strings.Trim(text, "0123456789abcdef") == ""
}

// decodeLine decodes the text of a header, an end or a malformed item. It accepts only text that this package writes.
func decodeLine[T any](l line) (T, error) {
	var form T
	if err := json.Unmarshal([]byte(l.text), &form); err != nil {
		return form, errMalformed
	}
	if text, err := json.Marshal(form); err != nil || string(text) != l.text {
		return form, errMalformed
	}
	return form, nil
}

// sealedEvent is an event in an object.
type sealedEvent struct {
	ID          string
	Text        string
	IsMalformed bool // the text was not in the format of an event when it was sealed
}

func (l line) event() (sealedEvent, error) {
	switch l.kind {
	case eventLine:
		id, err := idIn(l.text)
		if err != nil {
			return sealedEvent{}, errMalformed
		}
		return sealedEvent{ID: id, Text: l.text}, nil
	case malformedLine:
		item, err := decodeLine[malformedItem](l)
		return sealedEvent{ID: item.ID, Text: item.Text, IsMalformed: true}, err
	}
	return sealedEvent{}, errMalformed
}

// lineReader reads the lines of an object.
type lineReader struct {
	reader *bufio.Reader
	left   int // bytes of the object that may follow
}

func newLineReader(content io.Reader) *lineReader {
	return &lineReader{reader: bufio.NewReader(content), left: maxObject}
}

// next returns a line without its line break. Errors: io.EOF after the last line, errMalformed for a line or an object
// that is too long or does not end with a line break.
func (r *lineReader) next() (string, error) {
	var text []byte
	for {
		part, err := r.reader.ReadSlice('\n')
		text = append(text, part...)
		r.left -= len(part)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(text) <= maxLine && r.left >= 0:
			continue
		case errors.Is(err, io.EOF) && len(text) == 0:
			return "", io.EOF
		case err == nil && len(text) <= maxLine && r.left >= 0:
			return string(text[:len(text)-1]), nil
		case err == nil || errors.Is(err, bufio.ErrBufferFull) || errors.Is(err, io.EOF):
			return "", errMalformed
		}
		return "", err
	}
}

// isInHour reports whether an ID belongs to the hour by the order of texts, as in Events. It does not check the form of
// the ID: the sealer seals all items, also those that the service did not write.
func isInHour(id string, hour Hour) bool {
	return id >= audit.FirstID(hour.Begin()) && id < audit.FirstID(hour.End())
}
