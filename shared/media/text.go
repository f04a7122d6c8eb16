package media

import (
	"bytes"
	"encoding/json"
	"fmt"

	"portside/documents"
)

// MaxTextBytes limits the texts in an answer, in bytes of JSON. A response of Lambda has at most 6 MB.
const MaxTextBytes = 1_000_000

// Text is the text that the service has read from a file. [Quote] has positions in it.
type Text struct {
	Blocks      []TextBlock `json:"blocks" doc:"Paragraphs, headings, table rows and the like, in reading order."`
	IsTruncated bool        `json:"isTruncated" doc:"Whether blocks at the end are missing, because the texts of an answer have at most 1 MB."`
}

// TextBlock is a block in the form in which clients see it.
type TextBlock struct {
	Text  string  `json:"text" doc:"The text of the block. Cells of a table row are joined by tabs." example:"Total\t1.234,50 €"`
	Start int     `json:"start" doc:"Position of the first character of the block in the text of the file." example:"405"`
	Page  int     `json:"page,omitempty" doc:"Page, slide, sheet or chapter, starting at 1; missing if the file has none." example:"1"`
	Time  float64 `json:"time,omitempty" doc:"In a recording, the time at which the block begins, in seconds." example:"12.5"`
}

// textsOf returns the texts of documents. They share the limit equally.
func textsOf(docs []*documents.Document) ([]Text, error) {
	texts := make([]Text, len(docs))
	for i, d := range docs {
		var err error
		if texts[i], err = textOfDocument(d, MaxTextBytes/len(docs)); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// textOfDocument returns the first blocks of a document whose JSON has at most maxBytes.
func textOfDocument(d *documents.Document, maxBytes int) (Text, error) {
	text := Text{Blocks: []TextBlock{}}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false) // as in responses
	for _, b := range d.Blocks {
		block := TextBlock{Text: b.Text, Start: d.CharactersBefore(b.Start), Page: b.Page, Time: b.Time.From}
		encoded.Reset()
		if err := encoder.Encode(block); err != nil {
			return Text{}, fmt.Errorf("encode a block: %w", err)
		}
		if maxBytes -= encoded.Len(); maxBytes < 0 { // with the line break, which is as long as a comma
			text.IsTruncated = true
			break
		}
		text.Blocks = append(text.Blocks, block)
	}
	return text, nil
}
