package logevents

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"portside/shared/core/loglines"
)

// maxObjectBytes is more than Firehose writes into an object, which is at most 128 MB of lines. The
// template asks for 64 MB.
const maxObjectBytes = 160 << 20

// ReadObject returns the batches in an object that Firehose writes: gzip with one message of CloudWatch
// Logs, as JSON, in each line. Messages of the same stream become one batch. An error that wraps
// ErrCorrupt means that some messages cannot be read; the batches have the readable ones.
func ReadObject(content []byte) ([]loglines.Batch, error) {
	text, err := decompress(content)
	merged, corrupt := newMerger(), 0
	for line := range bytes.Lines(text) {
		var m message
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case json.Unmarshal(line, &m) != nil, m.MessageType != dataMessage && m.MessageType != controlMessage:
			corrupt++
		case m.MessageType == dataMessage:
			merged.add(m.batch())
		}
	}
	if corrupt > 0 && err == nil {
		err = fmt.Errorf("%w: %d messages of an object cannot be read", ErrCorrupt, corrupt)
	}
	return merged.batches, err
}

// decompress returns the content that it can read before an error.
func decompress(content []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("%w: the object is not gzip", ErrCorrupt)
	}
	text, err := io.ReadAll(io.LimitReader(reader, maxObjectBytes+1))
	switch {
	case err != nil:
		return text, fmt.Errorf("%w: the gzip of the object is corrupt", ErrCorrupt)
	case len(text) > maxObjectBytes:
		return text[:maxObjectBytes],
			fmt.Errorf("%w: the object is larger than %d MB uncompressed", ErrCorrupt, maxObjectBytes>>20)
	}
	return text, nil
}

// merger joins batches of the same stream, because each batch costs a transaction.
type merger struct {
	batches []loglines.Batch
	index   map[[2]string]int // by group and stream
}

func newMerger() *merger { return &merger{index: map[[2]string]int{}} }

func (m *merger) add(b loglines.Batch) {
	key := [2]string{b.Group, b.Stream}
	i, known := m.index[key]
	if !known {
		m.index[key] = len(m.batches)
		m.batches = append(m.batches, b)
		return
	}
	m.batches[i].Events = append(m.batches[i].Events, b.Events...)
	m.batches[i].Skipped += b.Skipped
}
