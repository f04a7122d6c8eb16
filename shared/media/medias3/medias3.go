// Package medias3 keeps uploads, jobs and answers in the media bucket, whose lifecycle deletes everything within days.
//
//	uploads/<owner>/<id>       a file
//	jobs/<owner>/<id>          a job, as JSON
//	queue/<owner>/<id>         empty: its creation is the event that runs the job
//	results/<key>              an answer, as JSON
//
// Owners and ids are UUIDs, so that a key has one meaning. The lifecycle works by the day; what is older than media.Retention
// counts as gone until it is.
package medias3

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/uuid"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media"
)

// Prefixes of the keys.
const (
	uploads = "uploads/"
	jobs    = "jobs/"
	// Queue is what template.yaml has the bucket's events filtered by.
	Queue   = "queue/"
	results = "results/"
)

// MaxUpload is how large an upload may be to be read, and so to be sent: a function's disk has 512 MB, and two files may be
// compared.
const MaxUpload = 200 << 20

// maxRecord bounds what is read of a job or an answer; both are written here.
const maxRecord = 16 << 20

// ErrAway is what every call returns, with its cause in the chain, when S3 throttles, fails or cannot be reached.
var ErrAway = fault.New(fault.Unavailable, "The service cannot reach its files at the moment. Send the request again.")

// ErrTooLarge is about a file that came by another way than an offer, which takes none of its size.
var ErrTooLarge = fmt.Errorf("%w (%w)", fault.New(fault.Unprocessable,
	"The upload has more than 200 MB, which is more than can be read. Send it in parts."), documents.ErrTooMuch)

var errMissing = errors.New("there is no such object")

// Store keeps all that there is to keep of media.
type Store struct {
	client *s3.Client
	signer *s3.PresignClient
	bucket string
	now    func() time.Time
	most   int64 // bytes of an upload
}

var (
	_ media.Uploads = (*Store)(nil)
	_ media.Jobs    = (*Store)(nil)
	_ media.Results = (*Store)(nil)
)

// New returns a Store in the named bucket.
func New(client *s3.Client, bucket string, now func() time.Time) *Store {
	return &Store{client: client, signer: s3.NewPresignClient(client), bucket: bucket, now: now, most: MaxUpload}
}

// SaveUpload implements media.Uploads.
func (s *Store) SaveUpload(ctx context.Context, owner, id string, file documents.Source) error {
	return s.put(ctx, uploads+owner+"/"+id, io.NewSectionReader(file, 0, file.Size))
}

// DeleteUpload implements media.Uploads.
func (s *Store) DeleteUpload(ctx context.Context, owner, id string) error {
	return s.drop(ctx, uploads+owner+"/"+id)
}

// Upload implements media.Uploads. The file is copied to the disk, where readers can go to and fro in it.
func (s *Store) OpenUpload(ctx context.Context, owner, id string) (file media.File, done func(), err error) {
	if uuid.Validate(id) != nil {
		return media.File{}, nil, media.ErrNoUpload
	}
	out, err := s.get(ctx, uploads+owner+"/"+id)
	if errors.Is(err, errMissing) {
		err = media.ErrNoUpload
	}
	if err != nil {
		return media.File{}, nil, err
	}
	defer func() { _ = out.Body.Close() }()
	if aws.ToInt64(out.ContentLength) > s.most {
		return media.File{}, nil, ErrTooLarge
	}
	file, done, err = media.Spool(out.Body)
	if errors.Is(err, media.ErrIncomplete) {
		err = fmt.Errorf("%w: fetch an upload: %w", ErrAway, err)
	}
	return file, done, err
}

// Find implements media.Results.
func (s *Store) FindResult(ctx context.Context, key string) (answer media.Answer, found bool, err error) {
	_, err = s.getJSON(ctx, results+key, &answer)
	if errors.Is(err, errMissing) {
		return media.Answer{}, false, nil
	}
	return answer, err == nil, err
}

// Keep implements media.Results.
func (s *Store) SaveResult(ctx context.Context, key string, answer media.Answer) error {
	return s.putJSON(ctx, results+key, answer)
}

func (s *Store) putJSON(ctx context.Context, key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	return s.put(ctx, key, bytes.NewReader(text))
}

// getJSON returns the version that it has read.
func (s *Store) getJSON(ctx context.Context, key string, into any) (version string, err error) {
	out, err := s.get(ctx, key)
	if err != nil {
		return "", err
	}
	defer func() { _ = out.Body.Close() }()
	decoder := json.NewDecoder(io.LimitReader(out.Body, maxRecord))
	decoder.UseNumber() // a value stays as it was written
	if err := decoder.Decode(into); err != nil {
		return "", fmt.Errorf("read what was kept: %w", err)
	}
	return aws.ToString(out.ETag), nil
}

func (s *Store) put(ctx context.Context, key string, body io.ReadSeeker) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, Body: body, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		return fmt.Errorf("put into %s: %w", prefixOf(key), told(err))
	}
	return nil
}

func (s *Store) drop(ctx context.Context, key string) error {
	if _, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key}); err != nil {
		return fmt.Errorf("delete from %s: %w", prefixOf(key), told(err))
	}
	return nil
}

// get returns errMissing for an object that is not there, or has outlived its time.
func (s *Store) get(ctx context.Context, key string) (*s3.GetObjectOutput, error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key})
	if _, missing := errors.AsType[*types.NoSuchKey](err); missing {
		return nil, errMissing
	}
	if err != nil {
		return nil, fmt.Errorf("get from %s: %w", prefixOf(key), told(err))
	}
	if !s.fresh(out.LastModified) {
		return nil, errors.Join(errMissing, out.Body.Close())
	}
	return out, nil
}

// fresh reports whether what was written then is still there as far as callers know.
func (s *Store) fresh(written *time.Time) bool {
	return s.now().Before(aws.ToTime(written).Add(media.Retention))
}

// prefixOf is what of a key may stand in a log.
func prefixOf(key string) string {
	for i, r := range key {
		if r == '/' {
			return key[:i]
		}
	}
	return key
}

// told puts ErrAway before what may be over when the request is sent again.
func told(err error) error {
	if retry.NewStandard().IsErrorRetryable(err) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrAway, err)
	}
	return err
}
