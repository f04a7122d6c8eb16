package stack

import (
	"io"
	"net/http"
	"strings"
	"sync"

	"portside/local/gateway"
)

// console serializes the writes of several writers.
type console struct {
	mu sync.Mutex
	to io.Writer
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.to.Write(p)
}

// printLine writes a line. It ignores errors, because there is no other output.
func (c *console) printLine(line string) {
	_, _ = io.WriteString(c, line+"\n")
}

// logRequest prints a request.
func (s *Stack) logRequest(r gateway.Record) {
	s.console.printLine(r.Text(s.options.Color))
	if r.Status >= http.StatusInternalServerError {
		s.reportFullDisk()
	}
}

// logError prints an error. If colors are enabled, its first line is red, so that it stands out
// among requests.
func (s *Stack) logError(text string) {
	if s.options.Color {
		first, rest, more := strings.Cut(text, "\n")
		text = "\x1b[31m" + first + "\x1b[0m"
		if more {
			text += "\n" + rest
		}
	}
	s.console.printLine(text)
}
