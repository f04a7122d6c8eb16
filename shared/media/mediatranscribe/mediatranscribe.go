// Package mediatranscribe transcribes recordings by batch jobs of Amazon Transcribe.
//
// A job takes minutes and money, and whoever waits for it may be gone before it ends. So a job has the name of its work, a hash of
// the recording and of all that changes the words: who does the same work again, after a crash or at the same time, finds the job
// that runs, or what it has written, and nothing is paid for twice. Three kinds of objects in the bucket belong to a job:
//
//	transcriptions/<name>.<suffix>   the recording
//	transcriptions/<name>.json       what the service makes of it
//	transcriptions/<name>/<run>      empty: somebody who waits for it; one that is not renewed counts no more
//
// The last one who waits deletes them and the job. The result goes last, since it is all that a crash in the middle must leave.
// What remains when nobody comes back, the bucket's lifecycle deletes.
//
// Keywords become custom vocabularies, named by a hash of what they hold and reused. A vocabulary is for one language; see
// [Options] for what that means where nobody knows the language. No text of the service gets into an error for a caller.
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

// revision changes with every change here that may change an answer; answers are kept by it.
const revision = "1"

// largest is what the service takes of one recording. It takes four hours, too, which only it can measure.
const largest = 2 << 30

// Why there are no words. The service asks for no time to wait, so the times are guesses.
var (
	ErrBusy = &fault.Error{Kind: fault.Unavailable, RetryAfter: 30 * time.Second,
		Detail: "The transcription service is busy or away. Try again later."}
	ErrRunning = &fault.Error{Kind: fault.Unavailable, RetryAfter: time.Minute,
		Detail: "The recording is still being transcribed. Try again later."}
	ErrJunk = &fault.Error{Kind: fault.Unavailable, RetryAfter: 30 * time.Second,
		Detail: "The transcription service gave an answer that cannot be used. Try again later."}
	ErrTooLarge = fault.New(fault.Unprocessable, "The recording is larger or longer than the transcription service takes. Send it in parts, "+
		"or only its sound.")
	ErrUnheard = fault.New(fault.Unprocessable, "The recording is of a kind that the transcription service does not take. "+
		"Send it as MP3, M4A or WAV with one or two channels.")
	ErrTooLittle = fault.New(fault.Unprocessable, "There is too little speech in the recording to tell its language.")
)

// Options are where recordings lie while they are transcribed, and how.
type Options struct {
	Bucket string // of the account and the region of the service

	// Languages are those that keywords are prepared for where the language of a recording is not known, most likely first; nil: the
	// languages of answers. The service takes keywords for at most five: those in whose letters most keywords can be written. A
	// recording in another language is transcribed all the same, without the keywords, and a warning says so.
	Languages []answers.Lang

	Ledger  mediaprompt.Ledger  // with the price of a minute
	Retrier mediaprompt.Retrier // its Pause waits for jobs, too
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

// Slow implements [media.Transcriber]: a job waits in a queue and takes minutes.
func (t *Transcriber) Slow() bool { return true }

// Transcribe implements [media.Transcriber]. Where the time of the context does not suffice, it is ErrRunning, the job goes on,
// and the next call with the same recording, language and keywords continues to wait for it. A context that is cancelled
// gives the job up.
func (t *Transcriber) Transcribe(ctx context.Context, r media.Recording) ([]documents.Block, []string, error) {
	w, err := t.plan(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	var transcribed transcript
	err = vanishing.Do(ctx, isGone, func() (err error) {
		transcribed, err = w.run(ctx)
		return err
	})
	if isGone(err) {
		return nil, nil, fmt.Errorf("%w (%w)", ErrBusy, err)
	}
	return transcribed.blocks, w.warnings, err
}

// vanishing is the policy for a job that somebody else deletes while this caller waits for it.
var vanishing = retry.Policy{Attempts: 3}

func isGone(err error) bool { return errors.Is(err, errGone) }

// plan names the work, and prepares all that can be prepared without the service.
func (t *Transcriber) plan(ctx context.Context, r media.Recording) (*work, error) {
	if r.File.Size > largest {
		return nil, ErrTooLarge
	}
	suffix, _, err := r.Container()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(r.File, 0, r.File.Size)); err != nil {
		return nil, fmt.Errorf("read a recording: %w", err)
	}
	w := &work{Transcriber: t, recording: r, suffix: suffix, code: codeOf(r.Lang), reserve: reserveOf(ctx)}
	languages := t.options.Languages
	switch {
	case w.code != "":
		languages = []answers.Lang{r.Lang}
	case languages == nil:
		languages = answers.Langs()
	}
	w.lists, w.warnings = listsOf(r.Keywords, languages)
	name := sha256.New()
	_, _ = fmt.Fprintf(name, "%q %q %x %q %q", t.Version(), t.options.Bucket, sum.Sum(nil), suffix, w.code) // a hash never fails
	for _, list := range w.lists {
		_, _ = fmt.Fprintf(name, " %q", list.name)
	}
	w.name = ours + hex.EncodeToString(name.Sum(nil))
	return w, nil
}

// ours begins the names of our jobs and vocabularies, among all of the account.
const ours = "portside-"
