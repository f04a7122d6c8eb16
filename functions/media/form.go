package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"slices"
	"strings"
	"unicode/utf8"

	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/jobs"
	"portside/shared/web"
)

// Limits of a form.
const (
	// maxFormBytes is a little less than an event of Lambda can carry, so that a client whose form is
	// slightly larger still learns from us where to send it.
	maxFormBytes      = 4_400_000
	maxParts          = 330 // 100 variables of three fields, the settings and the files
	maxFieldBytes     = 64 << 10
	maxModelBytes     = 256 << 10
	maxFieldNameBytes = 200
)

// uploadIDSuffix ends the name of the field that has the ID of an upload in place of a file.
const uploadIDSuffix = "_upload_id"

// form is the form of a request. Its files are on the disk until close.
type form struct {
	fields map[string]string
	files  map[string][]jobs.RequestFile // files and uploads by file field, in the order of the form
	// settingErr is the first failure of a setting. A field model makes it irrelevant.
	settingErr error
	closers    []func()
}

// readForm reads the form of the request that ctx belongs to, part by part while it arrives. Errors
// say what the client did wrong first.
func readForm(ctx context.Context, fileFields []string) (*form, error) {
	parts, err := web.Form(ctx)
	if err != nil {
		return nil, err
	}
	f := &form{fields: map[string]string{}, files: map[string][]jobs.RequestFile{}}
	if err := f.readParts(parts, fileFields); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *form) readParts(parts *multipart.Reader, fileFields []string) error {
	for i := 0; ; i++ {
		part, err := parts.NextPart()
		switch {
		case err == io.EOF: // not errors.Is: a wrapped EOF means that the body ends before the form does
			return f.checkSettings()
		case errors.Is(err, io.EOF) && i == 0:
			return invalid("", "is not a readable form: it is empty, or it does not contain the boundary that Content-Type names")
		case err != nil:
			return invalid("", "is not a readable form: it is cut short, or its boundaries are wrong")
		}
		if i == maxParts && f.settingErr == nil {
			f.settingErr = invalid("", "has more than %d parts", maxParts)
		}
		if err := f.readPart(part, fileFields); err != nil {
			return err
		}
	}
}

// checkSettings returns the first failure of a setting, unless there is a model, which may come
// after the setting.
func (f *form) checkSettings() error {
	if f.hasModel() {
		return nil
	}
	return f.settingErr
}

func (f *form) hasModel() bool {
	_, ok := f.fields[media.ModelField]
	return ok
}

func (f *form) readPart(part *multipart.Part, fileFields []string) error {
	name := part.FormName()
	switch {
	case slices.Contains(fileFields, name):
		return f.readFile(name, part)
	case part.FileName() != "":
		return invalid(media.Pointer(name), "must not be a file; send the file as %s", fileFields[0])
	case name == media.ModelField:
		return f.readField(name, part)
	}
	if field := uploadField(name, fileFields); field != "" {
		return f.readUploadID(field, part)
	}
	if f.settingErr == nil && !f.hasModel() {
		f.settingErr = f.readSetting(name, part)
	}
	return nil
}

// uploadField returns the file field in whose place a field has the ID of an upload, or "". For clients that keep the
// name that the upload has in its response, uploadId means the same as file_upload_id, and uploadId1 the same as
// file1_upload_id.
func uploadField(name string, fileFields []string) string {
	for _, field := range fileFields {
		if name == field+uploadIDSuffix || name == "uploadId"+strings.TrimPrefix(field, fileField) {
			return field
		}
	}
	return ""
}

// readSetting reads a field that is ignored if there is a model.
func (f *form) readSetting(name string, part *multipart.Part) error {
	if name == "" || len(name) > maxFieldNameBytes || !utf8.ValidString(name) {
		return invalid("", "has a part without a valid name of at most %d bytes", maxFieldNameBytes)
	}
	return f.readField(name, part)
}

func (f *form) readField(name string, part *multipart.Part) error {
	if _, isSet := f.fields[name]; isSet {
		return invalid(media.Pointer(name), "must be sent only once")
	}
	maxBytes := maxFieldBytes
	if name == media.ModelField {
		maxBytes = maxModelBytes
	}
	text, err := readText(name, part, maxBytes)
	f.fields[name] = text
	return err
}

// readText returns the text of a field.
func readText(name string, part *multipart.Part, maxBytes int) (string, error) {
	text, err := io.ReadAll(io.LimitReader(part, int64(maxBytes)+1))
	switch {
	case err != nil:
		return "", invalid(media.Pointer(name), "is cut short")
	case len(text) > maxBytes:
		return "", invalid(media.Pointer(name), "must have at most %d KB", maxBytes>>10)
	}
	return string(text), nil
}

// readFile copies a file to the disk. A failure of the disk is an internal error.
func (f *form) readFile(name string, part *multipart.Part) error {
	if part.FileName() == "" && part.Header.Get("Content-Type") == "" {
		return invalid(media.Pointer(name), "must be a file: a part with a filename, or a Content-Type; with curl, -F %s=@lease.txt", name)
	}
	file, closeFile, err := media.Spool(part)
	switch {
	case errors.Is(err, media.ErrIncomplete):
		return invalid(media.Pointer(name), "is cut short")
	case err != nil:
		return fmt.Errorf("store a file of the form: %w", err)
	}
	f.closers = append(f.closers, closeFile)
	return f.addFile(name, jobs.RequestFile{File: &file})
}

// readUploadID reads the ID of an upload that stands for a file of the field. An empty one is ignored.
func (f *form) readUploadID(field string, part *multipart.Part) error {
	text, err := readText(part.FormName(), part, maxFieldBytes)
	if id := strings.TrimSpace(text); err == nil && id != "" {
		return f.addFile(field, jobs.RequestFile{UploadID: id})
	}
	return err
}

// addFile adds a file of a field. The field file can have several, but a side of a comparison has one.
func (f *form) addFile(field string, file jobs.RequestFile) error {
	limit := 1
	if field == fileField {
		limit = media.MaxFiles
	}
	switch count := len(f.files[field]); {
	case count < limit:
		f.files[field] = append(f.files[field], file)
		return nil
	case limit > 1:
		return invalid(media.Pointer(field), "must be sent at most %d times", limit)
	case (f.files[field][0].File == nil) != (file.File == nil):
		return invalid(media.Pointer(field), "must not be sent together with %s", field+uploadIDSuffix)
	}
	return invalid(media.Pointer(field), "must be sent only once")
}

func (f *form) close() {
	for _, closeFile := range f.closers {
		closeFile()
	}
}

func invalid(pointer, format string, args ...any) error {
	return fault.Invalid(fault.Field{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}
