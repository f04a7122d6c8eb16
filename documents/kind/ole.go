package kind

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"portside/documents"
)

// oleMagic begins an OLE container: a document of Office before 2007, or any encrypted Office document.
const oleMagic = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// oleKind returns Mail for a mail that Outlook saved, ErrEncrypted for an encrypted document, and errOld for everything
// else in an OLE container.
func oleKind(header []byte, file documents.Source) (documents.Format, error) {
	const headerSize, directoryAt, entrySize = 512, 48, 128
	if len(header) < headerSize {
		return "", documents.ErrDamaged
	}
	shift := binary.LittleEndian.Uint16(header[30:])
	if shift != 9 && shift != 12 {
		return "", documents.ErrDamaged
	}
	first := int64(binary.LittleEndian.Uint32(header[directoryAt:]))
	// The entries of an encrypted document and of a mail are among the first, so two sectors are enough.
	sectors := make([]byte, 2<<shift)
	n, _ := file.ReadAt(sectors, (first+1)<<shift) // if the file is cut short, look at what there is
	for at := 0; at+entrySize <= n; at += entrySize {
		entry := sectors[at : at+entrySize]
		name := entryName(entry[:64])
		if isMailEntry(name) {
			return documents.Mail, nil
		}
		isEncrypted := streamMarks[name]
		if isEncrypted == nil {
			continue
		}
		const streamAt, sampled = 116, 4096
		stream := make([]byte, sampled)
		start := int64(binary.LittleEndian.Uint32(entry[streamAt:]))
		read, _ := file.ReadAt(stream, (start+1)<<shift)
		if isEncrypted(stream[:read]) {
			return "", documents.ErrEncrypted
		}
	}
	return "", errOld
}

// isMailEntry reports whether only mails have an entry with the name.
func isMailEntry(name string) bool {
	return strings.HasPrefix(name, "__substg1.0_") || strings.HasPrefix(name, "__recip_version1.0_") ||
		name == "__nameid_version1.0" || name == "__properties_version1.0"
}

// streamMarks report, by the name of a stream, whether its beginning shows that the document is encrypted.
var streamMarks = map[string]func(stream []byte) bool{
	"EncryptedPackage": func([]byte) bool { return true },
	"EncryptedSummary": func([]byte) bool { return true }, // of a presentation
	"WordDocument":     isEncryptedWord,
	"Workbook":         isEncryptedWorkbook,
	"Book":             isEncryptedWorkbook,
}

// isEncryptedWord reads the flag fEncrypted in the header of a Word document.
func isEncryptedWord(stream []byte) bool {
	const magic, flagsAt, encrypted = 0xa5ec, 11, 1
	return len(stream) > flagsAt && binary.LittleEndian.Uint16(stream) == magic && stream[flagsAt]&encrypted != 0
}

// isEncryptedWorkbook looks for the record FILEPASS, which is among the first records of an encrypted workbook.
func isEncryptedWorkbook(stream []byte) bool {
	const head, beginOfFile, filePass, endOfFile = 4, 0x0809, 0x2f, 0x0a
	for i, at := 0, 0; at+head <= len(stream); i++ {
		record := binary.LittleEndian.Uint16(stream[at:])
		switch {
		case record == filePass:
			return true
		case record == endOfFile, (i == 0) != (record == beginOfFile):
			return false
		}
		at += head + int(binary.LittleEndian.Uint16(stream[at+2:]))
	}
	return false
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
