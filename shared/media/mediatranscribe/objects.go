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

// Prefix is where in the bucket everything of this package lies.
const Prefix = "transcriptions/"

// lease is how long somebody counts as waiting after the last sign; each wait renews it.
const lease = 2 * time.Minute

// tidying is how long cleaning up may take, whatever time the caller has.
const tidying = 15 * time.Second

func newRun() string { return rand.Text() }

func (w *work) recordingKey() string { return Prefix + w.name + "." + w.suffix }
func (w *work) resultKey() string    { return Prefix + w.name + ".json" }
func (w *work) waiting() string      { return Prefix + w.name + "/" }

// hold tells others who do the same work that this one waits for it.
func (w *work) hold(ctx context.Context) error {
	return w.put(ctx, w.waiting()+w.mark, strings.NewReader(""))
}

func (w *work) putRecording(ctx context.Context) error {
	return w.put(ctx, w.recordingKey(), io.NewSectionReader(w.recording.File, 0, w.recording.File.Size))
}

func (w *work) put(ctx context.Context, key string, body io.ReadSeeker) error {
	_, err := w.objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &w.options.Bucket, Key: &key, Body: body, ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	return stored(ctx, "put", err)
}

// result reads what the service wrote; errMissing where it wrote nothing.
func (w *work) result(ctx context.Context) (said transcript, err error) {
	err = w.options.Retrier.Do(ctx, func(int) error {
		said, err = w.resultOnce(ctx)
		return err
	})
	return said, told(err)
}

func (w *work) resultOnce(ctx context.Context) (transcript, error) {
	key := w.resultKey()
	out, err := w.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &w.options.Bucket, Key: &key})
	if _, absent := errors.AsType[*types.NoSuchKey](err); absent {
		return transcript{}, errMissing
	}
	if err != nil {
		return transcript{}, stored(ctx, "get", err)
	}
	defer out.Body.Close()
	body := &faithful{from: out.Body}
	said, err := readTranscript(body, mostOfResult)
	switch {
	case body.failed != nil && ctx.Err() != nil:
		return transcript{}, ended(ctx)
	case body.failed != nil:
		return transcript{}, &mediaprompt.Busy{Cause: errors.New("transcribe: a result broke off")}
	}
	return said, err
}

// faithful tells an end of the connection from an end of the object.
type faithful struct {
	from   io.Reader
	failed error
}

// Read implements [io.Reader].
func (f *faithful) Read(p []byte) (int, error) {
	n, err := f.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		f.failed = err
	}
	return n, err
}

// leave keeps the job and its objects for whoever comes next.
func (w *work) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidying)
	defer cancel()
	w.complain(ctx, w.remove(ctx, w.waiting()+w.mark))
}

// tidy deletes everything, unless somebody else waits for the job; it reports whether nobody does. A good result stays for the
// next question about the same recording. It, and what cannot be deleted, is left to the bucket's lifecycle.
func (w *work) tidy(ctx context.Context, good bool) (last bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidying)
	defer cancel()
	err := w.remove(ctx, w.waiting()+w.mark)
	others, listed := w.others(ctx)
	if err := errors.Join(err, listed); err != nil || others {
		w.complain(ctx, err)
		return err == nil && !others
	}
	w.complain(ctx, w.remove(ctx, w.recordingKey()))
	if err := w.deleteJob(ctx); err != nil { // what it has written is good for the next one who asks
		w.complain(ctx, err)
		return true
	}
	if !good {
		w.complain(ctx, w.remove(ctx, w.resultKey()))
	}
	return true
}

func (w *work) complain(ctx context.Context, err error) {
	if err != nil {
		w.options.Ledger.Logger().WarnContext(ctx, "what belongs to a transcription is not deleted", "error", err)
	}
}

// others reports whether somebody else waits, and deletes the signs of those who do no more. There are few.
func (w *work) others(ctx context.Context) (bool, error) {
	out, err := w.objects.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &w.options.Bucket, Prefix: aws.String(w.waiting())})
	if err != nil {
		return false, stored(ctx, "list", err)
	}
	waiting := false
	for _, sign := range out.Contents {
		if w.options.Now().Before(aws.ToTime(sign.LastModified).Add(lease)) {
			waiting = true
			continue
		}
		if err := w.remove(ctx, aws.ToString(sign.Key)); err != nil {
			return false, err
		}
	}
	return waiting, nil
}

func (w *work) remove(ctx context.Context, key string) error {
	_, err := w.objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &w.options.Bucket, Key: &key})
	return stored(ctx, "delete", err)
}

// stored says what an error of S3 comes to. Its client has tried again by itself already.
func stored(ctx context.Context, verb string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return ended(ctx)
	case retry.NewStandard().IsErrorRetryable(err), ctx.Err() != nil:
		return fmt.Errorf("%w (%s an object: %w)", ErrBusy, verb, err)
	}
	return fmt.Errorf("transcribe: %s an object: %w", verb, err)
}
