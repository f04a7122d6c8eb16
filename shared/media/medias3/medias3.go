// Package medias3 stores uploads, jobs and answers in the media bucket, whose lifecycle deletes
// everything within days.
//
//	uploads/<owner>/<id>       a file
//	jobs/<owner>/<id>          a job, as JSON
//	open/<owner>/<n>           the ID of a job that has not ended; at most jobs.MaxOpenJobs
//	open/<owner>/batch         the ID of a batch that has not ended
//	forms/<owner>/<n>          the ID of an upload that was offered; at most MaxOpenForms
//	offers/<owner>/<key>       the upload that a request with an idempotency key created, as JSON
//	queue/<owner>/<id>         empty; its creation is the event that runs the job
//	results/<key>              an answer, as JSON
//	batches/<owner>/<id>/<n>   the line of a document in the results of a batch, as JSON
//	batches/<owner>/<id>/results.jsonl, results.csv
//
// Owners and IDs are UUIDs, so a key is never ambiguous. The lifecycle deletes once a day. Until then,
// objects older than media.Retention are treated as missing.
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
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/uuid"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/lambda/s3client"
	"portside/shared/media"
	"portside/shared/media/jobs"
)

// Prefixes of keys.
const (
	uploads    = "uploads/"
	storedJobs = "jobs/"
	// openJobs has the slots of jobs that have not ended.
	openJobs = "open/"
	// openForms has the slots of offers.
	openForms = "forms/"
	// offers has the offers by the hashes of idempotency keys.
	offers = "offers/"
	// Queue is the prefix by which template.yaml filters the events of the bucket.
	Queue   = "queue/"
	results = "results/"
	batches = "batches/"
)

// MaxUploadBytes is the largest upload that can be read. The disk of a function has 512 MB, and a
// comparison has two files.
const MaxUploadBytes = 200 << 20

// maxRecordBytes limits a job or an answer that is read. This package writes both.
const maxRecordBytes = 16 << 20

// ErrUnavailable is the error of every call, with its cause in the chain, if S3 throttles, fails or cannot be
// reached.
var ErrUnavailable = fault.New(fault.Unavailable, "The service cannot reach its storage at the moment. Send the request again.")

// ErrTooLarge means that a stored upload is too large to be read. An offer does not accept such a
// file, so it was stored in another way.
var ErrTooLarge = fmt.Errorf("%w (%w)", fault.New(fault.Unprocessable,
	"The upload has more than 200 MB, which is the most that can be read. Send it in parts."), documents.ErrTooMuch)

var errMissing = errors.New("the object does not exist")

// Store implements the storage of package media and of its package jobs.
type Store struct {
	client         *s3.Client
	signer         *s3.PresignClient
	bucket         string
	now            func() time.Time
	maxUploadBytes int64 // of an upload that can be read
}

var (
	_ media.Results     = (*Store)(nil)
	_ jobs.Uploads      = (*Store)(nil)
	_ jobs.Store        = (*Store)(nil)
	_ jobs.BatchResults = (*Store)(nil)
)

// New returns a Store for the bucket.
func New(client *s3.Client, bucket string, now func() time.Time) *Store {
	return &Store{client: client, signer: s3.NewPresignClient(client), bucket: bucket, now: now, maxUploadBytes: MaxUploadBytes}
}

// SaveUpload implements jobs.Uploads.
func (s *Store) SaveUpload(ctx context.Context, owner, id string, file documents.Source) error {
	return s.put(ctx, uploads+owner+"/"+id, io.NewSectionReader(file, 0, file.Size))
}

// OpenUpload implements jobs.Uploads. It copies the file to the disk, because readers need random
// access.
func (s *Store) OpenUpload(ctx context.Context, owner, id string) (file media.File, closeFile func(), err error) {
	if uuid.Validate(id) != nil {
		return media.File{}, nil, jobs.ErrNoUpload
	}
	out, err := s.get(ctx, uploads+owner+"/"+id)
	if errors.Is(err, errMissing) {
		err = jobs.ErrNoUpload
	}
	if err != nil {
		return media.File{}, nil, err
	}
	defer func() { _ = out.Body.Close() }()
	if aws.ToInt64(out.ContentLength) > s.maxUploadBytes {
		return media.File{}, nil, ErrTooLarge
	}
	file, closeFile, err = media.Spool(out.Body)
	if errors.Is(err, media.ErrIncomplete) {
		err = fmt.Errorf("%w: fetch an upload: %w", ErrUnavailable, err)
	}
	return file, closeFile, err
}

// FindResult implements media.Results.
func (s *Store) FindResult(ctx context.Context, key string) (answer media.Answer, found bool, err error) {
	_, err = s.getJSON(ctx, results+key, &answer)
	if errors.Is(err, errMissing) {
		return media.Answer{}, false, nil
	}
	return answer, err == nil, err
}

// SaveResult implements media.Results.
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

// revision is what S3 knows about an object that was read.
type revision struct {
	version string
	savedAt time.Time
}

// getJSON reads an object into the value.
func (s *Store) getJSON(ctx context.Context, key string, value any) (revision, error) {
	out, err := s.get(ctx, key)
	if err != nil {
		return revision{}, err
	}
	return decodeObject(out, value)
}

// decodeObject reads a JSON object into the value and closes it.
func decodeObject(out *s3.GetObjectOutput, value any) (revision, error) {
	defer func() { _ = out.Body.Close() }()
	decoder := json.NewDecoder(io.LimitReader(out.Body, maxRecordBytes))
	decoder.UseNumber() // numbers in answers must not lose digits
	if err := decoder.Decode(value); err != nil {
		return revision{}, fmt.Errorf("decode an object: %w", asUnavailable(err))
	}
	return revision{aws.ToString(out.ETag), aws.ToTime(out.LastModified)}, nil
}

func (s *Store) put(ctx context.Context, key string, body io.ReadSeeker) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, Body: body, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	if err != nil {
		return fmt.Errorf("put into %s: %w", prefixOf(key), asUnavailable(err))
	}
	return nil
}

// get returns errMissing for an object that does not exist, or that has expired.
func (s *Store) get(ctx context.Context, key string) (*s3.GetObjectOutput, error) {
	out, err := s.getExpired(ctx, key)
	if err == nil && !s.isFresh(out.LastModified) {
		return nil, errors.Join(errMissing, out.Body.Close())
	}
	return out, err
}

// getExpired is get for an object that may have expired. Errors: errMissing.
func (s *Store) getExpired(ctx context.Context, key string) (*s3.GetObjectOutput, error) {
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &s.bucket, Key: &key})
	if _, isMissing := errors.AsType[*types.NoSuchKey](err); isMissing {
		return nil, errMissing
	}
	if err != nil {
		return nil, fmt.Errorf("get from %s: %w", prefixOf(key), asUnavailable(err))
	}
	return out, nil
}

// isFresh reports whether an object that was written at that time has not expired.
func (s *Store) isFresh(written *time.Time) bool {
	return s.now().Before(aws.ToTime(written).Add(media.Retention))
}

// prefixOf returns the part of a key that may be logged.
func prefixOf(key string) string {
	for i, r := range key {
		if r == '/' {
			return key[:i]
		}
	}
	return key
}

// asUnavailable adds ErrUnavailable to an error if a repeated request may succeed.
func asUnavailable(err error) error {
	if s3client.IsOutage(err) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}
