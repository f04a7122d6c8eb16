package main

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"portside/shared/core/errorcode"
	"portside/shared/web/assets"
)

// codesPlaceholder is where the page of errors has the list of codes.
const codesPlaceholder = "<!-- codes -->\n"

// errorsPage returns the page at [errorcode.Page]. It is made once, because the codes do not change while the function
// runs.
func errorsPage(files assets.Files) ([]byte, error) {
	page, err := files.Page(docsFiles, "docs/errors.html")
	if err != nil {
		return nil, err
	}
	before, after, hasMark := bytes.Cut(page, []byte(codesPlaceholder))
	if !hasMark {
		return nil, errors.New("docs/errors.html has no place for the codes")
	}
	var sections strings.Builder
	for _, d := range errorcode.All() {
		sections.WriteString(errorSection(d))
	}
	return slices.Concat(before, []byte(sections.String()), after), nil
}

// errorSection describes one code. Its ID is the code, so that the fragment of a problem's type finds it.
func errorSection(d errorcode.Description) string {
	return fmt.Sprintf("<section id=\"%s\" aria-labelledby=\"%[1]s-title\">\n"+
		"<h2 id=\"%[1]s-title\"><a href=\"#%[1]s\"><code>%[1]s</code></a> (%d)</h2>\n"+
		"<p>%s</p>\n<p><strong>What to do:</strong> %s</p>\n</section>\n", d.Code, d.Status, markup(d.Meaning),
		markup(d.Action))
}

var codeSpan = regexp.MustCompile("`([^`]+)`")

// markup returns a text as HTML, with <code> in place of backticks.
func markup(text string) string {
	return codeSpan.ReplaceAllString(html.EscapeString(text), "<code>$1</code>")
}
