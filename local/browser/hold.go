package browser

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/fetch"
)

// Held has the requests that wait until the test releases them.
type Held struct {
	page *Page
	stop func()

	mu      sync.Mutex
	waiting []fetch.EventRequestPaused
}

// Hold keeps all requests whose addresses match a pattern, such as "*/v1/*", from reaching the server. So a test can
// check which requests the page sends before it has the responses to others.
func (n *Network) Hold(patterns ...string) *Held {
	n.page.t.Helper()
	h := &Held{page: n.page}
	h.stop = n.page.pause(func(_ context.Context, event fetch.EventRequestPaused) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.waiting = append(h.waiting, event)
	}, newPatterns(patterns)...)
	return h
}

// WaitFor waits until the page has sent requests to all addresses.
func (h *Held) WaitFor(addresses []string) {
	h.page.t.Helper()
	for _, address := range addresses {
		h.page.await("the request "+address, func(context.Context) (bool, error) { return slices.Contains(h.addresses(), address), nil })
	}
}

func (h *Held) addresses() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	addresses := make([]string, len(h.waiting))
	for i, event := range h.waiting {
		addresses[i] = event.Request.URL
	}
	return addresses
}

// Release sends the waiting requests whose addresses contain the text.
func (h *Held) Release(text string) {
	h.page.t.Helper()
	h.mu.Lock()
	chosen, others := []fetch.EventRequestPaused{}, []fetch.EventRequestPaused{}
	for _, event := range h.waiting {
		if strings.Contains(event.Request.URL, text) {
			chosen = append(chosen, event)
		} else {
			others = append(others, event)
		}
	}
	h.waiting = others
	h.mu.Unlock()
	for _, event := range chosen {
		sendCommand(h.page, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: event.RequestID})
	}
}

// Stop sends all waiting requests, and stops holding later ones.
func (h *Held) Stop() {
	h.page.t.Helper()
	h.stop()
}
