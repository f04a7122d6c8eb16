package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// Request is a request of the page.
type Request struct {
	Method string
	URL    string
	Status int64
	Bytes  float64 // of the response with its headers, as the network carried them
	id     network.RequestID
	ended  bool
	frame  cdp.FrameID
	loader cdp.LoaderID // of the document in the frame that sent it
}

// watcher records what happens on a page. Chromium's events arrive on other goroutines.
type watcher struct {
	host        string
	closeDialog func() // accepts a JavaScript dialog, which would block the page

	mu       sync.Mutex
	topFrame cdp.FrameID // of the page itself; the same in all its documents
	allowed  []string
	problems []string
	requests map[network.RequestID]*Request
	order    []*Request
}

func newWatcher(host string) *watcher {
	return &watcher{host: host, requests: map[network.RequestID]*Request{}}
}

// Allow ignores problems whose description contains the text, such as "401 POST /v1/sessions". Other problems fail the
// test.
func (p *Page) Allow(description string) {
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	p.watch.allowed = append(p.watch.allowed, description)
}

// WaitForProblem waits for a problem whose description contains the text, and allows it.
func (p *Page) WaitForProblem(description string) {
	p.t.Helper()
	p.await("the problem "+description, func(context.Context) (bool, error) {
		return slices.ContainsFunc(p.watch.unexpected(), func(problem string) bool { return strings.Contains(problem, description) }), nil
	})
	p.Allow(description)
}

// Requests returns all requests of the page since the test began, in order.
func (n *Network) Requests() []Request {
	n.page.watch.mu.Lock()
	defer n.page.watch.mu.Unlock()
	requests := make([]Request, len(n.page.watch.order))
	for i, request := range n.page.watch.order {
		requests[i] = *request
	}
	return requests
}

// FramedRequests returns the requests of documents in frames of the page, in order.
func (n *Network) FramedRequests() []Request {
	n.page.watch.mu.Lock()
	defer n.page.watch.mu.Unlock()
	var requests []Request
	for _, request := range n.page.watch.order {
		isWorker := request.frame == ""
		if request.frame != n.page.watch.topFrame && !isWorker {
			requests = append(requests, *request)
		}
	}
	return requests
}

// reportProblems fails the test for every problem that the test does not allow.
func (p *Page) reportProblems() {
	p.t.Helper()
	if p.t.Failed() && p.tab.Err() != nil {
		return // the tab is gone
	}
	p.runScript("wait for the last events", "0") // events arrive in order, so all earlier ones are here now
	for _, problem := range p.watch.unexpected() {
		p.t.Errorf("the page %s", problem)
	}
}

func (w *watcher) unexpected() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.problems), func(problem string) bool {
		return slices.ContainsFunc(w.allowed, func(text string) bool { return strings.Contains(problem, text) })
	})
}

// pending returns the requests that have not ended.
func (w *watcher) pending() (requests []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, request := range w.order {
		if !request.ended {
			requests = append(requests, fmt.Sprintf("%d %s", request.Status, w.describe(request)))
		}
	}
	return requests
}

// observe handles an event of the page.
func (w *watcher) observe(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			w.report("wrote an error to the console: %s", describeValues(e.Args))
		}
	case *runtime.EventExceptionThrown:
		w.report("threw %s", describeException(e.ExceptionDetails))
	case *log.EventEntryAdded:
		isNetwork := e.Entry.Source == log.EntrySourceNetwork // reported below, with the method
		if e.Entry.Level == log.EntryLevelError && !isNetwork {
			w.report("has an error: %s (%s)", e.Entry.Text, e.Entry.URL)
		}
	case *page.EventJavascriptDialogOpening:
		if e.Type != page.DialogTypeBeforeunload { // expected: the test leaves the page
			w.report("opened a JavaScript dialog: %s", e.Message)
		}
		go w.closeDialog()
	case *page.EventFrameNavigated:
		w.navigated(e.Frame)
	default:
		w.observeNetwork(event)
	}
}

// navigated ends the requests of earlier documents. The previous document can send requests until it is replaced, and
// Chromium may not report their end.
func (w *watcher) navigated(frame *cdp.Frame) {
	if frame.ParentID != "" {
		return
	}
	w.topFrame = frame.ID
	for _, request := range w.order {
		request.ended = request.ended || request.loader != frame.LoaderID
	}
}

func (w *watcher) observeNetwork(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.sent(e)
	case *network.EventResponseReceived:
		if request := w.requests[e.RequestID]; request != nil {
			request.Status = e.Response.Status
			if request.Status >= 400 {
				w.report("got %d %s", request.Status, w.describe(request))
			}
		}
	case *network.EventLoadingFinished:
		if request := w.requests[e.RequestID]; request != nil {
			request.Bytes, request.ended = e.EncodedDataLength, true
		}
	case *network.EventLoadingFailed:
		request := w.requests[e.RequestID]
		if request == nil {
			return
		}
		request.ended = true
		if !e.Canceled { // the page cancels requests that it no longer needs
			w.report("failed with %s %s: %s", e.ErrorText, e.BlockedReason, w.describe(request))
		}
	}
}

func (w *watcher) sent(e *network.EventRequestWillBeSent) {
	address, err := url.Parse(e.Request.URL)
	if err != nil || address.Scheme == "data" || address.Scheme == "blob" {
		return
	}
	if isOfPage := w.topFrame == "" || e.FrameID == w.topFrame; isOfPage && e.Type == network.ResourceTypeDocument {
		for _, request := range w.order {
			request.ended = true // the new document replaces the page that sent these requests
		}
	}
	if first := w.requests[e.RequestID]; first != nil && e.RedirectResponse != nil { // a redirect has the ID of its first request
		first.Status, first.ended = e.RedirectResponse.Status, true
	}
	isWorker := e.LoaderID == "" // the script of a worker, whose other events do not belong to the page
	request := &Request{Method: e.Request.Method, URL: e.Request.URL, id: e.RequestID, ended: isWorker,
		frame: e.FrameID, loader: e.LoaderID}
	if address.Host != w.host {
		w.report("sent a request to another host: %s", w.describe(request))
	}
	w.requests[e.RequestID] = request
	w.order = append(w.order, request)
}

// describe returns the request with the address as a test would write it.
func (w *watcher) describe(request *Request) string {
	if address, err := url.Parse(request.URL); err == nil && address.Host == w.host {
		return request.Method + " " + address.RequestURI()
	}
	return request.Method + " " + request.URL
}

func (w *watcher) report(format string, values ...any) {
	w.problems = append(w.problems, fmt.Sprintf(format, values...))
}

func describeValues(values []*runtime.RemoteObject) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = value.Description
		if text := ""; json.Unmarshal(value.Value, &text) == nil {
			texts[i] = text
		}
	}
	return strings.Join(texts, " ")
}
