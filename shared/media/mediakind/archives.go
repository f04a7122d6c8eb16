package mediakind

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"portside/shared/media"
)

// Bounds of what is read of an archive: its directory, and each member that tells the kind.
const (
	maxDirectory = 4 << 20
	maxMember    = 64 << 10
)

// archive is a zip file with its members by name. Of two with one name the first counts.
type archive struct {
	members map[string]*zip.File
}

func zipKind(file media.Source, limits media.Limits) (media.Format, error) {
	bounded := &bounded{source: file, left: maxDirectory + 3*maxMember}
	read, err := zip.NewReader(bounded, file.Size)
	switch {
	case bounded.left < 0, err == nil && len(read.File) > limits.Objects:
		return "", media.ErrTooMuch
	case err != nil:
		return "", media.ErrDamaged
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

func (a archive) kind() (media.Format, error) {
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
		return media.EPUB, nil
	}
	if a.members[manifestXML] != nil {
		return a.openDocument("")
	}
	return "", media.ErrUnknown
}

const (
	contentTypes = "[Content_Types].xml"
	containerXML = "META-INF/container.xml"
	manifestXML  = "META-INF/manifest.xml"
)

// openDocuments are the kinds of OpenDocument, each as a document; a template ends in "-template".
var openDocuments = map[string]media.Format{
	"application/vnd.oasis.opendocument.text":         media.ODT,
	"application/vnd.oasis.opendocument.spreadsheet":  media.ODS,
	"application/vnd.oasis.opendocument.presentation": media.ODP,
}

func (a archive) declared(mediaType string) (media.Format, error) {
	if mediaType == "application/epub+zip" {
		if a.members[containerXML] == nil {
			return "", media.ErrUnknown
		}
		return media.EPUB, nil
	}
	return a.openDocument(mediaType)
}

// openDocument reads the manifest, which says what is encrypted, and what the whole is where the member mimetype is missing.
func (a archive) openDocument(mediaType string) (media.Format, error) {
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
		return "", media.ErrUnknown
	case bytes.Contains(manifest, []byte("encryption-data")):
		return "", media.ErrEncrypted
	}
	return format, nil
}

// rootType is the media type that a manifest gives the package itself.
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

// mainParts end the content types of the part that holds the document: documents, templates and shows, with macros or without.
var mainParts = map[string]media.Format{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml":   media.DOCX,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml":   media.DOCX,
	"application/vnd.ms-word.document.macroenabled.main+xml":                             media.DOCX,
	"application/vnd.ms-word.template.macroenabledtemplate.main+xml":                     media.DOCX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml":         media.XLSX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml":      media.XLSX,
	"application/vnd.ms-excel.sheet.macroenabled.main+xml":                               media.XLSX,
	"application/vnd.ms-excel.template.macroenabled.main+xml":                            media.XLSX,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml": media.PPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.template.main+xml":     media.PPTX,
	"application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml":    media.PPTX,
	"application/vnd.ms-powerpoint.presentation.macroenabled.main+xml":                   media.PPTX,
	"application/vnd.ms-powerpoint.template.macroenabled.main+xml":                       media.PPTX,
	"application/vnd.ms-powerpoint.slideshow.macroenabled.main+xml":                      media.PPTX,
}

// usualParts are where the document is when its type is only a default for all XML.
var usualParts = map[media.Format]string{
	media.DOCX: "word/document.xml", media.XLSX: "xl/workbook.xml", media.PPTX: "ppt/presentation.xml",
}

// officeOpen takes the first main part that is also there.
func (a archive) officeOpen() (media.Format, error) {
	types, err := a.read(contentTypes)
	if err != nil {
		return "", err
	}
	var found media.Format
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
		return "", media.ErrUnknown
	}
	return found, nil
}

// read returns the beginning of a member.
func (a archive) read(name string) ([]byte, error) {
	member := a.members[name]
	if member.Flags&1 != 0 {
		return nil, media.ErrEncrypted
	}
	content, err := member.Open()
	if err != nil {
		return nil, media.ErrDamaged
	}
	defer content.Close()
	data, err := io.ReadAll(io.LimitReader(content, maxMember))
	if err != nil && len(data) == 0 {
		return nil, media.ErrDamaged
	}
	return data, nil
}

// eachElement calls f for the start of each element until it returns false or the XML ends or breaks.
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

var errBound = errors.New("more was read than is needed to tell the kind")

// bounded lets only so much of a file be read. Below zero it was refused.
type bounded struct {
	source media.Source
	left   int64
}

// ReadAt reads as the file does, until the bound.
func (b *bounded) ReadAt(p []byte, at int64) (int, error) {
	if b.left < int64(len(p)) {
		b.left = -1
		return 0, errBound
	}
	n, err := b.source.ReadAt(p, at)
	b.left -= int64(n)
	return n, err
}
