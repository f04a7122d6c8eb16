package kind

import (
	"encoding/binary"
	"unicode/utf16"

	"portside/documents"
)

// oleMagic begins an OLE container: a document of Office before 2007, or any encrypted Office document.
const oleMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// oleError returns ErrEncrypted for an encrypted document, and errOld for everything else in an OLE container.
func oleError(header []byte, file documents.Source) error {
	const headerSize, directoryAt = 512, 48
	if len(header) < headerSize {
		return documents.ErrDamaged
	}
	shift := binary.LittleEndian.Uint16(header[30:])
	if shift != 9 && shift != 12 {
		return documents.ErrDamaged
	}
	first := int64(binary.LittleEndian.Uint32(header[directoryAt:]))
	// The entry of an encrypted document is among the first, so two sectors are enough.
	sectors := make([]byte, 2<<shift)
	n, _ := file.ReadAt(sectors, (first+1)<<shift) // if the file is cut short, look at what there is
	for at := 0; at+128 <= n; at += 128 {
		if entryName(sectors[at:at+64]) == "EncryptedPackage" {
			return documents.ErrEncrypted
		}
	}
	return errOld
}

func entryName(raw []byte) string {
	units := make([]uint16, 0, 32)
	for i := 0; i+1 < len(raw); i += 2 {
		unit := binary.LittleEndian.Uint16(raw[i:])
		if unit == 0 {
			break
		}
		units = append(units, unit)
	}
	return string(utf16.Decode(units))
}
