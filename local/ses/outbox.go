// Package ses is the local stack's Amazon SES. It implements SES v2's SendEmail, stores each
// message as a file, and shows the messages as web pages. It never sends a message.
//
// A file has the complete MIME text that a mail server would receive, so a developer can open it in
// a mail program. Requests that SES refuses fail with the same error here. Message content is
// untrusted: it cannot add headers, and the pages neither run nor fetch any of it.
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

// MaxRequestBytes is the largest SendEmail request. SES allows 40 MB, but a function's payload
// limit of 6 MB keeps its mails far below that.
const MaxRequestBytes = 10 << 20

// maxFileBytes bounds reading of a message file. Quoted-printable can triple a text, and headers
// are small.
const maxFileBytes = 3*MaxRequestBytes + 1<<20

const (
	extension  = ".eml"
	timeLayout = "20060102T150405.000000000Z"
)

// An ID begins with the time in a fixed width, so that IDs sort by time.
var idPattern = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}\.[0-9]{9}Z-[0-9a-f]{16}$`)

// errMessageNotFound means that the outbox has no message with this ID.
var errMessageNotFound = errors.New("message not found")

// Outbox is a folder with one file for each message. Several processes may use the same folder.
type Outbox struct {
	dir string
	now func() time.Time
}

// NewOutbox creates the folder if it is missing. Only its owner may read it, because messages
// contain one-time links. now returns the date for new messages.
func NewOutbox(dir string, now func() time.Time) (*Outbox, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the outbox: %w", err)
	}
	return &Outbox{dir: dir, now: now}, nil
}

func newID(at time.Time) string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // documented never to fail
	return at.UTC().Format(timeLayout) + "-" + hex.EncodeToString(random[:])
}

// addMessage writes a message file atomically.
func (o *Outbox) addMessage(id string, message []byte) error {
	temp, err := os.CreateTemp(o.dir, ".new-*")
	if err != nil {
		return fmt.Errorf("write to the outbox: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }() // fails after the rename, which is harmless
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

// ids returns the IDs of all messages, newest first.
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

// readMessage returns at most limit bytes of a message.
func (o *Outbox) readMessage(id string, limit int64) ([]byte, error) {
	if !idPattern.MatchString(id) {
		return nil, errMessageNotFound
	}
	if info, err := os.Lstat(o.path(id)); err == nil && !info.Mode().IsRegular() {
		return nil, errMessageNotFound // a symbolic link or a folder
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
