package mediatranscribe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/transcribe"
	"github.com/aws/aws-sdk-go-v2/service/transcribe/types"

	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/mediaprompt"
)

// work is one call of Transcribe.
type work struct {
	*Transcriber
	recording media.Recording
	name      string // of the job
	suffix    string
	code      types.LanguageCode // empty: not known
	lists     []list             // of keywords
	reserve   time.Duration      // that waiting leaves of the context's time
	warnings  []string

	mark    string // this one's name among those who wait
	pending bool   // there is a job that has not ended, as far as is known
	joined  bool   // somebody else started it
	kept    bool   // its result was there already
	plain   string // why it has no vocabularies
}

// errGone says that the job was taken away together with its result.
var errGone = errors.New("transcribe: the job is gone")

// run does the work once, and cleans up unless the job is left for later.
func (w *work) run(ctx context.Context) (transcript, error) {
	began := time.Now()
	w.mark, w.pending, w.joined, w.kept, w.plain = newRun(), false, false, false, ""
	if err := w.hold(ctx); err != nil {
		return transcript{}, err
	}
	said, err := w.hear(ctx)
	last := false
	if err != nil && w.pending && later(ctx, err) {
		w.leave(ctx)
	} else {
		last = w.tidy(ctx, err == nil)
	}
	w.note(ctx, call{began, said.seconds, last && err == nil && !w.kept, err})
	return said, err
}

// later reports whether the same work may be asked for again soon.
func later(ctx context.Context, err error) bool {
	return fault.KindOf(err) == fault.Unavailable && !errors.Is(ctx.Err(), context.Canceled)
}

// hear finds what was done before, or has it done.
func (w *work) hear(ctx context.Context) (transcript, error) {
	job, err := w.find(ctx)
	w.joined = err == nil
	if errors.Is(err, errMissing) {
		said, err := w.read(ctx, nil)
		if !errors.Is(err, errMissing) {
			w.kept = err == nil
			return said, err
		}
		job, err = w.begin(ctx)
		if err != nil {
			return transcript{}, err
		}
	} else if err != nil {
		return transcript{}, err
	}
	w.pending = true
	job, err = w.await(ctx, job)
	switch {
	case errors.Is(err, errSilent):
		return transcript{}, nil
	case err != nil && !errors.Is(err, errMissing):
		return transcript{}, err
	}
	said, err := w.read(ctx, job)
	if errors.Is(err, errMissing) {
		return transcript{}, errGone
	}
	return said, err
}

// find is the job that somebody started before. One that failed is none: what made it fail may be over, as when its
// recording was deleted under it.
func (w *work) find(ctx context.Context) (*types.TranscriptionJob, error) {
	job, err := w.job(ctx)
	if err == nil && job.TranscriptionJobStatus == types.TranscriptionJobStatusFailed {
		if err := w.deleteJob(ctx); err != nil {
			return nil, err
		}
		return nil, errMissing
	}
	return job, err
}

// read reads what the job wrote; nil is a job that is deleted.
func (w *work) read(ctx context.Context, job *types.TranscriptionJob) (transcript, error) {
	said, err := w.result(ctx)
	if errors.Is(err, errMissing) || errors.Is(err, ErrJunk) { // there will be nothing better of this job
		w.pending = false
		if job != nil {
			err = errors.Join(err, w.deleteJob(ctx))
		}
		return transcript{}, err
	}
	switch {
	case err != nil || len(w.lists) == 0:
	case job == nil:
		w.warn("It is not known whether the keywords were used.")
	case !hasVocabulary(job):
		w.warn("The keywords were not used: " + or(w.plain, "the recording is in a language that they were not prepared for") + ".")
	}
	return said, err
}

// await asks until the job has ended. A failed one is an error, unless it was one for want of words.
func (w *work) await(ctx context.Context, job *types.TranscriptionJob) (*types.TranscriptionJob, error) {
	for n := 0; ; n++ {
		switch job.TranscriptionJobStatus {
		case types.TranscriptionJobStatusCompleted:
			return job, nil
		case types.TranscriptionJobStatusFailed:
			w.pending = false
			return nil, failure(aws.ToString(job.FailureReason))
		}
		wait := pollAfter(n)
		if !w.fits(ctx, wait) {
			return nil, ErrRunning
		}
		if err := w.wait(ctx, wait); err != nil {
			return nil, err
		}
		var err error
		if job, err = w.job(ctx); err != nil {
			return nil, err
		}
	}
}

// begin starts the job, or joins the one that somebody else has just started.
func (w *work) begin(ctx context.Context) (*types.TranscriptionJob, error) {
	vocabularies := w.prepare(ctx)
	if err := w.putRecording(ctx); err != nil {
		return nil, err
	}
	w.pending = true // even an error may mean that there is one
	job, err := w.start(ctx, vocabularies)
	if r, ok := errors.AsType[*refusal](err); ok && r.code == badRequest && len(vocabularies) > 0 {
		w.plain = "the transcription service does not take them now" // one may have been deleted meanwhile, to make room
		job, err = w.start(ctx, nil)
	}
	if errors.Is(err, errConflict) {
		w.joined = true
		return w.job(ctx)
	}
	if r, ok := errors.AsType[*refusal](err); ok && !r.server() {
		w.pending = false
	}
	return job, err
}

func (w *work) start(ctx context.Context, vocabularies map[types.LanguageCode]string) (*types.TranscriptionJob, error) {
	input := &transcribe.StartTranscriptionJobInput{
		TranscriptionJobName: &w.name,
		Media:                &types.Media{MediaFileUri: aws.String("s3://" + w.options.Bucket + "/" + w.recordingKey())},
		MediaFormat:          types.MediaFormat(w.suffix),
		OutputBucketName:     &w.options.Bucket,
		OutputKey:            aws.String(w.resultKey()),
	}
	speak(input, w.code, vocabularies)
	var out *transcribe.StartTranscriptionJobOutput
	err := w.call(ctx, "StartTranscriptionJob", func() (err error) {
		out, err = w.service.StartTranscriptionJob(ctx, input, once)
		return err
	})
	if err != nil {
		return nil, err
	}
	return sound(out.TranscriptionJob)
}

// job asks for the job; errMissing where there is none.
func (w *work) job(ctx context.Context) (*types.TranscriptionJob, error) {
	var out *transcribe.GetTranscriptionJobOutput
	err := w.call(ctx, "GetTranscriptionJob", func() (err error) {
		out, err = w.service.GetTranscriptionJob(ctx, &transcribe.GetTranscriptionJobInput{TranscriptionJobName: &w.name}, once)
		return err
	})
	if err != nil {
		return nil, missing(err)
	}
	return sound(out.TranscriptionJob)
}

func sound(job *types.TranscriptionJob) (*types.TranscriptionJob, error) {
	if job == nil || job.TranscriptionJobStatus == "" {
		return nil, ErrJunk
	}
	return job, nil
}

// deleteJob is content with a job that is not there. One that has not ended the service keeps; it cannot be stopped.
func (w *work) deleteJob(ctx context.Context) error {
	err := w.call(ctx, "DeleteTranscriptionJob", func() error {
		_, err := w.service.DeleteTranscriptionJob(ctx, &transcribe.DeleteTranscriptionJobInput{TranscriptionJobName: &w.name}, once)
		return err
	})
	if errors.Is(missing(err), errMissing) {
		return nil
	}
	return err
}

func (w *work) warn(sentence string) { w.warnings = append(w.warnings, sentence) }

// call is what one run came to.
type call struct {
	began   time.Time
	seconds float64 // of the recording, as far as words are heard in it
	pays    bool    // exactly one of those who waited for the job does
	err     error
}

// note writes the line that tells what the work cost, and nothing of what was said. What was there already was no call.
func (w *work) note(ctx context.Context, c call) {
	if w.kept {
		return
	}
	const ok, least = 200, 15 // seconds that are paid for
	ledger := mediaprompt.Ledger{Log: w.options.Ledger.Log}
	line := mediaprompt.Call{Engine: "transcribe", Model: "standard", Endpoint: "transcription job", Began: c.began, Attempt: 1}
	if w.joined {
		line.Attempt = 2
	}
	if c.err == nil {
		line.Status = ok
		line.Audio = time.Duration(c.seconds * float64(time.Second))
	}
	if c.pays {
		ledger = w.options.Ledger
		line.Audio = max(line.Audio, least*time.Second)
	}
	ledger.Note(ctx, line)
}

func or(value, usual string) string {
	if value == "" {
		return usual
	}
	return value
}

// ended is an error for the log: nobody waits any more.
func ended(ctx context.Context) error {
	return fmt.Errorf("transcribe: the work was ended: %w", context.Cause(ctx))
}
