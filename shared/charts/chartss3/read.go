package chartss3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/shared/charts"
	"portside/shared/lambda/s3client"
)

// LinkLifetime is how long a link works: long enough to begin a download, and short enough to be
// worthless in a log.
const LinkLifetime = 5 * time.Minute

// Reader implements charts.Reader on a bucket.
type Reader struct {
	client *s3.Client
	signer *s3.PresignClient
	bucket string
}

var _ charts.Reader = (*Reader)(nil)

// NewReader returns a Reader of a bucket. Links contain the client's access key and are signed with
// its secret.
func NewReader(client *s3.Client, bucket string) *Reader {
	return &Reader{client: client, signer: s3.NewPresignClient(client, s3.WithPresignExpires(LinkLifetime)),
		bucket: bucket}
}

// Index implements charts.Reader in one call. The response has no content if the caller knows the
// version.
func (s *Reader) Index(ctx context.Context, known string) (charts.Stored, error) {
	input := &s3.GetObjectInput{Bucket: &s.bucket, Key: aws.String(charts.IndexKey)}
	if known != "" {
		input.IfNoneMatch = &known
	}
	out, err := s.client.GetObject(ctx, input)
	if s3client.Status(err) == http.StatusNotModified {
		return charts.Stored{}, charts.ErrSame
	}
	if _, missing := errors.AsType[*types.NoSuchKey](err); missing {
		return charts.Stored{}, charts.ErrNoIndex
	}
	if err != nil {
		return charts.Stored{}, fmt.Errorf("get the index: %w", markUnavailable(err))
	}
	defer func() { _ = out.Body.Close() }()
	contents, err := io.ReadAll(out.Body)
	if err != nil {
		return charts.Stored{}, fmt.Errorf("%w: read the index: %w", charts.ErrUnavailable, err)
	}
	return charts.Stored{Version: aws.ToString(out.ETag), Contents: contents}, nil
}

// Stat implements charts.Reader.
func (s *Reader) Stat(ctx context.Context, key string) (size int64, found bool, err error) {
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
	if s3client.Status(err) == http.StatusNotFound {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("look for %s: %w", key, markUnavailable(err))
	}
	return aws.ToInt64(out.ContentLength), true, nil
}

// Open implements charts.Reader.
func (s *Reader) Open(ctx context.Context, key string) (charts.Opened, error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key})
	if _, missing := errors.AsType[*types.NoSuchKey](err); missing {
		return charts.Opened{}, fmt.Errorf("open %s: %w", key, charts.ErrNoObject)
	}
	if err != nil {
		return charts.Opened{}, fmt.Errorf("open %s: %w", key, markUnavailable(err))
	}
	return charts.Opened{Size: aws.ToInt64(out.ContentLength), Body: out.Body}, nil
}

// Link implements charts.Reader without a call to S3.
func (s *Reader) Link(ctx context.Context, request charts.Request) (string, error) {
	sign := s.linkGet
	if request.Head {
		sign = s.linkHead
	}
	signed, err := sign(ctx, request)
	if err != nil {
		return "", fmt.Errorf("sign a link: %w", markUnavailable(err))
	}
	return signed.URL, nil
}

func (s *Reader) linkGet(ctx context.Context, request charts.Request) (*v4.PresignedHTTPRequest, error) {
	return s.signer.PresignGetObject(ctx, &s3.GetObjectInput{
		Bucket: &s.bucket, Key: &request.Key, ResponseContentType: &request.Type,
		ResponseContentDisposition: disposition(request),
	})
}

func (s *Reader) linkHead(ctx context.Context, request charts.Request) (*v4.PresignedHTTPRequest, error) {
	return s.signer.PresignHeadObject(ctx, &s3.HeadObjectInput{
		Bucket: &s.bucket, Key: &request.Key, ResponseContentType: &request.Type,
		ResponseContentDisposition: disposition(request),
	})
}

func disposition(request charts.Request) *string {
	if request.SaveName == "" {
		return nil
	}
	return aws.String(mime.FormatMediaType("attachment", map[string]string{"filename": request.SaveName}))
}

// markUnavailable adds ErrUnavailable to errors that the SDK has already retried.
func markUnavailable(err error) error {
	if s3client.IsOutage(err) {
		return fmt.Errorf("%w: %w", charts.ErrUnavailable, err)
	}
	return err
}
