package mediatextract

import (
	"encoding/json"
	"fmt"

	"portside/documents/pdf/recognized"
)

// detectInput is the input of DetectDocumentText.
type detectInput struct {
	Document struct {
		Bytes []byte
	}
}

func encodeInput(data []byte) ([]byte, error) {
	var in detectInput
	in.Document.Bytes = data
	body, err := json.Marshal(in)
	if err != nil {
		return nil, fmt.Errorf("textract: encode a request: %w", err)
	}
	return body, nil
}

// detectOutput has the fields of the output of DetectDocumentText that this package uses.
type detectOutput struct {
	Blocks []textractBlock
}

// textractBlock is a page, a line or a word.
type textractBlock struct {
	ID         string `json:"Id"`
	BlockType  string
	Text       string
	Confidence float64 // from 0 to 100
	Geometry   struct {
		BoundingBox struct{ Left, Top, Width, Height float64 }
		Polygon     []recognized.Point
	}
	Relationships []struct {
		Type string
		IDs  []string `json:"Ids"`
	}
}

// decodeOutput returns the lines of an output. A page without text has none.
func decodeOutput(content []byte) ([]recognized.Line, error) {
	var out detectOutput
	if json.Unmarshal(content, &out) != nil || len(out.Blocks) == 0 { // even a picture without text has a PAGE block
		return nil, ErrJunk
	}
	words := map[string]*textractBlock{}
	for i := range out.Blocks {
		if b := &out.Blocks[i]; b.BlockType == "WORD" {
			words[b.ID] = b
		}
	}
	var lines []recognized.Line
	for i := range out.Blocks {
		if out.Blocks[i].BlockType != "LINE" {
			continue
		}
		if line := out.Blocks[i].line(words); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// line returns the words of a line, and deletes them from words. So a word that several lines name counts once, and the
// result cannot be larger than the response.
func (b *textractBlock) line(words map[string]*textractBlock) recognized.Line {
	var line recognized.Line
	for _, r := range b.Relationships {
		if r.Type != "CHILD" {
			continue
		}
		for _, id := range r.IDs {
			if w := words[id]; w != nil {
				line = append(line, w.word())
				delete(words, id)
			}
		}
	}
	return line
}

// word returns a word with its corners: those of its polygon, or of its bounding box if the polygon does not have four
// corners.
func (b *textractBlock) word() recognized.Word {
	const maxConfidence = 100
	w := recognized.Word{Text: b.Text, Doubt: float32(1 - fraction(b.Confidence/maxConfidence))}
	corners := b.Geometry.Polygon
	if len(corners) != len(w.Corners) {
		box := b.Geometry.BoundingBox
		right, bottom := box.Left+box.Width, box.Top+box.Height
		corners = []recognized.Point{{X: box.Left, Y: box.Top}, {X: right, Y: box.Top}, {X: right, Y: bottom}, {X: box.Left, Y: bottom}}
	}
	for i, c := range corners {
		w.Corners[i] = recognized.Point{X: fraction(c.X), Y: fraction(c.Y)}
	}
	return w
}

// fraction limits n to the range from 0 to 1.
func fraction(n float64) float64 { return min(max(n, 0), 1) }
