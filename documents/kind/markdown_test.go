package kind_test

import (
	"testing"

	"portside/documents"
)

// TestMarkdownBehindHTML begins Markdown with the elements that projects put in front of it.
func TestMarkdownBehindHTML(t *testing.T) {
	const body = "\n\n# Harbour handbook\n\nSee the [map](https://example.com/map) first.\n\n- one\n- two\n"
	for name, start := range map[string]string{
		"centered logo": "<div align=\"center\">\n  <img src=\"logo.png\">\n</div>", "paragraph": "<p align=\"center\"><b>Harbour</b></p>",
		"comment": "<!-- badges -->", "comment over lines": "<!--\n\nfor authors\n\n-->", "anchor": "<a id=\"top\"></a>", "image": "<img src=\"a.png\"/>",
		"title":      "<h1>Harbour</h1>",
		"two blocks": "<p><img src=\"a.png\"></p>\r\n\r\n<p>Lights</p>", "unknown element": "<picture>\n<source srcset=\"a\">\n</picture>",
		"details": "<details>\n<summary>More</summary>\n\ntext\n\n</details>",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := detect(t, start+body); got != documents.Markdown || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestHTMLWithBlankLinesIsHTML(t *testing.T) {
	for name, text := range map[string]string{
		"page":      "<!DOCTYPE html>\n\n<p>a</p>\n\n# b\n\n- c\n- d\n\n[e](/f) [g](/h)",
		"no type":   "<html>\n\n<body>\n\n# b\n\n- c\n- d\n\n[e](/f) [g](/h)",
		"style":     "<style>\n\n# b\n\n- c\n- d\n\n[e](/f) [g](/h)\n\n</style>",
		"fragments": "<p>one</p>\n\n<p>two</p>\n\n<ul>\n\n<li>three</li>\n\n</ul>",
		"prose":     "<p>one</p>\n\nOnly a text follows, with # and * in it.",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := detect(t, text); got != documents.HTML || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}
