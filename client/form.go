package client

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/url"
)

// Form is a body with files. The zero value is an empty form.
type Form struct {
	parts []formPart
}

type formPart struct {
	name, fileName, text string
	isFile               bool
}

// Set adds a field.
func (f *Form) Set(name, value string) { f.parts = append(f.parts, formPart{name: name, text: value}) }

// SetFile adds a file. Its format is detected from its content.
func (f *Form) SetFile(name, fileName string, content []byte) {
	f.parts = append(f.parts, formPart{name: name, fileName: fileName, text: string(content), isFile: true})
}

func (f *Form) encode() (contentType string, text []byte, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, part := range f.parts {
		if err := part.write(w); err != nil {
			return "", nil, err
		}
	}
	err = w.Close()
	return w.FormDataContentType(), b.Bytes(), err
}

func (p formPart) write(w *multipart.Writer) error {
	if !p.isFile {
		return w.WriteField(p.name, p.text)
	}
	part, err := w.CreateFormFile(p.name, p.fileName)
	if err == nil {
		_, err = part.Write([]byte(p.text))
	}
	return err
}

// fieldsBody returns the payload of a body whose texts are the fields of a form without files.
func fieldsBody(value any) payload { return fieldsPayload{value} }

type fieldsPayload struct{ value any }

func (p fieldsPayload) encode() (contentType string, text []byte, err error) {
	encoded, err := json.Marshal(p.value)
	if err != nil {
		return "", nil, err
	}
	var members map[string]string
	if err := json.Unmarshal(encoded, &members); err != nil {
		return "", nil, err
	}
	fields := url.Values{}
	for name, member := range members {
		fields.Set(name, member)
	}
	return "application/x-www-form-urlencoded", []byte(fields.Encode()), nil
}
