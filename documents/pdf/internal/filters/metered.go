package filters

import (
	"fmt"
	"io"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
)

// meteredReader takes the bytes that it reads from the budget. Each filter of a chain has one,
// because a stream can expand in one filter and shrink again in the next.
type meteredReader struct {
	io.Reader

	budget *budget.Budget
}

// Read implements [io.Reader].
func (m meteredReader) Read(p []byte) (int, error) {
	const maxReadBytes = 64 << 10
	if !m.budget.HasBytes() {
		return 0, documents.ErrTooMuch
	}
	if err := m.budget.Err(); err != nil {
		return 0, fmt.Errorf("decode a stream: %w", err)
	}
	n, err := m.Reader.Read(p[:min(len(p), maxReadBytes)])
	m.budget.SpendBytes(int64(n) + 1) // an empty read costs as well
	return n, err
}
