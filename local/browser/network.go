package browser

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Network is the network of a page: the requests that it has sent, and how they are answered.
type Network struct{ page *Page }

// Respond answers all requests whose address matches the pattern, such as "*/v1/users*", with a status and a JSON text,
// and allows these failures. The status 0 breaks the connection instead. After the returned function, requests reach
// the server again.
func (n *Network) Respond(pattern string, status int64, body string) (stop func()) {
	n.page.t.Helper()
	return n.RespondWith(func(string) (int64, string) { return status, body }, pattern)
}

// RespondWith is Respond with several patterns, and a response for each address.
func (n *Network) RespondWith(respond func(address string) (status int64, body string), patterns ...string) (
	stop func()) {
	n.page.t.Helper()
	return n.page.intercept(respond, newPatterns(patterns)...)
}

func newPatterns(addresses []string) []*fetch.RequestPattern {
	patterns := make([]*fetch.RequestPattern, len(addresses))
	for i, address := range addresses {
		patterns[i] = &fetch.RequestPattern{URLPattern: address}
	}
	return patterns
}

// LoseResponses breaks the connection of all requests whose address matches the pattern, after the server has answered,
// and allows these failures. After the returned function, responses arrive again.
func (n *Network) LoseResponses(pattern string) (stop func()) {
	n.page.t.Helper()
	lost := &fetch.RequestPattern{URLPattern: pattern, RequestStage: fetch.RequestStageResponse}
	return n.page.intercept(func(string) (int64, string) { return 0, "" }, lost)
}

func (p *Page) intercept(respond func(address string) (int64, string), patterns ...*fetch.RequestPattern) (stop func()) {
	p.t.Helper()
	return p.pause(func(ctx context.Context, event fetch.EventRequestPaused) {
		p.watch.allow(event.Request)
		status, body := respond(event.Request.URL)
		if err := p.answer(ctx, event.RequestID, status, body); err != nil && ctx.Err() == nil {
			p.watch.fail("cannot answer " + event.Request.URL + ": " + err.Error())
		}
	}, patterns...)
}

// pause makes the requests that match a pattern wait, and calls handle for each. The returned function sends those that
// still wait, and pauses no more.
func (p *Page) pause(handle func(context.Context, fetch.EventRequestPaused), patterns ...*fetch.RequestPattern) (stop func()) {
	p.t.Helper()
	sendCommand(p, fetch.Enable, fetch.EnableParams{Patterns: patterns})
	ctx, cancel := context.WithCancel(p.tab)
	paused := cdp.Events(ctx, p.target, fetch.RequestPaused)
	go func() {
		for event, err := range paused {
			if err != nil {
				return
			}
			handle(ctx, event)
		}
	}()
	return func() {
		p.t.Helper()
		cancel()
		sendCommand(p, fetch.Disable, cdp.Empty{})
	}
}

func (p *Page) answer(ctx context.Context, id fetch.RequestID, status int64, body string) error {
	if status == 0 {
		_, err := cdp.Call(ctx, p.target, fetch.FailRequest, fetch.FailRequestParams{
			RequestID: id, ErrorReason: network.ErrorReasonConnectionReset,
		})
		return err
	}
	mediaType := "application/json"
	if status >= 400 {
		mediaType = "application/problem+json"
	}
	_, err := cdp.Call(ctx, p.target, fetch.FulfillRequest, fetch.FulfillRequestParams{
		RequestID: id, ResponseCode: status, Body: []byte(body),
		ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: mediaType}},
	})
	return err
}

// allow allows all problems of a request's address.
func (w *watcher) allow(request *network.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allowed = append(w.allowed, w.describe(&Request{Method: request.Method, URL: request.URL}))
}

func (w *watcher) fail(problem string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, problem)
}

// Body returns the body of the response to a request of the current document. The request must have ended.
func (n *Network) Body(request Request) []byte {
	n.page.t.Helper()
	return sendCommand(n.page, network.GetResponseBody, network.GetResponseBodyParams{RequestID: request.id}).Body
}

// ClearCache forgets all files that the browser has loaded.
func (n *Network) ClearCache() {
	n.page.t.Helper()
	sendCommand(n.page, network.ClearBrowserCache, cdp.Empty{})
}

// Download runs a step that downloads a file, such as a click, and returns the file's name and content. The file must
// not be empty.
//
// It watches the folder. Chromium's download events belong to the whole browser, and under load the first one can be
// missing.
func (p *Page) Download(step func()) (name string, content []byte) {
	p.t.Helper()
	ctx, cancel := p.limit()
	defer cancel()
	session, folder := chromedp.FromContext(p.tab), p.t.TempDir()
	_, err := cdp.Call(ctx, session.Browser, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: session.BrowserContextID, DownloadPath: folder,
	})
	if err != nil {
		p.t.Fatalf("prepare a download: %v", err)
	}
	step()
	p.await("the downloaded file", func(context.Context) (bool, error) {
		name, err = downloaded(folder)
		return name != "", err
	})
	if content, err = os.ReadFile(filepath.Join(folder, name)); err != nil {
		p.t.Fatal(err)
	}
	return name, content
}

// downloaded returns the name of the complete file in the folder, or "" if no file is complete yet. Chromium may
// reserve the name with an empty file. It writes to another file, whose name ends with .crdownload or begins with a
// dot, and renames that when it is complete.
func downloaded(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 1 {
		return "", err
	}
	name := entries[0].Name()
	info, err := entries[0].Info()
	if err != nil || info.Size() == 0 || strings.HasSuffix(name, ".crdownload") || strings.HasPrefix(name, ".") {
		return "", err
	}
	return name, nil
}
