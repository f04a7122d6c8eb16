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

// Parts keeps parts of the log: an object each, by the part's name, with a line of JSON for each of its lines, in gzip.
type Parts struct {
	client *s3.Client
	bucket string
}

var _ analytics.Archive = Parts{}

// NewParts returns the parts in the named bucket.
func NewParts(client *s3.Client, bucket string) Parts { return Parts{client, bucket} }

// suffix ends the keys.
const suffix = ".gz"

// shape is a line as it is stored: of a request, of a call of a model, or of neither.
type shape struct {
	ID      string `json:"id"`
	Logged  int64  `json:"logged"`       // Unix milliseconds, as all times
	At      int64  `json:"at,omitempty"` // 0: it could not be read
	Status  int    `json:"status,omitempty"`
	Latency *int64 `json:"ms,omitempty"`
	Media   bool   `json:"media,omitempty"`
	Calls   int64  `json:"calls,omitempty"` // of models; 0: a request
	Input   int64  `json:"inputTokens,omitempty"`
	Output  int64  `json:"outputTokens,omitempty"`
	Cost    int64  `json:"microUSD,omitempty"`
}

// Put implements analytics.Archive with one call.
func (p Parts) Put(ctx context.Context, name analytics.Name, lines []analytics.Line) error {
	body, err := encode(lines)
	if err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	_, err = p.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &p.bucket, Key: aws.String(name.String() + suffix), Body: bytes.NewReader(body),
		ContentType: aws.String("application/gzip"),
	})
	if err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return nil
}

func encode(lines []analytics.Line) ([]byte, error) {
	var body bytes.Buffer
	packer, err := gzip.NewWriterLevel(&body, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	encoder := json.NewEncoder(packer)
	for _, line := range lines {
		if err := encoder.Encode(shapeOf(line)); err != nil {
			return nil, err
		}
	}
	err = packer.Close()
	return body.Bytes(), err
}

func shapeOf(line analytics.Line) shape {
	s := shape{ID: line.ID, Logged: line.Logged.UnixMilli()}
	if r := line.Request; r != nil {
		s.At, s.Status, s.Latency, s.Media = r.At.UnixMilli(), r.Status, &r.Latency, r.Media
	}
	if c := line.Call; c != nil {
		s.At, s.Calls, s.Input, s.Output, s.Cost = c.At.UnixMilli(), c.Calls, c.InputTokens, c.OutputTokens, c.MicroUSD
	}
	return s
}

func (s shape) line() analytics.Line {
	line, at := analytics.Line{ID: s.ID, Logged: time.UnixMilli(s.Logged).UTC()}, time.UnixMilli(s.At).UTC()
	switch {
	case s.Calls > 0:
		line.Call = &analytics.Call{At: at, Models: analytics.Models{
			Calls: s.Calls, InputTokens: s.Input, OutputTokens: s.Output, MicroUSD: s.Cost,
		}}
	case s.Latency != nil:
		line.Request = &analytics.Request{At: at, Status: s.Status, Latency: *s.Latency, Media: s.Media}
	}
	return line
}

// Get implements analytics.Archive with one call.
func (p Parts) Get(ctx context.Context, name analytics.Name) ([]analytics.Line, error) {
	out, err := p.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &p.bucket, Key: aws.String(name.String() + suffix)})
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

func decode(body io.Reader) ([]analytics.Line, error) {
	unpacked, err := gzip.NewReader(body)
	if err != nil {
		return nil, err
	}
	var lines []analytics.Line
	for decoder := json.NewDecoder(unpacked); ; {
		var s shape
		switch err := decoder.Decode(&s); {
		case errors.Is(err, io.EOF):
			return lines, nil
		case err != nil:
			return nil, err
		}
		lines = append(lines, s.line())
	}
}

// Names implements analytics.Archive with one call for a thousand of them. What else is in the folder is left out.
func (p Parts) Names(ctx context.Context, log analytics.Log, day calendar.Day) ([]analytics.Name, error) {
	folder := fmt.Sprintf("%s/%s/", log, day)
	pages := s3.NewListObjectsV2Paginator(p.client, &s3.ListObjectsV2Input{Bucket: &p.bucket, Prefix: &folder})
	var names []analytics.Name
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("list %s: %w", folder, err)
		}
		for _, object := range page.Contents {
			key := aws.ToString(object.Key)
			if name, is := nameOf(log, day, strings.TrimPrefix(key, folder)); is && name.String()+suffix == key {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

// nameOf reads what stands behind the log and the day in a key.
func nameOf(log analytics.Log, day calendar.Day, key string) (analytics.Name, bool) {
	stream, position, _ := strings.Cut(strings.TrimSuffix(key, suffix), "/")
	from, digest, _ := strings.Cut(position, "-")
	at, err := strconv.ParseInt(from, 10, 64)
	return analytics.Name{Log: log, Day: day, Stream: stream, From: time.UnixMilli(at).UTC(), Digest: digest}, err == nil
}
