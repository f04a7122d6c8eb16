package stack

import (
	"io"
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
