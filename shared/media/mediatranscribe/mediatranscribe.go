// Package mediatranscribe transcribes recordings with batch jobs of Amazon Transcribe.
//
// A job takes minutes and money, and the caller that waits for it may be gone before it ends. So the
// name of a job is a hash of the customer, the recording and all settings that change the text. A caller that
// does the same work again, after a crash or at the same time, finds the running job or its result,
// and nothing is paid for twice. A job has three kinds of objects in the bucket:
//
//	transcriptions/<name>.<extension>   the recording
//	transcriptions/<name>.json          the result that the service writes
//	transcriptions/<name>/<waiter>      empty: a caller that waits for the job; ignored if it is not renewed
//
// The last caller that waits deletes these objects and the job. It deletes the result last, because
// after a crash a result without a job is still useful, but a job without a result is not. If no caller
// comes back, the bucket's lifecycle deletes the objects.
//
// Keywords become custom vocabularies. The name of a vocabulary has a hash of the customer and one of its content, so
// that the customer's next recording finds it. A vocabulary is for one language; see [Options] for recordings of
// unknown language. All customers share the vocabularies of the account, so each has a share of them, and only a
// customer with more vocabularies loses one to another. No text of the service gets into an error for a caller.
package mediatranscribe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/transcribe"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/core/retry"
	"portside/shared/media"
	"portside/shared/media/mediaprompt"
)

// revision is part of the key under which answers are cached. Increase it with every change that may
// change the text of a recording.
const revision = "1"

// maxRecordingBytes is the limit of the service. It also limits the length to four hours, which it checks itself.
const maxRecordingBytes = 2 << 30

// Errors about recordings that are not transcribed. The service does not say how long to wait, so the
// times are estimates.
var (
	ErrBusy = &fault.Error{Kind: fault.Unavailable, RetryAfter: 30 * time.Second,
		Detail: "The transcription service is busy or cannot be reached. Try again later."}
	ErrRunning = &fault.Error{Kind: fault.Unavailable, RetryAfter: time.Minute,
		Detail: "The recording is still being transcribed. Try again later."}
	ErrJunk = &fault.Error{Kind: fault.Unavailable, RetryAfter: 30 * time.Second,
		Detail: "The transcription service gave an unusable answer. Try again later."}
	ErrTooLarge = fault.New(fault.Unprocessable, "The recording is too large or too long for the transcription service. Send it in parts, "+
		"or send only the audio.")
	ErrUnsupported = fault.New(fault.Unprocessable, "The transcription service does not support the format of the recording. "+
		"Send it as MP3, M4A or WAV with one or two channels.")
	ErrTooLittleSpeech = fault.New(fault.Unprocessable, "The recording has too little speech to identify its language.")
)

// Options configure a Transcriber.
type Options struct {
	Bucket string // for recordings and results, in the same account and region as the service

	// Languages are the languages for which keywords are prepared if the language of a recording is
	// unknown, most likely first; nil: the languages of answers. The service takes keywords for at most
	// five languages: those with the letters for most of the keywords. A recording in another language
	// is transcribed without the keywords, and a warning says so.
	Languages []answers.Lang

	CallLog mediaprompt.CallLog // with the price per minute
	Retrier mediaprompt.Retrier // its Pause also waits for jobs
	Now     func() time.Time    // nil: time.Now
}

// Transcriber starts jobs and waits for them.
type Transcriber struct {
	service *transcribe.Client
	objects *s3.Client
	options Options
}

var _ media.Transcriber = (*Transcriber)(nil)

// New returns a Transcriber.
func New(service *transcribe.Client, objects *s3.Client, o Options) *Transcriber {
	if o.Retrier.Pause == nil {
		o.Retrier.Pause = retry.Sleep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Transcriber{service, objects, o}
}

// Version implements [media.Transcriber].
func (t *Transcriber) Version() string {
	if t.options.Languages == nil {
		return "transcribe " + revision
	}
	return fmt.Sprintf("transcribe %s %v", revision, t.options.Languages)
}

// Slow implements [media.Transcriber]. A job waits in a queue and takes minutes.
func (t *Transcriber) Slow() bool { return true }

// Transcribe implements [media.Transcriber]. If there is not enough time, it returns ErrRunning and the
// job continues; the next call with the same recording, language and keywords waits for the same job.
// If the context is canceled, it abandons the job.
func (t *Transcriber) Transcribe(ctx context.Context, r media.Recording) ([]documents.Block, []string, error) {
	w, err := t.plan(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	var transcribed transcript
	err = vanishing.Do(ctx, isDeleted, func() (err error) {
		transcribed, err = w.run(ctx)
		return err
	})
	if isDeleted(err) {
		return nil, nil, fmt.Errorf("%w (%w)", ErrBusy, err)
	}
	return transcribed.blocks, w.warnings, err
}

// vanishing is the policy for a job that another caller deletes while this caller waits for it.
var vanishing = retry.Policy{Attempts: 3}

func isDeleted(err error) bool { return errors.Is(err, errJobDeleted) }

// plan names the job and prepares what needs no call of the service.
func (t *Transcriber) plan(ctx context.Context, r media.Recording) (*work, error) {
	if r.File.Size > maxRecordingBytes {
		return nil, ErrTooLarge
	}
	extension, _, err := r.Container()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r.File, 0, r.File.Size)); err != nil {
		return nil, fmt.Errorf("read a recording: %w", err)
	}
	w := &work{Transcriber: t, recording: r, extension: extension, language: languageCode(r.Lang), reserve: reserveOf(ctx)}
	languages := t.options.Languages
	switch {
	case w.language != "":
		languages = []answers.Lang{r.Lang}
	case languages == nil:
		languages = answers.Langs()
	}
	w.vocabularies, w.warnings = t.newVocabularies(r, languages)
	name := sha256.New()
	_, _ = fmt.Fprintf(name, "%q %q %q %x", r.Customer, t.Version(), t.options.Bucket, sum.Sum(nil)) // a hash never fails
	_, _ = fmt.Fprintf(name, " %q %q", extension, w.language)
	for _, v := range w.vocabularies {
		_, _ = fmt.Fprintf(name, " %q", v.name)
	}
	w.name = t.namePrefix() + hex.EncodeToString(name.Sum(nil))
	return w, nil
}

// namePrefix begins the names of our jobs and vocabularies, which other stacks in the same account may not touch. The
// name of the bucket is unique, and has no underscore, so no prefix begins with another one. Keep it in sync with
// template.yaml.
func (t *Transcriber) namePrefix() string { return t.options.Bucket + "_" }
