package importusers

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"portside/cmd/portside/operator"
)

// progress shows the progress of an import. It ignores errors, because it cannot
// report them anywhere else.
type progress interface {
	update(counts string)
	note(line string)
	finish()
}

// newProgress returns a progress bar for a terminal and plain lines for anything else. Size is the
// number of bytes to read, or -1 if unknown; done returns how many have been read.
func newProgress(w io.Writer, size int64, done func() int64) progress {
	file, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(file.Fd())) {
		return &progressLines{w: w, size: size, done: done, reportedAt: time.Now()}
	}
	return &progressBar{w: w, done: done, bar: progressbar.NewOptions64(size,
		progressbar.OptionSetWriter(w), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionShowBytes(true),
		progressbar.OptionSetPredictTime(true), progressbar.OptionFullWidth(), progressbar.OptionSetDescription("importing"),
	)}
}

type progressBar struct {
	w    io.Writer
	bar  *progressbar.ProgressBar
	done func() int64
}

func (b *progressBar) update(counts string) {
	b.bar.Describe(counts)
	_ = b.bar.Set64(b.done())
}

func (b *progressBar) note(line string) {
	_ = b.bar.Clear()
	_, _ = fmt.Fprintln(b.w, line)
	_ = b.bar.RenderBlank()
}

func (b *progressBar) finish() { _ = b.bar.Exit(); _, _ = fmt.Fprintln(b.w) }

type progressLines struct {
	w          io.Writer
	size       int64
	done       func() int64
	reportedAt time.Time
}

func (l *progressLines) update(counts string) {
	if time.Since(l.reportedAt) < operator.ProgressInterval {
		return
	}
	l.reportedAt = time.Now()
	if l.size > 0 {
		counts += fmt.Sprintf(" (%d %% of the file)", 100*l.done()/l.size)
	}
	l.note(counts)
}

func (l *progressLines) note(line string) { _, _ = fmt.Fprintln(l.w, line) }

func (l *progressLines) finish() {}

// countingReader counts the bytes that pass through it. Other goroutines may call bytes at any
// time.
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
