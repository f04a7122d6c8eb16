package mediatest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"slices"
	"strings"

	"golang.org/x/image/webp"
)

// Picture is a picture of a prompt.
type Picture struct {
	MediaType     string
	Data          []byte
	Width, Height int    // of an image
	Words         string // text that the test has set; otherwise the size of the picture
	sums          [2][sha256.Size]byte
}

const pdfType = "application/pdf"

var decoders = map[string]func(io.Reader) (image.Image, error){
	"image/png": png.Decode, "image/jpeg": jpeg.Decode, "image/gif": gif.Decode, "image/webp": webp.Decode,
}

// decodePicture decodes a picture as the services do.
func decodePicture(mediaType string, data []byte) (Picture, error) {
	p := Picture{MediaType: mediaType, Data: data, sums: [2][sha256.Size]byte{sha256.Sum256(data)}}
	if mediaType == pdfType {
		if !bytes.HasPrefix(data, []byte("%PDF-")) {
			return p, errors.New("the document is not a PDF")
		}
		return p, nil
	}
	decode, isKnown := decoders[mediaType]
	if !isKnown {
		return p, fmt.Errorf("the type of a picture is %q", mediaType)
	}
	decoded, err := decode(bytes.NewReader(data))
	if err != nil {
		return p, fmt.Errorf("a picture is not a valid %s: %w", mediaType, err)
	}
	if isAnimated(mediaType, data) {
		return p, errors.New("a picture is animated")
	}
	p.Width, p.Height, p.sums[1] = decoded.Bounds().Dx(), decoded.Bounds().Dy(), pixelSum(decoded)
	return p, nil
}

func isAnimated(mediaType string, data []byte) bool {
	if mediaType != "image/gif" {
		return false
	}
	all, err := gif.DecodeAll(bytes.NewReader(data))
	return err != nil || len(all.Image) > 1
}

// pixelSum returns the same checksum for the same pixels, whatever the format of the file.
func pixelSum(m image.Image) [sha256.Size]byte {
	plain := image.NewNRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(plain, plain.Bounds(), m, m.Bounds().Min, draw.Src)
	return sha256.Sum256(fmt.Appendf(plain.Pix, "%v", plain.Bounds()))
}

// SetPictureText sets the text of a picture or PDF, and of other files with the same pixels. Lines
// that begin with "# " are headings, those with "- " items of a list; a line with tabs is a row of a
// table, and "name: value" is a field.
func (s *server) SetPictureText(mediaType string, data []byte, words string) {
	p, err := decodePicture(mediaType, data)
	if err != nil {
		s.tb.Errorf("mediatest: the picture cannot be decoded: %v", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.words == nil {
		s.words = map[[sha256.Size]byte]string{}
	}
	for _, sum := range p.sums {
		if sum != ([sha256.Size]byte{}) {
			s.words[sum] = words
		}
	}
}

// wordsOf returns the text of a picture. The caller must hold the lock.
func (s *server) wordsOf(p Picture) string {
	for _, sum := range p.sums {
		if words, isSet := s.words[sum]; isSet {
			return words
		}
	}
	return fmt.Sprintf("A picture of %d by %d pixels.", p.Width, p.Height)
}

// pictureBlock is a block of an answer about a picture.
type pictureBlock struct {
	Kind  string   `json:"kind"`
	Text  string   `json:"text"`
	Cells []string `json:"cells"`
}

// pictureText returns the text of all pictures of the prompt.
func (p Prompt) pictureText() string {
	var words []string
	for _, seen := range p.Pictures {
		words = append(words, seen.Words)
	}
	return strings.Join(words, "\n")
}

// pictureBlocks returns the text of the pictures as blocks.
func (p Prompt) pictureBlocks() []pictureBlock {
	all := []pictureBlock{}
	for line := range strings.Lines(p.pictureText()) {
		line = strings.TrimSuffix(line, "\n")
		name, value, isField := strings.Cut(line, ": ")
		b := pictureBlock{Kind: "paragraph", Text: line, Cells: []string{}}
		switch {
		case strings.HasPrefix(line, "# "):
			b.Kind, b.Text = "heading", line[2:]
		case strings.HasPrefix(line, "- "):
			b.Kind, b.Text = "list item", line[2:]
		case strings.Contains(line, "\t"):
			b = pictureBlock{"row", "", strings.Split(line, "\t")}
		case isField:
			b = pictureBlock{"field", "", []string{name, value}}
		}
		all = append(all, b)
	}
	return all
}

// chatContent is the content of a message: a text, or parts.
type chatContent struct {
	Text     string
	Pictures []Picture
}

// UnmarshalJSON accepts only these two forms.
func (c *chatContent) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, &c.Text)
	}
	var parts []chatPart
	if err := decodeStrict(data, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		if err := c.add(part); err != nil {
			return err
		}
	}
	return nil
}

type chatPart struct {
	Type     string  `json:"type"`
	Text     *string `json:"text"`
	ImageURL *struct {
		URL    string `json:"url"`
		Detail string `json:"detail"`
	} `json:"image_url"`
}

func (c *chatContent) add(part chatPart) error {
	switch {
	case part.Type == "text" && part.Text != nil && part.ImageURL == nil && c.Text == "":
		c.Text = *part.Text
		return nil
	case part.Type != "image_url" || part.Text != nil || part.ImageURL == nil:
		return fmt.Errorf("a part of type %q is invalid, or a second text", part.Type)
	case !slices.Contains([]string{"auto", "low", "high"}, part.ImageURL.Detail):
		return fmt.Errorf("the detail %q", part.ImageURL.Detail)
	}
	head, encoded, _ := strings.Cut(part.ImageURL.URL, ",")
	mediaType, isBase64 := strings.CutSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	data, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !strings.HasPrefix(head, "data:") || !isBase64 || err != nil || mediaType == pdfType {
		return fmt.Errorf("the URL of a picture, %.30s, is not a data URL of a picture", part.ImageURL.URL)
	}
	p, err := decodePicture(mediaType, data)
	c.Pictures = append(c.Pictures, p)
	return err
}
