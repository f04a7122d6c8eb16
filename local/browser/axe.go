package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"portside/testclient/scale"
)

// axeFile is where `make clients` installs axe-core, relative to the root of the repository.
const axeFile = ".local/portal/node_modules/axe-core/axe.min.js"

// violation is a broken rule of accessibility.
type violation struct {
	ID, Help, Impact string
	Nodes            []struct{ Target, Summary string }
}

// Axe checks the current state of the page with axe-core: WCAG 2.2 AA and the usual practices. It fails the test for
// each violation.
//
// With SCALE=1, it checks in the light theme on a desktop, and only if no page with the same structure passed before in
// this test binary. With a larger SCALE, it checks every page, in both themes, on a phone and on a desktop.
func (p *Page) Axe() {
	p.t.Helper()
	if scale.IsLarge() {
		p.axeInAll([]Size{Phone, Desktop}, []Theme{Light, Dark})
		return
	}
	p.axeOnce(&checkedPages)
}

// axeOnce checks the page, unless a page with the same structure passed before. It returns whether it checked.
func (p *Page) axeOnce(checked *structures) bool {
	p.t.Helper()
	p.Settle()
	structure := p.structure()
	if checked.has(structure) {
		return false
	}
	if p.axeInAll([]Size{Desktop}, []Theme{Light}) {
		checked.add(structure)
	}
	return true
}

// axeInAll checks the page in all sizes and themes, and returns whether it found no violation. It restores the size and
// the theme.
func (p *Page) axeInAll(sizes []Size, themes []Theme) (passed bool) {
	p.t.Helper()
	size, theme := p.Window.size, p.Window.theme
	passed = true
	for _, s := range sizes {
		for _, t := range themes {
			p.Window.Resize(s)
			p.Window.SetTheme(t)
			p.Settle()
			passed = p.axe() && passed
		}
	}
	p.Window.Resize(size)
	p.Window.SetTheme(theme)
	return passed
}

// axe runs axe-core in an isolated world, so that the page's policy need not permit it and the page cannot see it. The
// world lasts as long as the document, so a second check of a document need not load axe-core again.
func (p *Page) axe() (passed bool) {
	p.t.Helper()
	source, err := axeSource()
	if err != nil {
		p.t.Fatal(err)
	}
	tree := sendCommand(p, page.GetFrameTree, cdp.Empty{})
	world := sendCommand(p, page.CreateIsolatedWorld,
		page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID, WorldName: "axe"})
	if isLoaded := evaluateIn[bool](p, world.ExecutionContextID, `typeof axe !== "undefined"`); !isLoaded {
		evaluateIn[bool](p, world.ExecutionContextID, source)
	}
	found := evaluateIn[[]violation](p, world.ExecutionContextID, axeRun)
	for _, v := range found {
		p.t.Errorf("%s, %s, %d px: %s", p.URL(), p.Window.theme, p.Window.size.Width, v)
	}
	return len(found) == 0
}

// evaluateIn evaluates a script in a world of the page.
func evaluateIn[T any](p *Page, world runtime.ExecutionContextID, script string) (value T) {
	p.t.Helper()
	yes := true
	answer := sendCommand(p, runtime.Evaluate, runtime.EvaluateParams{
		Expression: script, ContextID: world, AwaitPromise: &yes, ReturnByValue: &yes,
	})
	if answer.ExceptionDetails != nil {
		p.fatalf("axe-core: %s", describeException(answer.ExceptionDetails))
	}
	if err := json.Unmarshal(answer.Result.Value, &value); err != nil {
		p.t.Fatal(err)
	}
	return value
}

// String implements fmt.Stringer.
func (v violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s", v.ID, v.Impact, v.Help)
	for _, node := range v.Nodes {
		fmt.Fprintf(&b, "\n    %s: %s", node.Target, strings.ReplaceAll(node.Summary, "\n", " "))
	}
	return b.String()
}

const axeRun = `axe.run(document, {
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	rules: { "target-size": { enabled: true } },
	resultTypes: ["violations"],
}).then(results => results.violations.map(({ id, help, impact, nodes }) => ({
	id, help, impact: impact ?? "", nodes: nodes.map(n => ({ target: n.target.join(" "), summary: n.failureSummary ?? "" })),
})))`

// axeSource reads axe-core. It is not in the repository.
var axeSource = sync.OnceValues(func() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if source, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(axeFile))); err == nil {
			return string(source) + "\n;true", nil // the value of a script that defines axe would be large
		}
	}
	return "", fmt.Errorf("no %s: run make clients", axeFile)
})

// Overflow returns the elements that make the page wider than the window.
func (w *Window) Overflow() []string {
	w.page.t.Helper()
	return Eval[[]string](w.page, overflow)
}

const overflow = `(() => {
	const width = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= width) return [];
	return [...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > width + 0.5)
		.map(e => e.outerHTML.slice(0, 120));
})()`
