package process

import (
	"bufio"
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

const (
	maxLineBytes = 64 << 10 // longer lines are written in pieces
	maxTailBytes = 4 << 10
)

// outputCopier copies a child's output to a writer line by line and keeps the last lines.
type outputCopier struct {
	from   *os.File
	to     io.Writer
	prefix string
	copied chan struct{}

	mu   sync.Mutex
	tail []byte
}

func newOutputCopier(from *os.File, to io.Writer, prefix string) *outputCopier {
	if to == nil {
		to = io.Discard
	}
	return &outputCopier{from: from, to: to, prefix: prefix, copied: make(chan struct{})}
}

// copy returns at the end of the output. It keeps reading after a write error, because the child
// must not block or die of SIGPIPE.
func (l *outputCopier) copy() {
	defer close(l.copied)
	r := bufio.NewReaderSize(l.from, maxLineBytes)
	for {
		line, err := r.ReadSlice('\n')
		if len(line) > 0 {
			l.write(line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (l *outputCopier) write(line []byte) {
	l.appendTail(line)
	whole := append([]byte(l.prefix), line...)
	if line[len(line)-1] != '\n' {
		whole = append(whole, '\n')
	}
	if _, err := l.to.Write(whole); err != nil {
		l.to = io.Discard
	}
}

func (l *outputCopier) appendTail(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail = append(l.tail, line...)
	if over := len(l.tail) - maxTailBytes; over > 0 {
		l.tail = append(l.tail[:0], l.tail[over:]...)
	}
}

func (l *outputCopier) tailText() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.tail)
}

// finish waits for the rest of the output, at most limit.
func (l *outputCopier) finish(limit time.Duration) {
	timer := time.AfterFunc(limit, func() { _ = l.from.SetReadDeadline(time.Now()) })
	defer timer.Stop()
	<-l.copied
	_ = l.from.Close()
}
