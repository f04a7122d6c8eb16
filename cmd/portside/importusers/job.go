package importusers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"portside/cmd/portside/operator"
	"portside/shared/users"
	"portside/shared/users/usersfile"
)

// chunkSize is how many rows are imported at a time. Up to three chunks are in memory: one is read,
// one waits, and one is imported.
const chunkSize = 500

// maxShownFailures is how many failures are shown on stderr. The file of --errors gets all of them.
const maxShownFailures = 20

// job imports the rows of one file.
type job struct {
	operator.Process
	importer *users.Importer
	options  users.ImportOptions
	progress progress
	rejects  *rejects

	created, existing, failed int
	lastLine                  int // line of the last row that was counted
}

// chunk is a sequence of rows. A non-nil err means that reading failed after them.
type chunk struct {
	rows []usersfile.Row
	err  error
}

// run imports until the end of the file, an outage, or the end of ctx. It checks ctx only between
// chunks, so a chunk that was started is finished.
func (j *job) run(ctx context.Context, rows usersfile.Reader) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	err := j.importAll(ctx, readAhead(reading, rows))
	j.progress.finish()
	j.Report("%d created, %d already there, %d failed", j.created, j.existing, j.failed)
	if err != nil {
		return fmt.Errorf("after line %d: %w", j.lastLine, err)
	}
	if j.failed > 0 {
		return errors.New("not all rows were imported: correct the failed rows and import the file again")
	}
	return nil
}

func (j *job) importAll(ctx context.Context, chunks <-chan chunk) error {
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
				return fmt.Errorf("%w; import the file again to continue", err)
			}
			if c.err != nil {
				return fmt.Errorf("the rest of the file cannot be read: %w", c.err)
			}
		}
	}
}

var errStopped = errors.New("stopped; import the file again to continue; existing users stay unchanged")

// readAhead reads chunks while others are imported. It closes the channel after the last chunk.
func readAhead(ctx context.Context, rows usersfile.Reader) <-chan chunk {
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

// readChunk reads chunkSize rows, or fewer at the end of the file.
func readChunk(rows usersfile.Reader) chunk {
	var c chunk
	for len(c.rows) < chunkSize {
		next, err := rows.Next()
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

// importChunk imports all rows of the chunk and counts them. After an error, it does not count any row.
func (j *job) importChunk(ctx context.Context, rows []usersfile.Row) error {
	var readable []users.NewUser
	for _, r := range rows {
		if r.Err == nil {
			readable = append(readable, r.User)
		}
	}
	outcomes, err := j.importer.Import(ctx, j.options, readable)
	if err != nil {
		return err
	}
	for _, r := range rows {
		outcome := r.Err
		if outcome == nil {
			outcome, outcomes = outcomes[0].Err, outcomes[1:]
		}
		if err := j.count(r, outcome); err != nil {
			return err
		}
	}
	j.progress.update(fmt.Sprintf("%d created, %d already there, %d failed", j.created, j.existing, j.failed))
	return nil
}

// count counts the outcome of a row. If an earlier row of the file has the same address, the row
// counts as already there, whether or not both are in the same chunk.
func (j *job) count(r usersfile.Row, outcome error) error {
	j.lastLine = r.Line
	switch {
	case outcome == nil:
		j.created++
		return nil
	case errors.Is(outcome, users.ErrEmailTaken), errors.Is(outcome, users.ErrRepeatedRow):
		j.existing++
		return nil
	}
	j.failed++
	text := strings.Join(usersfile.Reasons(outcome), "; ")
	if j.failed <= maxShownFailures {
		j.progress.note(fmt.Sprintf("line %d: %s", r.Line, text))
	}
	if j.failed == maxShownFailures+1 {
		j.progress.note("further failures are not shown here; --errors FILE gets them all")
	}
	return j.rejects.add(r, text)
}
