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

// Picture is what a model was shown.
type Picture struct {
	MediaType     string
	Data          []byte
	Width, Height int    // of an image
	Words         string // that stand in it, as far as the test told; else what it is
	sums          [2][sha256.Size]byte
}

const wholePDF = "application/pdf"

var decoders = map[string]func(io.Reader) (image.Image, error){
	"image/png": png.Decode, "image/jpeg": jpeg.Decode, "image/gif": gif.Decode, "image/webp": webp.Decode,
}

// look decodes a picture as a service would that is going to show it to a model.
func look(mediaType string, data []byte) (Picture, error) {
	p := Picture{MediaType: mediaType, Data: data, sums: [2][sha256.Size]byte{sha256.Sum256(data)}}
	if mediaType == wholePDF {
		if !bytes.HasPrefix(data, []byte("%PDF-")) {
			return p, errors.New("the document is no PDF")
		}
		return p, nil
	}
	decode, known := decoders[mediaType]
	if !known {
		return p, fmt.Errorf("a picture is %q", mediaType)
	}
	shown, err := decode(bytes.NewReader(data))
	if err != nil {
		return p, fmt.Errorf("a picture is not the %s that it should be: %w", mediaType, err)
	}
	if moves(mediaType, data) {
		return p, errors.New("a picture moves")
	}
	p.Width, p.Height, p.sums[1] = shown.Bounds().Dx(), shown.Bounds().Dy(), sumOf(shown)
	return p, nil
}

func moves(mediaType string, data []byte) bool {
	if mediaType != "image/gif" {
		return false
	}
	all, err := gif.DecodeAll(bytes.NewReader(data))
	return err != nil || len(all.Image) > 1
}

// sumOf is the same for the same pixels, however they are stored.
func sumOf(m image.Image) [sha256.Size]byte {
	plain := image.NewNRGBA(image.Rect(0, 0, m.Bounds().Dx(), m.Bounds().Dy()))
	draw.Draw(plain, plain.Bounds(), m, m.Bounds().Min, draw.Src)
	return sha256.Sum256(fmt.Appendf(plain.Pix, "%v", plain.Bounds()))
}

// Show tells what stands in a picture or PDF, or in another file of the same pixels. Lines that begin with "# " are headings, with
// "- " items of a list; tabs make a row of a table, and "name: value" is a field.
func (s *server) Show(mediaType string, data []byte, words string) {
	p, err := look(mediaType, data)
	if err != nil {
		s.tb.Errorf("mediatest: nobody can see that: %v", err)
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

// wordsOf must be called with the lock.
func (s *server) wordsOf(p Picture) string {
	for _, sum := range p.sums {
		if words, known := s.words[sum]; known {
			return words
		}
	}
	return fmt.Sprintf("A picture of %d by %d pixels.", p.Width, p.Height)
}

// seenBlock is one of the answer's.
type seenBlock struct {
	Kind  string   `json:"kind"`
	Text  string   `json:"text"`
	Cells []string `json:"cells"`
}

// shown are the words of all that the prompt shows.
func (p Prompt) shown() string {
	var words []string
	for _, seen := range p.Seen {
		words = append(words, seen.Words)
	}
	return strings.Join(words, "\n")
}

// transcribed are the words as blocks.
func (p Prompt) transcribed() []seenBlock {
	all := []seenBlock{}
	for line := range strings.Lines(p.shown()) {
		line = strings.TrimSuffix(line, "\n")
		name, value, paired := strings.Cut(line, ": ")
		b := seenBlock{Kind: "paragraph", Text: line, Cells: []string{}}
		switch {
		case strings.HasPrefix(line, "# "):
			b.Kind, b.Text = "heading", line[2:]
		case strings.HasPrefix(line, "- "):
			b.Kind, b.Text = "list item", line[2:]
		case strings.Contains(line, "\t"):
			b = seenBlock{"row", "", strings.Split(line, "\t")}
		case paired:
			b = seenBlock{"field", "", []string{name, value}}
		}
		all = append(all, b)
	}
	return all
}

// chatContent is what a message says: a text, or parts.
type chatContent struct {
	Text     string
	Pictures []Picture
}

// UnmarshalJSON takes both forms, and nothing else.
func (c *chatContent) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, &c.Text)
	}
	var parts []chatPart
	if err := strict(data, &parts); err != nil {
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
		return fmt.Errorf("a part of the type %q is none, or another, or a second text", part.Type)
	case !slices.Contains([]string{"auto", "low", "high"}, part.ImageURL.Detail):
		return fmt.Errorf("the detail %q", part.ImageURL.Detail)
	}
	head, encoded, _ := strings.Cut(part.ImageURL.URL, ",")
	mediaType, based := strings.CutSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	data, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !strings.HasPrefix(head, "data:") || !based || err != nil || mediaType == wholePDF {
		return fmt.Errorf("the address of a picture, %.30s, is no data of one", part.ImageURL.URL)
	}
	p, err := look(mediaType, data)
	c.Pictures = append(c.Pictures, p)
	return err
}
