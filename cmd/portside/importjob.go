package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"portside/shared/core/fault"
	"portside/shared/users"
)

// chunkSize is how many rows are imported at once, and so how many are told about at once and held in memory (times
// three: one chunk is read and one waits while one is imported).
const chunkSize = 500

// shownFailures is how many failures are told on stderr; --errors has them all.
const shownFailures = 20

// importJob imports the rows of one file.
type importJob struct {
	process
	importer *users.Importer
	progress progress
	rejects  *rejects

	created, there, failed int
	last                   int // line of the last row that is settled
}

// chunk is consecutive rows; err ends the reading after them.
type chunk struct {
	rows []row
	err  error
}

// run imports until the end of the file, an outage, or the end of ctx, which is heeded between chunks: a chunk that has
// begun is finished.
func (j *importJob) run(ctx context.Context, rows rowReader) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	err := j.importAll(ctx, readAhead(reading, rows))
	j.progress.finish()
	j.say("%d created, %d already there, %d failed", j.created, j.there, j.failed)
	if err != nil {
		return fmt.Errorf("after line %d: %w", j.last, err)
	}
	if j.failed > 0 {
		return errors.New("not all rows were imported: mend those that failed and import the file again")
	}
	return nil
}

func (j *importJob) importAll(ctx context.Context, chunks <-chan chunk) error {
	for {
		select {
		case <-ctx.Done():
			return errStopped
		case c, more := <-chunks:
			if !more {
				return nil
			}
			if ctx.Err() != nil {
				return errStopped
			}
			if err := j.importChunk(context.WithoutCancel(ctx), c.rows); err != nil {
				return fmt.Errorf("%w; import the file again to go on", err)
			}
			if c.err != nil {
				return fmt.Errorf("the file cannot be read further: %w", c.err)
			}
		}
	}
}

var errStopped = errors.New("stopped; import the file again to go on, users who exist already stay as they are")

// readAhead reads chunks while others are imported. The channel is closed after the last.
func readAhead(ctx context.Context, rows rowReader) <-chan chunk {
	chunks := make(chan chunk, 1)
	go func() {
		defer close(chunks)
		for {
			next := readChunk(rows)
			select {
			case <-ctx.Done():
				return
			case chunks <- next:
			}
			if len(next.rows) < chunkSize {
				return
			}
		}
	}()
	return chunks
}

// readChunk reads chunkSize rows, or fewer at the end.
func readChunk(rows rowReader) chunk {
	var c chunk
	for len(c.rows) < chunkSize {
		next, err := rows.next()
		if errors.Is(err, io.EOF) {
			return c
		}
		if err != nil {
			c.err = err
			return c
		}
		c.rows = append(c.rows, next)
	}
	return c
}

// importChunk settles every row of the chunk, or none that it counts.
func (j *importJob) importChunk(ctx context.Context, rows []row) error {
	var readable []users.NewUser
	for _, r := range rows {
		if r.err == nil {
			readable = append(readable, r.user)
		}
	}
	outcomes, err := j.importer.Import(ctx, readable)
	if err != nil {
		return err
	}
	for _, r := range rows {
		outcome := r.err
		if outcome == nil {
			outcome, outcomes = outcomes[0], outcomes[1:]
		}
		if err := j.settle(r, outcome); err != nil {
			return err
		}
	}
	j.progress.update(fmt.Sprintf("%d created, %d already there, %d failed", j.created, j.there, j.failed))
	return nil
}

// settle counts a row. An address that stands in an earlier row is taken by that row's user: whether the two were in one
// chunk makes no difference.
func (j *importJob) settle(r row, outcome error) error {
	j.last = r.line
	switch {
	case outcome == nil:
		j.created++
		return nil
	case errors.Is(outcome, users.ErrEmailTaken), errors.Is(outcome, users.ErrRepeatedRow):
		j.there++
		return nil
	}
	j.failed++
	why := reason(outcome)
	if j.failed <= shownFailures {
		j.progress.note(fmt.Sprintf("line %d: %s", r.line, why))
	}
	if j.failed == shownFailures+1 {
		j.progress.note("further failures are not shown here; --errors FILE gets them all")
	}
	return j.rejects.add(r, why)
}

// reason is why a row failed, in one line. Failures of fields are told by the column's name.
func reason(err error) string {
	problem := fault.As(err)
	if problem == nil || len(problem.Fields) == 0 {
		return err.Error()
	}
	all := make([]string, len(problem.Fields))
	for i, f := range problem.Fields {
		all[i] = strings.TrimPrefix(f.Pointer, "/") + " " + f.Detail
	}
	return strings.Join(all, "; ")
}
