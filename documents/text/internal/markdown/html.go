package markdown

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html/atom"

	"portside/documents/lazyregexp"
	"portside/documents/text/internal/page"
	"portside/documents/text/internal/webpage"
)

// markdownHTML converts Markdown to HTML while it is read, one chunk at a time. So the memory for goldmark's tree
// depends on the size of a chunk, and the context is checked before each.
type markdownHTML struct {
	to         page.Page
	rest       string
	references []parser.Reference // that other chunks may define; nil if there is only one chunk
	html       bytes.Buffer       // converted and not read yet
}

func newMarkdownHTML(to page.Page, markdown string) *markdownHTML {
	m := &markdownHTML{to: to, rest: markdown}
	if len(markdown) > maxChunk {
		m.references = findReferences(markdown)
	}
	return m
}

// Read implements io.Reader.
func (m *markdownHTML) Read(into []byte) (int, error) {
	for m.html.Len() == 0 {
		if err := m.to.Context.Err(); err != nil {
			return 0, err
		}
		if m.rest == "" {
			return 0, io.EOF
		}
		var chunk string
		chunk, m.rest = cutChunk(m.rest)
		if err := m.convert(chunk); err != nil {
			return 0, err
		}
	}
	return m.html.Read(into)
}

func (m *markdownHTML) convert(chunk string) error {
	context := parser.NewContext()
	for _, reference := range m.references {
		context.AddReference(reference)
	}
	source := []byte(chunk)
	document := converter().Parser().Parse(text.NewReader(source), parser.WithContext(context))
	// A short chunk repeats nothing, so that each chunk is longer than what the next one repeats of it.
	if len(chunk) > maxChunk/4 && m.rest != "" {
		m.rest = continuation(document, source) + m.rest
	}
	return converter().Renderer().Render(&m.html, source, document)
}

var linkReference = lazyregexp.New(`(?m)^ {0,3}\[([^\]\[^][^\]\[]{0,200})\]:[ \t]+\S`)

// findReferences returns the labels that the text defines as links. Their targets do not matter, because only the text
// of a link is kept.
func findReferences(markdown string) []parser.Reference {
	const maxReferences = 10_000
	var all []parser.Reference
	for _, found := range linkReference().FindAllStringSubmatch(markdown, maxReferences) {
		all = append(all, parser.NewReference([]byte(found[1]), []byte("#"), nil))
	}
	return all
}

// converter is CommonMark with GitHub's tables, task lists and strikethrough, within bounds (see guard).
var converter = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParser(boundedParser()),
		goldmark.WithRendererOptions(
			goldmarkhtml.WithUnsafe(), // the HTML is only read, never shown
			renderer.WithNodeRenderers(util.Prioritized(markdownNodes{}, 1))),
	)
})

// markdownNodes renders what differs from the usual HTML.
type markdownNodes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (markdownNodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindLink, renderLink)
	r.Register(ast.KindAutoLink, renderAutoLink)
	r.Register(ast.KindList, renderList)
	r.Register(ast.KindCodeSpan, renderCode)
	for _, kind := range []ast.NodeKind{kindTable, kindRow, kindCell} {
		r.Register(kind, renderGrid)
	}
	r.Register(ast.KindRawHTML, renderRawHTML)
	r.Register(ast.KindHTMLBlock, renderHTMLBlock)
}

// renderLink renders the text of a link alone. A long target that many links share would be written for each of them.
func renderLink(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkContinue, nil
}

func renderAutoLink(out util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, err := out.Write(util.EscapeHTML(node.(*ast.AutoLink).Label(source)))
	return ast.WalkContinue, err
}

// renderList keeps the character after the numbers, which HTML has no attribute for.
func renderList(out util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	list := node.(*ast.List)
	var err error
	switch {
	case !list.IsOrdered() && entering:
		_, err = out.WriteString("<ul>")
	case !list.IsOrdered():
		_, err = out.WriteString("</ul>")
	case entering:
		_, err = fmt.Fprintf(out, `<ol start="%d" data-delimiter="%c">`, list.Start, list.Marker)
	default:
		_, err = out.WriteString("</ol>")
	}
	return ast.WalkContinue, err
}

// renderRawHTML renders a tag within a text.
func renderRawHTML(out util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	var tag strings.Builder
	segments := node.(*ast.RawHTML).Segments
	for i := range segments.Len() {
		segment := segments.At(i)
		tag.Write(segment.Value(source))
	}
	_, err := out.WriteString(inlineTag(tag.String()))
	return ast.WalkSkipChildren, err
}

var anyTag = lazyregexp.New(`</?[A-Za-z][^<>]{0,1000}>`)

// renderHTMLBlock renders lines of HTML. Those that begin with an element that HTML does not know may be text.
func renderHTMLBlock(out util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	block := node.(*ast.HTMLBlock)
	if !entering {
		return ast.WalkContinue, nil
	}
	var lines strings.Builder
	for i := range block.Lines().Len() {
		line := block.Lines().At(i)
		lines.Write(line.Value(source))
	}
	if block.HasClosure() {
		lines.Write(block.ClosureLine.Value(source))
	}
	content := lines.String()
	if block.HTMLBlockType == ast.HTMLBlockType7 {
		content = "<p>" + anyTag().ReplaceAllStringFunc(content, inlineTag)
	}
	if start := htmlStart(block, source); strings.HasPrefix(start, "<!--") {
		content += "-->" // also ends a declaration or an instruction
	} else if start != "" {
		content += "</" + strings.TrimSuffix(start[1:], "\n")
	}
	_, err := out.WriteString(content)
	return ast.WalkContinue, err
}

// isInline are the elements within a text, beside those of isBlock, isUnseen and isVoid.
var isInline = webpage.Set(atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Button, atom.Cite, atom.Code,
	atom.Colgroup, atom.Data, atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Label, atom.Map, atom.Mark,
	atom.Math, atom.Meter, atom.Nobr, atom.Optgroup, atom.Option, atom.Output, atom.Picture, atom.Progress, atom.Q, atom.Rp,
	atom.Rt, atom.Ruby, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.Svg,
	atom.Time, atom.Tt, atom.U, atom.Var)

// inlineTag returns the HTML for something in angle brackets within a text. Inline elements stay, since they may hide
// their text. Other elements and comments are dropped. A tag that HTML does not know is text, such as a <name> to fill
// in.
func inlineTag(found string) string {
	name := strings.Trim(found, "</>")
	if end := strings.IndexAny(name, " \t\n/"); end >= 0 {
		name = name[:end]
	}
	tag := atom.Lookup([]byte(strings.ToLower(name)))
	switch {
	case isInline[tag] || tag == atom.Br:
		return found
	case strings.HasPrefix(found, "<!") || strings.HasPrefix(found, "<?") || strings.Contains(found, "="),
		webpage.IsBlock[tag] || webpage.IsUnseen[tag] || webpage.IsVoid[tag] || tag == atom.Textarea:
		return ""
	}
	return html.EscapeString(found)
}
