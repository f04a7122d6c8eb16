package invariants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Buckets are the names of the buckets to check; "" for one that is not checked.
type Buckets struct{ Charts, Media string }

const (
	// mediaLifetime is how long requests can read an object of the media bucket. The bucket deletes older objects once
	// in this time, so an object can exist for twice as long.
	mediaLifetime = 24 * time.Hour
	// slotSilence is how long a slot may belong to a job that was not stored because its start crashed:
	// jobs.MaxJobSilence.
	slotSilence = 18 * time.Minute
)

// CheckObjects reads the buckets and returns a sentence for every broken rule, sorted. No other process may write
// meanwhile.
func CheckObjects(ctx context.Context, client *s3.Client, buckets Buckets, now time.Time) ([]string, error) {
	var broken report
	if buckets.Charts != "" {
		found, err := list(ctx, client, buckets.Charts)
		if err == nil {
			err = found.checkCharts(ctx, &broken)
		}
		if err != nil {
			return nil, err
		}
	}
	if buckets.Media != "" {
		found, err := list(ctx, client, buckets.Media)
		if err == nil {
			err = found.checkMedia(ctx, &broken, now)
		}
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(broken)
	return broken, nil
}

// bucket has the list of the objects of a bucket, by their keys.
type bucket struct {
	client  *s3.Client
	name    string
	objects map[string]types.Object
}

func list(ctx context.Context, client *s3.Client, name string) (bucket, error) {
	b := bucket{client, name, map[string]types.Object{}}
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: &name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return b, fmt.Errorf("list the bucket %s: %w", name, err)
		}
		for _, object := range page.Contents {
			b.objects[aws.ToString(object.Key)] = object
		}
	}
	return b, nil
}

func (b bucket) has(key string) bool {
	_, isFound := b.objects[key]
	return isFound
}

// names returns the sorted keys with a prefix, without the prefix.
func (b bucket) names(prefix string) (names []string) {
	for _, key := range slices.Sorted(maps.Keys(b.objects)) {
		if name, isBelow := strings.CutPrefix(key, prefix); isBelow {
			names = append(names, name)
		}
	}
	return names
}

func (b bucket) readObject(ctx context.Context, key string) ([]byte, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: &key})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	content, err := io.ReadAll(out.Body)
	return content, errors.Join(err, out.Body.Close())
}

// checkCharts checks that the index lists exactly the published archives, and that each has a copy for customers. The
// indexer moves rejected archives away. It keeps the copies of archives that are no longer published, because a client
// may still fetch them.
func (b bucket) checkCharts(ctx context.Context, broken *report) error {
	var index struct {
		Entries map[string][]struct {
			URLs []string `json:"urls"`
		} `json:"entries"`
	}
	if b.has("index.yaml") {
		text, err := b.readObject(ctx, "index.yaml")
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &index); err != nil {
			broken.add("charts: the index cannot be read: %v", err)
		}
	}
	listed := map[string]bool{}
	for _, chart := range slices.Sorted(maps.Keys(index.Entries)) {
		for _, version := range index.Entries[chart] {
			file := path.Base(strings.Join(version.URLs, " "))
			listed[file] = true
			if !b.has("charts/" + file) {
				broken.add("charts: the index lists %s, which is not published", file)
			}
			if !b.has("archives/" + file) {
				broken.add("charts: the index lists %s, which customers cannot fetch", file)
			}
		}
	}
	for _, file := range b.names("charts/") {
		if strings.HasSuffix(file, ".tgz") && !listed[file] {
			broken.add("charts: %s is published, but neither listed nor rejected", file)
		}
	}
	return nil
}

// storedJob has the fields of a job that the checks need.
type storedJob struct {
	Status  string    `json:"status"`
	Uploads []string  `json:"uploads"`
	Created time.Time `json:"createdAt"`
	Batch   *struct {
		Documents []struct {
			Status string `json:"status"`
		} `json:"documents"` // with the indexes of Uploads
	} `json:"batch"`
}

// succeeded returns the uploads for which the job has an answer.
func (j storedJob) succeeded() (uploads []string) {
	for i, upload := range j.Uploads {
		status := j.Status
		if j.Batch != nil {
			status = j.Batch.Documents[i].Status
		}
		if status == "succeeded" {
			uploads = append(uploads, upload)
		}
	}
	return uploads
}

// checkMedia checks that jobs have their files, that slots belong to open jobs, and that no object is older than two
// lifetimes. A slot is an object that counts an open job of its owner: open/<owner>/<number>, with the ID of the job.
func (b bucket) checkMedia(ctx context.Context, broken *report, now time.Time) error {
	for key, object := range b.objects {
		if age := now.Sub(aws.ToTime(object.LastModified)); age > 2*mediaLifetime {
			broken.add("media: %s is %s old", key, age.Round(time.Hour))
		}
	}
	jobs := map[string]storedJob{}
	for _, name := range b.names("jobs/") {
		text, err := b.readObject(ctx, "jobs/"+name)
		if err != nil {
			return err
		}
		var job storedJob
		if err := json.Unmarshal(text, &job); err != nil {
			broken.add("media: the job %s cannot be read: %v", name, err)
		}
		jobs[name] = job
		b.checkFiles(broken, name, job, now)
	}
	for _, slot := range b.names("open/") {
		id, err := b.readObject(ctx, "open/"+slot)
		if err != nil {
			return err
		}
		job, isStored := jobs[path.Dir(slot)+"/"+string(id)]
		isSilent := now.Sub(aws.ToTime(b.objects["open/"+slot].LastModified)) > slotSilence
		switch {
		case isStored && (job.Status == "succeeded" || job.Status == "failed"):
			broken.add("media: the slot %s is taken by the job %s, which has ended", slot, id)
		case !isStored && isSilent:
			broken.add("media: the slot %s is taken by the job %s, which does not exist", slot, id)
		}
	}
	return nil
}

// checkFiles checks that the files for which a job has an answer exist, and that a batch that has succeeded has its
// results. They may be missing a lifetime after the job was created.
func (b bucket) checkFiles(broken *report, name string, job storedJob, now time.Time) {
	if now.Sub(job.Created) > mediaLifetime {
		return
	}
	for _, upload := range job.succeeded() {
		if !b.has("uploads/" + path.Dir(name) + "/" + upload) {
			broken.add("media: the job %s has succeeded without its file %s", name, upload)
		}
	}
	if job.Batch == nil || job.Status != "succeeded" {
		return
	}
	for _, results := range []string{"results.csv", "results.jsonl"} {
		if !b.has("batches/" + name + "/" + results) {
			broken.add("media: the batch %s has succeeded without its file %s", name, results)
		}
	}
}
