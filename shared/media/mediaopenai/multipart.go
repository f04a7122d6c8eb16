package mediaopenai

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"

	"portside/shared/media"
)

// multipartForm is a form that contains a recording without holding it in memory.
type multipartForm struct {
	reader      io.Reader
	size        int64
	contentType string
}

func newForm(r media.Recording, model string, s speechRequest) (multipartForm, error) {
	extension, mediaType, err := r.Container() // servers detect the format by the extension
	if err != nil {
		return multipartForm{}, err
	}
	var frame bytes.Buffer
	w := multipart.NewWriter(&frame)
	for _, field := range formFields(r, model, s) {
		if err := w.WriteField(field[0], field[1]); err != nil {
			return multipartForm{}, fmt.Errorf("write a form: %w", err)
		}
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", `form-data; name="file"; filename="recording.`+extension+`"`) // not the name that the client gave
	header.Set("Content-Type", mediaType)
	if _, err := w.CreatePart(header); err != nil {
		return multipartForm{}, fmt.Errorf("write a form: %w", err)
	}
	before := frame.Len()
	if err := w.Close(); err != nil {
		return multipartForm{}, fmt.Errorf("write a form: %w", err)
	}
	parts := io.MultiReader(bytes.NewReader(frame.Bytes()[:before]), io.NewSectionReader(r.File, 0, r.File.Size),
		bytes.NewReader(frame.Bytes()[before:]))
	return multipartForm{parts, int64(frame.Len()) + r.File.Size, w.FormDataContentType()}, nil
}

func formFields(r media.Recording, model string, s speechRequest) [][2]string {
	fields := [][2]string{{"model", model}, {"temperature", "0"}, {"response_format", "json"}}
	if s.verbose {
		fields[2][1] = "verbose_json"
	}
	if r.Lang != "" {
		fields = append(fields, [2]string{"language", string(r.Lang)})
	}
	if s.prompt != "" {
		fields = append(fields, [2]string{"prompt", s.prompt})
	}
	return fields
}
