package stack

import (
	"io"
	"strings"
	"sync"
)

// console keeps the lines of many writers whole.
type console struct {
	mu sync.Mutex
	to io.Writer
}

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.to.Write(p)
}

// say writes a line. What cannot be shown has nowhere else to go.
func (c *console) say(line string) {
	_, _ = io.WriteString(c, line+"\n")
}

// alarm says what went wrong, with its first line red where colours are wanted: it must not go under among requests.
func (s *Stack) alarm(text string) {
	if s.options.Color {
		first, rest, more := strings.Cut(text, "\n")
		text = "\x1b[31m" + first + "\x1b[0m"
		if more {
			text += "\n" + rest
		}
	}
	s.console.say(text)
}
