package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"portside/shared/analytics/logs"
	"portside/shared/core/loglines"
)

// write appends a line to a stream. It first delivers lines that have been waiting for almost a
// day.
func (w *simulation) write(s *stream, entry loglines.Event) {
	if s.delivered < len(s.lines) && entry.LoggedAt.Sub(s.lines[s.delivered].LoggedAt) > 20*time.Hour {
		w.deliver(s)
	}
	s.lines = append(s.lines, entry)
}

// deliverAll delivers all waiting lines, and repeats some that were delivered long ago.
func (w *simulation) deliverAll() {
	for _, s := range w.streams {
		w.deliver(s)
		if len(s.lines) > 0 {
			w.recordBatches(s, w.pieces(s, w.random.IntN(len(s.lines)), len(s.lines))[:1])
		}
	}
}

// deliver delivers the lines that were not delivered yet, together with some that were: in
// overlapping pieces, in random order, some of them twice, and several at the same time.
func (w *simulation) deliver(s *stream) {
	all := w.pieces(s, max(0, s.delivered-w.random.IntN(20)), len(s.lines))
	s.delivered = len(s.lines)
	for range w.random.IntN(3) {
		if len(all) > 0 {
			all = append(all, pick(w, all...))
		}
	}
	w.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	w.recordBatches(s, all)
}

// pieces cuts lines into batches that span at most a day. Each is out of order and contains one
// line twice.
func (w *simulation) pieces(s *stream, from, to int) (all [][]loglines.Event) {
	for from < to {
		end := min(to, from+1+w.random.IntN(60))
		for s.lines[end-1].LoggedAt.Sub(s.lines[from].LoggedAt) > 24*time.Hour {
			end--
		}
		piece := append([]loglines.Event{pick(w, s.lines[from:end]...)}, s.lines[from:end]...)
		w.random.Shuffle(len(piece), func(i, j int) { piece[i], piece[j] = piece[j], piece[i] })
		all = append(all, piece)
		if end == to {
			break
		}
		from = max(from+1, end-w.random.IntN(3))
	}
	return all
}

// recordBatches counts batches, three at a time, as functions/countusage does.
func (w *simulation) recordBatches(s *stream, batches [][]loglines.Event) {
	w.Helper()
	queue, failed := make(chan []loglines.Event), make(chan error, len(batches))
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for entries := range queue {
				failed <- w.count(w.Context(), logs.Batch{Log: s.log, Group: s.group, Stream: s.name, Events: entries})
			}
		})
	}
	for _, entries := range batches {
		queue <- entries
	}
	close(queue)
	workers.Wait()
	close(failed)
	for err := range failed {
		w.must(err)
	}
}

func (w *simulation) count(ctx context.Context, batch logs.Batch) (err error) {
	segments, lost := batch.Segments()
	if lost > 0 {
		err = fmt.Errorf("%d log lines were lost", lost)
	}
	for _, segment := range segments {
		_, failed := w.recorder.Record(ctx, segment)
		err = errors.Join(err, failed)
	}
	return err
}
