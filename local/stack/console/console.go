// Package console writes the log of a stack: all of it to a file, and what people need to the screen.
package console

import (
	"encoding/json"
	"io"
	"strings"
	"sync"

	"portside/local/gateway"
)

// Console serializes writes. With a file, the file gets everything, and the screen gets only what people need.
type Console struct {
	color  bool // on the screen
	mu     sync.Mutex
	screen io.Writer
	file   io.Writer // nil: the screen gets everything
}

// New returns a console without a file.
func New(screen io.Writer, color bool) *Console { return &Console{screen: screen, color: color} }

// KeepDetails sets the file.
func (c *Console) KeepDetails(file io.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.file = file
}

func (c *Console) hasFile() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.file != nil
}

// Write writes output of functions or of a download. Routine lines of functions go only to the file, if there is one.
func (c *Console) Write(p []byte) (int, error) {
	if c.hasFile() && isRoutine(string(p)) {
		c.WriteDetail(string(p))
		return len(p), nil
	}
	c.writeBoth(string(p), string(p))
	return len(p), nil
}

// isRoutine reports whether a line of a function's log is neither a warning nor an error. A line that is not JSON can
// belong to a panic, so it is not routine.
func isRoutine(line string) bool {
	_, text, isOfFunction := strings.Cut(line, " | ")
	var entry struct{ Level string }
	if !isOfFunction || json.Unmarshal([]byte(text), &entry) != nil {
		return false
	}
	return entry.Level != "WARN" && entry.Level != "ERROR"
}

// writeBoth writes the short text for people, and the full text to the file.
func (c *Console) writeBoth(short, full string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.screen, short)
	if c.file != nil {
		_, _ = io.WriteString(c.file, full)
	}
}

// WriteDetail writes a text that people need only to find a cause. It ignores errors, because it could report them only
// here.
func (c *Console) WriteDetail(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := c.file
	if to == nil {
		to = c.screen
	}
	_, _ = io.WriteString(to, text)
}

// WriteLine writes a line. It ignores errors, because it could report them only here.
func (c *Console) WriteLine(line string) { c.writeBoth(line+"\n", line+"\n") }

// LogRequest prints a request.
func (c *Console) LogRequest(r gateway.Record) {
	if c.hasFile() {
		c.writeBoth(r.Short(c.color)+"\n", r.Text(false)+"\n")
	} else {
		c.WriteLine(r.Text(c.color))
	}
}

// LogError prints an error. If colors are enabled, its first line is red, so that it stands out
// among requests.
func (c *Console) LogError(text string) {
	shown := text
	if c.color {
		first, rest, hasMore := strings.Cut(text, "\n")
		shown = "\x1b[31m" + first + "\x1b[0m"
		if hasMore {
			shown += "\n" + rest
		}
	}
	c.writeBoth(shown+"\n", text+"\n")
}
