package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Goldmark has a package for GitHub's tables, task lists and strikethrough. It is not used, because it also has
// expressions for links, which take long to compile whenever a program starts.

var (
	kindTable = ast.NewNodeKind("Table")
	kindRow   = ast.NewNodeKind("Row")
	kindCell  = ast.NewNodeKind("Cell")
)

// grid is a table, a row or a cell.
type grid struct {
	ast.BaseBlock
	kind     ast.NodeKind
	isHeader bool
}

// Kind implements ast.Node.
func (g *grid) Kind() ast.NodeKind { return g.kind }

// Dump implements ast.Node.
func (g *grid) Dump(source []byte, level int) { ast.DumpHelper(g, source, level, nil, nil) }

// tables turns paragraphs with a row of delimiters into tables.
type tables struct{}

// Transform implements parser.ParagraphTransformer. The lines above the headers remain a paragraph.
func (tables) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := node.Lines(), reader.Source()
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		if !delimiters().Match(line.Value(source)) {
			continue
		}
		headers, columns := cellsOf(source, lines.At(i-1)), len(cellsOf(source, line))
		if len(headers) > columns {
			return
		}
		table := &grid{kind: kindTable}
		table.AppendChild(table, rowOf(headers, true))
		for j := i + 1; j < lines.Len(); j++ {
			cells := cellsOf(source, lines.At(j))
			table.AppendChild(table, rowOf(cells[:min(len(cells), columns)], false))
		}
		parent := node.Parent()
		parent.InsertAfter(parent, node, table)
		if lines.SetSliced(0, i-1); i == 1 {
			parent.RemoveChild(parent, node)
			return
		}
		last := lines.At(i - 2)
		lines.Set(i-2, last.TrimRightSpace(source))
		return
	}
}

func rowOf(cells []text.Segment, isHeader bool) *grid {
	row := &grid{kind: kindRow, isHeader: isHeader}
	for _, segment := range cells {
		cell := &grid{kind: kindCell, isHeader: isHeader}
		if !segment.IsEmpty() {
			cell.Lines().Append(segment)
		}
		row.AppendChild(row, cell)
	}
	return row
}

// cellsOf splits a line at the vertical bars without a backslash.
func cellsOf(source []byte, line text.Segment) (cells []text.Segment) {
	line = line.TrimLeftSpace(source)
	line = line.TrimRightSpace(source)
	start := line.Start
	for at := start; at < line.Stop; at++ {
		switch source[at] {
		case '\\':
			at++
		case '|':
			if at > line.Start {
				cells = append(cells, cellAt(source, start, at))
			}
			start = at + 1
		}
	}
	if start < line.Stop {
		cells = append(cells, cellAt(source, start, line.Stop))
	}
	return cells
}

func cellAt(source []byte, start, stop int) text.Segment {
	cell := text.NewSegment(start, stop)
	cell = cell.TrimLeftSpace(source)
	return cell.TrimRightSpace(source)
}

// renderGrid renders tables, rows and cells.
func renderGrid(out util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	g, name := node.(*grid), "table"
	switch {
	case g.kind == kindRow:
		name = "tr"
	case g.kind == kindCell && g.isHeader:
		name = "th"
	case g.kind == kindCell:
		name = "td"
	}
	if !entering {
		name = "/" + name
	}
	_, err := out.WriteString("<" + name + ">")
	return ast.WalkContinue, err
}

// renderCode renders code within a text. In a table, a backslash stands before each vertical bar.
func renderCode(out util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	var code []byte
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		if part, isText := child.(*ast.Text); isText {
			code = append(code, bytes.ReplaceAll(part.Segment.Value(source), []byte("\n"), []byte(" "))...)
		}
	}
	for parent := node.Parent(); parent != nil; parent = parent.Parent() {
		if parent.Kind() == kindCell {
			code = bytes.ReplaceAll(code, []byte(`\|`), []byte("|"))
			break
		}
	}
	_, err := out.WriteString("<code>" + string(util.EscapeHTML(code)) + "</code>")
	return ast.WalkSkipChildren, err
}

// strikethrough reads ~text~ and ~~text~~, whose text is kept.
type strikethrough struct{}

// Trigger implements parser.InlineParser.
func (strikethrough) Trigger() []byte { return []byte{'~'} }

// Parse implements parser.InlineParser.
func (s strikethrough) Parse(_ ast.Node, block text.Reader, context parser.Context) ast.Node {
	const maxTildes = 2
	line, segment := block.PeekLine()
	before := block.PrecendingCharacter()
	found := parser.ScanDelimiter(line, before, 1, s)
	if found == nil || found.OriginalLength > maxTildes || before == '~' {
		return nil
	}
	found.Segment = segment.WithStop(segment.Start + found.OriginalLength)
	block.Advance(found.OriginalLength)
	context.PushDelimiter(found)
	return found
}

// IsDelimiter implements parser.DelimiterProcessor.
func (strikethrough) IsDelimiter(c byte) bool { return c == '~' }

// CanOpenCloser implements parser.DelimiterProcessor.
func (strikethrough) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char && opener.OriginalLength == closer.OriginalLength
}

// OnMatch implements parser.DelimiterProcessor.
func (strikethrough) OnMatch(consumes int) ast.Node { return ast.NewEmphasis(consumes) }

// tasks reads the check boxes at the beginning of list items. It keeps the mark of a task that is done.
type tasks struct{}

// Trigger implements parser.InlineParser.
func (tasks) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (tasks) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	item := parent.Parent()
	if item == nil || item.Kind() != ast.KindListItem || item.FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	const size = len("[x]")
	line, _ := block.PeekLine()
	isBox := len(line) >= size && line[size-1] == ']' && bytes.ContainsAny(line[1:size-1], " xX\t")
	if !isBox || len(line) > size && !util.IsSpace(line[size]) {
		return nil
	}
	block.Advance(len(line) - len(bytes.TrimLeft(line[size:], " \t")))
	if util.IsSpace(line[1]) {
		return ast.NewString(nil)
	}
	return ast.NewString([]byte("[x] "))
}
