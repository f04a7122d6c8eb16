package charts_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/shared/charts"
)

const (
	plainFile  = "app-1.0.0.tgz"
	buildFile  = "app-1.0.0+x.tgz"
	latterFile = "app-1.0.0+y.tgz"
)

// build publishes a version of the chart app.
func (p *fixture) build(file string) {
	p.tb.Helper()
	version := strings.TrimSuffix(strings.TrimPrefix(file, "app-"), ".tgz")
	p.publish(file, chart(p.tb, "app", version, ""))
}

// TestVersionsWithDifferentBuildMetadata checks that only the first of several equal versions is listed.
func TestVersionsWithDifferentBuildMetadata(t *testing.T) {
	p := newFixture(t)
	for _, step := range []struct {
		name         string
		do           func()
		event        string
		acts, listed string
	}{
		{"first", func() { p.build(buildFile) }, buildFile, "listed " + buildFile, buildFile},
		{"later upload without build metadata", func() { p.build(plainFile) }, plainFile, "rejected " + plainFile, buildFile},
		{"later upload with other build metadata", func() { p.build(latterFile) }, latterFile, "rejected " + latterFile, buildFile},
		{"its event again", func() {}, latterFile, "", buildFile},
		{"the first again", func() { p.build(buildFile) }, buildFile, "", buildFile},
		{"another version", func() { p.build("app-1.0.1+x.tgz") }, "app-1.0.1+x.tgz", "listed app-1.0.1+x.tgz", buildFile + " app-1.0.1+x.tgz"},
		{"a prerelease of it", func() { p.build("app-1.0.0-1.tgz") }, "app-1.0.0-1.tgz", "listed app-1.0.0-1.tgz",
			buildFile + " app-1.0.0-1.tgz app-1.0.1+x.tgz"},
		{"withdrawn", func() { p.withdraw(buildFile) }, buildFile, "unlisted " + buildFile, "app-1.0.0-1.tgz app-1.0.1+x.tgz"},
		{"another upload after the withdrawal", func() { p.build(plainFile) }, plainFile, "listed " + plainFile, "app-1.0.0-1.tgz app-1.0.0.tgz app-1.0.1+x.tgz"},
		{"first file again after the withdrawal", func() { p.build(buildFile) }, buildFile, "rejected " + buildFile, "app-1.0.0-1.tgz app-1.0.0.tgz app-1.0.1+x.tgz"},
	} {
		step.do()
		if acts := p.sync(step.event); acts != step.acts || p.listed() != step.listed {
			t.Errorf("%s: %q, index %q; want %q, %q", step.name, acts, p.listed(), step.acts, step.listed)
		}
	}
	reason := string(p.get(charts.RejectedPrefix + plainFile + ".reason.txt"))
	if !strings.Contains(reason, "version 1.0.0+x of the chart is listed") ||
		!strings.Contains(reason, "withdraw "+buildFile) {
		t.Errorf("reason: %s", reason)
	}
	p.expectConsistent()
}

// TestWithdrawnVersionDoesNotBlock delivers the event of a withdrawal after the event of the next
// version.
func TestWithdrawnVersionDoesNotBlock(t *testing.T) {
	p := newFixture(t)
	p.build(plainFile)
	p.sync(plainFile)
	p.withdraw(plainFile)
	p.build(buildFile)
	if got := p.sync(buildFile); got != "unlisted "+plainFile+", listed "+buildFile {
		t.Error(got)
	}
	if got := p.sync(plainFile); got != "" || p.listed() != buildFile {
		t.Errorf("%q, index %q", got, p.listed())
	}
}

// TestConflictingVersionIsListedFirst has another worker write the index between the read and
// the write.
func TestConflictingVersionIsListedFirst(t *testing.T) {
	p := newFixture(t)
	p.build("app-0.1.0.tgz")
	p.sync("app-0.1.0.tgz")
	p.build(plainFile)
	w := hookedBucket{p.bucket, map[string]func(){"put index.yaml": func() { p.build(buildFile); p.sync(buildFile) }}, map[string]func(){}}
	done, err := p.over(w).Sync(t.Context(), charts.PublishedPrefix+plainFile)
	if err != nil || describe(done) != "rejected "+plainFile || p.listed() != "app-0.1.0.tgz "+buildFile {
		t.Errorf("%q, %v; index %q", describe(done), err, p.listed())
	}
	p.expectConsistent()
}

func TestConcurrentUploadsOfEqualVersions(t *testing.T) {
	for round := range 3 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			p, random := newFixture(t), rand.New(rand.NewPCG(uint64(round), 7))
			var files []string
			for i := range 8 {
				files = append(files, plainFile, fmt.Sprintf("app-1.0.0+%d.tgz", i), fmt.Sprintf("app-2.0.0+%d.tgz", i))
			}
			random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			work := make(chan string)
			var workers sync.WaitGroup
			for range 6 {
				workers.Go(func() {
					for file := range work {
						p.build(file)
						p.deliver(file)
					}
				})
			}
			for _, file := range files {
				work <- file
			}
			close(work)
			workers.Wait()
			if listed := strings.Fields(p.listed()); len(listed) != 2 {
				t.Errorf("listed: %q", listed)
			}
			if left, err := p.bucket.List(t.Context(), charts.PublishedPrefix); err != nil || len(left) != 2 {
				t.Errorf("published: %v, %v", left, err)
			}
			p.expectConsistent()
		})
	}
}

// accept puts a version below archives/, as if it had been accepted before, and publishes it.
func (p *fixture) accept(file string) {
	p.tb.Helper()
	p.build(file)
	if err := p.bucket.Put(p.tb.Context(), charts.ArchivesPrefix+file, p.get(charts.PublishedPrefix+file),
		charts.Nothing); err != nil {
		p.tb.Fatal(err)
	}
}

// datedBucket is a bucket in which a test sets the times when archives were accepted.
type datedBucket struct {
	charts.Bucket
	times map[string]time.Time
}

func (a datedBucket) Get(ctx context.Context, key string, limit int64) (charts.Object, error) {
	object, err := a.Bucket.Get(ctx, key, limit)
	if at, ok := a.times[strings.TrimPrefix(key, charts.ArchivesPrefix)]; ok {
		object.Modified = at
	}
	return object, err
}

func TestRebuildResolvesConflicts(t *testing.T) {
	for _, test := range []struct {
		name   string
		first  string // accepted before all other versions
		listed string // in the existing index
		want   string
	}{
		{"first by name if nothing else differs", "", "", buildFile},
		{"accepted first", latterFile, "", latterFile},
		{"already listed", latterFile, plainFile, plainFile},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newFixture(t)
			if test.listed != "" {
				p.build(test.listed)
				p.sync(test.listed)
			}
			times := map[string]time.Time{}
			for _, file := range []string{plainFile, buildFile, latterFile} {
				times[file] = anyTime
				if file == test.first {
					times[file] = anyTime.Add(-time.Second)
				}
				if file != test.listed {
					p.accept(file)
				}
			}
			p.indexer = p.over(datedBucket{p.bucket, times})
			done, err := p.indexer.Rebuild(t.Context())
			if err != nil || p.listed() != test.want || strings.Count(describe(done), "rejected") != 2 {
				t.Errorf("%q, %v; index %q", describe(done), err, p.listed())
			}
			if again, err := p.indexer.Rebuild(t.Context()); err != nil || len(again) > 0 {
				t.Errorf("a second rebuild: %q, %v", describe(again), err)
			}
		})
	}
}

// TestCrashOfRebuildWithConflicts checks that the next rebuild resolves the conflicts that a crash
// leaves.
func TestCrashOfRebuildWithConflicts(t *testing.T) {
	for at, crashed := 1, true; crashed; at++ {
		p := newFixture(t)
		p.accept(plainFile)
		p.accept(buildFile)
		m := &crashingBucket{Bucket: p.bucket, at: at, lost: at%2 == 0}
		_, err := p.over(m).Rebuild(t.Context())
		crashed = m.crashed()
		if crashed != errors.Is(err, errCrashed) || !crashed && err != nil {
			t.Fatalf("call %d: %v", at, err)
		}
		if _, err := p.indexer.Rebuild(t.Context()); err != nil || len(strings.Fields(p.listed())) != 1 {
			t.Errorf("call %d: %v; index %q", at, err, p.listed())
		}
		if left, err := p.bucket.List(t.Context(), charts.PublishedPrefix); err != nil || len(left) != 1 {
			t.Errorf("call %d: published %v, %v", at, left, err)
		}
	}
}
