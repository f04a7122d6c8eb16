package stack

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"portside/local/gateway"
)

// console serializes writes. With a file, the file gets everything, and the screen gets only what people need.
type console struct {
	mu     sync.Mutex
	screen io.Writer
	file   io.Writer // nil: the screen gets everything
}

// keepDetails sets the file.
func (c *console) keepDetails(file io.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file = file
}

func (c *console) hasFile() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.file != nil
}

// Write writes output of functions or of a download. Routine lines of functions go only to the file, if there is one.
func (c *console) Write(p []byte) (int, error) {
	if c.hasFile() && isRoutine(string(p)) {
		c.writeDetail(string(p))
		return len(p), nil
	}
	c.writeBoth(string(p), string(p))
	return len(p), nil
}

// isRoutine reports whether a line of a function's log is neither a warning nor an error. A line that is not JSON can belong to a panic,
// so it is not routine.
func isRoutine(line string) bool {
	_, text, isOfFunction := strings.Cut(line, " | ")
	var entry struct{ Level string }
	if !isOfFunction || json.Unmarshal([]byte(text), &entry) != nil {
		return false
	}
	return entry.Level != "WARN" && entry.Level != "ERROR"
}

// writeBoth writes the short text for people, and the full text to the file.
func (c *console) writeBoth(short, full string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.screen, short)
	if c.file != nil {
		_, _ = io.WriteString(c.file, full)
	}
}

// writeDetail writes a text that people need only to find a cause. It ignores errors, because there is no other output.
func (c *console) writeDetail(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := c.file
	if to == nil {
		to = c.screen
	}
	_, _ = io.WriteString(to, text)
}

// writeLine writes a line. It ignores errors, because there is no other output.
func (c *console) writeLine(line string) { c.writeBoth(line+"\n", line+"\n") }

// logRequest prints a request.
func (s *Stack) logRequest(r gateway.Record) {
	if s.console.hasFile() {
		s.console.writeBoth(r.Short(s.options.Color)+"\n", r.Text(false)+"\n")
	} else {
		s.console.writeLine(r.Text(s.options.Color))
	}
	if r.Status >= http.StatusInternalServerError {
		s.reportFullDisk()
	}
}

// logError prints an error. If colors are enabled, its first line is red, so that it stands out
// among requests.
func (s *Stack) logError(text string) {
	shown := text
	if s.options.Color {
		first, rest, hasMore := strings.Cut(text, "\n")
		shown = "\x1b[31m" + first + "\x1b[0m"
		if hasMore {
			shown += "\n" + rest
		}
	}
	s.console.writeBoth(shown+"\n", text+"\n")
}
