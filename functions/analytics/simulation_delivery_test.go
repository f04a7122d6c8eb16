package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"portside/shared/analytics"
)

// write adds a line to a stream, and delivers the lines that have been waiting for a day.
func (w *simulation) write(s *stream, entry analytics.Entry) {
	if s.delivered < len(s.lines) && entry.Logged.Sub(s.lines[s.delivered].Logged) > 20*time.Hour {
		w.deliver(s)
	}
	s.lines = append(s.lines, entry)
}

// deliverAll delivers all waiting lines, and again some that were delivered before.
func (w *simulation) deliverAll() {
	for _, s := range w.streams {
		w.deliver(s)
		if len(s.lines) > 0 {
			w.deliverBatches(s, w.pieces(s, w.random.IntN(len(s.lines)), len(s.lines))[:1])
		}
	}
}

// deliver delivers the new lines of a stream together with some old ones, in overlapping batches in random order, some of them
// twice and several concurrently.
func (w *simulation) deliver(s *stream) {
	all := w.pieces(s, max(0, s.delivered-w.random.IntN(20)), len(s.lines))
	s.delivered = len(s.lines)
	for range w.random.IntN(3) {
		if len(all) > 0 {
			all = append(all, pick(w, all...))
		}
	}
	w.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	w.deliverBatches(s, all)
}

// pieces splits lines into batches of at most a day, as the log does. The lines of each batch are shuffled, and one line is
// repeated.
func (w *simulation) pieces(s *stream, from, to int) (all [][]analytics.Entry) {
	for from < to {
		end := min(to, from+1+w.random.IntN(60))
		for s.lines[end-1].Logged.Sub(s.lines[from].Logged) > 24*time.Hour {
			end--
		}
		piece := append([]analytics.Entry{pick(w, s.lines[from:end]...)}, s.lines[from:end]...)
		w.random.Shuffle(len(piece), func(i, j int) { piece[i], piece[j] = piece[j], piece[i] })
		all = append(all, piece)
		if end == to {
			break
		}
		from = max(from+1, end-w.random.IntN(3))
	}
	return all
}

// deliverBatches counts batches, three at a time, as functions/countusage does.
func (w *simulation) deliverBatches(s *stream, batches [][]analytics.Entry) {
	w.Helper()
	queue, failed := make(chan []analytics.Entry), make(chan error, len(batches))
	var workers sync.WaitGroup
	for range 3 {
		workers.Go(func() {
			for entries := range queue {
				failed <- w.count(w.Context(), analytics.Batch{Log: s.log, Group: s.group, Stream: s.name, Entries: entries})
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

func (w *simulation) count(ctx context.Context, batch analytics.Batch) (err error) {
	parts, lost := batch.Parts()
	if lost > 0 {
		err = fmt.Errorf("%d lines were lost", lost)
	}
	for _, part := range parts {
		_, failed := w.recorder.Record(ctx, part)
		err = errors.Join(err, failed)
	}
	return err
}
