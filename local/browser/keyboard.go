package browser

import (
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// keys are the keys that have a name.
var keys = map[string]string{
	"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Space": " ", "Backspace": kb.Backspace, "Delete": kb.Delete,
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	"Home": kb.Home, "End": kb.End, "PageUp": kb.PageUp, "PageDown": kb.PageDown,
}

var modifiers = map[string]chromedp.Modifier{
	"Shift": chromedp.ModifierShift, "Control": chromedp.ModifierCtrl, "Alt": chromedp.ModifierAlt,
	"Meta": chromedp.ModifierMeta,
}

// Press presses keys one after another, such as "Tab", "Shift+Tab" or "a".
func (p *Page) Press(names ...string) {
	p.t.Helper()
	for _, name := range names {
		parts := strings.Split(name, "+")
		var held []chromedp.Modifier
		for _, modifier := range parts[:len(parts)-1] {
			held = append(held, modifiers[modifier])
		}
		key := parts[len(parts)-1]
		if named := keys[key]; named != "" {
			key = named
		}
		p.navigate("press "+name, chromedp.KeyEvent(key, chromedp.KeyModifiers(held...)))
	}
}

// Type types a text key by key into the focused element.
func (p *Page) Type(text string) {
	p.t.Helper()
	p.navigate("type", chromedp.KeyEvent(text))
}

// Focus is the element that has the keyboard focus.
type Focus struct {
	Tag  string // such as A or BUTTON; BODY if nothing has the focus
	Name string // its label or text
	// Visible is whether the browser marks the element for users of a keyboard, and the element is inside the window
	// and not covered.
	Visible bool
}

// Focused returns the element that has the keyboard focus.
func (p *Page) Focused() Focus {
	p.t.Helper()
	return Eval[Focus](p, focused)
}

// focused describes the focused element. If the focus is on a part of a date field, such as its calendar button, the
// field has the focus but does not match :focus-visible.
const focused = `(() => {
	const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e);
	const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
	const marked = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1 || style.boxShadow !== "none";
	return {
		tag: e.tagName,
		name: (e.ariaLabel || e.labels?.[0]?.innerText || e.innerText || e.title || "").trim(),
		visible: (e.matches(":focus-visible") || e.type === "date") && marked && !!hit && (e.contains(hit) || hit.contains(e)),
	};
})()`
