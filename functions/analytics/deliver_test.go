package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"portside/shared/analytics"
)

// write puts a line into a stream, and delivers what has been waiting there for a day.
func (w *world) write(s *stream, entry analytics.Entry) {
	if s.delivered < len(s.lines) && entry.Logged.Sub(s.lines[s.delivered].Logged) > 20*time.Hour {
		w.deliver(s)
	}
	s.lines = append(s.lines, entry)
}

// deliverAll delivers whatever waits, and some of what was delivered long ago.
func (w *world) deliverAll() {
	for _, s := range w.streams {
		w.deliver(s)
		if len(s.lines) > 0 {
			w.record(s, w.pieces(s, w.random.IntN(len(s.lines)), len(s.lines))[:1])
		}
	}
}

// deliver delivers all lines that were not delivered yet, among some of those that were: in pieces that overlap, in any order,
// some of them twice, and several at the same time.
func (w *world) deliver(s *stream) {
	all := w.pieces(s, max(0, s.delivered-w.random.IntN(20)), len(s.lines))
	s.delivered = len(s.lines)
	for range w.random.IntN(3) {
		if len(all) > 0 {
			all = append(all, pick(w, all...))
		}
	}
	w.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	w.record(s, all)
}

// pieces cuts lines into batches as the log makes them, of a day at most. Each is out of order and has a line twice.
func (w *world) pieces(s *stream, from, to int) (all [][]analytics.Entry) {
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

// record counts batches, three at a time, as functions/countusage does.
func (w *world) record(s *stream, batches [][]analytics.Entry) {
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

func (w *world) count(ctx context.Context, batch analytics.Batch) (err error) {
	parts, lost := batch.Parts()
	if lost > 0 {
		err = fmt.Errorf("%d lines are lost", lost)
	}
	for _, part := range parts {
		_, failed := w.recorder.Record(ctx, part)
		err = errors.Join(err, failed)
	}
	return err
}
