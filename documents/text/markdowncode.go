package text

import (
	"strconv"
	"strings"

	"golang.org/x/net/html/atom"

	"portside/documents"
)

// codeIndent is how far a line has to be indented to be code. In a list, what is indented less goes on with an item.
func (m *markdown) codeIndent() int {
	const indent, item = 4, 4
	if n := len(m.text.indents); n > 0 {
		return m.text.indents[n-1] + item + indent
	}
	return indent
}

// indentedCode reads on to the first line that is indented less.
func (m *markdown) indentedCode() error {
	indent, begin, end := m.codeIndent(), m.at, m.at+1
	for m.at++; m.at < m.lines.count(); m.at++ {
		line := m.lines.line(m.at)
		if m.quoted {
			line = line[len(mdQuote().FindString(line)):]
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if indentOf(line) < indent {
			break
		}
		m.lines.unquote(m.at)
		end = m.at + 1
	}
	return m.text.to.add(documents.Block{Kind: documents.Paragraph, Text: strings.Join(m.lines.between(begin, end), "\n")})
}

// Code is said letter by letter: what looks like a mark, an entity or an element in it is none. So it is taken out of a text
// before anything else looks at that, with a mark in its place, and put back at the end.

const codeMark = "\x02"

// reserved takes those characters out of a text that stand for something here. No document has them, as Clean drops them too.
var reserved = strings.NewReplacer(breakMark, "", codeMark, "")

// withoutCode returns the text with marks for its code spans, and what is in them.
func withoutCode(text string) (rest string, codes []string) {
	text = reserved.Replace(text)
	if !strings.Contains(text, "`") {
		return text, nil
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		n := 1
		switch {
		case text[i] == '\\' && i+1 < len(text):
			n = 2
		case text[i] == '`':
			n = runLength(text, i)
			if size := codeSize(text[i+n:], n); size >= 0 {
				out.WriteString(codeMark + strconv.Itoa(len(codes)) + codeMark)
				codes = append(codes, strings.ReplaceAll(text[i+n:i+n+size], "\n", " "))
				i += size + 2*n
				continue
			}
		}
		out.WriteString(text[i : i+n])
		i += n
	}
	return out.String(), codes
}

// codeSize is how much comes before the next row of exactly n ticks; -1 where there is none near enough.
func codeSize(text string, n int) int {
	const farthest = 2000
	for i := 0; i < min(len(text), farthest); {
		at := strings.IndexByte(text[i:min(len(text), farthest)], '`')
		if at < 0 {
			return -1
		}
		i += at
		length := runLength(text, i)
		if length == n {
			return i
		}
		i += length
	}
	return -1
}

// withCode puts the code back. Some of it may be gone, with the picture or link that it was in.
func withCode(text string, codes []string) string {
	if len(codes) == 0 {
		return text
	}
	parts := strings.Split(text, codeMark)
	for i := 1; i < len(parts); i += 2 {
		if n, err := strconv.Atoi(parts[i]); err == nil && n < len(codes) {
			parts[i] = codes[n]
		}
	}
	return strings.Join(parts, "")
}

// isInline are the elements within a text, beside those of isBlock, isUnseen and isVoid.
var isInline = set(atom.A, atom.Abbr, atom.Acronym, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Button, atom.Cite, atom.Code,
	atom.Colgroup, atom.Data, atom.Del, atom.Dfn, atom.Em, atom.Font, atom.I, atom.Ins, atom.Kbd, atom.Label, atom.Map, atom.Mark,
	atom.Math, atom.Meter, atom.Nobr, atom.Optgroup, atom.Option, atom.Output, atom.Picture, atom.Progress, atom.Q, atom.Rp,
	atom.Rt, atom.Ruby, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strike, atom.Strong, atom.Sub, atom.Sup, atom.Svg,
	atom.Textarea, atom.Time, atom.Tt, atom.U, atom.Var)

// withoutTag is what a text says in place of something in angle brackets: nothing for an element or a comment, and the words
// themselves where they are no HTML, as a <name> that a reader is to put in.
func withoutTag(found string) string {
	name := strings.Trim(found, "</>")
	if end := strings.IndexAny(name, " \t\n"); end >= 0 {
		name = name[:end]
	}
	tag := atom.Lookup([]byte(strings.ToLower(name)))
	if strings.HasPrefix(found, "<!") || strings.Contains(found, "=") || isInline[tag] || isBlock[tag] || isUnseen[tag] || isVoid[tag] {
		return ""
	}
	return found
}
