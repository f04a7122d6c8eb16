package medias3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/media"
	"portside/shared/media/jobs"
)

// resultsLifetime is how long a URL of results works.
const resultsLifetime = 15 * time.Minute

// ContinueJob implements jobs.Store. If the process crashes before it sends the event, Lambda delivers the event of
// this run again.
func (s *Store) ContinueJob(ctx context.Context, job jobs.Job) error {
	saved, err := s.SaveJob(ctx, job)
	if err != nil {
		return err
	}
	_, err = s.putIfVersion(ctx, Queue+saved.Owner+"/"+saved.ID+"/run-"+strconv.Itoa(saved.Batch.Runs), "", nil)
	if errors.Is(err, errStale) {
		return nil
	}
	return err
}

// SaveLine implements jobs.BatchResults.
func (s *Store) SaveLine(ctx context.Context, job jobs.Job, index int, line []byte) error {
	return s.put(ctx, lineKey(job, index), bytes.NewReader(line))
}

// Line implements jobs.BatchResults.
func (s *Store) Line(ctx context.Context, job jobs.Job, index int) ([]byte, error) {
	out, err := s.get(ctx, lineKey(job, index))
	if errors.Is(err, errMissing) {
		return nil, jobs.ErrNoLine
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = out.Body.Close() }()
	line, err := io.ReadAll(io.LimitReader(out.Body, maxRecordBytes))
	if err != nil {
		return nil, fmt.Errorf("read a line: %w", asUnavailable(err))
	}
	return line, nil
}

// SaveResults implements jobs.BatchResults.
func (s *Store) SaveResults(ctx context.Context, job jobs.Job, format jobs.ResultsFormat, file media.File) error {
	return s.put(ctx, resultsKey(job, format), io.NewSectionReader(file, 0, file.Size))
}

// ResultsURL returns a URL that anyone can download a file of results from, for 15 minutes.
func (s *Store) ResultsURL(ctx context.Context, job jobs.Job, format jobs.ResultsFormat) (string, error) {
	types := map[jobs.ResultsFormat]string{jobs.JSONLines: "application/jsonl; charset=utf-8", jobs.CSV: "text/csv; charset=utf-8"}
	request, err := s.signer.PresignGetObject(ctx, &s3.GetObjectInput{
		Bucket: &s.bucket, Key: aws.String(resultsKey(job, format)), ResponseContentType: aws.String(types[format]),
		ResponseContentDisposition: aws.String(fmt.Sprintf("attachment; filename=%q", "results."+string(format))),
	}, s3.WithPresignExpires(resultsLifetime))
	if err != nil {
		return "", fmt.Errorf("sign the results of a batch: %w", err)
	}
	return request.URL, nil
}

func lineKey(job jobs.Job, index int) string {
	return batches + job.Owner + "/" + job.ID + "/" + strconv.Itoa(index)
}

func resultsKey(job jobs.Job, format jobs.ResultsFormat) string {
	return batches + job.Owner + "/" + job.ID + "/results." + string(format)
}
