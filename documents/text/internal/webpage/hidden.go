package webpage

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"portside/documents/lazyregexp"
)

// Set returns the set of the names.
func Set(names ...atom.Atom) map[atom.Atom]bool {
	all := make(map[atom.Atom]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}

// Elements by their role.
var (
	IsVoid = Set(atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Param, atom.Source, atom.Track, atom.Wbr)
	IsBlock = Set(atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hgroup, atom.Html, atom.Legend, atom.Li,
		atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td,
		atom.Tfoot, atom.Th, atom.Thead, atom.Title, atom.Tr, atom.Ul)
	isCell      = Set(atom.Td, atom.Th, atom.Caption)
	isTablePart = Set(atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption)

	// IsUnseen are elements whose content a browser does not show, or shows only as choices.
	IsUnseen = Set(atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes, atom.Audio,
		atom.Video, atom.Canvas, atom.Object, atom.Select, atom.Datalist, atom.Title)

	headingLevels = map[atom.Atom]int{atom.H1: 1, atom.H2: 2, atom.H3: 3, atom.H4: 4, atom.H5: 5, atom.H6: 6}
)

var (
	paragraphs = Set(atom.P)
	boxes      = Set(atom.Td, atom.Th, atom.Table, atom.Button, atom.Caption)
	items      = Set(atom.Li)
	lists      = Set(atom.Ul, atom.Ol, atom.Menu, atom.Td, atom.Th, atom.Table)
	terms      = Set(atom.Dt, atom.Dd)
	termLists  = Set(atom.Dl, atom.Td, atom.Th, atom.Table)
	rows       = Set(atom.Tr, atom.Caption)
	groups     = Set(atom.Thead, atom.Tbody, atom.Tfoot, atom.Caption)
	tables     = Set(atom.Table)
	cells      = Set(atom.Td, atom.Th)
	ownRow     = Set(atom.Tr, atom.Table)
)

// impliedEnds returns the elements that the start tag of an element ends, and the elements whose ends it does not
// cross.
func impliedEnds(tag atom.Atom) (ends, within map[atom.Atom]bool) {
	switch tag {
	case atom.Li:
		return items, lists
	case atom.Dt, atom.Dd:
		return terms, termLists
	case atom.Td, atom.Th:
		return cells, ownRow
	case atom.Tr:
		return rows, tables
	case atom.Thead, atom.Tbody, atom.Tfoot:
		return groups, tables
	}
	if IsBlock[tag] {
		return paragraphs, boxes
	}
	return nil, nil
}

// startTag begins an element.
type startTag struct {
	name       atom.Atom
	attributes map[string]string
	closesSelf bool
}

// usedAttributes returns the attributes that the reader uses. If two have the same name, the first counts.
func usedAttributes(tokens *html.Tokenizer) map[string]string {
	used := map[string]string{}
	for more := true; more; {
		var key, value []byte
		key, value, more = tokens.TagAttr()
		switch string(key) {
		case "hidden", "open", "style", "class", "id", "colspan", "rowspan", "role", "epub:type", "type", "start", "data-delimiter":
			if _, twice := used[string(key)]; !twice {
				used[string(key)] = string(value)
			}
		}
	}
	return used
}

var (
	blanks     = strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "", "!important", "")
	cssComment = lazyregexp.New(`/\*[^*]*\*+(?:[^/*][^*]*\*+)*/`)
	unseenBy   = lazyregexp.New(`(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|opacity:0?\.?0*(?:;|$)|` +
		`font-size:0(?:[a-z%]+)?(?:;|$)|mso-hide:all|(?:left|top|text-indent|margin-left):-\d{4,})`)
)

// isHidden reports whether an attribute hides the element.
func isHidden(tag startTag) bool {
	if _, hidden := tag.attributes["hidden"]; hidden {
		return true
	}
	if _, open := tag.attributes["open"]; tag.name == atom.Dialog && !open {
		return true
	}
	style := tag.attributes["style"]
	return style != "" && hides(style)
}

// isNoteMark reports whether an element only leads to a footnote or back, or marks a page of the printed book.
func isNoteMark(tag startTag) bool {
	switch tag.attributes["role"] {
	case "doc-noteref", "doc-backlink", "doc-pagebreak":
		return true
	}
	switch tag.attributes["epub:type"] {
	case "noteref", "backlink", "pagebreak":
		return true
	}
	class := tag.attributes["class"]
	return tag.name == atom.A && (class == "footnote-ref" || class == "footnote-back")
}

func hides(style string) bool {
	return unseenBy().MatchString(blanks.Replace(strings.ToLower(cssComment().ReplaceAllString(style, ""))))
}

func (w *walker) hiddenByRule(attributes map[string]string) bool {
	if len(w.hiding) == 0 {
		return false
	}
	for class := range strings.FieldsSeq(attributes["class"]) {
		if w.hiding["."+class] {
			return true
		}
	}
	return attributes["id"] != "" && w.hiding["#"+attributes["id"]]
}

var (
	plainRule = lazyregexp.New(`([^{}]+)\{([^{}]*)\}`)
	selector  = lazyregexp.New(`^[a-z0-9]*([.#][A-Za-z_][A-Za-z0-9_-]*)$`)
)

// learn finds the classes and ids that a style sheet of the page hides. It ignores rules for some media only, and rules
// that depend on the place of an element.
func (w *walker) learn(sheet string) {
	const maxSheet, maxRules = 256 << 10, 1000
	rules := withoutNested(cssComment().ReplaceAllString(sheet[:min(len(sheet), maxSheet)], ""))
	for _, rule := range plainRule().FindAllStringSubmatch(rules, -1) {
		if len(w.hiding) > maxRules || !hides(rule[2]) {
			continue
		}
		for one := range strings.SplitSeq(rule[1], ",") {
			if found := selector().FindStringSubmatch(strings.TrimSpace(one)); found != nil {
				w.hiding[found[1]] = true
			}
		}
	}
}

// withoutNested removes nested rules, which apply only to some media.
func withoutNested(sheet string) string {
	var out strings.Builder
	depth, at := 0, false
	for i := range len(sheet) {
		c := sheet[i]
		switch {
		case c == '@' && depth == 0:
			at = true
		case c == '{':
			depth++
		}
		if !at {
			out.WriteByte(c)
		}
		if c == '}' {
			depth = max(0, depth-1)
		}
		if depth == 0 && (c == '}' || c == ';') {
			at = false
		}
	}
	return out.String()
}
