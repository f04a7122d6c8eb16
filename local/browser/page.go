package browser

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// stepTimeout is how long a step waits until it is possible. It is long, because CI machines are slow.
const stepTimeout = 2 * time.Minute

// Page is a tab in an incognito window. Only the goroutine of its test may use it.
type Page struct {
	Scope   // the whole page
	Window  Window
	Network Network

	t      testing.TB
	base   *url.URL
	tab    context.Context
	target *chromedp.Target
	watch  *watcher
}

// New returns an empty page for the site at base, such as http://localhost:3000. When the test ends, it closes the
// page, and fails the test for everything that went wrong on the page.
func New(tb testing.TB, base string) *Page {
	tb.Helper()
	parent, err := chromium.context()
	if err != nil {
		tb.Fatal(err)
	}
	address, err := url.Parse(base)
	if err != nil {
		tb.Fatal(err)
	}
	window, err := chromium.takeWindow(parent)
	if err != nil {
		tb.Fatalf("open a window: %v", err)
	}
	p := &Page{t: tb, base: address, tab: parent}
	p.open(window)
	return p
}

// NewTab returns another tab in the window of this page. Tabs of a window share cookies and storage.
func (p *Page) NewTab() *Page {
	p.t.Helper()
	other := &Page{t: p.t, base: p.base, tab: p.tab}
	other.open("")
	return other
}

// open opens a tab in the window, or in that of p.tab if it is empty, and sets p.tab to the new one.
func (p *Page) open(window cdp.BrowserContextID) {
	p.t.Helper()
	p.watch = newWatcher(p.base.Host)
	p.Scope, p.Window, p.Network = Scope{page: p}, Window{page: p}, Network{page: p}
	options := []chromedp.ContextOption{chromedp.WithListener(p.watch.observe)}
	if window != "" {
		options = append(options, chromedp.WithExistingBrowserContext(window))
	}
	tab, closeTab := chromedp.NewContext(p.tab, options...)
	p.tab = tab
	p.t.Cleanup(func() { p.leave(window, closeTab) })
	if err := chromedp.Do(tab); err != nil {
		p.t.Fatalf("open a tab: %v", err)
	}
	p.target = chromedp.FromContext(tab).Target
	if window != "" {
		if err := p.clearStorage(); err != nil {
			p.t.Fatalf("clear the storage of a window: %v", err)
		}
	}
	p.watch.closeDialog = p.acceptDialog
	p.prepare()
	p.t.Cleanup(p.reportProblems)
}

func (p *Page) acceptDialog() {
	_, err := cdp.Call(p.tab, p.target, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
	if err != nil && p.tab.Err() == nil {
		p.watch.fail("has a dialog that does not close: " + err.Error())
	}
}

// prepare gives the tab the same surroundings on every machine.
func (p *Page) prepare() {
	p.t.Helper()
	sendCommand(p, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"})
	sendCommand(p, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: "en-US"})
	sendCommand(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	p.permitClipboard()
	p.Window.Resize(Desktop)
	p.Window.SetTheme(Light)
}

// permitClipboard lets the page copy, and lets the test read what the page has copied.
func (p *Page) permitClipboard() {
	p.t.Helper()
	session := chromedp.FromContext(p.tab)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := cdp.Call(p.tab, session.Browser, browser.SetPermission, browser.SetPermissionParams{
			Permission:       &browser.PermissionDescriptor{Name: name},
			Setting:          browser.PermissionSettingGranted,
			BrowserContextID: session.BrowserContextID,
		})
		if err != nil {
			p.t.Fatalf("permit %s: %v", name, err)
		}
	}
}

// Open loads the page at a path of the site, such as /portal/, or at an absolute address.
func (p *Page) Open(path string) {
	p.t.Helper()
	ctx, cancel := p.limit()
	defer cancel()
	reference, err := url.Parse(path)
	if err != nil {
		p.t.Fatal(err)
	}
	address := p.base.ResolveReference(reference).String()
	before, _, _ := strings.Cut(p.URL(), "#")
	steps := []chromedp.Action[chromedp.Void]{chromedp.Navigate(address)}
	if after, _, _ := strings.Cut(address, "#"); after == before { // the browser would only scroll to the fragment
		steps = append([]chromedp.Action[chromedp.Void]{chromedp.Navigate("about:blank")}, steps...)
	}
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.fatalf("open %s: %v", address, err)
	}
}

// Begin starts to load the page at a path of the site, and waits only for the document, not for its files.
func (p *Page) Begin(path string) {
	p.t.Helper()
	reference, err := url.Parse(path)
	if err != nil {
		p.t.Fatal(err)
	}
	sendCommand(p, page.Navigate, page.NavigateParams{URL: p.base.ResolveReference(reference).String()})
}

// Reload loads the page again.
func (p *Page) Reload() {
	p.t.Helper()
	p.navigate("reload", chromedp.Reload())
}

// Back goes back to the page before.
func (p *Page) Back() {
	p.t.Helper()
	p.runScript("go back", "history.back()")
}

func (p *Page) navigate(what string, action chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := p.limit()
	defer cancel()
	if err := chromedp.Do(ctx, action); err != nil {
		p.fatalf("%s: %v", what, err)
	}
}

// URL returns the address of the page.
func (p *Page) URL() string {
	p.t.Helper()
	return Eval[string](p, "location.href")
}

// WaitURL waits until the address after the host is path, such as /portal/home?tab=2.
func (p *Page) WaitURL(path string) {
	p.t.Helper()
	p.WaitUntil("the address "+path, "location.href.slice(location.origin.length) === "+quote(path))
}

// Settle waits until all requests have ended and the page is drawn.
func (p *Page) Settle() {
	p.t.Helper()
	p.await("the end of all requests", func(context.Context) (bool, error) { return len(p.watch.pending()) == 0, nil })
	p.runScript("draw the page",
		"document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))")
}

// limit returns a context with stepTimeout.
func (p *Page) limit() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.tab, stepTimeout)
}

// A step is tried again after a pause, which grows from the first to the longest: a query of the page costs it more
// time than a wait.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = 150 * time.Millisecond
)

// await repeats a step until it succeeds.
func (p *Page) await(what string, try func(context.Context) (bool, error)) {
	p.t.Helper()
	ctx, cancel := p.limit()
	defer cancel()
	var last error
	for pause := firstPause; ; pause = min(pause*3/2, longestPause) {
		done, err := try(ctx)
		if done && err == nil {
			return
		}
		if err != nil && ctx.Err() == nil {
			last = err // the page may be between two documents
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			p.fatalf("waited %v for %s; the last error is %v", stepTimeout, what, last)
		}
	}
}

// WaitUntil waits until a JavaScript expression is true. what says what the test waits for.
func (p *Page) WaitUntil(what, expression string) {
	p.t.Helper()
	p.await(what, func(ctx context.Context) (bool, error) { return evaluate[bool](ctx, p, expression) })
}

// sendCommand sends a command of the DevTools protocol.
func sendCommand[P, R any](p *Page, command cdp.Command[P, R], parameters P) R {
	p.t.Helper()
	ctx, cancel := p.limit()
	defer cancel()
	result, err := cdp.Call(ctx, p.target, command, parameters)
	if err != nil {
		p.t.Fatalf("%s: %v", command.Method, err)
	}
	return result
}

// Eval evaluates a JavaScript expression in the page, waits for its promise, and returns its value.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	ctx, cancel := p.limit()
	defer cancel()
	value, err := evaluate[T](ctx, p, expression)
	if err != nil {
		p.fatalf("evaluate %s: %v", expression, err)
	}
	return value
}

// runScript evaluates an expression whose value is not needed.
func (p *Page) runScript(what, expression string) {
	p.t.Helper()
	ctx, cancel := p.limit()
	defer cancel()
	if _, err := evaluate[chromedp.Void](ctx, p, expression); err != nil {
		p.fatalf("%s: %v", what, err)
	}
}

func evaluate[T any](ctx context.Context, p *Page, expression string) (T, error) {
	yes := true
	return chromedp.Evaluate[T](expression, func(e *runtime.EvaluateParams) { e.AwaitPromise, e.UserGesture = &yes, &yes })(ctx, p.target)
}
