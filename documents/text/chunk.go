package text

import (
	"bytes"
	"context"
	"strings"

	"portside/documents"
	"portside/documents/charset"
)

// ReadChunk reads a text that another file contains: RTF, a web archive (MHT), HTML or plain text, which it tells apart by the content.
// The title of a page of HTML does not become that of the document.
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
		return whole(page{ctx, into}, file, func(to page, data []byte) error {
			return readPage(to, strings.NewReader(charset.Decode(data, charset.Declared(data))), pageOptions{ignoreTitle: true})
		})
	}
	return ReadText(ctx, file, into)
}
