package text_test

import (
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/heaptest"
	"portside/documents/text"
)

func TestMarkdownFollowsCommonMark(t *testing.T) {
	check(t, []step{
		{"ordered list counts from its first number", text.ReadMarkdown, "3) a\n3) b\n", "list item 0: \"3) a\"\nlist item 0: \"4) b\"", nil},
		{"list in a quote", text.ReadMarkdown, "> - a\n> - b\n", "list item 0: \"a\"\nlist item 0: \"b\"", nil},
		{"code in a list item", text.ReadMarkdown, "- a\n\n  ```\n  *b*\n  ```\n", "list item 0: \"a\"\nparagraph: \"*b*\"", nil},
		{"tasks", text.ReadMarkdown, "- [ ] open\n- [x] done\n", "list item 0: \"open\"\nlist item 0: \"[x] done\"", nil},
		{"link reference defined later", text.ReadMarkdown, "see [a][r] and [r]\n\n[r]: /x\n", `paragraph: "see a and r"`, nil},
		{"undefined link reference", text.ReadMarkdown, "see [a][r]", `paragraph: "see [a][r]"`, nil},
		{"footnote", text.ReadMarkdown, "a[^1]\n\n[^1]: note\n", "paragraph: \"a[^1]\"\nparagraph: \"[^1]: note\"", nil},
		{"placeholder alone in a line", text.ReadMarkdown, "<your-host>\n", `paragraph: "<your-host>"`, nil},
		{"hidden within a line", text.ReadMarkdown, "a <span hidden>b</span>c", `paragraph: "a c"`, nil},
		{"script within a line", text.ReadMarkdown, "the <script> element", `paragraph: "the element"`, nil},
	})
}

// A long file is converted in chunks. Parts that belong together stay in one chunk.
func TestLongMarkdown(t *testing.T) {
	const size = 600 << 10
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	for name, test := range map[string]struct{ file, last string }{
		"paragraphs":          {fill("some words\n\n") + "last **words**\n", `paragraph: "last words"`},
		"code":                {"```\n" + fill("x\n\n") + "```\n\n*last*\n", `paragraph: "last"`},
		"reference":           {fill("some words\n\n") + "[last][r]\n\n" + fill("some words\n\n") + "[r]: /x\n", `paragraph: "some words"`},
		"one line":            {fill("é") + "\n\n# last\n", `heading 1: "last"`},
		"rows of a table":     {"| a | b |\n|---|---|\n" + fill("| 1 | 2 |\n") + "| 3 | 4 |\n", "row of table 5 | 0 3 | 1 4"},
		"list without breaks": {fill("- a\n  b\n") + "- c", `list item 0: "c"`},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := document(t, text.ReadMarkdown, test.file)
			if err != nil || strings.Contains(doc.Text(), "[last]") {
				t.Errorf("the text has marks, or fails: %v", err)
			}
			blocks := *doc
			blocks.Blocks = blocks.Blocks[len(blocks.Blocks)-1:]
			if got := shown(&blocks); !strings.HasSuffix(got, "\n"+test.last+"\n") {
				t.Errorf("the last block is %.200s, want %s", got, test.last)
			}
		})
	}
}

// Goldmark keeps a record for each line of each open list, and a node of its tree for each mark.
func TestMarkdownMemoryIsBounded(t *testing.T) {
	const maxGrowth, size = 250 << 20, 4 << 20
	for name, file := range map[string]string{
		"blank lines in lists": strings.Repeat("- ", 5000) + "a\n" + strings.Repeat("\n", size),
		"brackets":             strings.Repeat("[", size),
		"cells":                strings.Repeat("|\n-|\n", size/5),
		"wide table":           strings.Repeat("|a", 2000) + "|\n" + strings.Repeat("|-", 2000) + "|\n" + strings.Repeat("|\n", 4000),
		"long link used often": "# a\n\n[a]: " + strings.Repeat("x", 61440) + "\n\n" + strings.Repeat("[a]", 14_000),
	} {
		grown := heaptest.Peak(maxGrowth, func() {
			into := documents.NewBuilder("", documents.DefaultLimits())
			_ = text.ReadMarkdown(t.Context(), source(file), into) // more text than the limit is part of it
		})
		if grown > maxGrowth {
			t.Errorf("%s: it took %d MB", name, grown>>20)
		}
	}
}

// A long file is read in chunks. Code and HTML that cross the border of a chunk go on in the next one.
func TestMarkdownContinuesBlocksAcrossChunks(t *testing.T) {
	const size = 128 << 10 // of a chunk
	before := func(end string) string { return strings.Repeat("One line.\n\n", size/11-200) + end }
	hidden := strings.Repeat("hidden words\n\n", 400)
	for name, test := range map[string]struct{ file, missing string }{
		"comment":           {before("<!-- a note\n\n" + hidden + "-->\n\nThe end.\n"), "hidden"},
		"style":             {before("<style>\n" + hidden + "</style>\n\nThe end.\n"), "hidden"},
		"long comment":      {"<!--\n" + strings.Repeat("hidden words\n\n", 20_000) + "-->\n\nThe end.\n", "hidden"},
		"code":              {before("```sh\n" + strings.Repeat("# code\n\n", 400) + "```\n\nThe end.\n"), ""},
		"code in a list":    {"- ```\n  code\n  ```\n\n" + before("") + strings.Repeat("# Title\n\n", 400) + "The end.\n", "```"},
		"code in a line":    {"```x``` is code\n\n" + before("") + strings.Repeat("# Title\n\n", 400) + "The end.\n", ""},
		"comment in a text": {strings.Repeat("a <!-- hidden --> b\n", size/10) + "\nThe end.\n", "hidden"},
	} {
		t.Run(name, func(t *testing.T) {
			into := documents.NewBuilder("", documents.DefaultLimits())
			if err := text.ReadMarkdown(t.Context(), source(test.file), into); err != nil {
				t.Error(err)
				return
			}
			d := into.Document()
			last := d.Blocks[len(d.Blocks)-1]
			if last.Text != "The end." || last.Kind != documents.Paragraph {
				t.Errorf("the last block is %s %.80q", last.Kind, last.Text)
			}
			if test.missing != "" && strings.Contains(d.Text(), test.missing) {
				t.Errorf("the text contains %q", test.missing)
			}
		})
	}
}
