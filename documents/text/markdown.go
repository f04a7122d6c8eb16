package text

import (
	"context"
	"html"
	"strings"

	"portside/documents"
	"portside/documents/lazyregexp"
)

// ReadMarkdown reads Markdown: headings, lists, tables, code as paragraphs, quotes, front matter as Fields, and the text of all
// that without its marks; of links the text. HTML within is read as by ReadHTML. The title is the front matter's, or the first
// heading of level 1.
func ReadMarkdown(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return whole(page{ctx, into}, file, func(to page, data []byte) error {
		text := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufeff", "").Replace(decode(data, ""))
		m := &markdown{text: textReader{to: to}, lines: indexLines(text)}
		return m.read()
	})
}

// markdown reads one text, line by line.
type markdown struct {
	text   textReader // for the nesting of lists
	lines  lineIndex
	at     int
	titled bool
	quoted bool // the block began with a mark of a quote
}

var (
	mdHeading  = lazyregexp.New(`^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$`)
	mdFence    = lazyregexp.New("^\\s{0,12}(`{3,}|~{3,})")
	mdRule     = lazyregexp.New(`^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$`)
	mdList     = lazyregexp.New(`^\s*(?:[-*+]|\d{1,9}[.)])\s+\S`)
	mdTable    = lazyregexp.New(`^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$`)
	mdUnder    = lazyregexp.New(`^ {0,3}(=+|-+)\s*$`)
	mdQuote    = lazyregexp.New(`^ {0,3}(?:>\s?)+`)
	mdRef      = lazyregexp.New(`^ {0,3}\[[^\]^][^\]]*\]:\s+\S+`)
	mdBlockTag = lazyregexp.New(`^ {0,3}<(?:!--|([A-Za-z][A-Za-z0-9]*)[\s/>])`)
	frontField = lazyregexp.New(`^["']?([A-Za-z_][\w .-]*)["']?\s*[:=]\s*(.*)$`)
)

func (m *markdown) read() error {
	if err := m.frontMatter(); err != nil {
		return err
	}
	for m.at < m.lines.count() {
		if err := m.block(); err != nil {
			return err
		}
	}
	return nil
}

// frontMatter reads the lines between two rules at the very beginning.
func (m *markdown) frontMatter() error {
	const longest = 500
	rule := strings.TrimSpace(m.lines.line(0))
	if rule != "---" && rule != "+++" {
		return nil
	}
	for i := 1; i < min(m.lines.count(), longest); i++ {
		line := strings.TrimSpace(m.lines.line(i))
		if line == rule || line == "..." {
			m.at = i + 1
			return m.frontFields(m.lines.between(1, i))
		}
	}
	return nil
}

func (m *markdown) frontFields(lines []string) error {
	for i, line := range lines {
		found := frontField().FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			continue
		}
		value := found[2]
		for _, next := range lines[i+1:] {
			item, ok := strings.CutPrefix(strings.TrimSpace(next), "- ")
			if !ok || found[2] != "" {
				break
			}
			value += ", " + item
		}
		value = strings.Trim(strings.TrimPrefix(value, ", "), `"'`)
		if strings.EqualFold(found[1], "title") {
			m.text.to.into.Title(value)
			m.titled = true
		}
		if err := m.text.to.field(inWords(found[1]), value); err != nil {
			return err
		}
	}
	return nil
}

// block reads what begins at the line.
func (m *markdown) block() error {
	line, quoted := m.lines.unquote(m.at)
	m.quoted = quoted
	heading := mdHeading().FindStringSubmatch(line)
	switch {
	case strings.TrimSpace(line) == "", mdRule().MatchString(line), mdRef().MatchString(line):
		m.at++
		return nil
	case heading != nil:
		m.at++
		return m.heading(heading[2], len(heading[1]))
	case mdFence().MatchString(line):
		return m.code()
	case isPageTag(line):
		return m.page()
	case m.isTable():
		return m.table()
	case mdList().MatchString(line):
		return m.item()
	case indentOf(line) >= m.codeIndent():
		return m.indentedCode()
	}
	return m.paragraph()
}

func (m *markdown) heading(text string, level int) error {
	m.text.indents = nil
	text = plain(text)
	if level == 1 && !m.titled {
		m.titled = true
		m.text.to.into.Title(text)
	}
	return m.text.to.add(documents.Block{Kind: documents.Heading, Text: text, Level: level})
}

// code reads to the closing fence.
func (m *markdown) code() error {
	mark := mdFence().FindStringSubmatch(m.lines.line(m.at))[1]
	m.at++
	begin := m.at
	for ; m.at < m.lines.count() && m.isCode(mark); m.at++ {
		if m.quoted {
			m.lines.unquote(m.at)
		}
	}
	text := strings.Join(m.lines.between(begin, m.at), "\n")
	if m.at < m.lines.count() && strings.Contains(m.lines.line(m.at), mark) {
		m.at++
	}
	return m.text.to.add(documents.Block{Kind: documents.Paragraph, Text: text})
}

// isCode reports whether the line is of the code that began with the mark. Code in a quote ends with the quote.
func (m *markdown) isCode(mark string) bool {
	line := m.lines.line(m.at)
	if m.quoted {
		if !mdQuote().MatchString(line) {
			return false
		}
		line = mdQuote().ReplaceAllString(line, "")
	}
	return !strings.HasPrefix(strings.TrimSpace(line), mark)
}

func isPageTag(line string) bool {
	found := mdBlockTag().FindStringSubmatch(line)
	return len(found) == 2 && (found[1] == "" || isPageElement(found[1]))
}

// page reads HTML to the end of the element, across blank lines too, so that what it hides stays hidden.
func (m *markdown) page() error {
	found := mdBlockTag().FindStringSubmatch(m.lines.line(m.at))
	opens, closes := "<!--", "-->"
	if name := strings.ToLower(found[1]); name != "" {
		opens, closes = "<"+name, "</"+name
	}
	begin, depth := m.at, 0
	for ; m.at < m.lines.count(); m.at++ {
		line := strings.ToLower(m.lines.line(m.at))
		depth += strings.Count(line, opens) - strings.Count(line, closes)
		if depth <= 0 || isVoidElement(found[1]) {
			m.at++
			break
		}
	}
	return hypertext(m.text.to, strings.Join(m.lines.between(begin, m.at), "\n"))
}

func (m *markdown) isTable() bool {
	if m.at+1 >= m.lines.count() {
		return false
	}
	head, rule := m.lines.line(m.at), m.lines.line(m.at+1)
	return strings.Contains(head, "|") && strings.ContainsAny(rule, "|-") && mdTable().MatchString(rule) &&
		len(barParts(head)) == len(barParts(rule))
}

func (m *markdown) table() error {
	rows := [][]string{barParts(m.lines.line(m.at))}
	longest := m.text.to.into.Limits.Blocks / 4
	for m.at += 2; m.at < m.lines.count() && len(rows) < longest && strings.Contains(m.lines.line(m.at), "|"); m.at++ {
		rows = append(rows, barParts(m.lines.line(m.at)))
	}
	for _, row := range rows {
		for i := range row {
			row[i] = plain(row[i])
		}
	}
	return m.text.table(tableRows(rows, true))
}

// widestRow is how many cells a row of a table in Markdown may have; the rest is in the last.
const widestRow = 500

// barParts are the cells of a row; a bar after a backslash is a letter.
func barParts(line string) []string {
	line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, "\x00")
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	parts := strings.SplitN(line, "|", widestRow)
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "\x00", "|")
	}
	return parts
}

// item reads a list item with the lines that go on with it.
func (m *markdown) item() error {
	lines := m.gather()
	lines[0] = strings.Replace(lines[0], "[ ] ", "", 1)
	return m.text.item([]string{lines[0][:indentBytes(lines[0])] + plain(strings.TrimSpace(strings.Join(lines, "\n")))})
}

func indentBytes(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

func (m *markdown) paragraph() error {
	lines := m.gather()
	if m.at < m.lines.count() {
		if under := mdUnder().FindStringSubmatch(m.lines.line(m.at)); under != nil {
			m.at++
			return m.heading(strings.Join(lines, " "), 1+strings.Count(under[1][:1], "-"))
		}
	}
	if indentOf(lines[0]) == 0 {
		m.text.indents = nil
	}
	return m.text.to.add(documents.Block{Kind: documents.Paragraph, Text: plain(strings.Join(lines, "\n"))})
}

// gather takes the lines up to the next block.
func (m *markdown) gather() []string {
	begin := m.at
	for m.at++; m.at < m.lines.count(); m.at++ {
		line, _ := m.lines.unquote(m.at)
		if strings.TrimSpace(line) == "" || mdHeading().MatchString(line) || mdList().MatchString(line) || mdFence().MatchString(line) ||
			mdUnder().MatchString(line) || isPageTag(line) || m.isTable() {
			break
		}
	}
	return m.lines.between(begin, m.at)
}

var (
	inlineTag  = lazyregexp.New(`<!--.{0,1000}?-->|</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]{0,1000})?/?>`)
	autoLink   = lazyregexp.New(`<((?:https?://|mailto:)[^\s<>]+|[^\s<>@]+@[^\s<>@]+)>`)
	hardBreak  = lazyregexp.New(`(?: {2,}|\\)\n`)
	softBreak  = lazyregexp.New(`\s*\n\s*`)
	breakMark  = "\x01"
	escapedSet = "\\`*_{}[]()#+-.!|~<>\"'$%&,/:;=?@^"
)

// plain is a text without the marks of Markdown. Lines are joined, but where a break is asked for.
func plain(text string) string {
	text, codes := withoutCode(text)
	text = hardBreak().ReplaceAllString(text, breakMark)
	text = softBreak().ReplaceAllString(text, " ")
	text = autoLink().ReplaceAllString(text, "$1")
	text = strings.NewReplacer("<br>", breakMark, "<br/>", breakMark, "<br />", breakMark).Replace(text)
	text = inlineTag().ReplaceAllStringFunc(text, withoutTag)
	text = unmarked(text)
	return withCode(html.UnescapeString(strings.ReplaceAll(text, breakMark, "\n")), codes)
}
