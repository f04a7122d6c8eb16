package build

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// markerPatience is how long a request waits for a sign that may have been lost.
const markerPatience = 200 * time.Millisecond

// marker tells whether all that was saved before some moment has been seen. Notices of the kernel
// arrive in order but late, so that a request could overtake the notice of a save. It therefore
// touches a file and waits for the notice of that. Only one touch is under way at a time, since the
// kernel merges equal notices, and one that arrives must not be mistaken for a later one.
type marker struct {
	path string

	mu   sync.Mutex
	seen chan struct{} // closed when the touch that is under way has been seen
	next chan struct{} // closed when a later one has; those who wait share it
}

func newMarker(dir string) (*marker, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	m := &marker{path: filepath.Join(dir, "saved")}
	return m, os.WriteFile(m.path, nil, 0o644)
}

func (m *marker) is(event fsnotify.Event) bool {
	if event.Name != m.path {
		return false
	}
	m.arrived()
	return true
}

// pass returns when everything that was saved before the call has been seen.
func (m *marker) pass(ctx context.Context, ended <-chan struct{}) error {
	seen, err := m.request()
	if err != nil {
		return err
	}
	patience := time.NewTimer(markerPatience)
	defer patience.Stop()
	select {
	case <-seen:
	case <-ended:
	case <-patience.C:
		m.arrived()
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (m *marker) request() (<-chan struct{}, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		m.seen = make(chan struct{})
		return m.seen, m.touch()
	}
	if m.next == nil {
		m.next = make(chan struct{})
	}
	return m.next, nil
}

func (m *marker) arrived() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		return
	}
	close(m.seen)
	m.seen, m.next = m.next, nil
	if m.seen != nil && m.touch() != nil { // nobody need wait for what cannot come
		close(m.seen)
		m.seen = nil
	}
}

func (m *marker) touch() error {
	now := time.Now()
	return os.Chtimes(m.path, now, now)
}
