package browser

import "sync"

// checkedPages has the structures of the pages that axe-core has checked in this test binary, and found without
// violations.
var checkedPages structures

type structures struct {
	mu  sync.Mutex
	all map[string]bool
}

func (s *structures) has(structure string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[structure]
}

func (s *structures) add(structure string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]bool{}
	}
	s.all[structure] = true
}

// structure returns what the rules of axe-core look at, without the data of the page: two pages with the same structure
// break the same rules. It has the elements in order with their attributes and states, and whether they have text, a
// label and an existing target, but not which. IDs and numbers are replaced, and siblings with the same structure, such
// as the rows of a table, count once.
//
// It leaves out sizes and colors that depend only on data. `make nightly` checks every page.
func (p *Page) structure() string {
	p.t.Helper()
	return Eval[string](p, structure)
}

const structure = `(() => {
	const count = (keys) => keys.reduce((counts, key) => counts.set(key, (counts.get(key) ?? 0) + 1), new Map());
	const labelOf = (e) => [e.localName, e.role, e.ariaLabel].join();
	const ids = count([...document.querySelectorAll("[id]")].map(e => e.id));
	const labels = count([...document.querySelectorAll("[aria-label]")].map(labelOf));
	const withoutNumbers = (text) => text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9]+/g, "0");
	const exists = (id) => ids.has(id) ? document.getElementById(id).localName : "missing";

	const references = new RegExp("^(for|form|headers|list|popovertarget|" +
		"aria-(labelledby|describedby|controls|owns|activedescendant|details|errormessage|flowto))$");
	const texts = /^(alt|title|placeholder|value|label|summary|aria-(description|valuetext|placeholder|roledescription))$/;
	const data = /^(data-.*|src|srcset|action|datetime|download|d|points|transform|[xy][12]?|c[xy]|r[xy]?|width|height|viewBox)$/;
	const valueOf = (e, name, value) => {
		if (name === "id") return ids.get(value) > 1 ? "repeated" : "";
		if (name === "aria-label") return value.trim() === "" ? "empty" : labels.get(labelOf(e)) > 1 ? "repeated" : "";
		if (name === "href") return value.startsWith("#") ? "#" + exists(value.slice(1)) : value.match(/^[a-z]+:/)?.[0] ?? "/";
		if (references.test(name)) return value.split(/\s+/).map(exists).join(" ");
		if (texts.test(name)) return value.trim() === "" ? "empty" : "";
		return data.test(name) ? "" : withoutNumbers(value);
	};
	const stateOf = (e) => [
		!e.checkVisibility({ visibilityProperty: true }) && "hidden", e.matches(":modal") && "modal",
		getComputedStyle(e).overflow !== "visible" && (e.scrollHeight > e.clientHeight || e.scrollWidth > e.clientWidth) && "scrolls",
	].filter(Boolean);
	const describe = (node) => {
		if (node.nodeType === Node.TEXT_NODE) return node.data.trim() === "" ? "" : "text";
		if (node.nodeType !== Node.ELEMENT_NODE || node.matches("script, style, link")) return "";
		const attributes = [...node.attributes].map(a => a.name + "=" + valueOf(node, a.name, a.value)).sort();
		const children = [...node.childNodes].map(describe).filter(Boolean).filter((child, i, all) => child !== all[i - 1]);
		return "<" + [node.localName, ...attributes, ...stateOf(node)].join(" ") + ">" + children.join("") + "</>";
	};
	return describe(document.documentElement);
})()`
