package jobs_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

// responderTest is a Responder on a real store.
type responderTest struct {
	*testing.T
	jobs.ResponderParts
	client *s3.Client
	bucket string
	closed atomic.Int32 // requests whose files were closed
}

// newResponderTest returns a test in which the client waits for an hour. The engine answers at once.
func newResponderTest(t *testing.T) *responderTest {
	t.Helper()
	r := &responderTest{T: t, client: awstest.S3(t), bucket: awstest.Bucket(t)}
	store := medias3.New(r.client, r.bucket, awstest.RealTime)
	r.ResponderParts = jobs.ResponderParts{
		Uploads: store, Jobs: store, Now: awstest.RealTime,
		Timing: jobs.Timing{AnswerTimeout: time.Hour, UploadDelay: time.Hour},
	}
	r.answerWith(func(context.Context, int) (string, error) { return "Short.", nil })
	return r
}

// answerWith gives the service an engine whose summaries come from the function.
func (r *responderTest) answerWith(summary func(ctx context.Context, call int) (string, error)) *stubEngine {
	engine := &stubEngine{summary: summary}
	r.Service = newTextService(engine)
	return engine
}

// changeService changes the parts of the service.
func (r *responderTest) changeService(change func(*media.Parts)) {
	parts := r.Service.Parts
	change(&parts)
	r.Service = media.NewService(parts)
}

// request returns a request to summarize a file.
func (r *responderTest) request(content string) jobs.Request {
	return jobs.Request{
		Owner: owner, Question: media.Question{Task: media.Summarize}, ReceivedAt: awstest.RealTime(),
		Files: []jobs.RequestFile{{File: &media.File{Source: source(content), Sum: sha256.Sum256([]byte(content))}}},
		Close: func() { r.closed.Add(1) },
	}
}

func (r *responderTest) respond(req jobs.Request) (jobs.Response, error) {
	return jobs.NewResponder(r.ResponderParts).Respond(r.Context(), req)
}

// mustStartJob ends the test unless the response is a queued job.
func (r *responderTest) mustStartJob(req jobs.Request) jobs.Job {
	r.Helper()
	response, err := r.respond(req)
	if err != nil || response.Job == nil || response.Job.Status != jobs.Queued {
		r.Fatalf("response %+v, error %v; want a queued job", response, err)
	}
	return *response.Job
}

// run does the work of a job and returns the job.
func (r *responderTest) run(id string) jobs.Job {
	r.Helper()
	runner := jobs.NewRunner(jobs.RunnerParts{Service: r.Service, Uploads: r.Uploads, Jobs: r.Jobs, Now: r.Now})
	if err := runner.Run(r.Context(), owner, id); err != nil {
		r.Fatal(err)
	}
	job, err := jobs.NewResponder(r.ResponderParts).FindJob(r.Context(), owner, id)
	if err != nil {
		r.Fatal(err)
	}
	return job
}

// stored returns the keys in the bucket that begin with the prefix.
func (r *responderTest) stored(prefix string) (keys []string) {
	r.Helper()
	list, err := r.client.ListObjectsV2(r.Context(), &s3.ListObjectsV2Input{Bucket: &r.bucket, Prefix: &prefix})
	if err != nil {
		r.Fatal(err)
	}
	for _, object := range list.Contents {
		keys = append(keys, *object.Key)
	}
	return keys
}

// mustStore checks that one upload is stored, and how many events of jobs.
func (r *responderTest) mustStore(events int) {
	r.Helper()
	if u, e := r.stored("uploads/"), r.stored(medias3.Queue); len(u) != 1 || len(e) != events {
		r.Errorf("stored uploads %q and events %q, want 1 and %d", u, e, events)
	}
}

// mustQueue checks how many events of jobs are stored. Uploads that no job needs may be stored, too.
func (r *responderTest) mustQueue(events int) {
	r.Helper()
	if e := r.stored(medias3.Queue); len(e) != events {
		r.Errorf("stored events %q, want %d", e, events)
	}
}

// waitForContext is an engine that works until its time is up.
func waitForContext(ctx context.Context, _ int) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// shortTimeout is long enough that a request surely reaches the engine, even on a busy machine.
const shortTimeout = 2 * time.Second

func TestRespondAnswersInTime(t *testing.T) {
	busy := fault.New(fault.Unavailable, "The model is busy.")
	for name, delay := range map[string]time.Duration{"before the upload": time.Hour, "beside the upload": 0} {
		t.Run(name, func(t *testing.T) {
			r := newResponderTest(t)
			r.Timing.UploadDelay = delay
			response, err := r.respond(r.request("a"))
			if err != nil || response.Job != nil || response.Answer.Summary != "Short." {
				t.Errorf("response %+v, error %v", response, err)
			}
			r.answerWith(func(context.Context, int) (string, error) { return "", busy })
			if _, err := r.respond(r.request("b")); !errors.Is(err, busy) {
				t.Errorf("error %v, want %v", err, busy)
			}
			r.mustQueue(0)
			if r.closed.Load() != 2 {
				t.Errorf("the files of %d requests were closed, want 2", r.closed.Load())
			}
		})
	}
}

func TestRespondStartsJobForSlowWork(t *testing.T) {
	r := newResponderTest(t)
	engine := r.answerWith(waitForContext)
	r.Timing.AnswerTimeout = shortTimeout
	job := r.mustStartJob(r.request("a"))
	if engine.callCount() != 1 {
		t.Fatalf("the engine was called %d times, want once", engine.callCount())
	}
	r.Timing.AnswerTimeout = 200 * time.Millisecond
	if again := r.mustStartJob(r.request("a")); again.ID != job.ID {
		t.Errorf("the same request gets job %s, want %s", again.ID, job.ID)
	}
	asked := r.request("a")
	asked.WantsJob = true
	if again := r.mustStartJob(asked); again.ID != job.ID {
		t.Errorf("the same request for a job gets job %s, want %s", again.ID, job.ID)
	}
	r.mustStore(1)
	if other := r.mustStartJob(r.request("b")); other.ID == job.ID {
		t.Error("a request with another file gets the same job")
	}

	engine.setSummary(func(context.Context, int) (string, error) { return "At last.", nil })
	if done := r.run(job.ID); done.Status != jobs.Succeeded || done.Answer.Summary != "At last." {
		t.Errorf("job %+v", done)
	}
	r.Timing.AnswerTimeout = time.Hour
	if response, err := r.respond(r.request("a")); err != nil || response.Answer.Summary != "At last." {
		t.Errorf("after the job: response %+v, error %v; want its answer", response, err)
	}
}

// Clients may send the same request several times at once.
func TestRespondStartsOneJobForEqualRequests(t *testing.T) {
	r := newResponderTest(t)
	ids := make([]string, 6)
	var requests sync.WaitGroup
	for i := range ids {
		requests.Go(func() {
			req := r.request("a")
			req.WantsJob = true
			if response, err := r.respond(req); err == nil && response.Job != nil {
				ids[i] = response.Job.ID
			}
		})
	}
	requests.Wait()
	if ids[0] == "" || len(slices.Compact(ids)) != 1 {
		t.Errorf("jobs %q, want one", ids)
	}
	r.mustQueue(1)
}

// If the process crashes between storing a job and its event, a repeated request sends the event, once.
func TestRespondResumesAnInterruptedStart(t *testing.T) {
	r := newResponderTest(t)
	req := r.request("a")
	req.WantsJob = true
	job := r.mustStartJob(req)
	event := r.stored(medias3.Queue)[0]
	if _, err := r.client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &r.bucket, Key: &event}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		req.Close = func() {}
		if again := r.mustStartJob(req); again.ID != job.ID {
			t.Errorf("the repeated request gets job %s, want %s", again.ID, job.ID)
		}
		if events := r.stored(medias3.Queue); len(events) != 1 || events[0] != event {
			t.Errorf("events %q, want %q", events, event)
		}
	}
	if done := r.run(job.ID); done.Status != jobs.Succeeded {
		t.Errorf("job %+v", done)
	}
}

func TestRespondRestartsFailedJob(t *testing.T) {
	r := newResponderTest(t)
	engine := r.answerWith(func(context.Context, int) (string, error) { return "", fault.New(fault.Unprocessable, "No.") })
	req := r.request("a")
	req.WantsJob = true
	job := r.mustStartJob(req)
	if failed := r.run(job.ID); failed.Status != jobs.Failed || failed.Failure.Detail != "No." {
		t.Fatalf("job %+v, want a failure", failed)
	}
	if again := r.mustStartJob(req); again.ID != job.ID || again.Failure != nil {
		t.Errorf("job %+v, want %s without its failure", again, job.ID)
	}
	engine.setSummary(func(context.Context, int) (string, error) { return "Yes.", nil })
	if done := r.run(job.ID); done.Status != jobs.Succeeded || done.Answer.Summary != "Yes." {
		t.Errorf("job %+v", done)
	}
}

// slowTranscriber is a transcriber for which a client does not wait.
type slowTranscriber struct{ media.NoTranscriber }

func (slowTranscriber) Slow() bool { return true }

func TestRespondStartsJobAtOnceForSlowTranscriber(t *testing.T) {
	r := newResponderTest(t)
	r.changeService(func(p *media.Parts) {
		p.Transcriber = slowTranscriber{}
		p.Detect = func(_ context.Context, file documents.Source, _ documents.Limits) (documents.Format, error) {
			if file.Size > 1 {
				return documents.Audio, nil
			}
			return documents.PlainText, nil
		}
	})
	r.mustStartJob(r.request("recording"))
	if response, err := r.respond(r.request("a")); err != nil || response.Job != nil {
		t.Errorf("text: response %+v, error %v; want an answer", response, err)
	}
	r.mustStore(1)
}

func TestRespondReadsEarlierUploads(t *testing.T) {
	r := newResponderTest(t)
	const id = "0192f3a1-0000-7000-8000-0000000000cc"
	req := r.request("a")
	req.Files = []jobs.RequestFile{{UploadID: id}}
	if _, err := r.respond(req); !errors.Is(err, jobs.ErrNoUpload) {
		t.Errorf("error %v, want ErrNoUpload", err)
	}
	if err := r.Uploads.SaveUpload(t.Context(), owner, id, source("a")); err != nil {
		t.Fatal(err)
	}
	if response, err := r.respond(req); err != nil || response.Answer.Summary != "Short." {
		t.Errorf("response %+v, error %v", response, err)
	}
	req.WantsJob = true
	if job := r.mustStartJob(req); !slices.Equal(job.Uploads, []string{id}) {
		t.Errorf("the job has uploads %q, want %s", job.Uploads, id)
	}
	r.mustStore(1) // an upload of the client stays
}

// Work that ignores its context must not take the time that starting a job needs.
func TestRespondStartsJobForWorkThatIgnoresContext(t *testing.T) {
	r := newResponderTest(t)
	finish := make(chan struct{})
	r.answerWith(func(context.Context, int) (string, error) {
		<-finish
		return "At last.", nil
	})
	r.Timing.AnswerTimeout = 200 * time.Millisecond
	job := r.mustStartJob(r.request("a"))
	r.mustStore(1)
	close(finish)
	if done := r.run(job.ID); done.Status != jobs.Succeeded || done.Answer.Summary != "At last." {
		t.Errorf("job %+v", done)
	}
}

// Work that no client waits for any more may still read the files.
func TestRespondClosesFilesAfterLastReader(t *testing.T) {
	r := newResponderTest(t)
	answered, closed := make(chan struct{}), make(chan struct{})
	var closedEarly atomic.Bool
	r.changeService(func(p *media.Parts) {
		p.Readers[documents.PlainText] = func(context.Context, documents.Source, *documents.Builder) error {
			<-answered
			closedEarly.Store(r.closed.Load() > 0)
			return nil
		}
	})
	r.Timing.AnswerTimeout = shortTimeout
	req := r.request("a")
	req.Close = func() {
		r.closed.Add(1)
		close(closed)
	}
	r.mustStartJob(req)
	close(answered)
	<-closed
	if closedEarly.Load() {
		t.Error("the files were closed while the work read them")
	}
}

// A panic in another goroutine would end the process with all its other requests.
func TestRespondReportsPanicOfWork(t *testing.T) {
	r := newResponderTest(t)
	r.changeService(func(p *media.Parts) {
		p.Detect = func(context.Context, documents.Source, documents.Limits) (documents.Format, error) { panic("a bug") }
	})
	if _, err := r.respond(r.request("a")); err == nil || fault.As(err) != nil || !strings.Contains(err.Error(), "a bug") {
		t.Errorf("error %v, want an internal error with the panic", err)
	}
	if r.closed.Load() != 1 {
		t.Errorf("the files were closed %d times, want once", r.closed.Load())
	}
}

// The function's own timeout counts too: it must leave time for starting the job.
func TestRespondStartsJobBeforeContextEnds(t *testing.T) {
	r := newResponderTest(t)
	ends := make(chan time.Time, 2)
	r.answerWith(func(ctx context.Context, _ int) (string, error) {
		end, _ := ctx.Deadline()
		ends <- end
		return "Short.", nil
	})
	req := r.request("a")
	r.Timing.AnswerTimeout = 25 * time.Minute
	for _, left := range []time.Duration{time.Hour, 10 * time.Minute} {
		ctx, cancel := context.WithTimeout(t.Context(), left)
		req.Question.Hint = left.String() // not the cached answer
		_, err := jobs.NewResponder(r.ResponderParts).Respond(ctx, req)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
	}
	early, late := <-ends, <-ends
	if want := req.ReceivedAt.Add(25 * time.Minute); !early.Equal(want) {
		t.Errorf("with an hour left, the work has until %v, want %v", early, want)
	}
	if !late.Before(early) || late.Before(awstest.RealTime()) {
		t.Errorf("with 10 minutes left, the work has until %v, want a few seconds less", late)
	}
}

// The media functions have no permission to delete uploads, because IAM cannot separate their owners.
func TestRespondLeavesUploadsToLifecycle(t *testing.T) {
	r := newResponderTest(t)
	r.Jobs = failingJobs{r.Jobs}
	req := r.request("a")
	req.WantsJob = true
	if _, err := r.respond(req); !errors.Is(err, errNotStarted) {
		t.Fatalf("error %v, want %v", err, errNotStarted)
	}
	r.mustStore(0)
}

var errNotStarted = errors.New("not started")

// failingJobs starts no jobs.
type failingJobs struct{ jobs.Store }

func (failingJobs) StartJob(context.Context, jobs.Job) error { return errNotStarted }

// blockedUploads saves nothing until the context ends.
type blockedUploads struct{ jobs.Uploads }

func (blockedUploads) SaveUpload(ctx context.Context, _, _ string, _ documents.Source) error {
	<-ctx.Done()
	return ctx.Err()
}

// noJobs are the jobs of an owner who has none. No job may be started.
type noJobs struct{ jobs.Store }

func (noJobs) Job(context.Context, string, string) (jobs.Job, error) {
	return jobs.Job{}, jobs.ErrNoJob
}

// If the upload takes too long, there must be time left to say so. The clock is simulated, so nothing here may call S3.
func TestRespondGivesUpOnSlowUploads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		service := newTextService(&stubEngine{})
		responder := jobs.NewResponder(jobs.ResponderParts{Service: service, Uploads: blockedUploads{}, Jobs: noJobs{}, Now: awstest.RealTime})
		req := (&responderTest{T: t}).request("a")
		req.WantsJob = true
		// A second of the deadline is reserved for the response.
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		_, err := responder.Respond(ctx, req)
		if waited := awstest.RealTime().Sub(req.ReceivedAt); !errors.Is(err, jobs.ErrNotUploaded) || waited != 2*time.Second {
			t.Errorf("error %v after %v; want ErrNotUploaded a second before the deadline", err, waited)
		}
	})
}
