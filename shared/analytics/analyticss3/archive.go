package analyticss3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
)

// Archive stores segments of the log in a bucket. The key of an object is the name of its segment.
type Archive struct {
	client *s3.Client
	bucket string
}

var _ logs.Archive = Archive{}

// NewArchive returns the archive in the named bucket.
func NewArchive(client *s3.Client, bucket string) Archive { return Archive{client, bucket} }

// suffix ends the key of each object.
const suffix = ".gz"

// Put implements logs.Archive with one call.
func (a Archive) Put(ctx context.Context, name logs.SegmentName, data []byte) error {
	_, err := a.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &a.bucket, Key: aws.String(name.String() + suffix), Body: bytes.NewReader(data),
		ContentType: aws.String("application/gzip"),
	})
	if err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	return nil
}

// Get implements logs.Archive with one call.
func (a Archive) Get(ctx context.Context, name logs.SegmentName) ([]byte, error) {
	out, err := a.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &a.bucket, Key: aws.String(name.String() + suffix)})
	if _, missing := errors.AsType[*types.NoSuchKey](err); missing {
		err = fmt.Errorf("%w: %w", logs.ErrMissing, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	data, err := io.ReadAll(out.Body)
	if err := errors.Join(err, out.Body.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

// Names implements logs.Archive with one call for every thousand names. It skips objects whose
// key is not a segment name.
func (a Archive) Names(ctx context.Context, log logs.Log, day calendar.Day) ([]logs.SegmentName, error) {
	folder := fmt.Sprintf("%s/%s/", log, day)
	pages := s3.NewListObjectsV2Paginator(a.client, &s3.ListObjectsV2Input{Bucket: &a.bucket, Prefix: &folder})
	var names []logs.SegmentName
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
func parseName(log logs.Log, day calendar.Day, key string) (logs.SegmentName, bool) {
	stream, position, _ := strings.Cut(strings.TrimSuffix(key, suffix), "/")
	from, digest, _ := strings.Cut(position, "-")
	at, err := strconv.ParseInt(from, 10, 64)
	return logs.SegmentName{Log: log, Day: day, Stream: stream, FirstLogged: time.UnixMilli(at).UTC(), Digest: digest}, err == nil
}
