package analyticss3

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
)

// Archive stores segments of the log in a bucket. The key of an object is the name of its segment.
// Its content is gzipped JSON, with one line for each line of the log.
type Archive struct {
	client *s3.Client
	bucket string
}

var _ analytics.Archive = Archive{}

// NewArchive returns the archive in the named bucket.
func NewArchive(client *s3.Client, bucket string) Archive { return Archive{client, bucket} }

// suffix ends the key of each object.
const suffix = ".gz"

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

// Put implements analytics.Archive with one call.
func (a Archive) Put(ctx context.Context, name analytics.SegmentName, lines []analytics.LogLine) error {
	body, err := encode(lines)
	if err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	_, err = a.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &a.bucket, Key: aws.String(name.String() + suffix), Body: bytes.NewReader(body),
		ContentType: aws.String("application/gzip"),
	})
	if err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	return nil
}

func encode(lines []analytics.LogLine) ([]byte, error) {
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

func newStoredLine(line analytics.LogLine) storedLine {
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

func (s storedLine) line() analytics.LogLine {
	line, at := analytics.LogLine{ID: s.ID, LoggedAt: time.UnixMilli(s.Logged).UTC()}, time.UnixMilli(s.At).UTC()
	switch {
	case s.Calls > 0:
		line.Call = &analytics.ModelCall{At: at, ModelUsage: analytics.ModelUsage{
			Calls: s.Calls, InputTokens: s.Input, OutputTokens: s.Output, MicroUSD: s.Cost,
		}}
	case s.Latency != nil:
		line.Request = &analytics.Request{
			At: at, Status: s.Status, LatencyMillis: *s.Latency, IsMediaCall: s.Media, Task: analytics.MediaTask(s.Task),
		}
	}
	return line
}

// Get implements analytics.Archive with one call.
func (a Archive) Get(ctx context.Context, name analytics.SegmentName) ([]analytics.LogLine, error) {
	out, err := a.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &a.bucket, Key: aws.String(name.String() + suffix)})
	if _, missing := errors.AsType[*types.NoSuchKey](err); missing {
		err = fmt.Errorf("%w: %w", analytics.ErrMissing, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	lines, err := decode(out.Body)
	if err := errors.Join(err, out.Body.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", name, analytics.ErrDamaged, err)
	}
	return lines, nil
}

func decode(body io.Reader) ([]analytics.LogLine, error) {
	decompressor, err := gzip.NewReader(body)
	if err != nil {
		return nil, err
	}
	var lines []analytics.LogLine
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

// Names implements analytics.Archive with one call for every thousand names. It skips objects whose
// key is not a segment name.
func (a Archive) Names(ctx context.Context, log analytics.Log, day calendar.Day) ([]analytics.SegmentName, error) {
	folder := fmt.Sprintf("%s/%s/", log, day)
	pages := s3.NewListObjectsV2Paginator(a.client, &s3.ListObjectsV2Input{Bucket: &a.bucket, Prefix: &folder})
	var names []analytics.SegmentName
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", folder, err)
		}
		for _, object := range page.Contents {
			key := aws.ToString(object.Key)
			name, ok := parseName(log, day, strings.TrimPrefix(key, folder))
			if ok && name.String()+suffix == key {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// parseName parses the part of a key that follows the log and the day.
func parseName(log analytics.Log, day calendar.Day, key string) (analytics.SegmentName, bool) {
	stream, position, _ := strings.Cut(strings.TrimSuffix(key, suffix), "/")
	from, digest, _ := strings.Cut(position, "-")
	at, err := strconv.ParseInt(from, 10, 64)
	return analytics.SegmentName{Log: log, Day: day, Stream: stream, FirstLogged: time.UnixMilli(at).UTC(), Digest: digest}, err == nil
}
