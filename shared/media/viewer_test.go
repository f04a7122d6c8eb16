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

// stubViewer returns the bytes of a picture as its text. It fails for the pictures in fails.
type stubViewer struct{ fails map[string]error }

func (stubViewer) Version() string { return "stub" }

func (stubViewer) MaxBytes(mediaType string) int64 {
	if mediaType == "application/pdf" {
		return 40
	}
	return 1 << 20
}

func (v stubViewer) View(_ context.Context, p documents.Picture) ([]documents.Block, error) {
	if err := v.fails[string(p.Data)]; err != nil {
		return nil, err
	}
	return []documents.Block{{Kind: documents.Paragraph, Text: p.MediaType + " says " + string(p.Data)}}, nil
}

// readPages is a reader of which each line is a page: a picture if it begins with #, an unreadable
// page if it begins with ?, otherwise text.
func readPages(_ context.Context, file documents.Source, into *documents.Builder) error {
	text, err := file.Bytes(1 << 20)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		into.Page()
		picture, isPicture := strings.CutPrefix(strings.TrimSpace(line), "#")
		switch {
		case isPicture:
			into.Picture(documents.Picture{MediaType: "image/png", Data: []byte(picture)})
		case !strings.HasPrefix(line, "?"):
			if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: line}); err != nil {
				return err
			}
		}
	}
	return nil
}

// newPictureService returns a service that takes every file for a PDF of readPages.
func newPictureService(viewer media.Viewer, limits documents.Limits) *media.Service {
	return media.NewService(media.Parts{
		Detect: func(context.Context, documents.Source, documents.Limits) (documents.Format, error) {
			return documents.PDF, nil
		},
		Readers: map[documents.Format]documents.Reader{documents.PDF: readPages}, Viewer: viewer, Limits: limits,
	})
}

func blockTexts(d *documents.Document) (texts []string, pages []int) {
	for _, b := range d.Blocks {
		texts, pages = append(texts, b.Text), append(pages, b.Page)
	}
	return texts, pages
}

func TestReadInsertsTextOfPicturesInPlace(t *testing.T) {
	d, err := newPictureService(stubViewer{}, documents.DefaultLimits()).Read(t.Context(), "", source("one\n#two\n#three\nfour\n#five"))
	if err != nil {
		t.Fatal(err)
	}
	got, pages := blockTexts(d)
	want := []string{"one", "image/png says two", "image/png says three", "four", "image/png says five"}
	if !slices.Equal(got, want) || !slices.Equal(pages, []int{1, 2, 3, 4, 5}) || d.Pages != 5 || len(d.Warnings) > 0 {
		t.Errorf("texts %q on pages %v, warnings %q; want texts %q", got, pages, d.Warnings, want)
	}
	if at := d.Blocks[2]; d.Text()[at.Start:at.End()] != at.Text {
		t.Errorf("block 2 has text %q at its offsets, want %q", d.Text()[at.Start:at.End()], at.Text)
	}
}

func TestReadLeavesOutPictures(t *testing.T) {
	few := documents.DefaultLimits()
	few.Pictures = 1
	busy := fault.New(fault.Unavailable, "later")
	for _, test := range []struct {
		name, file string
		service    *media.Service
		text, warn string
		err        error
	}{
		{"no viewer", "one\n#two", newPictureService(nil, documents.DefaultLimits()), "one", "left out", nil},
		{"only pictures, no viewer", "#two", newPictureService(nil, documents.DefaultLimits()), "", "", documents.ErrNoText},
		{"too many", "#one\n#two", newPictureService(stubViewer{}, few), "image/png says one", "Only the first pictures", nil},
		{"one is damaged", "one\n#two", newPictureService(stubViewer{map[string]error{"two": documents.ErrDamaged}}, few), "one", "Some of the pictures", nil},
		{"all are damaged", "#two", newPictureService(stubViewer{map[string]error{"two": documents.ErrDamaged}}, few), "", "", documents.ErrDamaged},
		{"the model is busy", "one\n#two", newPictureService(stubViewer{map[string]error{"two": busy}}, few), "", "", busy},
		{"unreadable PDF is viewed as a picture", "?", newPictureService(stubViewer{}, few), "application/pdf says ?", "", nil},
		{"unreadable PDF is too large to view", "?" + strings.Repeat("x", 40), newPictureService(stubViewer{}, few), "", "", documents.ErrNoText},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := test.service.Read(t.Context(), "", source(test.file))
			if !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
				t.Errorf("error %v, want %v", err, test.err)
				return
			}
			if err == nil && (d.Text() != test.text || !strings.Contains(strings.Join(d.Warnings, " "), test.warn)) {
				t.Errorf("text %q, warnings %q; want %q, %q", d.Text(), d.Warnings, test.text, test.warn)
			}
		})
	}
}
