package medias3_test

import (
	"errors"
	"io"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/shared/media/jobs"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

func newJob(owner string) jobs.Job {
	return jobs.Job{ID: uuid.NewString(), Owner: owner, Status: jobs.Queued, Uploads: []string{}, CreatedAt: awstest.RealTime().UTC()}
}

// startJobs starts jobs of Ada until one is refused, and returns those that were started.
func startJobs(t *testing.T, store *medias3.Store) []jobs.Job {
	t.Helper()
	var started []jobs.Job
	for range jobs.MaxOpenJobs + 1 {
		job := newJob(ada)
		err := store.StartJob(t.Context(), job)
		if errors.Is(err, jobs.ErrTooManyJobs) {
			if _, err := store.Job(t.Context(), ada, job.ID); !errors.Is(err, jobs.ErrNoJob) {
				t.Errorf("the refused job is stored: %v", err)
			}
			return started
		}
		if err != nil {
			t.Fatal(err)
		}
		if job, err = store.Job(t.Context(), ada, job.ID); err != nil {
			t.Fatal(err)
		}
		started = append(started, job)
	}
	t.Fatalf("%d jobs of one owner were started", len(started))
	return nil
}

// save replaces the stored version of a job.
func save(t *testing.T, store *medias3.Store, job jobs.Job) {
	t.Helper()
	stored, err := store.Job(t.Context(), job.Owner, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	job.Version = stored.Version
	if _, err := store.SaveJob(t.Context(), job); err != nil {
		t.Fatal(err)
	}
}

//proves:docs/security.md
func TestOwnerHasFewOpenJobs(t *testing.T) {
	store := medias3.New(awstest.S3(t), awstest.Bucket(t), awstest.RealTime)
	started := startJobs(t, store)
	if len(started) != jobs.MaxOpenJobs {
		t.Fatalf("%d jobs were started, want %d", len(started), jobs.MaxOpenJobs)
	}
	if err := store.StartJob(t.Context(), newJob(bob)); err != nil {
		t.Errorf("another owner: %v", err)
	}
	for i, status := range []jobs.Status{jobs.Running, jobs.Succeeded, jobs.Failed} {
		job := started[i]
		job.Status = status
		for range 2 { // a job may run twice
			save(t, store, job)
		}
	}
	if again := startJobs(t, store); len(again) != 2 {
		t.Errorf("after two jobs ended, %d more were started", len(again))
	}
	// The slots of the first jobs belong to others now.
	for _, job := range started[1:3] {
		save(t, store, job)
	}
	if again := startJobs(t, store); len(again) != 0 {
		t.Errorf("jobs that had ended freed the slots of others: %d more were started", len(again))
	}
}

// All attempts of these jobs crash before they save the job, for example because the function cannot start.
func TestSlotOfLostJobBecomesFree(t *testing.T) {
	now := awstest.RealTime()
	store := medias3.New(awstest.S3(t), awstest.Bucket(t), func() time.Time { return now })
	startJobs(t, store)
	now = now.Add(jobs.MaxJobSilence - time.Minute)
	if again := startJobs(t, store); len(again) != 0 {
		t.Errorf("%d jobs were started while the others may run", len(again))
	}
	now = now.Add(2 * time.Minute)
	if err := store.StartJob(t.Context(), newJob(ada)); err != nil {
		t.Errorf("after the others were lost: %v", err)
	}
}

// modified returns when an object was stored, in seconds.
func modified(t *testing.T, client *s3.Client, bucket, key string) time.Time {
	t.Helper()
	out, err := client.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	return *out.LastModified
}

// A job that takes long keeps its slot, because it saves its progress. A job that is started again after a crash gets
// its own slot, although it has just been saved.
func TestSlotsOfRunningJobsStayOccupied(t *testing.T) {
	bucket, client := awstest.Bucket(t), awstest.S3(t)
	now := awstest.RealTime()
	store := medias3.New(client, bucket, func() time.Time { return now })
	started := startJobs(t, store)
	crashed, running := started[len(started)-1], started[:len(started)-1]
	begun := modified(t, client, bucket, "open/"+ada+"/"+strconv.Itoa(len(running))) // stored after the jobs
	for _, job := range running {
		job.Status = jobs.Running
		for !modified(t, client, bucket, "jobs/"+ada+"/"+job.ID).After(begun) {
			save(t, store, job)
		}
	}
	now = begun.Add(jobs.MaxJobSilence + time.Millisecond)
	if !crashed.IsSilent(now) || crashed.IsSilent(crashed.SavedAt.Add(jobs.MaxJobSilence)) {
		t.Errorf("the crashed job was saved at %s, want %s", crashed.SavedAt, begun)
	}
	if err := store.StartJob(t.Context(), crashed); err != nil {
		t.Errorf("the crashed job: %v", err)
	}
	if others := startJobs(t, store); len(others) != 0 {
		t.Errorf("%d jobs were started beside running ones", len(others))
	}
}

func TestConcurrentRequestsShareTheSlots(t *testing.T) {
	store := medias3.New(awstest.S3(t), awstest.Bucket(t), awstest.RealTime)
	var mu sync.Mutex
	started := 0
	var wg sync.WaitGroup
	for range 4 * jobs.MaxOpenJobs {
		wg.Go(func() {
			err := store.StartJob(t.Context(), newJob(ada))
			if err != nil && !errors.Is(err, jobs.ErrTooManyJobs) && !errors.Is(err, medias3.ErrUnavailable) {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				started++
			}
		})
	}
	wg.Wait()
	if started == 0 || started > jobs.MaxOpenJobs {
		t.Errorf("%d jobs were started at once, want at most %d", started, jobs.MaxOpenJobs)
	}
}

// TestLostResponsesDoNotUseUpSlots loses the first response of each write to a slot. The SDK repeats it, and finds the
// slot taken by its own write.
func TestLostResponsesDoNotUseUpSlots(t *testing.T) {
	for _, prefix := range []string{"open/", "forms/"} {
		l := &lossyClient{matches: puts(prefix), err: io.ErrUnexpectedEOF}
		store, _ := l.newStore(t)
		for n := range jobs.MaxOpenJobs {
			l.err = io.ErrUnexpectedEOF
			err := store.StartJob(t.Context(), newJob(ada))
			if prefix == "forms/" {
				_, err = store.Offer(t.Context(), ada, medias3.MaxUploadBytes, nil)
			}
			if err != nil || l.err != nil {
				t.Fatalf("%s: number %d: %v", prefix, n, err)
			}
		}
		if err := store.StartJob(t.Context(), newJob(ada)); !errors.Is(err, jobs.ErrTooManyJobs) {
			t.Errorf("%s: one too many: %v", prefix, err)
		}
	}
}
