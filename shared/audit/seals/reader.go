package seals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Problem is a kind of damage to an event, an object or the record of the newest seal.
type Problem string

// The problems.
const (
	Changed Problem = "changed"
	Added   Problem = "added"
	Removed Problem = "removed"
)

// damageError means that an object is not the next one of the chain.
type damageError struct {
	problem       Problem
	key           string      // of the damaged object
	at            Seal        // of the damaged object; has the fields read so far
	line          int         // the damaged line
	event         sealedEvent // that the line has, if it has one
	ofHeaderOrEnd bool        // the line is the header or the end
	ofObject      bool        // the damage is to the object, not to one of its lines
	isRewritten   bool        // the next object or the record has another hash: the object was written again
	reason        string
}

func (e *damageError) Error() string {
	if e.ofObject {
		return fmt.Sprintf("%s: %s", e.key, e.reason)
	}
	return fmt.Sprintf("%s, line %d: %s", e.key, e.line, e.reason)
}

// damagedObject returns the damage to a whole object.
func damagedObject(problem Problem, at Seal, reason string) *damageError {
	return &damageError{problem: problem, key: at.Key(), at: at, ofObject: true, reason: reason}
}

// objectReader reads the object after a seal, and checks that it continues the chain.
type objectReader struct {
	lines  *lineReader
	after  Seal
	seal   Seal // the seal that the reading has reached
	number int  // of the line that is read next, or being read
	events int
}

func newObjectReader(content io.Reader, after Seal) *objectReader {
	r := &objectReader{lines: newLineReader(content), after: after, seal: after.next()}
	r.seal.Hash = after.Hash
	if !after.IsLast {
		r.seal.Last = after.Last
	}
	return r
}

// next returns the next event. Errors: io.EOF after the last one, when the object is complete; *damageError.
func (r *objectReader) next() (sealedEvent, error) {
	if r.number == 0 {
		if err := r.header(); err != nil {
			return sealedEvent{}, err
		}
	}
	l, err := r.line()
	if err != nil {
		return sealedEvent{}, err
	}
	if l.kind == endLine {
		return sealedEvent{}, cmp.Or(r.end(l), io.EOF)
	}
	event, err := l.event()
	if err != nil {
		return sealedEvent{}, r.damaged(Changed, l, "it is not in the format of a sealed line")
	}
	if event.ID <= r.seal.Last || !isInHour(event.ID, r.seal.Hour) {
		return sealedEvent{}, r.damaged(Added, l, "the event does not belong after the event before it")
	}
	r.number++
	r.events++
	r.seal.Last = event.ID
	return event, nil
}

func (r *objectReader) header() error {
	l, hash, err := r.readLine()
	if err != nil {
		return err
	}
	h, err := decodeLine[header](l)
	isHeader := err == nil && l.kind == headerLine
	want := header{Version: sealVersion, Hour: r.seal.Hour.String(), Part: r.seal.Part, Previous: h.Previous}
	isHeader = isHeader && l.number == 0 && h == want
	if isHeader && h.Previous != r.after.Hash && hash == l.hashAfter(h.Previous) {
		return r.damagedPrevious()
	}
	if err := r.check(l, hash); err != nil {
		return err
	}
	if !isHeader || h.Previous != r.after.Hash {
		return r.damaged(Changed, l, "it is not the header of this object")
	}
	r.number++
	return nil
}

// damagedPrevious returns the damage to the object before, for an object whose header follows another hash.
func (r *objectReader) damagedPrevious() error {
	if r.after.Hash == "" {
		return damagedObject(Removed, Seal{Hour: r.after.Hour, Part: 1}, "the object is missing, or a later part of its hour")
	}
	d := damagedObject(Changed, r.after, "it ends with another hash than the one that the next object continues")
	d.isRewritten = true
	return d
}

// end checks the last line.
func (r *objectReader) end(l line) error {
	end, err := decodeLine[ending](l)
	if err != nil || end.Events != r.events {
		return r.damaged(Changed, l, "it is not the end of this object")
	}
	r.number++
	r.seal.IsLast = end.IsLast
	if r.events == 0 {
		r.seal.Last = ""
	}
	switch _, err := r.lines.next(); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil && !errors.Is(err, errMalformed):
		return err
	}
	return r.damaged(Added, line{}, "it follows the end of the object")
}

// line returns the next line, which continues the chain.
func (r *objectReader) line() (line, error) {
	l, hash, err := r.readLine()
	if err == nil {
		err = r.check(l, hash)
	}
	return l, err
}

func (r *objectReader) readLine() (l line, hash string, err error) {
	text, err := r.lines.next()
	switch {
	case errors.Is(err, io.EOF):
		return line{}, "", r.damaged(Removed, line{}, "the object ends before it")
	case errors.Is(err, errMalformed):
		return line{}, "", r.damaged(Changed, line{}, "it is too long, or has no line break")
	case err != nil:
		return line{}, "", err
	}
	if l, hash, err = parseLine(text); err != nil {
		return line{}, "", r.damaged(Changed, line{}, "it is not in the format of a sealed line")
	}
	return l, hash, nil
}

// check checks that a line has the next number and hash, and advances the hash.
func (r *objectReader) check(l line, hash string) error {
	renumbered := l
	renumbered.number = r.number
	switch isNext := hash == renumbered.hashAfter(r.seal.Hash); {
	case isNext && l.number == r.number:
		r.seal.Hash = hash
		return nil
	case isNext || l.number == r.number:
		return r.damaged(Changed, l, "its hash is wrong")
	case l.number > r.number:
		return r.damaged(Removed, line{}, fmt.Sprintf("line %d follows instead", l.number))
	}
	return r.damaged(Added, l, fmt.Sprintf("it has the number %d", l.number))
}

// damaged returns the damage to the line that is being read.
func (r *objectReader) damaged(problem Problem, l line, reason string) error {
	d := &damageError{
		problem: problem, key: r.seal.Key(), at: r.seal, line: r.number, reason: reason,
		ofHeaderOrEnd: r.number == 0 || l.kind == endLine,
	}
	d.event, _ = l.event()
	return d
}

// chain reads all objects.
type chain struct {
	objects  Objects
	recorded Seal // the newest seal of the table; the zero value without a seal

	first    Hour
	at       Seal // the object that is being read, or the last one
	previous Seal // the last complete object before it
	count    int
	isPassed bool // the recorded seal was found

	expected    Head // to look for; without a part, the hash of any line
	hasExpected bool
	progress    func(Seal) // may be nil
}

// position is an event in the chain.
type position struct {
	sealedEvent
	Seal Seal // of the object up to this event
	Line int
}

// events returns the events of all objects. Errors: *damageError.
func (c *chain) events(ctx context.Context) iter.Seq2[position, error] {
	return func(yield func(position, error) bool) {
		for key, err := range c.objects.Keys(ctx, "") {
			if err == nil {
				err = c.expect(key)
			}
			if err == nil {
				err = c.read(ctx, yield)
			}
			if errors.Is(err, errStopped) {
				return
			}
			if err != nil {
				yield(position{}, err)
				return
			}
		}
	}
}

const missingObject = "the object is missing"

var errStopped = errors.New("seals: the caller stopped")

// expect checks that a key names the next object.
func (c *chain) expect(key string) error {
	at, isKey := parseKey(key)
	if !isKey {
		return &damageError{problem: Added, key: key, at: c.at, ofObject: true, reason: "the object is not a seal"}
	}
	if c.count == 0 {
		c.first, c.at = at.Hour, before(at.Hour)
	}
	switch next := c.at.next(); {
	case key == next.Key():
		return nil
	case c.count == 0 || key > next.Key():
		return damagedObject(Removed, next, missingObject)
	}
	return damagedObject(Added, at, "the object is not part of the chain")
}

// read reads the object after c.at.
func (c *chain) read(ctx context.Context, yield func(position, error) bool) error {
	body, err := c.objects.Open(ctx, c.at.next().Key())
	if errors.Is(err, ErrMissing) {
		return damagedObject(Removed, c.at.next(), missingObject)
	}
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	r := newObjectReader(body, c.at)
	for {
		event, err := r.next()
		c.hasExpected = c.hasExpected || c.expected.Part == 0 && r.seal.Hash == c.expected.Hash
		if errors.Is(err, io.EOF) {
			c.advance(r.seal)
			return c.compareRecord()
		}
		if err != nil {
			return c.damageAfterRecord(err)
		}
		if !yield(position{sealedEvent: event, Seal: r.seal, Line: r.number - 1}, nil) {
			return errStopped
		}
	}
}

// damageAfterRecord returns the damage of an object. After the newest seal, an object whose header does not continue
// the chain was never a part of it.
func (c *chain) damageAfterRecord(err error) error {
	d, isDamage := errors.AsType[*damageError](err)
	if isDamage && c.at == c.recorded && (d.isRewritten || d.line == 0) {
		return damagedObject(Added, c.at.next(), "the object does not continue the newest seal")
	}
	return err
}

// advance takes a complete object into the chain.
func (c *chain) advance(seal Seal) {
	c.previous, c.at = c.at, seal
	c.count++
	c.hasExpected = c.hasExpected || seal.Head() == c.expected
	if c.progress != nil {
		c.progress(seal)
	}
}

// compareRecord compares the last object with the record, if it is about this object.
func (c *chain) compareRecord() error {
	if c.at.Key() != c.recorded.Key() || c.recorded.Hash == "" {
		return nil
	}
	if c.at != c.recorded {
		d := damagedObject(Changed, c.at,
			fmt.Sprintf("it ends with %s, but the record of the newest seal is %s", c.at, c.recorded))
		d.isRewritten = true
		return d
	}
	c.isPassed = true
	return nil
}
