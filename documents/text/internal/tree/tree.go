// Package tree reads values that are nested: JSON, XML, and the e-invoices in XML.
package tree

import (
	"strings"
	"unicode"

	"portside/documents"
	"portside/documents/text/internal/page"
)

// node is a value of JSON or an element of XML: a text, an object or a list.
type node struct {
	name  string
	text  string
	kind  nodeKind
	parts []*node
}

type nodeKind int

const (
	leaf   nodeKind = iota
	object          // parts have names
	list            // parts have none
	prose           // a text without a name
)

// nodeBudget creates nodes, at most as many as a document may have blocks.
type nodeBudget struct {
	left    int
	skipped bool // a part was nested too deeply
}

// newNode returns nil if the budget is used up.
func (g *nodeBudget) newNode(kind nodeKind, name string) *node {
	if g.left <= 0 {
		return nil
	}
	g.left--
	return &node{kind: kind, name: name}
}

const tooDeep = "Parts of the file that are nested very deep were left out."

// addNode adds the text of a node under the name path. The depth of nodes is limited where they are created.
func addNode(to page.Page, n *node, path string) error {
	switch n.kind {
	case prose:
		return to.Add(documents.Block{Kind: documents.Paragraph, Text: n.text})
	case leaf:
		if path == "" {
			return to.Add(documents.Block{Kind: documents.Paragraph, Text: n.text})
		}
		return to.Field(path, n.text)
	case list:
		return addList(to, n, path)
	}
	for _, part := range n.parts {
		if err := addNode(to, part, joinPath(path, part.name)); err != nil {
			return err
		}
	}
	return nil
}

func joinPath(path, name string) string {
	return strings.TrimSpace(path + " " + InWords(name))
}

// addList adds a list: objects with the same keys as a table, plain values as one text, other values one by one.
func addList(to page.Page, n *node, path string) error {
	if columns := columnsOf(n); columns != nil {
		return nodeTable(to, n, path, columns)
	}
	const together = 500
	var texts []string
	size := 0
	for i, part := range n.parts {
		if part.kind == leaf && part.text == "" {
			continue
		}
		if part.kind == leaf {
			texts, size = append(texts, part.text), size+len(part.text)
		}
		if len(texts) > 0 && (part.kind != leaf || size > together || i == len(n.parts)-1) {
			if err := addNode(to, &node{text: strings.Join(texts, ", ")}, path); err != nil {
				return err
			}
			texts, size = nil, 0
		}
		if part.kind == leaf {
			continue
		}
		if err := addNode(to, part, path); err != nil {
			return err
		}
	}
	if len(texts) > 0 {
		return addNode(to, &node{text: strings.Join(texts, ", ")}, path)
	}
	return nil
}

// columnsOf returns the columns of a list of objects by name. It returns nil if the list is not a table: it has fewer
// than two objects, nested values, or mostly different keys.
func columnsOf(n *node) map[string]int {
	const maxKeys = 100
	columns := map[string]int{}
	cells := 0
	for _, part := range n.parts {
		if part.kind != object || len(part.parts) == 0 {
			return nil
		}
		for _, value := range part.parts {
			if _, flat := cellText(value); !flat {
				return nil
			}
			if _, known := columns[value.name]; !known {
				columns[value.name] = len(columns)
			}
			cells++
		}
		if len(columns) > maxKeys {
			return nil
		}
	}
	if len(n.parts) < 2 || cells*5 < len(columns)*len(n.parts)*3 {
		return nil
	}
	return columns
}

// cellText returns the text of a value, and whether it fits into a cell.
func cellText(n *node) (string, bool) {
	switch n.kind {
	case leaf, prose:
		return n.text, true
	case list:
		texts := make([]string, 0, len(n.parts))
		for _, part := range n.parts {
			if part.kind != leaf {
				return "", false
			}
			texts = append(texts, part.text)
		}
		return strings.Join(texts, ", "), true
	}
	return "", len(n.parts) == 0
}

func nodeTable(to page.Page, n *node, path string, columns map[string]int) error {
	if path != "" {
		if err := to.Add(documents.Block{Kind: documents.Heading, Text: path, Level: 1}); err != nil {
			return err
		}
	}
	table := to.Into.NextTable()
	head := make([]documents.Cell, len(columns))
	for name, column := range columns {
		head[column] = documents.Cell{Text: InWords(name), Column: column, Header: true}
	}
	if err := to.Add(documents.Block{Kind: documents.Row, Cells: head, Table: table}); err != nil {
		return err
	}
	for _, part := range n.parts {
		cells := make([]documents.Cell, len(columns))
		for column := range cells {
			cells[column].Column = column
		}
		for _, value := range part.parts {
			cells[columns[value.name]].Text, _ = cellText(value)
		}
		if err := to.Add(documents.Block{Kind: documents.Row, Cells: cells, Table: table}); err != nil {
			return err
		}
	}
	return nil
}

// InWords converts a name in a program to words: "invoiceDate" to "invoice date", "VAT_ID" to "VAT ID". It cuts long
// names, because the name is repeated before every value in the object.
func InWords(name string) string {
	const maxName = 200
	name = name[:min(len(name), maxName)]
	runes := []rune(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == '.' || r == ':' || r == '/' {
			return ' '
		}
		return r
	}, name))
	var out strings.Builder
	for i, r := range runes {
		begins := i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) ||
			unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if begins {
			out.WriteByte(' ')
		}
		if begins && (i+1 == len(runes) || unicode.IsLower(runes[i+1])) {
			r = unicode.ToLower(r)
		}
		out.WriteRune(r)
	}
	return strings.Join(strings.Fields(out.String()), " ")
}
