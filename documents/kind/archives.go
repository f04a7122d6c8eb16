package kind

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"portside/documents"
)

// Bounds of an archive: bytes of its directory, and of each member that is read.
const (
	maxDirectory = 4 << 20
	maxMember    = 64 << 10
)

// archive holds the members of a zip file by name. If two have the same name, the first counts.
type archive struct {
	members map[string]*zip.File
}

func zipKind(file documents.Source, limits documents.Limits) (documents.Format, error) {
	bounded := &bounded{source: file, left: maxDirectory + 3*maxMember}
	read, err := zip.NewReader(bounded, file.Size)
	switch {
	case bounded.left < 0, err == nil && len(read.File) > limits.Objects:
		return "", documents.ErrTooMuch
	case err != nil:
		return "", documents.ErrDamaged
	}
	a := archive{members: make(map[string]*zip.File, len(read.File))}
	for _, f := range read.File {
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		if a.members[name] == nil {
			a.members[name] = f
		}
	}
	return a.kind()
}

func (a archive) kind() (documents.Format, error) {
	if a.members["mimetype"] != nil {
		declared, err := a.read("mimetype")
		if err != nil {
			return "", err
		}
		return a.declared(string(bytes.TrimSpace(declared)))
	}
	if a.members[contentTypes] != nil {
		return a.officeOpen()
	}
	if a.members[containerXML] != nil {
		return documents.EPUB, nil
	}
	if a.members[manifestXML] != nil {
		return a.openDocument("")
	}
	return "", documents.ErrUnknown
}

const (
	contentTypes = "[Content_Types].xml"
	containerXML = "META-INF/container.xml"
	manifestXML  = "META-INF/manifest.xml"
)

// openDocuments are the media types of OpenDocument files. That of a template has the suffix "-template".
var openDocuments = map[string]documents.Format{
	"application/vnd.oasis.opendocument.text":         documents.ODT,
	"application/vnd.oasis.opendocument.spreadsheet":  documents.ODS,
	"application/vnd.oasis.opendocument.presentation": documents.ODP,
}

func (a archive) declared(mediaType string) (documents.Format, error) {
	if mediaType == "application/epub+zip" {
		if a.members[containerXML] == nil {
			return "", documents.ErrUnknown
		}
		return documents.EPUB, nil
	}
	return a.openDocument(mediaType)
}

// openDocument reads the manifest. It says which members are encrypted, and the media type if the archive has no member
// mimetype.
func (a archive) openDocument(mediaType string) (documents.Format, error) {
	var manifest []byte
	if a.members[manifestXML] != nil {
		var err error
		if manifest, err = a.read(manifestXML); err != nil {
			return "", err
		}
	}
	if mediaType == "" {
		mediaType = rootType(manifest)
	}
	format, ok := openDocuments[strings.TrimSuffix(mediaType, "-template")]
	switch {
	case !ok, a.members["content.xml"] == nil && a.members["encrypted-package"] == nil:
		return "", documents.ErrUnknown
	case bytes.Contains(manifest, []byte("encryption-data")):
		return "", documents.ErrEncrypted
	}
	return format, nil
}

// rootType returns the media type of the whole package from a manifest.
func rootType(manifest []byte) string {
	found := ""
	eachElement(manifest, func(e xml.StartElement) bool {
		if e.Name.Local == "file-entry" && attribute(e, "full-path") == "/" {
			found = attribute(e, "media-type")
		}
		return found == ""
	})
	return found
}

// mainParts are suffixes of the content type of the main part: documents, templates and slide shows, with or without
// macros.
var mainParts = map[string]documents.Format{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml":   documents.DOCX,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml":   documents.DOCX,
	"application/vnd.ms-word.document.macroenabled.main+xml":                             documents.DOCX,
	"application/vnd.ms-word.template.macroenabledtemplate.main+xml":                     documents.DOCX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml":         documents.XLSX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml":      documents.XLSX,
	"application/vnd.ms-excel.sheet.macroenabled.main+xml":                               documents.XLSX,
	"application/vnd.ms-excel.template.macroenabled.main+xml":                            documents.XLSX,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml": documents.PPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.template.main+xml":     documents.PPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml":    documents.PPTX,
	"application/vnd.ms-powerpoint.presentation.macroenabled.main+xml":                   documents.PPTX,
	"application/vnd.ms-powerpoint.template.macroenabled.main+xml":                       documents.PPTX,
	"application/vnd.ms-powerpoint.slideshow.macroenabled.main+xml":                      documents.PPTX,
}

// usualParts are the usual names of the main part, for archives that declare its type only as the default for XML.
var usualParts = map[documents.Format]string{
	documents.DOCX: "word/document.xml", documents.XLSX: "xl/workbook.xml", documents.PPTX: "ppt/presentation.xml",
}

// officeOpen returns the format of the first main part that the archive declares and contains.
func (a archive) officeOpen() (documents.Format, error) {
	types, err := a.read(contentTypes)
	if err != nil {
		return "", err
	}
	var found documents.Format
	eachElement(types, func(e xml.StartElement) bool {
		format := mainParts[strings.ToLower(attribute(e, "ContentType"))]
		part := usualParts[format]
		if e.Name.Local == "Override" {
			part = strings.TrimPrefix(attribute(e, "PartName"), "/")
		}
		if format != "" && a.members[part] != nil {
			found = format
		}
		return found == ""
	})
	if found == "" {
		return "", documents.ErrUnknown
	}
	return found, nil
}

// read returns the first maxMember bytes of a member.
func (a archive) read(name string) ([]byte, error) {
	member := a.members[name]
	if member.Flags&1 != 0 {
		return nil, documents.ErrEncrypted
	}
	content, err := member.Open()
	if err != nil {
		return nil, documents.ErrDamaged
	}
	defer content.Close()
	data, err := io.ReadAll(io.LimitReader(content, maxMember))
	if err != nil && len(data) == 0 {
		return nil, documents.ErrDamaged
	}
	return data, nil
}

// eachElement calls f for each start tag, until f returns false or the XML ends or is malformed.
func eachElement(data []byte, f func(xml.StartElement) bool) {
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := d.RawToken()
		if err != nil {
			return
		}
		if e, ok := token.(xml.StartElement); ok && !f(e) {
			return
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

var errBound = errors.New("detecting the format needs more of the file than is read")

// bounded limits how many bytes of a file are read. After it refused a read, left is negative.
type bounded struct {
	source documents.Source
	left   int64
}

// ReadAt implements io.ReaderAt.
func (b *bounded) ReadAt(p []byte, at int64) (int, error) {
	if b.left < int64(len(p)) {
		b.left = -1
		return 0, errBound
	}
	n, err := b.source.ReadAt(p, at)
	b.left -= int64(n)
	return n, err
}
