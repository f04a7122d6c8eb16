package kind

import (
	"bytes"

	"portside/documents"
)

// refusal returns an ErrUnknown with a message that says what to send instead.
func refusal(message string) *documents.Error {
	return &documents.Error{Unsupported: true, Message: message}
}

var (
	errPicture = refusal("Pictures of this kind, such as TIFF, BMP and HEIC, cannot be read. Send a PNG, JPEG, GIF or WebP picture " +
		"where the service reads pictures.")
	errPacked    = refusal("Archives and compressed files cannot be read. Unpack the file and send what is in it.")
	errTransport = refusal("The file winmail.dat, in which Outlook wraps a mail, cannot be read. Ask the sender for the mail as .msg " +
		"or .eml, or for the files that are in it.")
	errOld = refusal("Documents of Office before 2007 and what else is in their container cannot be read. Save the document as .docx, " +
		".xlsx, .pptx or PDF.")
)

// transportMagic begins the file winmail.dat ([MS-OXTNEF]).
const transportMagic = "\x78\x9f\x3e\x22"

// packed are the first bytes of gzip, bzip2, xz, 7-Zip, RAR, Zstandard, LZ4, cabinet and ar files.
var packed = []string{
	"\x1f\x8b\x08", "BZh91AY&SY", "\xfd7zXZ\x00", "7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07", "\x28\xb5\x2f\xfd", "\x04\x22\x4d\x18",
	"MSCF\x00\x00\x00\x00", "!<arch>\n",
}

// isPacked reports whether the data begins as an archive or a compressed file. A tar file has its mark after the name
// of its first member. Without this check, an archive of uncompressed texts would look like text.
func isPacked(data []byte) bool {
	for _, magic := range packed {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	const tarAt = 257
	return len(data) > tarAt && bytes.HasPrefix(data[tarAt:], []byte("ustar")) && bytes.IndexByte(data[:tarAt], 0) > 0
}
