package mediatranscribe_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/mediatranscribe"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/mediatest"
)

// A job outlives the call that started it, and the next call waits for the same job.
func TestNextCallContinuesJob(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech, Polls: 9})
	hurried := awstest.Hurried(t.Context(), 2*time.Second) // no wait fits
	_, _, err := b.transcriber().Transcribe(hurried, recording("ID3"))
	if !errors.Is(err, mediatranscribe.ErrRunning) || fault.As(err).RetryAfter == 0 || len(b.left(t)) != 1 {
		t.Fatalf("got %v, left %q", err, b.left(t))
	}
	captions, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3"))
	if err != nil || !reflect.DeepEqual(captions, wantCaptions()) || len(b.server.Started()) != 1 {
		t.Errorf("got %+v, %v, started %d", captions, err, len(b.server.Started()))
	}
	b.mustBeClean(t)
	if !strings.Contains(b.logged(), `"attempt":2`) || strings.Count(b.logged(), "microUSD") != 1 {
		t.Errorf("logged %s", b.logged())
	}
}

// Another question about the same recording costs nothing.
func TestResultIsReused(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech})
	for range 2 {
		captions, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3"))
		if err != nil || !reflect.DeepEqual(captions, wantCaptions()) {
			t.Fatalf("got %+v, %v", captions, err)
		}
		b.mustBeClean(t)
	}
	if len(b.server.Started()) != 1 || strings.Count(b.logged(), "model call") != 1 {
		t.Errorf("started %d, logged %s", len(b.server.Started()), b.logged())
	}
}

func TestCanceledCallCleansUp(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech, Polls: 9})
	ctx, cancel := context.WithCancel(t.Context())
	b.options.Retrier.Pause = func(ctx context.Context, _ time.Duration) error {
		cancel()
		return ctx.Err()
	}
	_, _, err := b.transcriber().Transcribe(ctx, recording("ID3"))
	if !errors.Is(err, context.Canceled) || len(b.left(t)) > 0 {
		t.Errorf("got %v, left %q", err, b.left(t))
	}
	if n := b.server.Calls("DeleteTranscriptionJob"); n != 1 {
		t.Errorf("it is tried %d times to delete the job\n%s", n, b.logged())
	}
	// The job cannot be stopped, and fails for want of its recording. Who asks again starts another.
	b.options.Retrier.Pause = b.pause
	b.server.SetSpeech(mediatest.Speech{Results: speech})
	captions, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3"))
	if err != nil || !reflect.DeepEqual(captions, wantCaptions()) || len(b.server.Started()) != 2 {
		t.Errorf("got %+v, %v, started %d", captions, err, len(b.server.Started()))
	}
	b.mustBeClean(t)
}

// A process may end between any two calls, or during one. A repetition of its work does not pay twice.
func TestCrashDoesNotPayTwice(t *testing.T) {
	for n := 1; ; n++ {
		for _, lost := range []bool{false, true} {
			b := newBench(t, mediatest.Speech{Results: speech, Language: "de-DE", Polls: 3, VocabularyPolls: 2})
			r := recording("ID3")
			r.Keywords = []string{"Nordwind"}
			made := b.crash(t, r, n, lost)
			if made < n {
				if n < 20 {
					t.Errorf("there are only %d calls", n)
				}
				return // there is nothing behind the last call
			}
			b.ahead = 3 * time.Minute
			captions, _, err := b.transcriber().Transcribe(t.Context(), r)
			if err != nil || !reflect.DeepEqual(captions, wantCaptions()) || len(b.server.Started()) != 1 {
				t.Errorf("call %d, lost %v: got %+v, %v, started %d", n, lost, captions, err, len(b.server.Started()))
			}
			b.mustBeClean(t)
		}
	}
}

// crash simulates a process that ends before its nth call, or before the response to it. It returns the
// number of calls that began.
func (b *bench) crash(tb testing.TB, r media.Recording, n int, lost bool) int {
	tb.Helper()
	var mu sync.Mutex
	made, last := 0, false
	through := func(_ context.Context, operation string, do func() error) error {
		mu.Lock()
		defer mu.Unlock()
		if made >= n {
			return errCrash
		}
		made++
		if made < n {
			return nil
		}
		if lost {
			_ = do()
		}
		last = operation == "DeleteObject" && b.server.Jobs() == 0 && len(b.left(tb)) == 0 //nolint:contextcheck // it is the test's context
		return errCrash
	}
	_, _, _ = b.transcriberVia(through).Transcribe(tb.Context(), r)
	if last && lost {
		return n - 1
	}
	return made
}

// The first caller to finish leaves the result to the other callers, whichever of them started the job.
func TestConcurrentCallsShareJob(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech, Polls: 1 << 30})
	var arrived sync.WaitGroup
	runs := make([]*follower, 4)
	for i := range runs {
		arrived.Add(1)
		runs[i] = &follower{arrived: arrived.Done, goes: make(chan struct{}), done: make(chan struct{})}
		runs[i].own = b.transcriberWithPause(runs[i].pause)
	}
	for _, f := range runs { // not before all are made: clients that are made of one another share memory with it
		go f.run(t)
	}
	arrived.Wait()
	b.server.SetSpeech(mediatest.Speech{Results: speech})
	for _, f := range runs {
		close(f.goes)
		<-f.done
	}
	if n := len(b.server.Started()); n != 1 {
		t.Errorf("started %d jobs", n)
	}
	b.mustBeClean(t)
	if n := strings.Count(b.logged(), "microUSD"); n != 1 {
		t.Errorf("%d pay", n)
	}
}

// follower does the same work, and polls the job only when the test lets it.
type follower struct {
	own        *mediatranscribe.Transcriber
	once       sync.Once
	arrived    func()
	goes, done chan struct{}
}

func (f *follower) pause(ctx context.Context, _ time.Duration) error {
	f.once.Do(f.arrived)
	<-f.goes
	return ctx.Err()
}

func (f *follower) run(t *testing.T) {
	defer close(f.done)
	defer f.once.Do(f.arrived) // after a failure too, so that the test does not block
	captions, _, err := f.own.Transcribe(t.Context(), recording("ID3"))
	if err != nil || !reflect.DeepEqual(captions, wantCaptions()) {
		t.Errorf("got %+v, %v", captions, err)
	}
}

func TestLostJobs(t *testing.T) {
	t.Run("after they wrote", func(t *testing.T) {
		b := newBench(t, mediatest.Speech{Results: speech, Polls: 2, LosesJobs: true})
		captions, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3"))
		if err != nil || !reflect.DeepEqual(captions, wantCaptions()) || len(b.server.Started()) != 1 {
			t.Errorf("got %+v, %v, started %d", captions, err, len(b.server.Started()))
		}
		b.mustBeClean(t)
	})
	t.Run("without a result", func(t *testing.T) {
		b := newBench(t, mediatest.Speech{WritesNothing: true})
		_, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3"))
		if !errors.Is(err, mediatranscribe.ErrBusy) || len(b.server.Started()) != 3 {
			t.Errorf("got %v, started %d", err, len(b.server.Started()))
		}
		b.mustBeClean(t)
	})
	t.Run("as the service may say, too", func(t *testing.T) {
		b := newBench(t, mediatest.Speech{Results: speech, NotFound: true})
		if captions, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3")); err != nil || len(captions) != 3 {
			t.Errorf("got %+v, %v", captions, err)
		}
	})
}

// The cause of another caller's failure may be over.
func TestFailedJobIsRestarted(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech, Polls: 9})
	hurried := awstest.Hurried(t.Context(), 2*time.Second)
	if _, _, err := b.transcriber().Transcribe(hurried, recording("ID3")); !errors.Is(err, mediatranscribe.ErrRunning) {
		t.Fatal(err)
	}
	b.server.SetSpeech(mediatest.Speech{Failure: "Unsupported media format."})
	count := 0
	again := b.transcriberVia(func(_ context.Context, operation string, _ func() error) error {
		if operation == "StartTranscriptionJob" {
			b.server.SetSpeech(mediatest.Speech{Results: speech})
			count++
		}
		return nil
	})
	captions, _, err := again.Transcribe(t.Context(), recording("ID3"))
	if err != nil || !reflect.DeepEqual(captions, wantCaptions()) || count != 1 {
		t.Errorf("got %+v, %v, started %d times", captions, err, count)
	}
	b.mustBeClean(t)
}
