// Package mail is the local stack's Amazon SES: it takes SendEmail as SES v2 does, keeps each
// message as a file, and shows the files as pages.
//
// A message is written as the complete MIME text that a mail server would get, so that what a mail
// program makes of it can be seen by opening the file. Nothing is ever sent. What SES would refuse
// is refused here with the same error, for a laptop is the cheapest place to learn it. All content
// is somebody's input: it can add no header, and pages show it without running or fetching any of it.
package ses

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// MaxRequestBytes is the largest SendEmail request in bytes. SES takes 40 MB; the functions, whose own
// limit is 6 MB, could not send more than this.
const MaxRequestBytes = 10 << 20

// maxFileBytes bounds reading. Encoding can triple a text, and a header is small.
const maxFileBytes = 3*MaxRequestBytes + 1<<20

const (
	extension  = ".eml"
	timeLayout = "20060102T150405.000000000Z"
)

// An ID begins with the time in fixed width, so that the order of names is the order of time.
var idPattern = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}\.[0-9]{9}Z-[0-9a-f]{16}$`)

// errMessageNotFound means that the outbox has no message with this ID.
var errMessageNotFound = errors.New("there is no such message")

// Outbox is a folder of messages, one file each. Any number of processes may use one folder.
type Outbox struct {
	dir string
	now func() time.Time
}

// NewOutbox makes the folder when there is none; only its owner may read it, since messages carry
// one-time links. The clock now dates the messages.
func NewOutbox(dir string, now func() time.Time) (*Outbox, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the outbox: %w", err)
	}
	return &Outbox{dir: dir, now: now}, nil
}

func newID(at time.Time) string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // documented never to fail
	return at.UTC().Format(timeLayout) + "-" + hex.EncodeToString(random[:])
}

// add appears in the folder at once and whole, or not at all.
func (o *Outbox) add(id string, message []byte) error {
	temp, err := os.CreateTemp(o.dir, ".new-*")
	if err != nil {
		return fmt.Errorf("write to the outbox: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }() // in vain after the rename
	_, err = temp.Write(message)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), o.path(id))
	}
	if err != nil {
		return fmt.Errorf("write to the outbox: %w", err)
	}
	return nil
}

func (o *Outbox) path(id string) string { return filepath.Join(o.dir, id+extension) }

// ids are those of all messages, newest first.
func (o *Outbox) ids() ([]string, error) {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	var ids []string
	for _, entry := range slices.Backward(entries) {
		id, ok := strings.CutSuffix(entry.Name(), extension)
		if ok && entry.Type().IsRegular() && idPattern.MatchString(id) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// read returns at most limit bytes of a message.
func (o *Outbox) read(id string, limit int64) ([]byte, error) {
	if !idPattern.MatchString(id) {
		return nil, errMessageNotFound
	}
	if info, err := os.Lstat(o.path(id)); err == nil && !info.Mode().IsRegular() {
		return nil, errMessageNotFound // a link or a folder that somebody put there
	}
	file, err := os.Open(o.path(id))
	if errors.Is(err, os.ErrNotExist) {
		return nil, errMessageNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	return text, nil
}
