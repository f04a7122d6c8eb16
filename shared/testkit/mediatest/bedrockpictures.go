package mediatest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// contentBlock is a union with exactly one member.
type contentBlock struct {
	Text     *string     `json:"text"`
	Image    *attachment `json:"image"`
	Document *attachment `json:"document"`
}

// attachment is an image or a document.
type attachment struct {
	Format string `json:"format"`
	Name   string `json:"name"`
	Source struct {
		Bytes []byte `json:"bytes"`
	} `json:"source"`
}

// Limits of the service for one request.
const (
	maxImages        = 20
	maxDocuments     = 5
	maxImageBytes    = 3_750_000
	maxImagePixels   = 8_000
	maxDocumentBytes = 4_500_000
)

// documentNamePattern matches the names that the service accepts for a document.
var documentNamePattern = regexp.MustCompile(`^[A-Za-z0-9()\[\]-]+(?: [A-Za-z0-9()\[\]-]+)*$`)

// content returns the text and the pictures of a message.
func content(blocks []contentBlock) (text string, seen []Picture, err error) {
	images, documents := 0, 0
	for _, b := range blocks {
		switch {
		case b.Text != nil && b.Image == nil && b.Document == nil && text == "":
			text = *b.Text
			continue
		case b.Image != nil && b.Text == nil && b.Document == nil:
			images++
		case b.Document != nil && b.Text == nil && b.Image == nil:
			documents++
		default:
			return "", nil, errors.New("a block does not have exactly one member, or is a second text")
		}
		p, err := b.decode()
		if err != nil {
			return "", nil, err
		}
		seen = append(seen, p)
	}
	switch {
	case text == "":
		return "", nil, errors.New("there is no text, which the service requires beside a document")
	case images > maxImages || documents > maxDocuments:
		return "", nil, fmt.Errorf("%d images and %d documents", images, documents)
	}
	return text, seen, nil
}

func (b contentBlock) decode() (Picture, error) {
	if d := b.Document; d != nil {
		if d.Format != "pdf" || !documentNamePattern.MatchString(d.Name) || len(d.Source.Bytes) > maxDocumentBytes {
			return Picture{}, fmt.Errorf("a document %q of %d bytes in %q", d.Name, len(d.Source.Bytes), d.Format)
		}
		return decodePicture(pdfType, d.Source.Bytes)
	}
	formats := []string{"png", "jpeg", "gif", "webp"}
	if i := b.Image; i.Name != "" || !slices.Contains(formats, i.Format) || len(i.Source.Bytes) > maxImageBytes {
		return Picture{}, fmt.Errorf("an image %q of %d bytes in %q", i.Name, len(i.Source.Bytes), i.Format)
	}
	p, err := decodePicture("image/"+b.Image.Format, b.Image.Source.Bytes)
	if err == nil && (p.Width > maxImagePixels || p.Height > maxImagePixels) {
		err = fmt.Errorf("an image of %d by %d pixels", p.Width, p.Height)
	}
	return p, err
}
