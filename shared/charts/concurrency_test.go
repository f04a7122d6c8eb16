package charts_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"portside/shared/charts"
	"portside/testclient/scale"
)

// action is a vendor's operation: contents to publish, or nil to withdraw the file.
type action struct {
	file     string
	contents []byte
}

// actions returns uploads of 60 files, mixed with uploads of other bytes, of invalid charts, and
// deletions, shuffled.
func actions(tb testing.TB, random *rand.Rand) []action {
	tb.Helper()
	var all []action
	for i := range 60 {
		name, version := fmt.Sprintf("app%d", i%7), fmt.Sprintf("1.%d.0", i)
		file := name + "-" + version + ".tgz"
		all = append(all, action{file, chart(tb, name, version, "")})
		switch i % 6 {
		case 0:
			all = append(all, action{file, nil})
		case 1:
			all = append(all, action{file, chart(tb, name, version, "changed")})
		case 2:
			all = append(all, action{file, nil}, action{file, chart(tb, name, version, "changed")})
		case 3:
			all = append(all, action{file, []byte("bad")})
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// TestConcurrentEvents checks that, for any order of events, the index ends up as a rebuild would
// make it, and no accepted archive ever changes.
func TestConcurrentEvents(t *testing.T) {
	const workerCount = 8
	for round := range scale.Of(1) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			seed := scale.Seed() + uint64(round)
			p, random := newFixture(t), rand.New(rand.NewPCG(seed, 4))
			kept := recordArchives(p)
			work := make(chan action)
			events := make(chan string, 10_000)
			var workers sync.WaitGroup
			for worker := range workerCount {
				own := rand.New(rand.NewPCG(seed, uint64(worker)))
				workers.Go(func() { p.work(work, events, own) })
			}
			for _, a := range actions(t, random) {
				work <- a
			}
			close(work)
			workers.Wait()
			close(events)
			p.deliverLate(events, random)
			p.expectConsistent()
			kept.expectUnchanged()
		})
	}
}

// work publishes and withdraws files and, at the same time, delivers events promptly, late, or
// twice.
func (p *fixture) work(work <-chan action, events chan string, random *rand.Rand) {
	for a := range work {
		if a.contents == nil {
			p.withdraw(a.file)
		} else {
			p.publish(a.file, a.contents)
		}
		events <- a.file
		if random.IntN(3) == 0 {
			events <- a.file
		}
		for range random.IntN(3) {
			select {
			case file := <-events:
				p.deliver(file)
			default:
			}
		}
	}
}

func (p *fixture) deliver(file string) {
	if _, err := p.indexer.Sync(p.tb.Context(), charts.PublishedPrefix+file); err != nil {
		p.tb.Errorf("sync %s: %v", file, err)
	}
}

// deliverLate delivers the remaining events shuffled and concurrently.
func (p *fixture) deliverLate(events <-chan string, random *rand.Rand) {
	var left []string
	for file := range events {
		left = append(left, file)
	}
	random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	queue := make(chan string)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for file := range queue {
				p.deliver(file)
			}
		})
	}
	for _, file := range left {
		queue <- file
	}
	close(queue)
	workers.Wait()
}

// expectConsistent checks that a rebuild changes nothing, and that each listed archive is the published one.
func (p *fixture) expectConsistent() {
	p.tb.Helper()
	before := p.index()
	done, err := p.indexer.Rebuild(context.WithoutCancel(p.tb.Context()))
	if err != nil || len(done) > 0 || !p.index().Equal(before) {
		p.tb.Errorf("a rebuild made changes: %s, %v", describe(done), err)
	}
	all, err := before.Files()
	if err != nil || len(all) == 0 {
		p.tb.Errorf("files %v, %v", all, err)
	}
	for _, file := range all {
		if !bytes.Equal(p.get(charts.PublishedPrefix+file), p.get(charts.ArchivesPrefix+file)) {
			p.tb.Errorf("%s is listed, but the archive that customers get is not the published one", file)
		}
	}
}

// archiveRecorder records the first contents written to each key below archives/.
type archiveRecorder struct {
	*fixture
	mu    sync.Mutex
	first map[string][]byte
}

// recordArchives makes the fixture's Indexer write through an archiveRecorder.
func recordArchives(p *fixture) *archiveRecorder {
	l := &archiveRecorder{fixture: p, first: map[string][]byte{}}
	p.indexer = p.over(recordingBucket{p.bucket, l})
	return l
}

type recordingBucket struct {
	charts.Bucket
	recorder *archiveRecorder
}

func (r recordingBucket) Put(ctx context.Context, key string, body []byte, over string) error {
	err := r.Bucket.Put(ctx, key, body, over)
	if err == nil && over == charts.Nothing && key != charts.IndexKey {
		r.recorder.mu.Lock()
		defer r.recorder.mu.Unlock()
		if r.recorder.first[key] != nil {
			r.recorder.tb.Errorf("%s was accepted twice", key)
		}
		r.recorder.first[key] = body
	}
	return err
}

func (l *archiveRecorder) expectUnchanged() {
	l.tb.Helper()
	for key, first := range l.first {
		if !bytes.Equal(l.get(key), first) {
			l.tb.Errorf("the contents of %s differ from those that were accepted first", key)
		}
	}
}

// TestRebuildDuringUploads checks that a rebuild during uploads omits no version.
func TestRebuildDuringUploads(t *testing.T) {
	p := newFixture(t)
	var workers sync.WaitGroup
	workers.Go(func() {
		for i := range 30 {
			version := fmt.Sprintf("1.%d.0", i)
			p.publish("app-"+version+".tgz", chart(t, "app", version, ""))
			p.deliver("app-" + version + ".tgz")
		}
	})
	workers.Go(func() {
		for range 5 {
			if _, err := p.indexer.Rebuild(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	workers.Wait()
	if all, err := p.index().Files(); err != nil || len(all) != 30 {
		t.Errorf("%d versions are listed (%v), want 30", len(all), err)
	}
	p.expectConsistent()
}
