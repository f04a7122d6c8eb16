package markdown

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"pgregory.net/rapid"

	"portside/documents/internal/scale"
)

// TestTablesAreThoseOfGoldmark compares tables, task lists and strikethrough with those of goldmark's extensions.
func TestTablesAreThoseOfGoldmark(t *testing.T) {
	library := goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone)),
			extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(html.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(markdownNodes{}, 1))))
	pieces := []string{"|", "|", "-", "-|-", "|---|", ":-", "-:", "a", "b", " ", `a\|b`, "\n", "\n", "\n\n", "`", "~~", "- [ ] ", "- [x] ",
		"- ", "*", "> ", "a|b\n-|-\n"}
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		source := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 25).Draw(r, "pieces"), ""))
		if emptyLast.Match(source) {
			return // goldmark does not count an empty last cell among the headers
		}
		var want, got bytes.Buffer
		if err := library.Convert(source, &want); err != nil {
			r.Fatal(err)
		}
		document := converter().Parser().Parse(text.NewReader(source))
		if err := converter().Renderer().Render(&got, source, document); err != nil {
			r.Fatal(err)
		}
		if plain(got.String()) != plain(want.String()) {
			r.Errorf("%q:\n%q\nwant\n%q", source, plain(got.String()), plain(want.String()))
		}
	})
}

// plain returns HTML without what does not change the text, the cells and the rows. Goldmark fills short rows up.
func plain(code string) string {
	const ticked, open = `<input checked="" disabled="" type="checkbox">`, `<input disabled="" type="checkbox">`
	code = strings.NewReplacer(ticked, "[x]", open, "", "\n", " ").Replace(code)
	code = emphasis.ReplaceAllString(code, "")
	code = lastCells.ReplaceAllString(betweenTags.ReplaceAllString(code, "><"), "</tr>")
	return strings.Join(strings.Fields(strings.NewReplacer(">", "> ", "<", " <").Replace(code)), " ")
}

var (
	emptyLast   = regexp.MustCompile(`(?m)\|\s*\|\s*$`)
	emphasis    = regexp.MustCompile(`</?(thead|tbody|del|em|strong)>`)
	betweenTags = regexp.MustCompile(`>\s+<`)
	lastCells   = regexp.MustCompile(`(<t[dh]></t[dh]>)+</tr>`)
)
