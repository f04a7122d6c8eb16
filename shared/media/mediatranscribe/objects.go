package mediatranscribe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portside/shared/media/mediaprompt"
)

// Prefix begins the keys of all objects of this package.
const Prefix = "transcriptions/"

// waiterTimeout is how long a caller counts as waiting after its last renewal. Every wait renews it.
const waiterTimeout = 2 * time.Minute

// cleanUpTimeout limits the cleanup, independently of the caller's context.
const cleanUpTimeout = 15 * time.Second

func newWaiterID() string { return rand.Text() }

func (w *work) recordingKey() string  { return Prefix + w.name + "." + w.extension }
func (w *work) resultKey() string     { return Prefix + w.name + ".json" }
func (w *work) waitersPrefix() string { return Prefix + w.name + "/" }

// registerWaiter tells other callers that this one waits for the job.
func (w *work) registerWaiter(ctx context.Context) error {
	return w.put(ctx, w.waitersPrefix()+w.waiterID, strings.NewReader(""))
}

func (w *work) putRecording(ctx context.Context) error {
	return w.put(ctx, w.recordingKey(), io.NewSectionReader(w.recording.File, 0, w.recording.File.Size))
}

func (w *work) put(ctx context.Context, key string, body io.ReadSeeker) error {
	_, err := w.objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &w.options.Bucket, Key: &key, Body: body, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	return storageError(ctx, "put", err)
}

// fetchResult reads the result that the service has written, or returns errMissing.
func (w *work) fetchResult(ctx context.Context) (result transcript, err error) {
	err = w.options.Retrier.Do(ctx, func(int) error {
		result, err = w.fetchResultOnce(ctx)
		return err
	})
	return result, asTranscriptionError(err)
}

func (w *work) fetchResultOnce(ctx context.Context) (transcript, error) {
	key := w.resultKey()
	out, err := w.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &w.options.Bucket, Key: &key})
	if _, isMissing := errors.AsType[*types.NoSuchKey](err); isMissing {
		return transcript{}, errMissing
	}
	if err != nil {
		return transcript{}, storageError(ctx, "get", err)
	}
	defer out.Body.Close()
	body := &errorReader{from: out.Body}
	result, err := readTranscript(body, maxResultBytes)
	switch {
	case body.err != nil && ctx.Err() != nil:
		return transcript{}, canceledError(ctx)
	case body.err != nil:
		return transcript{}, &mediaprompt.Busy{Cause: errors.New("transcribe: the connection failed while a result was read")}
	}
	return result, err
}

// errorReader remembers errors of the connection, to tell them from a result that is cut short.
type errorReader struct {
	from io.Reader
	err  error
}

// Read implements [io.Reader].
func (f *errorReader) Read(p []byte) (int, error) {
	n, err := f.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		f.err = err
	}
	return n, err
}

// unregisterWaiter leaves the job and its objects for the next caller.
func (w *work) unregisterWaiter(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTimeout)
	defer cancel()
	w.logCleanUpError(ctx, w.deleteObject(ctx, w.waitersPrefix()+w.waiterID))
}

// cleanUp deletes the job and its objects, unless another caller waits for the job. It reports whether
// this was the last caller. A good result stays for the next question about the same recording, until
// the bucket's lifecycle deletes it.
func (w *work) cleanUp(ctx context.Context, keepResult bool) (isLast bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanUpTimeout)
	defer cancel()
	err := w.deleteObject(ctx, w.waitersPrefix()+w.waiterID)
	hasOthers, listErr := w.hasOtherWaiters(ctx)
	if err := errors.Join(err, listErr); err != nil || hasOthers {
		w.logCleanUpError(ctx, err)
		return err == nil && !hasOthers
	}
	w.logCleanUpError(ctx, w.deleteObject(ctx, w.recordingKey()))
	if err := w.deleteJob(ctx); err != nil { // the next caller can still use the job and its result
		w.logCleanUpError(ctx, err)
		return true
	}
	if !keepResult {
		w.logCleanUpError(ctx, w.deleteObject(ctx, w.resultKey()))
	}
	return true
}

func (w *work) logCleanUpError(ctx context.Context, err error) {
	if err != nil {
		w.options.CallLog.Logger().WarnContext(ctx, "objects of a transcription cannot be deleted", "error", err)
	}
}

// hasOtherWaiters reports whether another caller waits for the job. It deletes the entries of callers
// that have stopped waiting. There are few entries.
func (w *work) hasOtherWaiters(ctx context.Context) (bool, error) {
	out, err := w.objects.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &w.options.Bucket, Prefix: aws.String(w.waitersPrefix())})
	if err != nil {
		return false, storageError(ctx, "list", err)
	}
	isWaiting := false
	for _, entry := range out.Contents {
		if w.options.Now().Before(aws.ToTime(entry.LastModified).Add(waiterTimeout)) {
			isWaiting = true
			continue
		}
		if err := w.deleteObject(ctx, aws.ToString(entry.Key)); err != nil {
			return false, err
		}
	}
	return isWaiting, nil
}

func (w *work) deleteObject(ctx context.Context, key string) error {
	_, err := w.objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &w.options.Bucket, Key: &key})
	return storageError(ctx, "delete", err)
}

// storageError classifies an error of S3. The S3 client has retried already.
func storageError(ctx context.Context, verb string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return canceledError(ctx)
	case retry.NewStandard().IsErrorRetryable(err), ctx.Err() != nil:
		return fmt.Errorf("%w (%s an object: %w)", ErrBusy, verb, err)
	}
	return fmt.Errorf("transcribe: %s an object: %w", verb, err)
}
