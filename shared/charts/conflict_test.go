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

// build publishes a version of app.
func (p *port) build(file string) {
	p.tb.Helper()
	version := strings.TrimSuffix(strings.TrimPrefix(file, "app-"), ".tgz")
	p.publish(file, chart(p.tb, "app", version, ""))
}

// What helm holds for one and the same version is listed once: the first one, as long as it is listed.
func TestVersionsThatDifferInTheirBuild(t *testing.T) {
	p := newPort(t)
	for _, step := range []struct {
		name         string
		do           func()
		event        string
		acts, listed string
	}{
		{"first", func() { p.build(buildFile) }, buildFile, "listed " + buildFile, buildFile},
		{"newcomer without a build", func() { p.build(plainFile) }, plainFile, "rejected " + plainFile, buildFile},
		{"newcomer with another", func() { p.build(latterFile) }, latterFile, "rejected " + latterFile, buildFile},
		{"its event again", func() {}, latterFile, "", buildFile},
		{"the first again", func() { p.build(buildFile) }, buildFile, "", buildFile},
		{"another version", func() { p.build("app-1.0.1+x.tgz") }, "app-1.0.1+x.tgz", "listed app-1.0.1+x.tgz", buildFile + " app-1.0.1+x.tgz"},
		{"a prerelease of it", func() { p.build("app-1.0.0-1.tgz") }, "app-1.0.0-1.tgz", "listed app-1.0.0-1.tgz",
			buildFile + " app-1.0.0-1.tgz app-1.0.1+x.tgz"},
		{"withdrawn", func() { p.withdraw(buildFile) }, buildFile, "unlisted " + buildFile, "app-1.0.0-1.tgz app-1.0.1+x.tgz"},
		{"newcomer after that", func() { p.build(plainFile) }, plainFile, "listed " + plainFile, "app-1.0.0-1.tgz app-1.0.0.tgz app-1.0.1+x.tgz"},
		{"the first one back", func() { p.build(buildFile) }, buildFile, "rejected " + buildFile, "app-1.0.0-1.tgz app-1.0.0.tgz app-1.0.1+x.tgz"},
	} {
		step.do()
		if acts := p.sync(step.event); acts != step.acts || p.listed() != step.listed {
			t.Errorf("%s: %q, index %q; want %q, %q", step.name, acts, p.listed(), step.acts, step.listed)
		}
	}
	reason := string(p.get(charts.RejectedPrefix + plainFile + ".reason.txt"))
	if !strings.Contains(reason, "version 1.0.0+x of the chart is listed") || !strings.Contains(reason, "withdraw "+buildFile) {
		t.Errorf("reason: %s", reason)
	}
	p.expectSound()
}

// The event of a withdrawal may come after that of what follows it.
func TestWithdrawnVersionDoesNotBlock(t *testing.T) {
	p := newPort(t)
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

// The index may be written by others between our reading and writing it.
func TestRivalIsListedBeforeTheIndexIsWritten(t *testing.T) {
	p := newPort(t)
	p.build("app-0.1.0.tgz")
	p.sync("app-0.1.0.tgz")
	p.build(plainFile)
	w := watched{p.bucket, map[string]func(){"put index.yaml": func() { p.build(buildFile); p.sync(buildFile) }}, map[string]func(){}}
	done, err := p.over(w).Sync(t.Context(), charts.PublishedPrefix+plainFile)
	if err != nil || words(done) != "rejected "+plainFile || p.listed() != "app-0.1.0.tgz "+buildFile {
		t.Errorf("%q, %v; index %q", words(done), err, p.listed())
	}
	p.expectSound()
}

func TestManyBuildsAtOnce(t *testing.T) {
	for round := range 3 {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			p, random := newPort(t), rand.New(rand.NewPCG(uint64(round), 7))
			var files []string
			for i := range 8 {
				files = append(files, plainFile, fmt.Sprintf("app-1.0.0+%d.tgz", i), fmt.Sprintf("app-2.0.0+%d.tgz", i))
			}
			random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			work := make(chan string)
			var hands sync.WaitGroup
			for range 6 {
				hands.Go(func() {
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
			hands.Wait()
			if listed := strings.Fields(p.listed()); len(listed) != 2 {
				t.Errorf("listed: %q", listed)
			}
			if left, err := p.bucket.List(t.Context(), charts.PublishedPrefix); err != nil || len(left) != 2 {
				t.Errorf("published: %v, %v", left, err)
			}
			p.expectSound()
		})
	}
}

// accept puts a version below archives/, as if it had been accepted before, and publishes it.
func (p *port) accept(file string) {
	p.tb.Helper()
	p.build(file)
	if err := p.bucket.Put(p.tb.Context(), charts.ArchivesPrefix+file, p.get(charts.PublishedPrefix+file), charts.Nothing); err != nil {
		p.tb.Fatal(err)
	}
}

// accepted is a bucket that says when archives were accepted.
type accepted struct {
	charts.Bucket
	times map[string]time.Time
}

func (a accepted) Get(ctx context.Context, key string, limit int64) (charts.Object, error) {
	object, err := a.Bucket.Get(ctx, key, limit)
	if at, ok := a.times[strings.TrimPrefix(key, charts.ArchivesPrefix)]; ok {
		object.Modified = at
	}
	return object, err
}

func TestRebuildElects(t *testing.T) {
	for _, test := range []struct {
		name   string
		first  string // accepted before the others
		listed string // in the index that is there
		want   string
	}{
		{"the name, where nothing else tells", "", "", buildFile},
		{"the first that was accepted", latterFile, "", latterFile},
		{"what is listed", latterFile, plainFile, plainFile},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPort(t)
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
			p.indexer = p.over(accepted{p.bucket, times})
			done, err := p.indexer.Rebuild(t.Context())
			if err != nil || p.listed() != test.want || strings.Count(words(done), "rejected") != 2 {
				t.Errorf("%q, %v; index %q", words(done), err, p.listed())
			}
			if again, err := p.indexer.Rebuild(t.Context()); err != nil || len(again) > 0 {
				t.Errorf("a second rebuild: %q, %v", words(again), err)
			}
		})
	}
}

// A crash of a Rebuild leaves rivals to the next one.
func TestCrashOfARebuildWithRivals(t *testing.T) {
	for at, crashed := 1, true; crashed; at++ {
		p := newPort(t)
		p.accept(plainFile)
		p.accept(buildFile)
		m := &mortal{Bucket: p.bucket, at: at, lost: at%2 == 0}
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
