package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/medias3"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
)

// textEngine is an engine whose summaries come from a function of the test. It counts the calls for each text.
type textEngine struct {
	answers.Engine
	summary func(ctx context.Context, text string, call int) (string, error)

	mu    sync.Mutex
	calls map[string]int
}

func (*textEngine) Version() string { return "stub" }

func (e *textEngine) Summarize(ctx context.Context, d *documents.Document, _ answers.SummarySettings) (answers.Summary, error) {
	e.mu.Lock()
	e.calls[d.Text()]++
	call := e.calls[d.Text()]
	e.mu.Unlock()
	text, err := e.summary(ctx, d.Text(), call)
	return answers.Summary{Text: text}, err
}

func (e *textEngine) callsOf(text string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls[text]
}

// batchTest is a batch in a real store. Its clock advances by two seconds with each reading, so each change of the job
// is saved.
type batchTest struct {
	*testing.T
	*textEngine
	store  *medias3.Store
	client *s3.Client
	bucket string
	job    jobs.Job

	clockMu sync.Mutex
	clock   time.Time
}

// newBatchTest starts a batch of documents with the texts. A document with an empty text is not uploaded.
func newBatchTest(t *testing.T, summary func(ctx context.Context, text string, call int) (string, error), texts ...string) *batchTest {
	t.Helper()
	b := &batchTest{
		T: t, textEngine: &textEngine{summary: summary, calls: map[string]int{}}, client: awstest.S3(t), bucket: awstest.Bucket(t),
		clock: awstest.RealTime(),
	}
	b.store = medias3.New(b.client, b.bucket, awstest.RealTime)
	request := jobs.BatchRequest{Owner: owner, Question: media.Question{Task: media.Summarize}}
	for _, text := range texts {
		id := uuid.NewString()
		request.Uploads, request.Names = append(request.Uploads, id), append(request.Names, text+".txt")
		if text == "" {
			continue
		}
		if err := b.store.SaveUpload(t.Context(), owner, id, source(text)); err != nil {
			t.Fatal(err)
		}
	}
	responder := jobs.NewResponder(jobs.ResponderParts{Service: b.service(), Uploads: b.store, Jobs: b.store, Now: awstest.RealTime})
	job, err := responder.StartBatch(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	b.job = job
	return b
}

func (b *batchTest) now() time.Time {
	b.clockMu.Lock()
	defer b.clockMu.Unlock()
	b.clock = b.clock.Add(2 * time.Second)
	return b.clock
}

// service returns a service that reads each file as a document with the same text.
func (b *batchTest) service() *media.Service {
	return media.NewService(media.Parts{
		Detect: func(context.Context, documents.Source, documents.Limits) (documents.Format, error) {
			return documents.PlainText, nil
		},
		Readers: map[documents.Format]documents.Reader{
			documents.PlainText: func(_ context.Context, file documents.Source, into *documents.Builder) error {
				text, err := io.ReadAll(io.NewSectionReader(file, 0, file.Size))
				return errors.Join(err, into.Add(documents.Block{Kind: documents.Paragraph, Text: string(text)}))
			},
		},
		Engine: b.textEngine, Results: noResults{}, Limits: documents.DefaultLimits(),
	})
}

// noResults caches nothing.
type noResults struct{}

func (noResults) FindResult(context.Context, string) (media.Answer, bool, error) {
	return media.Answer{}, false, nil
}
func (noResults) SaveResult(context.Context, string, media.Answer) error { return nil }

// run runs the batch once, as an event does.
func (b *batchTest) run(ctx context.Context) error {
	return jobs.NewRunner(jobs.RunnerParts{
		Service: b.service(), Uploads: b.store, Jobs: b.store, Batches: b.store, Now: b.now,
	}).Run(ctx, owner, b.job.ID)
}

// mustRun runs the batch once and ends the test if that fails.
func (b *batchTest) mustRun() {
	b.Helper()
	if err := b.run(b.Context()); err != nil {
		b.Fatal(err)
	}
}

// stored returns the stored job. It ends the test unless the job and its documents have the statuses.
func (b *batchTest) stored(status jobs.Status, states ...jobs.Status) jobs.Job {
	b.Helper()
	job, err := b.store.Job(b.Context(), owner, b.job.ID)
	if err != nil {
		b.Fatal(err)
	}
	var got []jobs.Status
	for _, d := range job.Batch.Documents {
		got = append(got, d.Status)
	}
	if job.Status != status || fmt.Sprint(got) != fmt.Sprint(states) {
		b.Fatalf("job %s with documents %v, want %s with %v", job.Status, got, status, states)
	}
	return job
}

// results returns the file with the results.
func (b *batchTest) results(format jobs.ResultsFormat) string {
	b.Helper()
	key := "batches/" + owner + "/" + b.job.ID + "/results." + string(format)
	out, err := b.client.GetObject(b.Context(), &s3.GetObjectInput{Bucket: &b.bucket, Key: &key})
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(out.Body)
	if err = errors.Join(err, out.Body.Close()); err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// events returns how many events the job has sent.
func (b *batchTest) events() int {
	b.Helper()
	prefix := medias3.Queue + owner + "/" + b.job.ID + "/"
	out, err := b.client.ListObjectsV2(b.Context(), &s3.ListObjectsV2Input{Bucket: &b.bucket, Prefix: &prefix})
	if err != nil {
		b.Fatal(err)
	}
	return len(out.Contents)
}

func echo(_ context.Context, text string, _ int) (string, error) { return "=" + text, nil }

// One document has no file, and another one makes the engine panic. The other documents have answers in both files of
// results.
//
//proves:docs/security.md
func TestBatchAnswersEachDocument(t *testing.T) {
	testkit.CaptureLogs(t)
	b := newBatchTest(t, func(ctx context.Context, text string, call int) (string, error) {
		if text == "panic" {
			panic("a bug")
		}
		return echo(ctx, text, call)
	}, "one", "", "panic", "four")
	b.mustRun()
	job := b.stored(jobs.Succeeded, jobs.Succeeded, jobs.Failed, jobs.Failed, jobs.Succeeded)
	if job.Progress != 1 || job.Batch.Documents[1].Failure.Detail != jobs.ErrNoUpload.Detail {
		t.Errorf("job %+v", job)
	}
	id := job.Uploads
	lines := strings.Split(b.results(jobs.JSONLines), "\n")
	if want := `{"name":"one.txt","uploadId":"` + id[0] + `","status":"succeeded","result":{"summary":"=one","warnings":[]},` +
		`"error":null}`; lines[0] != want {
		t.Errorf("line %s, want %s", lines[0], want)
	}
	if want := `{"name":"panic.txt","uploadId":"` + id[2] + `","status":"failed","result":null,"error":{"code":"INTERNAL_ERROR",` +
		`"detail":"Something went wrong on our side."}}`; lines[2] != want || len(lines) != 5 {
		t.Errorf("%d lines, the third is %s, want %s", len(lines), lines[2], want)
	}
	want := "name,uploadId,status,error,summary\r\n" +
		"one.txt," + id[0] + ",succeeded,,'=one\r\n" +
		".txt," + id[1] + ",failed," + jobs.ErrNoUpload.Detail + ",\r\n" +
		"panic.txt," + id[2] + ",failed,Something went wrong on our side.,\r\n" +
		"four.txt," + id[3] + ",succeeded,,'=four\r\n"
	if got := b.results(jobs.CSV); got != want {
		t.Errorf("table\n%s\nwant\n%s", got, want)
	}
	b.mustRun() // the event is delivered twice
	if calls := b.callsOf("one"); calls != 1 {
		t.Errorf("%d calls of the engine for one document, want 1", calls)
	}
}

// The next delivery of the event tries only the documents that failed temporarily.
func TestBatchTriesAgain(t *testing.T) {
	busy := fault.New(fault.Unavailable, "The model is busy.")
	b := newBatchTest(t, func(ctx context.Context, text string, call int) (string, error) {
		if text == "never" || text == "late" && call < jobs.MaxJobAttempts {
			return "", busy
		}
		return echo(ctx, text, call)
	}, "one", "late", "never")
	for range jobs.MaxJobAttempts - 1 {
		if err := b.run(t.Context()); !errors.Is(err, busy) {
			t.Fatalf("error %v, want %v", err, busy)
		}
		b.stored(jobs.Queued, jobs.Succeeded, jobs.Queued, jobs.Queued)
	}
	b.mustRun()
	job := b.stored(jobs.Succeeded, jobs.Succeeded, jobs.Succeeded, jobs.Failed)
	if failure := job.Batch.Documents[2].Failure; failure.Detail != busy.Detail {
		t.Errorf("failure %+v, want %v", failure, busy)
	}
	if b.callsOf("one") != 1 || b.callsOf("never") != jobs.MaxJobAttempts {
		t.Errorf("calls %v", b.calls)
	}
}

// A run that has no time for a document sends another event. The last run ends the batch, and the remaining documents
// fail.
func TestBatchContinuesInOtherRuns(t *testing.T) {
	b := newBatchTest(t, echo, "one", "two")
	short, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for n := range jobs.MaxBatchRuns - 1 {
		if err := b.run(short); err != nil {
			t.Fatal(err)
		}
		if job := b.stored(jobs.Queued, jobs.Queued, jobs.Queued); job.Attempts != 0 || b.events() != n+2 {
			t.Fatalf("run %d: %d attempts, %d events", n, job.Attempts, b.events())
		}
	}
	if err := b.run(short); err != nil {
		t.Fatal(err)
	}
	job := b.stored(jobs.Succeeded, jobs.Failed, jobs.Failed)
	if failure := job.Batch.Documents[0].Failure; failure.Detail != jobs.ErrNotReached.Detail {
		t.Errorf("failure %+v, want ErrNotReached", failure)
	}
}

// Runs that never return stand for killed runs. After the second one, the documents that were running fail, and the
// remaining document gets an answer. A run that returns later than expected does not change the batch.
func TestBatchSurvivesKilledRuns(t *testing.T) {
	started, release, late := make(chan struct{}), make(chan struct{}), sync.WaitGroup{}
	b := newBatchTest(t, func(ctx context.Context, text string, call int) (string, error) {
		if strings.HasPrefix(text, "killer") {
			started <- struct{}{}
			<-release
		}
		return echo(ctx, text, call)
	}, "killer", "killer too", "three")
	for range jobs.MaxJobAttempts - 1 {
		late.Go(func() { _ = b.run(context.WithoutCancel(t.Context())) })
		<-started
		<-started
	}
	b.mustRun() // the last delivery of the event sends another one
	if b.events() != 2 {
		t.Fatalf("%d events, want 2", b.events())
	}
	b.mustRun()
	job := b.stored(jobs.Succeeded, jobs.Failed, jobs.Failed, jobs.Succeeded)
	if failure := job.Batch.Documents[0].Failure; failure.Detail != jobs.ErrInterrupted.Detail {
		t.Errorf("failure %+v, want ErrInterrupted", failure)
	}
	close(release)
	late.Wait()
	b.stored(jobs.Succeeded, jobs.Failed, jobs.Failed, jobs.Succeeded)
}

func TestLongAnswersOfBatch(t *testing.T) {
	b := newBatchTest(t, func(context.Context, string, int) (string, error) { return strings.Repeat("long", 70_000), nil }, "one")
	b.mustRun()
	if failure := b.stored(jobs.Succeeded, jobs.Failed).Batch.Documents[0].Failure; failure.Detail != jobs.ErrLongAnswer.Detail {
		t.Errorf("failure %+v, want ErrLongAnswer", failure)
	}
	answer := media.Answer{Evidence: map[string][]media.Quote{"total": {{Quote: strings.Repeat("x", 300<<10)}}}}
	line, err := jobs.EncodeLine(jobs.BatchLine{Result: &answer})
	if err != nil || bytes.Contains(line, []byte("xxx")) || !bytes.Contains(line, []byte("The evidence was left out")) {
		t.Errorf("line of %d bytes, error %v", len(line), err)
	}
}

func TestCSVRow(t *testing.T) {
	const line = `{"name":"@a","uploadId":"u","status":"succeeded","error":null,"result":{"extracted_data":{"total":-5,"who":"-5 EUR",` +
		`"open":null,"paid":true,"lines":[{"a":1}],"＝x":"\u200b=1+1"},"warnings":[]}}`
	columns := []string{"total", "who", "open", "paid", "lines", "other", "＝x"}
	row, err := jobs.CSVRow([]byte(line), columns)
	want := []string{"'@a", "u", "succeeded", "", "-5", "'-5 EUR", "", "true", `[{"a":1}]`, "", "'\u200b=1+1"}
	if err != nil || strings.Join(row, "|") != strings.Join(want, "|") {
		t.Errorf("row %q, error %v, want %q", row, err, want)
	}
	titles := "name|uploadId|status|error|total|who|open|paid|lines|other|'＝x"
	if got := strings.Join(jobs.CSVHeader(columns), "|"); got != titles {
		t.Errorf("header %s, want %s", got, titles)
	}
}
