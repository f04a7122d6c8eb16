package media_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media"
)

// eye reads pictures whose bytes are their words, and fails on those that are errors.
type eye struct{ fails map[string]error }

func (eye) Version() string { return "eye" }

func (eye) Takes(mediaType string) int64 {
	if mediaType == "application/pdf" {
		return 40
	}
	return 1 << 20
}

func (e eye) View(_ context.Context, p documents.Picture) ([]documents.Block, error) {
	if err := e.fails[string(p.Data)]; err != nil {
		return nil, err
	}
	return []documents.Block{{Kind: documents.Paragraph, Text: p.MediaType + " says " + string(p.Data)}}, nil
}

// scanned is a reader of a PDF whose lines are pages, of words or, after a #, of a picture.
func scanned(_ context.Context, file documents.Source, into *documents.Builder) error {
	text, err := file.Bytes(1 << 20)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		into.Page()
		picture, is := strings.CutPrefix(strings.TrimSpace(line), "#")
		switch {
		case is:
			into.Picture(documents.Picture{MediaType: "image/png", Data: []byte(picture)})
		case !strings.HasPrefix(line, "?"): // a page that nothing can be made of
			if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: line}); err != nil {
				return err
			}
		}
	}
	return nil
}

func looking(viewer media.Viewer, limits documents.Limits) *media.Service {
	return media.NewService(media.Parts{
		Detect: func(context.Context, documents.Source, documents.Limits) (documents.Format, error) {
			return documents.PDF, nil
		},
		Readers: map[documents.Format]documents.Reader{documents.PDF: scanned}, Viewer: viewer, Limits: limits,
	})
}

func lines(d *documents.Document) (all []string, pages []int) {
	for _, b := range d.Blocks {
		all, pages = append(all, b.Text), append(pages, b.Page)
	}
	return all, pages
}

func TestPicturesAreReadWhereTheyStand(t *testing.T) {
	d, err := looking(eye{}, documents.DefaultLimits()).Read(t.Context(), textFile("one\n#two\n#three\nfour\n#five"))
	if err != nil {
		t.Fatal(err)
	}
	got, pages := lines(d)
	want := []string{"one", "image/png says two", "image/png says three", "four", "image/png says five"}
	if !slices.Equal(got, want) || !slices.Equal(pages, []int{1, 2, 3, 4, 5}) || d.Pages != 5 || len(d.Warnings) > 0 {
		t.Errorf("got %q on %v, %q", got, pages, d.Warnings)
	}
	if at := d.Blocks[2]; d.Text()[at.Start:at.End()] != at.Text {
		t.Error("offsets are wrong")
	}
}

func TestPicturesThatAreNotRead(t *testing.T) {
	few := documents.DefaultLimits()
	few.Pictures = 1
	busy := fault.New(fault.Unavailable, "later")
	for _, test := range []struct {
		name, file string
		service    *media.Service
		text, warn string
		err        error
	}{
		{"no viewer", "one\n#two", looking(nil, documents.DefaultLimits()), "one", "left out", nil},
		{"only pictures, no viewer", "#two", looking(nil, documents.DefaultLimits()), "", "", documents.ErrNoText},
		{"too many", "#one\n#two", looking(eye{}, few), "image/png says one", "Only the first pictures", nil},
		{"one is damaged", "one\n#two", looking(eye{map[string]error{"two": documents.ErrDamaged}}, few), "one", "Some of the pictures", nil},
		{"all are damaged", "#two", looking(eye{map[string]error{"two": documents.ErrDamaged}}, few), "", "", documents.ErrDamaged},
		{"the model is busy", "one\n#two", looking(eye{map[string]error{"two": busy}}, few), "", "", busy},
		{"nothing but a PDF", "?", looking(eye{}, few), "application/pdf says ?", "", nil},
		{"too large for that", "?" + strings.Repeat("x", 40), looking(eye{}, few), "", "", documents.ErrNoText},
	} {
		d, err := test.service.Read(t.Context(), textFile(test.file))
		if !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if err == nil && (d.Text() != test.text || !strings.Contains(strings.Join(d.Warnings, " "), test.warn)) {
			t.Errorf("%s: got %q, %q", test.name, d.Text(), d.Warnings)
		}
	}
}

func textFile(text string) documents.Source {
	return documents.FromBytes([]byte(text))
}
