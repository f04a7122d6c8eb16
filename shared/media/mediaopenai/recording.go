package mediaopenai

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"

	"portside/shared/media"
)

// multipartForm is a form that has the recording in the middle, and does not hold it in memory.
type multipartForm struct {
	reader io.Reader
	size   int64
	kind   string
}

func formOf(r media.Recording, model string, how spoken) (multipartForm, error) {
	suffix, mediaType, err := r.Container() // servers tell what it is by the ending
	if err != nil {
		return multipartForm{}, err
	}
	var around bytes.Buffer
	w := multipart.NewWriter(&around)
	for _, field := range fieldsOf(r, model, how) {
		if err := w.WriteField(field[0], field[1]); err != nil {
			return multipartForm{}, fmt.Errorf("write a form: %w", err)
		}
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", `form-data; name="file"; filename="recording.`+suffix+`"`) // never the caller's name
	header.Set("Content-Type", mediaType)
	if _, err := w.CreatePart(header); err != nil {
		return multipartForm{}, fmt.Errorf("write a form: %w", err)
	}
	before := around.Len()
	if err := w.Close(); err != nil {
		return multipartForm{}, fmt.Errorf("write a form: %w", err)
	}
	parts := io.MultiReader(bytes.NewReader(around.Bytes()[:before]), io.NewSectionReader(r.File, 0, r.File.Size),
		bytes.NewReader(around.Bytes()[before:]))
	return multipartForm{parts, int64(around.Len()) + r.File.Size, w.FormDataContentType()}, nil
}

func fieldsOf(r media.Recording, model string, how spoken) [][2]string {
	fields := [][2]string{{"model", model}, {"temperature", "0"}, {"response_format", "json"}}
	if how.verbose {
		fields[2][1] = "verbose_json"
	}
	if r.Lang != "" {
		fields = append(fields, [2]string{"language", string(r.Lang)})
	}
	if how.prompt != "" {
		fields = append(fields, [2]string{"prompt", how.prompt})
	}
	return fields
}
