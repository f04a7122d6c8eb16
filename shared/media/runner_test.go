package media_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

const owner = "0192f3a1-0000-7000-8000-000000000001"

// oracle is an engine that does as a test tells it.
type oracle struct {
	answers.Engine
	asked  int
	answer func(ctx context.Context, asked int) (string, error)
}

func (*oracle) Version() string { return "oracle" }

func (o *oracle) Summarize(ctx context.Context, _ *documents.Document, _ answers.SummarySettings) (answers.Summary, error) {
	o.asked++
	text, err := o.answer(ctx, o.asked)
	return answers.Summary{Text: text}, err
}

// yard runs one job on a real store, with a clock that only the test moves.
type yard struct {
	*testing.T
	*medias3.Store
	*oracle
	clock time.Time
	saved []float64 // progress of each save
}

// SaveJob takes note, and saves.
func (y *yard) SaveJob(ctx context.Context, job media.Job) error {
	y.saved = append(y.saved, job.Progress)
	return y.Store.SaveJob(ctx, job)
}

const jobID = "0192f3a1-0000-7000-8000-0000000000aa"

func newYard(t *testing.T, answer func(ctx context.Context, asked int) (string, error)) *yard {
	t.Helper()
	y := &yard{T: t, oracle: &oracle{answer: answer}, clock: awstest.RealTime()}
	y.Store = medias3.New(awstest.S3(t), awstest.Bucket(t), awstest.RealTime)
	upload := uuid.NewString()
	job := media.Job{
		ID: jobID, Owner: owner, Status: media.Queued, CreatedAt: y.clock, Uploads: []string{upload},
		Question: media.Question{Task: media.Summarize},
	}
	if err := errors.Join(y.SaveUpload(t.Context(), owner, upload, source("A text.")), y.StartJob(t.Context(), job)); err != nil {
		t.Fatal(err)
	}
	return y
}

// run is one try, as an event makes it.
func (y *yard) run(ctx context.Context) error {
	service := media.NewService(media.Parts{
		Detect: func(context.Context, documents.Source, documents.Limits) (documents.Format, error) {
			return documents.PlainText, nil
		},
		Readers: map[documents.Format]documents.Reader{documents.PlainText: func(_ context.Context, _ documents.Source, into *documents.Builder) error {
			return into.Add(documents.Block{Kind: documents.Paragraph, Text: "A text."})
		}},
		Engine: y.oracle, Results: shelf{}, Limits: documents.DefaultLimits(),
	})
	now := func() time.Time { return y.clock }
	return media.NewRunner(media.RunnerParts{Service: service, Uploads: y.Store, Jobs: y, Now: now}).Run(ctx, owner, jobID)
}

// is ends the test unless the job is as wanted.
func (y *yard) is(status media.Status, asked int) media.Job {
	y.Helper()
	job, err := y.Job(y.Context(), owner, jobID)
	if err != nil || job.Status != status || y.asked != asked {
		y.Fatalf("the job is %+v, %v, the engine was asked %d times", job, err, y.asked)
	}
	return job
}

func TestABusyModelIsTriedAgainAndThenGivenUp(t *testing.T) {
	busy := fault.New(fault.Unavailable, "The model is busy.")
	y := newYard(t, func(context.Context, int) (string, error) { return "", busy })
	for try := 1; try < media.JobTries; try++ {
		if err := y.run(t.Context()); !errors.Is(err, busy) {
			t.Fatalf("try %d: %v", try, err)
		}
		y.is(media.Queued, try)
	}
	for range 2 { // the second event comes late
		if err := y.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		job := y.is(media.Failed, media.JobTries)
		if job.Failure == nil || job.Failure.Kind != fault.Unavailable || job.Failure.Detail != busy.Detail {
			t.Errorf("failed by %+v", job.Failure)
		}
	}
}

func TestABusyModelMayAnswerLater(t *testing.T) {
	y := newYard(t, func(_ context.Context, asked int) (string, error) {
		if asked < media.JobTries {
			return "", fault.New(fault.Unavailable, "The model is busy.")
		}
		return "At last.", nil
	})
	for range media.JobTries {
		_ = y.run(t.Context()) // how it went is noted in the job
	}
	if job := y.is(media.Succeeded, media.JobTries); job.Answer.Summary != "At last." || job.Progress != 1 {
		t.Errorf("the job is %+v", job)
	}
}

// A process that ends midway leaves nothing but a job that runs. What ended it twice is not tried a third time.
func TestTriesThatEndMidway(t *testing.T) {
	y := newYard(t, func(context.Context, int) (string, error) { panic("killed") })
	for try := 1; try < media.JobTries; try++ {
		func() {
			defer func() { _ = recover() }()
			_ = y.run(t.Context())
		}()
		y.is(media.Running, try)
	}
	if err := y.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if job := y.is(media.Failed, media.JobTries-1); job.Failure.Detail != media.ErrBrokenOff.Detail {
		t.Errorf("failed by %+v", job.Failure)
	}
}

func TestTriesThatTakeTooLong(t *testing.T) {
	y := newYard(t, func(ctx context.Context, _ int) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second+100*time.Millisecond) // of which ten seconds are for the end
	defer cancel()
	if err := y.run(ctx); err != nil || ctx.Err() != nil {
		t.Fatal(err, ctx.Err())
	}
	if job := y.is(media.Failed, 1); job.Failure.Kind != fault.Unprocessable || !strings.Contains(job.Failure.Detail, "15 minutes") {
		t.Errorf("failed by %+v", job.Failure)
	}
}

func TestJobsThatNobodyWorksOnHaveFailed(t *testing.T) {
	created := time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC)
	most := media.JobWait + media.JobTime
	for _, status := range []media.Status{media.Queued, media.Running} {
		job := media.Job{Status: status, CreatedAt: created}
		if got := job.At(created.Add(most)); got.Status != status || got.Failure != nil {
			t.Errorf("%s: %+v", status, got)
		}
		got := job.At(created.Add(most + 1))
		if got.Status != media.Failed || got.Failure == nil || got.Failure.Kind != fault.Unavailable {
			t.Errorf("%s: %+v", status, got)
		}
	}
	if got := (media.Job{Status: media.Succeeded}).At(created); got.Status != media.Succeeded {
		t.Errorf("%+v", got)
	}
}

// Progress is saved at most once a second, never falls, and is no more once the job has ended.
func TestProgressIsNoted(t *testing.T) {
	var y *yard
	var late func()
	y = newYard(t, func(ctx context.Context, _ int) (string, error) {
		late = func() { media.Progress(ctx, 1) }
		for _, done := range []float64{0.2, 0.1, 0.4, 0.6, 0.8} {
			y.clock = y.clock.Add(600 * time.Millisecond)
			media.Progress(ctx, done)
		}
		return "Done.", nil
	})
	if err := y.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	y.clock = y.clock.Add(time.Hour)
	late()
	// Fetching is a tenth, reading half of the rest: 0.4 of the answer is 0.1 + 0.9 × (0.5 + 0.5 × 0.4).
	want := []float64{0, 0.73, 0.91, 1}
	if !slices.EqualFunc(y.saved, want, func(a, b float64) bool { return a-b < 0.001 && b-a < 0.001 }) {
		t.Errorf("noted %v, want %v", y.saved, want)
	}
	if job := y.is(media.Succeeded, 1); job.Progress != 1 {
		t.Errorf("ends at %v", job.Progress)
	}
}

func TestProgressReachesWhoeverAsked(t *testing.T) {
	media.Progress(t.Context(), 0.5) // nobody asked
	var got []float64
	ctx := media.WithProgress(t.Context(), func(done float64) { got = append(got, done) })
	media.Progress(ctx, -1)
	media.Progress(ctx, 0.5)
	if !slices.Equal(got, []float64{0, 0.5}) {
		t.Errorf("reported %v", got)
	}
}

// What a service has made of a file without time is not what it would make of it, and not kept.
func TestAnswersWithoutTimeAreNotKept(t *testing.T) {
	kept := shelf{}
	ctx, cancel := context.WithCancel(t.Context())
	s := &scribe{captions: said("Good morning.")}
	work := media.Work{Question: media.Question{Task: media.Summarize}, Files: []media.File{{Source: source("noise")}}}
	cancel()
	if _, err := listening(documents.Audio, kept, s).Answer(ctx, work); !errors.Is(err, context.Canceled) || len(kept) > 0 {
		t.Errorf("%v, kept %v", err, kept)
	}
}
