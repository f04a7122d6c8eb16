package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"slices"
	"unicode/utf8"

	"portside/shared/fault"
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

// form is what a request with files holds. Its files are on the disk; it must be closed.
type form struct {
	fields map[string]string
	files  map[string]media.File // by field
	disk   []*os.File
}

// receive reads the form of the request that ctx belongs to, part by part as it comes. Errors say what a client did wrong,
// at the first place where it did.
func receive(ctx context.Context, fileFields []string) (*form, error) {
	parts, err := web.Form(ctx)
	if err != nil {
		return nil, err
	}
	f := &form{fields: map[string]string{}, files: map[string]media.File{}}
	if err := f.read(parts, fileFields); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

func (f *form) read(parts *multipart.Reader, fileFields []string) error {
	for range maxParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return mistake("", "is not a readable form: it is cut short, or does not keep to its boundary")
		}
		if err := f.take(part, fileFields); err != nil {
			return err
		}
	}
	return mistake("", "has more than %d parts", maxParts)
}

func (f *form) take(part *multipart.Part, fileFields []string) error {
	name := part.FormName()
	switch {
	case name == "" || len(name) > maxLabel || !utf8.ValidString(name):
		return mistake("", "has a part without a name, or with one of more than %d bytes", maxLabel)
	case slices.Contains(fileFields, name):
		return f.takeFile(name, part)
	case part.FileName() != "":
		return mistake("/"+name, "is a file, and none is taken there; send it as %s", fileFields[0])
	}
	return f.takeField(name, part)
}

func (f *form) takeField(name string, part *multipart.Part) error {
	if _, twice := f.fields[name]; twice {
		return mistake("/"+name, "must be given once")
	}
	most := maxField
	if name == media.ModelField {
		most = maxModel
	}
	text, err := io.ReadAll(io.LimitReader(part, int64(most)+1))
	switch {
	case err != nil:
		return mistake("/"+name, "is cut short")
	case len(text) > most:
		return mistake("/"+name, "must have at most %d KB", most>>10)
	}
	f.fields[name] = string(text)
	return nil
}

// takeFile copies a file to the disk, from where readers can read it to and fro, and takes its sum on the way.
func (f *form) takeFile(name string, part *multipart.Part) error {
	if _, twice := f.files[name]; twice {
		return mistake("/"+name, "must be given once")
	}
	disk, err := os.CreateTemp("", "upload-")
	if err != nil {
		return fmt.Errorf("a place for an upload: %w", err)
	}
	f.disk = append(f.disk, disk)
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(disk, sum), part)
	// The name is not needed any more: the file goes when it is closed, however that comes.
	if removed := os.Remove(disk.Name()); removed != nil {
		return fmt.Errorf("an upload on the disk: %w", removed)
	}
	if err != nil {
		return mistake("/"+name, "is cut short")
	}
	file := media.File{Source: media.Source{ReaderAt: disk, Size: size}}
	copy(file.Sum[:], sum.Sum(nil))
	f.files[name] = file
	return nil
}

func (f *form) close() error {
	var failed []error
	for _, disk := range f.disk {
		failed = append(failed, disk.Close())
	}
	return errors.Join(failed...)
}

func mistake(pointer, format string, args ...any) error {
	return fault.Invalid(fault.Field{Pointer: pointer, Detail: fmt.Sprintf(format, args...)})
}
