package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"portside/documents/lazyregexp"
)

// Goldmark takes time in proportion to the square of some inputs: 64 KB of ">", "[](" or "*a_" take more than a second.
// These bounds keep one chunk below a tenth of a second. Text beyond them is kept as written.
const (
	maxChunk          = 128 << 10  // bytes that are converted at once, because goldmark takes up to 500 bytes of memory for each
	maxMarkdownDepth  = 12         // lists and quotes within each other
	maxParagraphSteps = 10_000_000 // of goldmark in one paragraph, as steps estimates them
	maxFence          = 100        // characters of a fence around code that are repeated
)

// boundedParser returns goldmark's default parser with a guard before and after its work on each paragraph.
func boundedParser() parser.Parser {
	blocks := slices.Clone(parser.DefaultBlockParsers())
	for i, block := range blocks {
		blocks[i].Value = boundedBlock{block.Value.(parser.BlockParser)}
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(tasks{}, 0), util.Prioritized(strikethrough{}, 500))...),
		parser.WithParagraphTransformers(
			util.Prioritized(guard{eachLine: true}, 50), // before link references at 100 and tables at 200
			util.Prioritized(references{}, 100),
			util.Prioritized(tables{}, 200),
			util.Prioritized(guard{}, 250)),
	)
}

// boundedBlock opens no list or quote that is nested too deeply, and no heading that takes too many steps.
type boundedBlock struct{ parser.BlockParser }

// Open implements parser.BlockParser.
func (b boundedBlock) Open(parent ast.Node, reader text.Reader, context parser.Context) (ast.Node, parser.State) {
	depth := 0
	for node := parent; node != nil; node = node.Parent() {
		if node.Kind() == ast.KindList || node.Kind() == ast.KindBlockquote {
			depth++
		}
	}
	line, position := reader.PeekLine()
	node, state := b.BlockParser.Open(parent, reader, context)
	if node == nil {
		return nil, state
	}
	isContainer := node.Kind() == ast.KindList || node.Kind() == ast.KindBlockquote
	if isContainer && depth >= maxMarkdownDepth || node.Kind() == ast.KindHeading && steps(line) > maxParagraphSteps {
		lineNumber, _ := reader.Position()
		reader.SetPosition(lineNumber, position)
		return nil, parser.NoChildren
	}
	return node, state
}

// references reads the definitions of links. A footnote, which begins in the same way, stays text.
type references struct{}

// Transform implements parser.ParagraphTransformer.
func (references) Transform(node *ast.Paragraph, reader text.Reader, context parser.Context) {
	first := node.Lines().At(0)
	if !bytes.HasPrefix(first.Value(reader.Source()), []byte("[^")) {
		parser.LinkReferenceParagraphTransformer.Transform(node, reader, context)
	}
}

// guard turns a paragraph that takes too many steps into code, which goldmark does not look into.
type guard struct {
	eachLine bool // the paragraph may be a table or link references, whose lines goldmark reads one by one
}

// Transform implements parser.ParagraphTransformer.
func (g guard) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, source := node.Lines(), reader.Source()
	worst, definitions := 0, 0
	for i := range lines.Len() {
		line := lines.At(i)
		value := line.Value(source)
		worst = max(worst, steps(value))
		if bytes.HasPrefix(value, []byte("[")) {
			definitions++
		}
	}
	if g.eachLine {
		worst = max(worst, definitions*lines.Len())
	} else {
		worst = steps(lines.Value(source))
	}
	if worst <= maxParagraphSteps {
		return
	}
	code := ast.NewCodeBlock()
	code.SetLines(lines)
	node.Parent().ReplaceChild(node.Parent(), node, code)
}

// steps estimates how long goldmark takes for the marks in a text: it searches for the end of each link to the end of
// the text, and for the other end of each run of emphasis among all others.
func steps(block []byte) int {
	runs, links := 0, 0
	for i, c := range block {
		switch {
		case c == '*' || c == '_' || c == '~':
			if i == 0 || block[i-1] != c {
				runs++
			}
		case c == '(' && i > 0 && block[i-1] == ']':
			links++
		}
	}
	return runs*runs + links*len(block)
}

var (
	fence      = lazyregexp.New("^\\s*(`{3,}|~{3,})[^`]*$")
	closeFence = lazyregexp.New("^\\s*(`{3,}|~{3,})\\s*$")
	listMarker = lazyregexp.New(`^(?:[-*+]|\d{1,9}[.)])(?:\s|$)`)
	delimiters = lazyregexp.New(`^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$`)
)

// cutChunk splits a text before a block that does not continue a list, at most maxChunk bytes into it. Where there is
// no such place, it splits between lines, and repeats the header of an open table in the rest.
func cutChunk(markdown string) (chunk, rest string) {
	if len(markdown) <= maxChunk {
		return markdown, ""
	}
	at := lastBlockStart(markdown[:maxChunk])
	if at > 0 {
		return markdown[:at], markdown[at:]
	}
	at = strings.LastIndexByte(markdown[:maxChunk], '\n') + 1
	if at < maxChunk/2 { // a shorter chunk could consist of what the last one repeats
		for at = maxChunk; !utf8.RuneStart(markdown[at]); at-- {
		}
	}
	return markdown[:at], tableHeader(markdown[:at]) + markdown[at:]
}

// lastBlockStart returns where the last block begins that is neither code nor part of a list, or 0 if no block is. It
// recognizes code by its fences alone, so it may miss a block, but goldmark decides what a block is.
func lastBlockStart(markdown string) (last int) {
	at, isBlank, openFence := 0, true, ""
	for line := range strings.Lines(markdown) {
		opening, closing := fence().FindStringSubmatch(line), closeFence().FindStringSubmatch(line)
		switch {
		case len(opening) > 1 && openFence == "":
			openFence = opening[1]
		case len(closing) > 1 && strings.HasPrefix(closing[1], openFence):
			openFence = ""
		case isBlank && openFence == "" && line[0] > ' ' && !listMarker().MatchString(line):
			last = at
		}
		isBlank = strings.TrimSpace(line) == ""
		at += len(line)
	}
	return last
}

// continuation returns a line with which the next chunk must begin, because the last block of this chunk is code or
// HTML that continues there: the fence, or the start of the HTML. It is empty if the block is complete.
func continuation(document ast.Node, chunk []byte) string {
	last := document
	for last.LastChild() != nil && last.LastChild().Type() == ast.TypeBlock {
		last = last.LastChild()
	}
	switch block := last.(type) {
	case *ast.HTMLBlock:
		return htmlStart(block, chunk)
	case *ast.FencedCodeBlock:
		return openFence(block, chunk)
	}
	return ""
}

// htmlStart returns the start of an unfinished HTML block that does not end with a blank line; otherwise an empty text.
func htmlStart(block *ast.HTMLBlock, chunk []byte) string {
	if block.HasClosure() || block.Lines().Len() == 0 {
		return ""
	}
	first := block.Lines().At(0)
	switch block.HTMLBlockType {
	case ast.HTMLBlockType1:
		if found := rawElement().FindSubmatch(first.Value(chunk)); found != nil && !hasEndTag(block, chunk) {
			return "<" + string(found[1]) + ">\n"
		}
	case ast.HTMLBlockType2, ast.HTMLBlockType3, ast.HTMLBlockType4, ast.HTMLBlockType5:
		if !hasEndTag(block, chunk) {
			return "<!--\n"
		}
	case ast.HTMLBlockType6, ast.HTMLBlockType7:
	}
	return ""
}

var (
	rawElement = lazyregexp.New(`(?i)^\s*<(script|pre|style|textarea)`)
	endTag     = lazyregexp.New(`(?i)</(?:script|pre|style|textarea)>|-->|\?>|\]\]>`)
)

// hasEndTag reports whether the last line of a block ends it.
func hasEndTag(block *ast.HTMLBlock, chunk []byte) bool {
	last := block.Lines().At(block.Lines().Len() - 1)
	return endTag().Match(last.Value(chunk)) ||
		block.HTMLBlockType == ast.HTMLBlockType4 && bytes.ContainsRune(last.Value(chunk), '>')
}

// openFence returns the fence of code that is not closed in the chunk; otherwise an empty text.
func openFence(block *ast.FencedCodeBlock, chunk []byte) string {
	if block.Lines().Len() == 0 || closeFence().Match(lastLine(chunk)) {
		return ""
	}
	found := anyFence().Find(lastLine(chunk[:block.Lines().At(0).Start]))
	return string(found[:min(len(found), maxFence)]) + "\n"
}

// lastLine returns the last line that is not blank.
func lastLine(lines []byte) []byte {
	lines = bytes.TrimRight(lines, " \t\n")
	return lines[bytes.LastIndexByte(lines, '\n')+1:]
}

var anyFence = lazyregexp.New("`{3,}|~{3,}")

// tableHeader returns the first two lines of the table that a text ends in; empty if it does not.
func tableHeader(markdown string) string {
	const maxHeader = 4 << 10
	start := strings.LastIndex(markdown, "\n\n") + 1
	header, body, _ := strings.Cut(strings.TrimLeft(markdown[start:], "\n"), "\n")
	delimiter, _, isTable := strings.Cut(body, "\n")
	if !isTable || len(header)+len(delimiter) > maxHeader || !strings.Contains(header, "|") || !delimiters().MatchString(delimiter) {
		return ""
	}
	return header + "\n" + delimiter + "\n"
}
