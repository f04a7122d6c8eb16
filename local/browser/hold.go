package browser

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
)

// Held is the requests that wait until a test lets them go.
type Held struct {
	page *Page
	end  context.CancelFunc

	mu      sync.Mutex
	waiting []fetch.EventRequestPaused
}

// Hold keeps all requests whose addresses match a pattern, such as "*/v1/*", from reaching the server. So a test can find out which
// requests the page sends without the response to others.
func (p *Page) Hold(patterns ...string) *Held {
	p.t.Helper()
	wanted := make([]*fetch.RequestPattern, len(patterns))
	for i, pattern := range patterns {
		wanted[i] = &fetch.RequestPattern{URLPattern: pattern}
	}
	sendCommand(p, fetch.Enable, fetch.EnableParams{Patterns: wanted})
	ctx, cancel := context.WithCancel(p.tab)
	h := &Held{page: p, end: cancel}
	paused := cdp.Events(ctx, p.target, fetch.RequestPaused)
	go func() {
		for event, err := range paused {
			if err != nil {
				return
			}
			h.mu.Lock()
			h.waiting = append(h.waiting, event)
			h.mu.Unlock()
		}
	}()
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

// Release lets the waiting requests go whose addresses contain the text.
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

// Stop lets all requests go, those that wait and later ones.
func (h *Held) Stop() {
	h.page.t.Helper()
	h.end()
	sendCommand(h.page, fetch.Disable, cdp.Empty{})
}
