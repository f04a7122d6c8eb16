// Package browser drives Chromium in tests, the way a person uses the portal: it finds buttons and fields by role and
// label, clicks with the mouse, and types with the keyboard.
//
// One Chromium runs per test package, and each Page has its own incognito context. A page always has the same window
// size, fonts, language, time zone and reduced motion, so tests and pictures do not depend on the machine. Every page
// watches itself: an error in the console, a violation of the Content-Security-Policy, a failed request, or a request
// to another host fails the test, unless the test allows it.
//
// Nothing sleeps. Each step waits until it is possible, and otherwise fails with an outline of the page as a screen
// reader sees it.
package browser

import (
	"context"
	_ "embed" // fonts.conf
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// chromium is the browser of this test process. The first page starts it, and Main ends it.
var chromium process

type process struct {
	start  sync.Once
	folder string // for the browser's files; empty if Main does not run
	tab    context.Context
	cancel context.CancelFunc
	err    error

	mu     sync.Mutex
	unused []cdp.BrowserContextID // windows of tests that have ended
}

// Main runs the tests of a package, such as a testing.M, and ends the browser after them. A package that uses pages
// calls it in TestMain.
func Main(tests interface{ Run() int }) {
	folder, err := os.MkdirTemp("", "browser")
	if err != nil {
		panic(err)
	}
	chromium.folder = folder
	code := tests.Run()
	if chromium.cancel != nil {
		chromium.cancel()
	}
	if err := os.RemoveAll(folder); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// context returns the context of the running browser.
func (p *process) context() (context.Context, error) {
	p.start.Do(func() { p.err = p.launch() })
	return p.tab, p.err
}

func (p *process) launch() error {
	if p.folder == "" {
		return errors.New("this package needs func TestMain(m *testing.M) { browser.Main(m) }")
	}
	program, err := findProgram()
	if err != nil {
		return err
	}
	if err := findFont("/usr/share/fonts", "/usr/local/share/fonts"); err != nil {
		return err
	}
	fonts := filepath.Join(p.folder, "fonts.conf")
	if err := os.WriteFile(fonts, fontsConfig, 0o600); err != nil {
		return fmt.Errorf("configure the fonts: %w", err)
	}
	if err := writePreferences(filepath.Join(p.folder, "profile")); err != nil {
		return fmt.Errorf("set the preferences: %w", err)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(flags(p.folder), chromedp.ExecPath(program),
		chromedp.WSURLReadTimeout(stepTimeout),
		chromedp.Env("FONTCONFIG_FILE="+fonts, "TZ=UTC", "LANG=en_US.UTF-8", "LANGUAGE=en_US"))...)
	tab, closeTab := chromedp.NewContext(allocator)
	p.tab, p.cancel = tab, func() { closeTab(); stop() }
	if err := chromedp.Do(tab); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	return nil
}

// writePreferences lets pages download several files one after the other. Otherwise Chromium asks before the second
// file, unless it has seen the click in time.
func writePreferences(profile string) error {
	folder := filepath.Join(profile, "Default")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	preferences := `{"profile": {"default_content_setting_values": {"automatic_downloads": 1}}}`
	return os.WriteFile(filepath.Join(folder, "Preferences"), []byte(preferences), 0o600)
}

//go:embed fonts.conf
var fontsConfig []byte

// flags returns the command line of Chromium. chromedp adds --no-sandbox for root, who cannot use the sandbox.
func flags(folder string) []chromedp.ExecAllocatorOption {
	set := chromedp.Flag
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	return append(options,
		set("user-data-dir", filepath.Join(folder, "profile")),
		set("lang", "en-US"),
		set("accept-lang", "en-US"),
		set("hide-scrollbars", true),
		set("disable-lcd-text", true),
		set("font-render-hinting", "none"),
		set("disable-component-update", true),
		set("disable-gpu", true),
	)
}

// findProgram finds Chromium without a user interface. A new tab with a page of the portal takes a quarter of the
// processor time of that in `chromium --headless`, which draws its windows too.
func findProgram() (string, error) {
	for _, name := range []string{"chromium-headless-shell", "chrome-headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no Chromium: install its headless shell (on Debian: apt-get install --no-install-recommends " +
		"chromium-headless-shell fonts-dejavu-core)")
}

// findFont fails if the machine lacks the font in which Chromium draws all texts.
func findFont(folders ...string) error {
	const name = "DejaVuSans.ttf"
	found := errors.New("found")
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Base(path) == name {
				return found
			}
			return nil
		})
		if errors.Is(err, found) {
			return nil
		}
	}
	return fmt.Errorf("no font %s: install it (on Debian: apt-get install fonts-dejavu-core)", name)
}
