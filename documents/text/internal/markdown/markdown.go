// Package markdown reads Markdown.
package markdown

import (
	"strings"

	"portside/documents/charset"
	"portside/documents/lazyregexp"
	"portside/documents/text/internal/page"
	"portside/documents/text/internal/tree"
	"portside/documents/text/internal/webpage"
)

// Read reads Markdown.
func Read(to page.Page, data []byte) error {
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\ufeff", "").Replace(charset.Decode(data, ""))
	front, body := splitFrontMatter(text)
	titled, err := addFrontMatter(to, front)
	if err != nil {
		return err
	}
	return webpage.ReadFrom(to, newMarkdownHTML(to, body), webpage.Options{NumberLists: true, TitleFromHeading: !titled})
}

// splitFrontMatter splits the lines between two rules at the very beginning from the rest of the text.
func splitFrontMatter(text string) (front []string, body string) {
	const maxLines = 500
	rule, rest, _ := strings.Cut(text, "\n")
	rule = strings.TrimSpace(rule)
	if rule != "---" && rule != "+++" {
		return nil, text
	}
	for range maxLines {
		line, after, found := strings.Cut(rest, "\n")
		if trimmed := strings.TrimSpace(line); trimmed == rule || trimmed == "..." {
			return front, after
		}
		if !found {
			break
		}
		front, rest = append(front, line), after
	}
	return nil, text
}

var frontField = lazyregexp.New(`^["']?([A-Za-z_][\w .-]*)["']?\s*[:=]\s*(.*)$`)

// addFrontMatter adds a Field for each line with a name. It reports whether one of them is the title.
func addFrontMatter(to page.Page, lines []string) (titled bool, err error) {
	for i, line := range lines {
		found := frontField().FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			continue
		}
		name, value := found[1], strings.Trim(frontValue(found[2], lines[i+1:]), `"'`)
		if strings.EqualFold(name, "title") {
			to.Into.Title(value)
			titled = true
		}
		if err := to.Field(tree.InWords(name), value); err != nil {
			return titled, err
		}
	}
	return titled, nil
}

// frontValue returns the value, or the list items on the lines below if no value is beside the name.
func frontValue(value string, below []string) string {
	if value != "" {
		return value
	}
	var items []string
	for _, line := range below {
		item, isItem := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !isItem {
			break
		}
		items = append(items, item)
	}
	return strings.Join(items, ", ")
}
