package logs

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"portside/shared/analytics"
)

// storedLine is the JSON form of a line: a request, a model call, or a line that could not be
// parsed.
type storedLine struct {
	ID      string `json:"id"`
	Logged  int64  `json:"logged"`       // Unix milliseconds, like all times here
	At      int64  `json:"at,omitempty"` // 0: the line could not be parsed
	Status  int    `json:"status,omitempty"`
	Latency *int64 `json:"ms,omitempty"`
	Media   bool   `json:"media,omitempty"`
	Task    string `json:"task,omitempty"`  // of a media call
	Calls   int64  `json:"calls,omitempty"` // model calls; 0 for a request
	Input   int64  `json:"inputTokens,omitempty"`
	Output  int64  `json:"outputTokens,omitempty"`
	Cost    int64  `json:"microUSD,omitempty"`
}

// EncodeLines returns the lines as gzipped JSON values. Ten lines of the access log have about 410 bytes, and each line
// of a large segment has 30.
func EncodeLines(lines []Line) ([]byte, error) {
	var body bytes.Buffer
	compressor, err := gzip.NewWriterLevel(&body, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	encoder := json.NewEncoder(compressor)
	for _, line := range lines {
		if err := encoder.Encode(newStoredLine(line)); err != nil {
			return nil, err
		}
	}
	err = compressor.Close()
	return body.Bytes(), err
}

func newStoredLine(line Line) storedLine {
	s := storedLine{ID: line.ID, Logged: line.LoggedAt.UnixMilli()}
	if r := line.Request; r != nil {
		s.At, s.Status, s.Latency, s.Media = r.At.UnixMilli(), r.Status, &r.LatencyMillis, r.IsMediaCall
		s.Task = string(r.Task)
	}
	if c := line.Call; c != nil {
		s.At, s.Calls, s.Input, s.Output, s.Cost = c.At.UnixMilli(), c.Calls, c.InputTokens, c.OutputTokens, c.MicroUSD
	}
	return s
}

func (s storedLine) line() Line {
	line, at := Line{ID: s.ID, LoggedAt: time.UnixMilli(s.Logged).UTC()}, time.UnixMilli(s.At).UTC()
	switch {
	case s.Calls > 0:
		line.Call = &ModelCall{At: at, ModelUsage: analytics.ModelUsage{
			Calls: s.Calls, InputTokens: s.Input, OutputTokens: s.Output, MicroUSD: s.Cost,
		}}
	case s.Latency != nil:
		line.Request = &analytics.Request{
			At: at, Status: s.Status, LatencyMillis: *s.Latency, IsMediaCall: s.Media, Task: analytics.MediaTask(s.Task),
		}
	}
	return line
}

// DecodeLines returns the lines that EncodeLines has encoded. Errors: ErrDamaged.
func DecodeLines(data []byte) ([]Line, error) {
	lines, err := decodeLines(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return lines, nil
}

func decodeLines(data []byte) ([]Line, error) {
	decompressor, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var lines []Line
	for decoder := json.NewDecoder(decompressor); ; {
		var s storedLine
		switch err := decoder.Decode(&s); {
		case errors.Is(err, io.EOF):
			return lines, nil
		case err != nil:
			return nil, err
		}
		lines = append(lines, s.line())
	}
}
