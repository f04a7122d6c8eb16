// Package text reads the formats that are text: plain text, Markdown, HTML, CSV, JSON, XML, RTF, mail and subtitles.
//
// Each reader keeps the text that a person would see, with its headings, lists, tables and pairs of names and values.
// It leaves out what a person would not see, such as scripts, comments, hidden elements and deleted text, because
// attackers put words there that only a machine is meant to read.
//
// Files come from strangers, so every reader bounds its time and memory. It reads at most 32 MB, checks the context for
// every block, limits the depth of its recursion and the size of its trees, and returns ErrDamaged after a panic. The
// time is proportional to the size of the file. For this reason HTML is read from its tokens: a parser that follows the
// standard takes quadratic time to repair wrong nesting.
package text

import (
	"bytes"
	"context"
	"io"

	"portside/documents"
	"portside/documents/text/internal/mail"
	"portside/documents/text/internal/markdown"
	"portside/documents/text/internal/outlook"
	"portside/documents/text/internal/page"
	"portside/documents/text/internal/plain"
	"portside/documents/text/internal/rtf"
	"portside/documents/text/internal/tree"
	"portside/documents/text/internal/webpage"
)

var (
	_ documents.Reader = ReadText
	_ documents.Reader = ReadMarkdown
	_ documents.Reader = ReadHTML
	_ documents.Reader = ReadCSV
	_ documents.Reader = ReadJSON
	_ documents.Reader = ReadXML
	_ documents.Reader = ReadRTF
	_ documents.Reader = ReadMail
	_ documents.Reader = ReadCaptions
)

// ReadText reads plain text: paragraphs with wrapped lines joined, lists, headings, and tables that are laid out with
// tabs or spaces. Form feeds separate pages. It reads subtitles as ReadCaptions does.
func ReadText(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return page.Whole(page.New(ctx, into), file, plain.Read)
}

// ReadMarkdown reads Markdown as CommonMark defines it, with GitHub's tables, task lists and strikethrough. It keeps
// headings, lists with their numbers, tables, and code as paragraphs; front matter becomes Fields. Links keep their
// text, and images are left out. Embedded HTML is read as by ReadHTML. The title comes from the front matter, or from
// the first heading of level 1.
func ReadMarkdown(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return page.Whole(page.New(ctx, into), file, markdown.Read)
}

// ReadHTML reads what a browser would show of a page: the title, headings, paragraphs, lists, tables, and definitions
// as Fields. It leaves out scripts, styles and comments, and elements that an attribute, their own style or a simple
// rule of the page's style sheet hides.
func ReadHTML(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return page.Whole(page.New(ctx, into), file, webpage.Read)
}

// ReadCSV reads a table of values separated by commas, semicolons, tabs or bars, with double, single or no quotes. Rows
// may differ in length. The first row is the header if it looks like one. Lines with one value above the table, such as
// a title, are paragraphs. An empty line begins another table.
func ReadCSV(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return page.Whole(page.New(ctx, into), file, plain.ReadCSV)
}

// ReadJSON reads JSON, one value or one on each line. Each value becomes a Field, which has the path of keys as its
// name ("customer address city"). A list of objects with the same keys becomes a table. Numbers keep their notation. If
// the file is cut short, ReadJSON adds the part before the cut and returns ErrDamaged.
func ReadJSON(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return page.Whole(page.New(ctx, into), file, tree.ReadJSON)
}

// ReadXML reads any XML. Elements and attributes with a value become Fields, which have the path of element names
// without the root as their name. The business terms of an e-invoice come first, and their cells have the codes of the
// terms. Elements with text between child elements become Paragraphs. A run of equal elements becomes a table. It
// ignores document type definitions, so it expands only the five entities of XML.
func ReadXML(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return page.Whole(page.New(ctx, into), file, tree.ReadXML)
}

// ReadRTF reads Rich Text Format: paragraphs, headings by their outline level, lists and tables. It leaves out hidden
// and deleted text, pictures, and other content that is not shown. Headers, footers and notes become paragraphs.
func ReadRTF(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return page.Whole(page.New(ctx, into), file, rtf.Read)
}

// ReadMail reads a mail, a mailbox with several mails, or a mail that Outlook saved (.msg): sender, recipients, date and
// subject as Fields, then the plain text, or the HTML or rich text if there is no plain text, and forwarded mails. It
// does not read attachments, but names them in a warning.
func ReadMail(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return page.Whole(page.New(ctx, into), file, func(to page.Page, data []byte) error {
		if outlook.IsMail(data) {
			return outlook.Read(to, data)
		}
		return mail.Read(to, data)
	})
}

// ReadCaptions reads subtitles in WebVTT and SubRip. Each cue becomes a Caption with its time, and with the speaker's
// name if the file has it. A cue that repeats the text of the one before is left out.
func ReadCaptions(ctx context.Context, file documents.Source, into *documents.Builder) error {
	return page.Whole(page.New(ctx, into), file, plain.ReadCaptions)
}

// ReadXHTML reads a chapter of a book, which is XHTML. It numbers the items of ordered lists, as a reading device
// would, and ignores the title of the chapter, because the book has one.
func ReadXHTML(ctx context.Context, from io.Reader, into *documents.Builder) error {
	return webpage.ReadXHTML(page.New(ctx, into), from)
}

// ReadChunk reads a text that another file contains: RTF, a web archive (MHT), HTML or plain text. It recognizes the
// format by the content, and ignores the title of HTML.
func ReadChunk(ctx context.Context, data []byte, into *documents.Builder) error {
	const maxHead = 1 << 10
	head := bytes.ToLower(bytes.TrimLeft(data[:min(len(data), maxHead)], "\xef\xbb\xbf \t\r\n"))
	file := documents.FromBytes(data)
	switch {
	case bytes.HasPrefix(head, []byte(`{\rtf`)):
		return ReadRTF(ctx, file, into)
	case bytes.HasPrefix(head, []byte("mime-version:")), bytes.HasPrefix(head, []byte("from:")):
		return ReadMail(ctx, file, into)
	case bytes.HasPrefix(head, []byte("<")):
		return page.Whole(page.New(ctx, into), file, webpage.ReadUntitled)
	}
	return ReadText(ctx, file, into)
}

// AddEmbeddedInvoice adds the terms and lines of an e-invoice that another file contains, with a warning that says so.
// It adds nothing if the XML is damaged, too large or no e-invoice. Errors: those of the Builder and the context.
func AddEmbeddedInvoice(ctx context.Context, data []byte, into *documents.Builder) error {
	return tree.AddEmbeddedInvoice(page.New(ctx, into), data)
}
