// Package outlook reads the files in which Outlook saves a mail (.msg).
package outlook

import (
	"bytes"

	"portside/documents/text/internal/page"
)

// IsMail reports whether the data begins as such a file.
func IsMail(data []byte) bool { return bytes.HasPrefix(data, []byte(containerMagic)) }

// Read reads a mail: its fields, then the plain text, or the HTML or rich text if there is no plain text, and forwarded
// mails. It names attachments in a warning.
func Read(to page.Page, data []byte) error {
	c, err := open(data)
	if err != nil {
		return err
	}
	const header = 32 // bytes
	m := c.message(c.entries[0], header, 0)
	err = m.write(to, 0)
	to.Into.LeaveOutFiles(m.names())
	return err
}
