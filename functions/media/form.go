package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/web"
)

// Bounds of a form.
const (
	maxForm  = 4_400_000 // bytes in all. Somewhat more still fits into an event of Lambda: somebody must say where to send it
	maxParts = 310       // 100 variables of three fields, the settings and the files
	maxField = 64 << 10
	maxModel = 256 << 10
	maxLabel = 200 // bytes of a field's name
)

// uploadID ends the name of the field that stands for a file.
const uploadID = "_upload_id"

// form is what a request with files holds. Its files are on the disk; it must be closed by whoever received it, and by everybody
// who holds it: the last one lets go of the files.
type form struct {
	fields map[string]string
	files  map[string]media.File // by field
	wrong  error                 // the first mistake in a field that a model makes meaningless
	done   []func()
	users  atomic.Int32
}

// receive reads the form of the request that ctx belongs to, part by part as it comes. Errors say what a client did wrong,
// at the first place where it did.
func receive(ctx context.Context, fileFields []string) (*form, error) {
	parts, err := web.Form(ctx)
	if err != nil {
		return nil, err
	}
	f := &form{fields: map[string]string{}, files: map[string]media.File{}}
	f.hold()
	if err := f.read(parts, fileFields); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *form) read(parts *multipart.Reader, fileFields []string) error {
	for i := 0; ; i++ {
		part, err := parts.NextPart()
		switch {
		case err == io.EOF: // as it is: one that is wrapped says that the body ends before the form does
			return f.mistakes()
		case errors.Is(err, io.EOF) && i == 0:
			return mistake("", "is not a readable form: it is empty, or the boundary that Content-Type names is nowhere in it")
		case err != nil:
			return mistake("", "is not a readable form: it is cut short, or does not keep to its boundary")
		}
		if i == maxParts && f.wrong == nil {
			f.wrong = mistake("", "has more than %d parts", maxParts)
		}
		if err := f.take(part, fileFields); err != nil {
			return err
		}
	}
}

// mistakes returns what is wrong with the fields, which a model makes up for wherever in the form it is.
func (f *form) mistakes() error {
	if f.modelled() {
		return nil
	}
	return f.wrong
}

func (f *form) modelled() bool {
	_, is := f.fields[media.ModelField]
	return is
}

func (f *form) take(part *multipart.Part, fileFields []string) error {
	name := part.FormName()
	switch {
	case slices.Contains(fileFields, name):
		return f.takeFile(name, part)
	case part.FileName() != "":
		return mistake(media.Pointer(name), "is a file, and none is taken there; send it as %s", fileFields[0])
	case name == media.ModelField, slices.Contains(fileFields, strings.TrimSuffix(name, uploadID)):
		return f.takeField(name, part)
	}
	if f.wrong == nil && !f.modelled() {
		f.wrong = f.takeSetting(name, part)
	}
	return nil
}

// takeSetting takes what a model makes meaningless.
func (f *form) takeSetting(name string, part *multipart.Part) error {
	if name == "" || len(name) > maxLabel || !utf8.ValidString(name) {
		return mistake("", "has a part without a name, or with one of more than %d bytes", maxLabel)
	}
	return f.takeField(name, part)
}

func (f *form) takeField(name string, part *multipart.Part) error {
	if _, twice := f.fields[name]; twice {
		return mistake(media.Pointer(name), "must be given once")
	}
	most := maxField
	if name == media.ModelField {
		most = maxModel
	}
	text, err := io.ReadAll(io.LimitReader(part, int64(most)+1))
	switch {
	case err != nil:
		return mistake(media.Pointer(name), "is cut short")
	case len(text) > most:
		return mistake(media.Pointer(name), "must have at most %d KB", most>>10)
	}
	f.fields[name] = string(text)
	return nil
}

// takeFile copies a file to the disk. That there is no room for it is no mistake of the client's.
func (f *form) takeFile(name string, part *multipart.Part) error {
	if _, twice := f.files[name]; twice {
		return mistake(media.Pointer(name), "must be given once")
	}
	if part.FileName() == "" && part.Header.Get("Content-Type") == "" {
		return mistake(media.Pointer(name), "must be a file: a part with a filename, or a Content-Type; with curl, -F %s=@lease.txt", name)
	}
	file, done, err := media.Spool(part)
	switch {
	case errors.Is(err, media.ErrCut):
		return mistake(media.Pointer(name), "is cut short")
	case err != nil:
		return fmt.Errorf("an upload: %w", err)
	}
	f.files[name], f.done = file, append(f.done, done)
	return nil
}

func (f *form) hold() { f.users.Add(1) }

func (f *form) close() {
	if f.users.Add(-1) > 0 {
		return
	}
	for _, done := range f.done {
		done()
	}
}

func mistake(pointer, format string, args ...any) error {
	return fault.Invalid(fault.Field{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}
