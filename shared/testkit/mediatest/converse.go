package mediatest

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// contentBlock is a union: it has exactly one member.
type contentBlock struct {
	Text     *string `json:"text"`
	Image    *shown  `json:"image"`
	Document *shown  `json:"document"`
}

// shown is an image or a document.
type shown struct {
	Format string `json:"format"`
	Name   string `json:"name"`
	Source struct {
		Bytes []byte `json:"bytes"`
	} `json:"source"`
}

// What the service takes of one request.
const (
	mostImages        = 20
	mostDocuments     = 5
	mostImageBytes    = 3_750_000
	mostImagePixels   = 8_000
	mostDocumentBytes = 4_500_000
)

// neutral are names that the service lets a document have.
var neutral = regexp.MustCompile(`^[A-Za-z0-9()\[\]-]+(?: [A-Za-z0-9()\[\]-]+)*$`)

// content takes the blocks of a message apart.
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
			return "", nil, errors.New("a block has not one member, or is a second text")
		}
		p, err := b.look()
		if err != nil {
			return "", nil, err
		}
		seen = append(seen, p)
	}
	switch {
	case text == "":
		return "", nil, errors.New("there is no text, which a document must come with")
	case images > mostImages || documents > mostDocuments:
		return "", nil, fmt.Errorf("%d images and %d documents", images, documents)
	}
	return text, seen, nil
}

func (b contentBlock) look() (Picture, error) {
	if d := b.Document; d != nil {
		if d.Format != "pdf" || !neutral.MatchString(d.Name) || len(d.Source.Bytes) > mostDocumentBytes {
			return Picture{}, fmt.Errorf("a document %q of %d bytes in %q", d.Name, len(d.Source.Bytes), d.Format)
		}
		return look(wholePDF, d.Source.Bytes)
	}
	formats := []string{"png", "jpeg", "gif", "webp"}
	if i := b.Image; i.Name != "" || !slices.Contains(formats, i.Format) || len(i.Source.Bytes) > mostImageBytes {
		return Picture{}, fmt.Errorf("an image %q of %d bytes in %q", i.Name, len(i.Source.Bytes), i.Format)
	}
	p, err := look("image/"+b.Image.Format, b.Image.Source.Bytes)
	if err == nil && (p.Width > mostImagePixels || p.Height > mostImagePixels) {
		err = fmt.Errorf("an image of %d by %d pixels", p.Width, p.Height)
	}
	return p, err
}
