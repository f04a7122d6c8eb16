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
	recording    media.Recording
	name         string // of the job
	extension    string
	language     types.LanguageCode // empty: unknown
	vocabularies []vocabulary       // for the keywords
	reserve      time.Duration      // time of the context that waiting must leave
	warnings     []string

	waiterID     string // identifies this caller among those that wait for the job
	isPending    bool   // the job may not have ended
	isJoined     bool   // another caller has started the job
	wasCached    bool   // the result existed already
	unusedReason string // why the job has no vocabularies; empty if it has
}

// errJobDeleted means that another caller has deleted the job and its result.
var errJobDeleted = errors.New("transcribe: the job was deleted")

// run does the work once. It cleans up, unless a later call can continue the work.
func (w *work) run(ctx context.Context) (transcript, error) {
	startedAt := time.Now()
	w.waiterID, w.isPending, w.isJoined, w.wasCached, w.unusedReason = newWaiterID(), false, false, false, ""
	if err := w.registerWaiter(ctx); err != nil {
		return transcript{}, err
	}
	result, err := w.transcribe(ctx)
	isLast := false
	if err != nil && w.isPending && canContinueLater(ctx, err) {
		w.unregisterWaiter(ctx)
	} else {
		isLast = w.cleanUp(ctx, err == nil)
	}
	w.logCall(ctx, outcome{startedAt, result.seconds, isLast && err == nil && !w.wasCached, err})
	return result, err
}

// canContinueLater reports whether the client may soon send the same work again.
func canContinueLater(ctx context.Context, err error) bool {
	return fault.KindOf(err) == fault.Unavailable && !errors.Is(ctx.Err(), context.Canceled)
}

// transcribe returns the result of an earlier job, waits for a running job, or starts a job.
func (w *work) transcribe(ctx context.Context) (transcript, error) {
	job, err := w.findJob(ctx)
	w.isJoined = err == nil
	if errors.Is(err, errMissing) {
		result, err := w.readResult(ctx, nil)
		if !errors.Is(err, errMissing) {
			w.wasCached = err == nil
			return result, err
		}
		job, err = w.startOrJoin(ctx)
		if err != nil {
			return transcript{}, err
		}
	} else if err != nil {
		return transcript{}, err
	}
	w.isPending = true
	job, err = w.waitForJob(ctx, job)
	switch {
	case errors.Is(err, errSilent):
		return transcript{}, nil
	case err != nil && !errors.Is(err, errMissing):
		return transcript{}, err
	}
	result, err := w.readResult(ctx, job)
	if errors.Is(err, errMissing) {
		return transcript{}, errJobDeleted
	}
	return result, err
}

// findJob returns the job that another caller has started. It deletes a failed job and returns
// errMissing, because the cause of the failure may be over, for example that its recording was
// deleted.
func (w *work) findJob(ctx context.Context) (*types.TranscriptionJob, error) {
	job, err := w.getJob(ctx)
	if err == nil && job.TranscriptionJobStatus == types.TranscriptionJobStatusFailed {
		if err := w.deleteJob(ctx); err != nil {
			return nil, err
		}
		return nil, errMissing
	}
	return job, err
}

// readResult reads the result of the job. Job is nil if it is deleted already.
func (w *work) readResult(ctx context.Context, job *types.TranscriptionJob) (transcript, error) {
	result, err := w.fetchResult(ctx)
	if errors.Is(err, errMissing) || errors.Is(err, ErrJunk) { // this job will not write another result
		w.isPending = false
		if job != nil {
			err = errors.Join(err, w.deleteJob(ctx))
		}
		return transcript{}, err
	}
	switch {
	case err != nil || len(w.vocabularies) == 0:
	case job == nil:
		w.warn("It is not known whether the keywords were used.")
	case !hasVocabulary(job):
		w.warn("The keywords were not used: " + orDefault(w.unusedReason, "the recording is in a language that they were not prepared for") + ".")
	}
	return result, err
}

// waitForJob polls until the job has ended. It returns an error if the job has failed.
func (w *work) waitForJob(ctx context.Context, job *types.TranscriptionJob) (*types.TranscriptionJob, error) {
	for n := 0; ; n++ {
		switch job.TranscriptionJobStatus {
		case types.TranscriptionJobStatusCompleted:
			return job, nil
		case types.TranscriptionJobStatusFailed:
			w.isPending = false
			return nil, jobFailure(aws.ToString(job.FailureReason))
		}
		wait := pollInterval(n)
		if !w.hasTimeFor(ctx, wait) {
			return nil, ErrRunning
		}
		if err := w.wait(ctx, wait); err != nil {
			return nil, err
		}
		var err error
		if job, err = w.getJob(ctx); err != nil {
			return nil, err
		}
	}
}

// startOrJoin starts the job, or returns the job that another caller has just started.
func (w *work) startOrJoin(ctx context.Context) (*types.TranscriptionJob, error) {
	vocabularies := w.prepareVocabularies(ctx)
	if err := w.putRecording(ctx); err != nil {
		return nil, err
	}
	w.isPending = true // after an error, the job may have been started nevertheless
	job, err := w.startJob(ctx, vocabularies)
	if exc, ok := errors.AsType[*exception](err); ok && exc.code == badRequest && len(vocabularies) > 0 {
		w.unusedReason = "the transcription service does not accept them now" // one may just have been deleted to make room
		job, err = w.startJob(ctx, nil)
	}
	if errors.Is(err, errConflict) {
		w.isJoined = true
		return w.getJob(ctx)
	}
	if exc, ok := errors.AsType[*exception](err); ok && !exc.isServerError() {
		w.isPending = false
	}
	return job, err
}

func (w *work) startJob(ctx context.Context, vocabularies map[types.LanguageCode]string) (*types.TranscriptionJob, error) {
	input := &transcribe.StartTranscriptionJobInput{
		TranscriptionJobName: &w.name,
		Media:                &types.Media{MediaFileUri: aws.String("s3://" + w.options.Bucket + "/" + w.recordingKey())},
		MediaFormat:          types.MediaFormat(w.extension),
		OutputBucketName:     &w.options.Bucket,
		OutputKey:            aws.String(w.resultKey()),
	}
	setLanguage(input, w.language, vocabularies)
	var out *transcribe.StartTranscriptionJobOutput
	err := w.call(ctx, "StartTranscriptionJob", func() (err error) {
		out, err = w.service.StartTranscriptionJob(ctx, input, withoutRetries)
		return err
	})
	if err != nil {
		return nil, err
	}
	return checkJob(out.TranscriptionJob)
}

// getJob returns the job, or errMissing.
func (w *work) getJob(ctx context.Context) (*types.TranscriptionJob, error) {
	var out *transcribe.GetTranscriptionJobOutput
	err := w.call(ctx, "GetTranscriptionJob", func() (err error) {
		out, err = w.service.GetTranscriptionJob(ctx, &transcribe.GetTranscriptionJobInput{TranscriptionJobName: &w.name}, withoutRetries)
		return err
	})
	if err != nil {
		return nil, asMissing(err)
	}
	return checkJob(out.TranscriptionJob)
}

func checkJob(job *types.TranscriptionJob) (*types.TranscriptionJob, error) {
	if job == nil || job.TranscriptionJobStatus == "" {
		return nil, ErrJunk
	}
	return job, nil
}

// deleteJob deletes the job. It returns no error if the job does not exist. The service does not delete a job
// that has not ended, and cannot stop it.
func (w *work) deleteJob(ctx context.Context) error {
	err := w.call(ctx, "DeleteTranscriptionJob", func() error {
		_, err := w.service.DeleteTranscriptionJob(ctx, &transcribe.DeleteTranscriptionJobInput{TranscriptionJobName: &w.name}, withoutRetries)
		return err
	})
	if errors.Is(asMissing(err), errMissing) {
		return nil
	}
	return err
}

func (w *work) warn(sentence string) { w.warnings = append(w.warnings, sentence) }

// outcome describes one run of the work.
type outcome struct {
	startedAt time.Time
	seconds   float64 // length of the recording up to its last word
	mustPay   bool    // exactly one of the callers that waited for the job logs its cost
	err       error
}

// logCall logs the call with its cost, and without any words of the recording. It logs nothing if the
// result existed already.
func (w *work) logCall(ctx context.Context, c outcome) {
	if w.wasCached {
		return
	}
	const statusOK, minBilledSeconds = 200, 15
	calls := mediaprompt.CallLog{Out: w.options.CallLog.Out}
	line := mediaprompt.Call{Engine: "transcribe", Model: "standard", Endpoint: "transcription job", StartedAt: c.startedAt, Attempt: 1}
	if w.isJoined {
		line.Attempt = 2
	}
	if c.err == nil {
		line.Status = statusOK
		line.Audio = time.Duration(c.seconds * float64(time.Second))
	}
	if c.mustPay {
		calls = w.options.CallLog
		line.Audio = max(line.Audio, minBilledSeconds*time.Second)
	}
	calls.Record(ctx, line)
}

func orDefault(value, defaultValue string) string {
	if value == "" {
		return defaultValue
	}
	return value
}

// canceledError returns the error of work that was canceled.
func canceledError(ctx context.Context) error {
	return fmt.Errorf("transcribe: the work was canceled: %w", context.Cause(ctx))
}
