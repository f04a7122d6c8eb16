package browser

import (
	"context"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Window sizes in CSS pixels. A page starts as Desktop.
var (
	Phone   = Size{390, 844}
	Desktop = Size{1280, 800}
)

// Size is the size of a window in CSS pixels.
type Size struct{ Width, Height int64 }

// Theme is the color scheme that the person prefers.
type Theme string

// The themes. A page starts in Light.
const (
	Light Theme = "light"
	Dark  Theme = "dark"
)

// Window is the window of a page: its size and colors, its cookies, and what a person sees in it.
type Window struct {
	page  *Page
	size  Size
	theme Theme
}

// Resize changes the size of the window.
func (w *Window) Resize(size Size) {
	w.page.t.Helper()
	sendCommand(w.page, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: size.Width, Height: size.Height, DeviceScaleFactor: 1, Mobile: false,
	})
	w.size = size
}

// SetTheme changes the color scheme that the person prefers.
func (w *Window) SetTheme(theme Theme) {
	w.page.t.Helper()
	sendCommand(w.page, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: string(theme)},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	w.theme = theme
}

// SetCookie gives the window a cookie of the site, such as name=value, until the test ends. Scripts cannot read it.
func (w *Window) SetCookie(cookie string) {
	w.page.t.Helper()
	name, value, _ := strings.Cut(cookie, "=")
	yes, site := true, *w.page.base
	site.Scheme = "https" // as for localhost, which counts as secure
	sendCommand(w.page, network.SetCookie, network.SetCookieParams{
		Name: name, Value: value, URL: site.String(), Path: "/", Secure: &yes, HTTPOnly: &yes,
		SameSite: network.CookieSameSiteStrict,
	})
}

// takeWindow returns an incognito window that no other test uses. It has no cookies and no storage, but perhaps files
// that an earlier page has cached: without them, a page of the portal takes three times the processor time. A test of a
// first visit calls ClearCache.
func (p *process) takeWindow(ctx context.Context) (cdp.BrowserContextID, error) {
	browser := chromedp.FromContext(ctx).Browser
	if window := p.unusedWindow(); window != "" {
		// Not when the last tab leaves the window: a late response could still set a cookie.
		if _, err := cdp.Call(ctx, browser, storage.ClearCookies,
			storage.ClearCookiesParams{BrowserContextID: window}); err == nil {
			return window, nil
		}
	}
	made, err := cdp.Call(ctx, browser, target.CreateBrowserContext, target.CreateBrowserContextParams{})
	return made.BrowserContextID, err
}

// unusedWindow returns a window of a test that has ended, or an empty ID.
func (p *process) unusedWindow() (window cdp.BrowserContextID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.unused) - 1; last >= 0 {
		window, p.unused = p.unused[last], p.unused[:last]
	}
	return window
}

func (p *process) returnWindow(window cdp.BrowserContextID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unused = append(p.unused, window)
}

// leave closes the tab. Then other tests can use its window, if it is the first tab of the window.
func (p *Page) leave(window cdp.BrowserContextID, closeTab func()) {
	closeTab()
	if window != "" && p.target != nil {
		chromium.returnWindow(window)
	}
}

// clearStorage removes what earlier tests have stored in the window for this site. They do not do it themselves,
// because scripts of their pages could store more until the tab is closed.
func (p *Page) clearStorage() error {
	_, err := cdp.Call(p.tab, p.target, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{
		Origin: p.base.Scheme + "://" + p.base.Host, StorageTypes: "all",
	})
	return err
}
