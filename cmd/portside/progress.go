package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// tellEvery is how often progress is told where there is no terminal.
const tellEvery = 3 * time.Second

// progress shows how far an import is. What cannot be shown has nowhere else to go.
type progress interface {
	update(counts string)
	note(line string)
	finish()
}

// newProgress returns a bar for a terminal and lines for anything else. Size is in bytes, -1 if it is not known; done
// tells how many of them have been read.
func newProgress(w io.Writer, size int64, done func() int64) progress {
	file, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return &lines{w: w, size: size, done: done, told: time.Now()}
	}
	return &bar{w: w, done: done, bar: progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(w), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionShowBytes(true),
		progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth(), progressbar.OptionSetDescription("importing"),
	)}
}

type bar struct {
	w    io.Writer
	bar  *progressbar.ProgressBar
	done func() int64
}

func (b *bar) update(counts string) {
	b.bar.Describe(counts)
	_ = b.bar.Set64(b.done())
}

func (b *bar) note(line string) {
	_ = b.bar.Clear()
	_, _ = fmt.Fprintln(b.w, line)
	_ = b.bar.RenderBlank()
}

func (b *bar) finish() { _ = b.bar.Exit(); _, _ = fmt.Fprintln(b.w) }

type lines struct {
	w    io.Writer
	size int64
	done func() int64
	told time.Time
}

func (l *lines) update(counts string) {
	if time.Since(l.told) < tellEvery {
		return
	}
	l.told = time.Now()
	if l.size > 0 {
		counts += fmt.Sprintf(" (%d %% of the file)", 100*l.done()/l.size)
	}
	l.note(counts)
}

func (l *lines) note(line string) { _, _ = fmt.Fprintln(l.w, line) }

func (l *lines) finish() {}

// countingReader knows how many bytes went through it, at any moment and for any goroutine.
type countingReader struct {
	from io.Reader
	n    atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n.Add(int64(n))
	return n, err
}

func (c *countingReader) bytes() int64 { return c.n.Load() }

// rejects writes the rows that failed to a file, if one was asked for.
type rejects struct {
	file *os.File
	csv  *csv.Writer
}

func newRejects(path string) (*rejects, error) {
	if path == "" {
		return &rejects{}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--errors: %w", err)
	}
	r := &rejects{file: file, csv: csv.NewWriter(file)}
	return r, r.write("line", "email", "reason")
}

func (r *rejects) add(failed row, why string) error {
	return r.write(strconv.Itoa(failed.line), failed.user.Email, why)
}

func (r *rejects) write(fields ...string) error {
	if r.csv == nil {
		return nil
	}
	if err := r.csv.Write(fields); err != nil {
		return fmt.Errorf("--errors: %w", err)
	}
	return nil
}

func (r *rejects) close() error {
	if r.csv == nil {
		return nil
	}
	r.csv.Flush()
	if err := errors.Join(r.csv.Error(), r.file.Close()); err != nil {
		return fmt.Errorf("--errors: %w", err)
	}
	return nil
}
