package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
)

// fatalf ends the test with an outline of the page.
func (p *Page) fatalf(format string, values ...any) {
	p.t.Helper()
	p.t.Fatalf("%s\n%s", fmt.Sprintf(format, values...), p.outline())
}

// outline returns the page as a screen reader sees it: one line for each element with its role, name and value.
func (p *Page) outline() string {
	ctx, cancel := context.WithTimeout(p.tab, stepTimeout/5)
	defer cancel()
	var b strings.Builder
	title, err := evaluate[[]string](ctx, p, "[location.href, document.title]")
	if err == nil {
		fmt.Fprintf(&b, "--- %s\n", strings.Join(title, " · "))
	}
	tree, err := cdp.Call(ctx, p.target, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil || len(tree.Nodes) == 0 {
		return fmt.Sprintf("%s(no outline after %v: %v)", b.String(), stepTimeout/time.Second, err)
	}
	byID := map[accessibility.NodeID]*accessibility.Node{}
	for _, node := range tree.Nodes {
		byID[node.NodeID] = node
	}
	var elements strings.Builder
	writeOutline(&elements, byID, tree.Nodes[0], 0)
	b.WriteString(firstLines(elements.String(), maxOutlineLines))
	for _, problem := range p.watch.unexpected() {
		fmt.Fprintf(&b, "--- the page %s\n", problem)
	}
	for _, request := range p.watch.pending() {
		fmt.Fprintf(&b, "--- the page waits for %s\n", request)
	}
	return b.String()
}

// maxOutlineLines keeps the outline of a page with long tables from hiding the failure of a test.
const maxOutlineLines = 200

// firstLines returns at most this number of lines, and the number of lines that it leaves out.
func firstLines(text string, count int) string {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= count {
		return text
	}
	return strings.Join(lines[:count], "") + fmt.Sprintf("… and %d more lines\n", len(lines)-count)
}

func writeOutline(b *strings.Builder, byID map[accessibility.NodeID]*accessibility.Node, node *accessibility.Node,
	depth int) {
	role, name := valueText(node.Role), valueText(node.Name)
	isDetail := role == "InlineTextBox" || role == "ListMarker" || (role == "generic" || role == "none") && name == ""
	if !node.Ignored && !isDetail {
		fmt.Fprintf(b, "%s%s %q", strings.Repeat("  ", depth), role, name)
		if value := valueText(node.Value); value != "" {
			fmt.Fprintf(b, " = %q", value)
		}
		b.WriteByte('\n')
		depth++
	}
	for _, id := range node.ChildIDs {
		child := byID[id]
		if child == nil || role == "StaticText" || valueText(child.Name) == name && name != "" {
			continue // the name is in the line of the node
		}
		writeOutline(b, byID, child, depth)
	}
}

func valueText(value *accessibility.Value) string {
	if value == nil {
		return ""
	}
	var text any
	if err := json.Unmarshal(value.Value, &text); err != nil || text == nil {
		return ""
	}
	return fmt.Sprint(text)
}
