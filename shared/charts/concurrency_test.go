package charts_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"portside/shared/charts"
)

// act is an action of a vendor: contents to publish, or nil to withdraw the file.
type act struct {
	file     string
	contents []byte
}

// acts returns uploads of 60 files, mixed with uploads of other bytes, of invalid charts, and
// deletions, shuffled.
func acts(tb testing.TB, random *rand.Rand) []act {
	tb.Helper()
	var all []act
	for i := range 60 {
		name, version := fmt.Sprintf("app%d", i%7), fmt.Sprintf("1.%d.0", i)
		file := name + "-" + version + ".tgz"
		all = append(all, act{file, chart(tb, name, version, "")})
		switch i % 6 {
		case 0:
			all = append(all, act{file, nil})
		case 1:
			all = append(all, act{file, chart(tb, name, version, "changed")})
		case 2:
			all = append(all, act{file, nil}, act{file, chart(tb, name, version, "changed")})
		case 3:
			all = append(all, act{file, []byte("bad")})
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// TestManyAtOnce checks that, in whatever order events arrive, the index ends up as a rebuild would
// make it, and no accepted archive ever changes.
func TestManyAtOnce(t *testing.T) {
	const rounds, workers = 3, 8
	for round := range rounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			p, random := newPort(t), rand.New(rand.NewPCG(uint64(round), 4))
			kept := newLedger(p)
			work := make(chan act)
			events := make(chan string, 10_000)
			var hands sync.WaitGroup
			for worker := range workers {
				own := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
				hands.Go(func() { p.labour(work, events, own) })
			}
			for _, a := range acts(t, random) {
				work <- a
			}
			close(work)
			hands.Wait()
			close(events)
			p.deliverLate(events, random)
			p.expectSound()
			kept.expectUnchanged()
		})
	}
}

// labour publishes and withdraws files, and delivers events at the same time: promptly, late, or
// twice.
func (p *port) labour(work <-chan act, events chan string, random *rand.Rand) {
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

func (p *port) deliver(file string) {
	if _, err := p.indexer.Sync(p.tb.Context(), charts.PublishedPrefix+file); err != nil {
		p.tb.Errorf("sync %s: %v", file, err)
	}
}

// deliverLate delivers the remaining events shuffled and concurrently.
func (p *port) deliverLate(events <-chan string, random *rand.Rand) {
	var left []string
	for file := range events {
		left = append(left, file)
	}
	random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	queue := make(chan string)
	var hands sync.WaitGroup
	for range 8 {
		hands.Go(func() {
			for file := range queue {
				p.deliver(file)
			}
		})
	}
	for _, file := range left {
		queue <- file
	}
	close(queue)
	hands.Wait()
}

// expectSound compares the index with a rebuild, and each entry with the published archive.
func (p *port) expectSound() {
	p.tb.Helper()
	before := p.index()
	done, err := p.indexer.Rebuild(context.WithoutCancel(p.tb.Context()))
	if err != nil || len(done) > 0 || !p.index().Equal(before) {
		p.tb.Errorf("a rebuild made changes: %s, %v", words(done), err)
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

// ledger records what was first written below archives/.
type ledger struct {
	*port
	mu    sync.Mutex
	first map[string][]byte
}

// newLedger makes the port's Indexer write through a ledger.
func newLedger(p *port) *ledger {
	l := &ledger{port: p, first: map[string][]byte{}}
	p.indexer = p.over(recording{p.bucket, l})
	return l
}

type recording struct {
	charts.Bucket
	ledger *ledger
}

func (r recording) Put(ctx context.Context, key string, body []byte, over string) error {
	err := r.Bucket.Put(ctx, key, body, over)
	if err == nil && over == charts.Nothing && key != charts.IndexKey {
		r.ledger.mu.Lock()
		defer r.ledger.mu.Unlock()
		if r.ledger.first[key] != nil {
			r.ledger.tb.Errorf("%s was accepted twice", key)
		}
		r.ledger.first[key] = body
	}
	return err
}

func (l *ledger) expectUnchanged() {
	l.tb.Helper()
	for key, first := range l.first {
		if !bytes.Equal(l.get(key), first) {
			l.tb.Errorf("%s is no longer what was accepted first", key)
		}
	}
}

// TestRebuildBesideUploads checks that a rebuild during uploads leaves nothing out.
func TestRebuildBesideUploads(t *testing.T) {
	p := newPort(t)
	var hands sync.WaitGroup
	hands.Go(func() {
		for i := range 30 {
			version := fmt.Sprintf("1.%d.0", i)
			p.publish("app-"+version+".tgz", chart(t, "app", version, ""))
			p.deliver("app-" + version + ".tgz")
		}
	})
	hands.Go(func() {
		for range 5 {
			if _, err := p.indexer.Rebuild(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	hands.Wait()
	if all, err := p.index().Files(); err != nil || len(all) != 30 {
		t.Errorf("%d versions are listed (%v), want 30", len(all), err)
	}
	p.expectSound()
}
