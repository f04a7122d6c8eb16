package text_test

import (
	"strings"
	"testing"

	"portside/documents/heaptest"
	"portside/documents/text"
)

// Many old pages lie in a table. An attacker nests tables to fill the memory with cells that wait for the ends of their
// rows.
func TestPagesInTablesTakeLittleMemory(t *testing.T) {
	const maxGrowth, size = 150 << 20, 1_500_000 // within the limit of blocks
	for name, piece := range map[string]string{
		"nested tables": "<table><tr><td><p>x", "cells of paragraphs": "<td><p>x", "paragraphs in a cell": "<p>some words",
	} {
		t.Run(name, func(t *testing.T) {
			file := "<table><tr><td>first" + strings.Repeat(piece, size/len(piece)) + "</table><p>last"
			var blocks int
			var last string
			grown := heaptest.Peak(maxGrowth, func() {
				doc, err := document(t, text.ReadHTML, file)
				if err != nil {
					t.Error(err)
				}
				blocks, last = len(doc.Blocks), doc.Blocks[len(doc.Blocks)-1].Text
			})
			if blocks < 1000 || !strings.HasSuffix(last, "last") && name != "nested tables" {
				t.Errorf("%d blocks, the last is %.20q", blocks, last)
			}
			if grown > maxGrowth {
				t.Errorf("it took %d MB", grown>>20)
			}
		})
	}
}

func TestCodeIsKeptVerbatim(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"Use `<kind>` and `&lt;b>`, not <b>this</b>.", "Use <kind> and &lt;b>, not this."},
		{"``a `b` <br>`` and `*no* _marks_ [x](y)`", "a `b` <br> and *no* _marks_ [x](y)"},
		{"**bold `<i>` text** and \\`<i>no code</i>\\`", "bold <i> text and `no code`"},
		{"Put the <name> of <your-host> here, <em>please</em><my-tag a=\"b\">.", "Put the <name> of <your-host> here, please."},
		{"# The `<kind>` heading", "The <kind> heading"},
		{"- item `<kind>`", "item <kind>"},
		{"```\n<kind> &amp; <b>\n```", "<kind> &amp; <b>"},
		{"> ```\n> <kind>\n> ```\n\nafter", "<kind>\nafter"},
		{"![`x`](a.png)left `y`", "left y"},
		{"one tick ` and <kind>", "one tick ` and <kind>"},
	} {
		t.Run(test.file, func(t *testing.T) {
			doc, err := document(t, text.ReadMarkdown, test.file)
			if err != nil || doc.Text() != test.want {
				t.Errorf("%q gives %q, want %q (%v)", test.file, doc.Text(), test.want, err)
			}
		})
	}
}
