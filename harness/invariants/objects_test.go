package invariants_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/uuid"

	"portside/documents"
	"portside/harness/invariants"
	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/charts/chartss3"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/media/medias3"
	"portside/shared/testkit/awstest"
)

const (
	jobOwner = "0192f3a1-0000-7000-8000-000000000001"
	jobID    = "0192f3a1-0000-7000-8000-0000000000aa"
	batchID  = "0192f3a1-0000-7000-8000-0000000000cc"
	uploadID = "0192f3a1-0000-7000-8000-0000000000bb"
)

// objectDamage deletes an object, or replaces it by a text.
type objectDamage struct {
	media     bool // in the media bucket
	key, text string
	later     time.Duration // until the check
	want      string
}

var objectDamages = map[string]objectDamage{
	"published chart gone": {key: "charts/app-1.0.0.tgz", want: "lists app-1.0.0.tgz, which is not published"},
	"archive gone":         {key: "archives/app-1.0.0.tgz", want: "lists app-1.0.0.tgz, which customers cannot fetch"},
	"index gone":           {key: "index.yaml", want: "app-1.0.0.tgz is published, but neither"},
	"index damaged":        {key: "index.yaml", text: "{", want: "the index cannot be read"},
	"upload gone":          {media: true, key: "uploads/" + jobOwner + "/" + uploadID, want: "has succeeded without its file"},
	"job damaged":          {media: true, key: "jobs/" + jobOwner + "/" + jobID, text: "{", want: "cannot be read"},
	"results gone": {
		media: true, key: "batches/" + jobOwner + "/" + batchID + "/results.csv",
		want: "the batch " + jobOwner + "/" + batchID + " has succeeded without",
	},
	"upload of a batch gone": {
		media: true, key: "uploads/" + jobOwner + "/" + uploadID,
		want: "the job " + jobOwner + "/" + batchID + " has succeeded without",
	},
	"slot of ended job": {media: true, key: "open/" + jobOwner + "/0", text: jobID, want: "which has ended"},
	"slot without job": {
		media: true, key: "open/" + jobOwner + "/0", text: uploadID, later: 20 * time.Minute, want: "which does not exist",
	},
	"old object": {media: true, key: "results/x", text: "{}", later: 49 * time.Hour, want: "results/x is 49h"},
}

// objectWorld has a published chart, and a job and a batch that have ended. A document of the batch has failed, because
// it has no upload.
type objectWorld struct {
	client  *s3.Client
	buckets invariants.Buckets
}

func newObjectWorld(t *testing.T) objectWorld {
	t.Helper()
	w := objectWorld{awstest.S3(t), invariants.Buckets{Charts: awstest.Bucket(t), Media: awstest.Bucket(t)}}
	ctx, shelf := t.Context(), chartss3.NewBucket(w.client, w.buckets.Charts)
	key := charts.PublishedPrefix + "app-1.0.0.tgz"
	indexer := charts.NewIndexer(charts.Parts{
		Bucket: shelf, Inspector: chartshelm.New(1 << 20), MaxBytes: 1 << 20, Now: awstest.RealTime,
	})
	err := shelf.Put(ctx, key, packChart(t), charts.Anything)
	if err == nil {
		_, err = indexer.Sync(ctx, key)
	}
	if err != nil {
		t.Fatal(err)
	}
	store := medias3.New(w.client, w.buckets.Media, awstest.RealTime)
	batch := jobs.Job{ID: batchID, Uploads: []string{uploadID, uuid.NewString()}, Batch: &jobs.Batch{Documents: []jobs.BatchDocument{
		{Name: "a.txt", Status: jobs.Succeeded}, {Name: "b.txt", Status: jobs.Failed},
	}}}
	text := documents.FromBytes([]byte("text"))
	err = errors.Join(
		store.SaveUpload(ctx, jobOwner, uploadID, text), endJob(t, store, jobs.Job{ID: jobID, Uploads: []string{uploadID}}),
		endJob(t, store, batch),
	)
	for _, format := range []jobs.ResultsFormat{jobs.CSV, jobs.JSONLines} {
		err = errors.Join(err, store.SaveResults(ctx, jobs.Job{ID: batchID, Owner: jobOwner}, format, media.File{Source: text}))
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// endJob stores a job that has succeeded.
func endJob(t *testing.T, store *medias3.Store, job jobs.Job) error {
	t.Helper()
	job.Owner, job.Status, job.CreatedAt = jobOwner, jobs.Queued, awstest.RealTime()
	if err := store.StartJob(t.Context(), job); err != nil {
		return err
	}
	started, err := store.Job(t.Context(), job.Owner, job.ID)
	if err != nil {
		return err
	}
	started.Status = jobs.Succeeded
	_, err = store.SaveJob(t.Context(), started)
	return err
}

func packChart(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	text := "apiVersion: v2\nname: app\nversion: 1.0.0\n"
	err := out.WriteHeader(&tar.Header{Name: "app/Chart.yaml", Size: int64(len(text)), Mode: 0o644, Typeflag: tar.TypeReg})
	if err == nil {
		_, err = out.Write([]byte(text))
	}
	if err := errors.Join(err, out.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// apply damages an object, and returns the broken rules.
func (w objectWorld) apply(t *testing.T, d objectDamage) []string {
	t.Helper()
	bucket := w.buckets.Charts
	if d.media {
		bucket = w.buckets.Media
	}
	var err error
	if d.text == "" {
		_, err = w.client.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &bucket, Key: &d.key})
	} else {
		_, err = w.client.PutObject(t.Context(),
			&s3.PutObjectInput{Bucket: &bucket, Key: &d.key, Body: strings.NewReader(d.text)})
	}
	if err != nil {
		t.Fatal(err)
	}
	broken, err := invariants.CheckObjects(t.Context(), w.client, w.buckets, awstest.RealTime().Add(d.later))
	if err != nil {
		t.Fatal(err)
	}
	return broken
}

//proves:docs/security.md
func TestEveryDamageOfAnObjectIsReported(t *testing.T) {
	for name, damage := range objectDamages {
		t.Run(name, func(t *testing.T) {
			w := newObjectWorld(t)
			before, err := invariants.CheckObjects(t.Context(), w.client, w.buckets, awstest.RealTime())
			if err != nil || len(before) > 0 {
				t.Fatalf("before the damage: %q, %v", before, err)
			}
			if broken := strings.Join(w.apply(t, damage), "\n"); !strings.Contains(broken, damage.want) {
				t.Errorf("got %q, want %q", broken, damage.want)
			}
		})
	}
}

// TestAllowedObjects checks states that no rule forbids. Another job later takes over the slot of an interrupted start,
// and old jobs may have lost their files.
func TestAllowedObjects(t *testing.T) {
	allowed := map[string]objectDamage{
		"slot of an interrupted start": {media: true, key: "open/" + jobOwner + "/0", text: uuid.NewString()},
		"upload of an old job":         {media: true, key: "uploads/" + jobOwner + "/" + uploadID, later: 25 * time.Hour},
		"archive of a deleted chart":   {key: "archives/old-1.0.0.tgz", text: "bytes"},
	}
	for name, damage := range allowed {
		t.Run(name, func(t *testing.T) {
			if broken := newObjectWorld(t).apply(t, damage); len(broken) > 0 {
				t.Errorf("%s: %q", name, broken)
			}
		})
	}
}
