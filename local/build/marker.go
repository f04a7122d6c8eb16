package build

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// markerTimeout bounds the wait for a notification that never comes. It is long, because a request that does not wait
// for a late one runs old code. If the kernel drops notifications, the watcher learns that and calls release.
const markerTimeout = 30 * time.Second

// marker waits until the watcher has seen all earlier saves. The kernel delivers notifications in
// order but late, so a request could arrive before the notification of a save. The marker therefore
// touches a file and waits for the notification of that. Only one touch is pending at a time,
// because the kernel merges equal notifications and the marker could not tell them apart.
type marker struct {
	path    string
	timeout time.Duration

	mu   sync.Mutex
	seen chan struct{} // closed when the watcher has seen the pending touch
	next chan struct{} // closed when it has seen the touch after that; later waiters share it
}

func newMarker(dir string) (*marker, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	m := &marker{path: filepath.Join(dir, "saved"), timeout: markerTimeout}
	return m, os.WriteFile(m.path, nil, 0o644)
}

func (m *marker) handle(event fsnotify.Event) bool {
	if event.Name != m.path {
		return false
	}
	m.release()
	return true
}

// wait returns when the watcher has seen everything that was saved before the call.
func (m *marker) wait(ctx context.Context, ended <-chan struct{}) error {
	seen, err := m.request()
	if err != nil {
		return err
	}
	timeout := time.NewTimer(m.timeout)
	defer timeout.Stop()
	select {
	case <-seen:
	case <-ended:
	case <-timeout.C:
		m.release()
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

func (m *marker) request() (<-chan struct{}, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		if err := m.touch(); err != nil { // no notification will come
			return nil, err
		}
		m.seen = make(chan struct{})
		return m.seen, nil
	}
	if m.next == nil {
		m.next = make(chan struct{})
	}
	return m.next, nil
}

func (m *marker) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil {
		return
	}
	close(m.seen)
	m.seen, m.next = m.next, nil
	if m.seen != nil && m.touch() != nil { // no notification will come
		close(m.seen)
		m.seen = nil
	}
}

func (m *marker) touch() error {
	now := time.Now()
	return os.Chtimes(m.path, now, now)
}
