package mediaprompt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"portside/documents"
	"portside/shared/media/mediaprompt"
)

var maxBytes = map[string]int64{"image/png": 10, "application/pdf": 20}

func picture(data string) documents.Picture {
	return documents.Picture{Page: 3, MediaType: "image/png", Data: []byte(data)}
}

// seen returns what a viewer makes of an answer.
func seen(tb testing.TB, answer string) ([]documents.Block, error) {
	tb.Helper()
	viewer := mediaprompt.NewViewer(replies(func(mediaprompt.Request) (string, error) { return answer, nil }),
		mediaprompt.Settings{}, maxBytes)
	return viewer.View(tb.Context(), picture("x"))
}

func cells(texts ...string) (all []documents.Cell) {
	for i, text := range texts {
		all = append(all, documents.Cell{Text: text, Column: i})
	}
	return all
}

func named(name, value string) []documents.Cell {
	pair := cells(name, value)
	pair[0].Header = true
	return pair
}

func TestViewReturnsBlocks(t *testing.T) {
	got, err := seen(t, `{"blocks": [
		{"kind": "heading", "text": " Invoice\u0000  7 ", "cells": []},
		{"kind": "row", "text": "", "cells": ["Item", "", "Price"]},
		{"kind": "row", "text": "Tea 3", "cells": ["Tea", "2", "3"]},
		{"kind": "row", "text": "", "cells": ["", " "]},
		{"kind": "paragraph", "text": "between", "cells": ["a"]},
		{"kind": "row", "text": "", "cells": ["another"]},
		{"kind": "field", "text": "Total: 5", "cells": ["Total", "5"]},
		{"kind": "field", "text": "", "cells": ["a", "b", "c"]},
		{"kind": "field", "text": "Due: today", "cells": []},
		{"kind": "list item", "text": "one\ntwo"},
		{"kind": "PWNED", "text": "of no kind"},
		{"kind": "paragraph", "text": "\u200b", "cells": []}, {}]}`)
	want := []documents.Block{
		{Kind: documents.Heading, Text: "Invoice 7", Level: 1},
		{Kind: documents.Row, Cells: cells("Item", "", "Price"), Table: 1},
		{Kind: documents.Row, Cells: cells("Tea", "2", "3"), Table: 1},
		{Kind: documents.Paragraph, Text: "between"},
		{Kind: documents.Row, Cells: cells("another"), Table: 2},
		{Kind: documents.Field, Cells: named("Total", "5")},
		{Kind: documents.Row, Cells: cells("a", "b", "c"), Table: 3},
		{Kind: documents.Paragraph, Text: "Due: today"},
		{Kind: documents.ListItem, Text: "one\ntwo"},
		{Kind: documents.Paragraph, Text: "of no kind"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := seen(t, `{"blocks": []}`); err != nil || len(got) > 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// The media type is all that a prompt says about a picture. The rules and the schema do not depend on
// the picture.
func TestViewSendsPicturesAsData(t *testing.T) {
	asked := map[string]bool{}
	viewer := mediaprompt.NewViewer(replies(func(r mediaprompt.Request) (string, error) {
		drawn := mark.FindStringSubmatch(r.Rules)[1]
		asked[strings.ReplaceAll(fmt.Sprintf("%s|%s|%s", r.Rules, r.Data, r.Schema), drawn, "")] = true
		if len(r.Pictures) != 1 || string(r.Pictures[0].Data) != "PWNED" || r.MaxTokens <= 1_000 {
			t.Errorf("asked with %+v and %d tokens", r.Pictures, r.MaxTokens)
		}
		if want := "[BEGIN attachment " + drawn + "]\nimage/png\n[END attachment " + drawn + "]\n\n"; r.Data != want {
			t.Errorf("the data are %q", r.Data)
		}
		return `{"blocks": []}`, nil
	}), mediaprompt.Settings{ThinkingTokens: 1_000}, maxBytes)
	for range 3 {
		if _, err := viewer.View(t.Context(), picture("PWNED")); err != nil {
			t.Error(err)
		}
	}
	if len(asked) != 1 {
		t.Errorf("%d requests", len(asked))
	}
}

func TestViewRejectsUnsupportedPictures(t *testing.T) {
	viewer := mediaprompt.NewViewer(replies(func(mediaprompt.Request) (string, error) {
		t.Error("a model was asked")
		return "", nil
	}), mediaprompt.Settings{Name: "maker m"}, maxBytes)
	for name, test := range map[string]struct {
		p    documents.Picture
		want error
	}{
		"empty":     {picture(""), documents.ErrDamaged},
		"too large": {picture("0123456789a"), documents.ErrTooMuch},
		"TIFF":      {documents.Picture{MediaType: "image/tiff", Data: []byte("x")}, documents.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := viewer.View(t.Context(), test.p); !errors.Is(err, test.want) {
				t.Error(err)
			}
		})
	}
	if viewer.MaxBytes("application/pdf") != 20 || viewer.MaxBytes("text/html") != 0 || !strings.HasPrefix(viewer.Version(), "maker m view ") {
		t.Errorf("%s", viewer.Version())
	}
}

func TestViewRejectsInvalidAnswers(t *testing.T) {
	for _, test := range []struct {
		name, answer string
		err, want    error
		asked        int
	}{
		{"no JSON", "I see a cat.", nil, mediaprompt.ErrJunk, 2},
		{"no blocks", `{"text": "a"}`, nil, mediaprompt.ErrJunk, 2},
		{"null", `{"blocks": null}`, nil, mediaprompt.ErrJunk, 2},
		{"other types", `{"blocks": [{"kind": "row", "cells": [1, 2]}]}`, nil, mediaprompt.ErrJunk, 2},
		{"refused", "", mediaprompt.ErrRefused, mediaprompt.ErrRefused, 1},
		{"too much text", "", mediaprompt.ErrTruncated, mediaprompt.ErrDense, 1},
		{"busy", "", mediaprompt.ErrBusy, mediaprompt.ErrBusy, 1},
		{"damaged", "", documents.ErrDamaged, documents.ErrDamaged, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked := 0
			viewer := mediaprompt.NewViewer(replies(func(mediaprompt.Request) (string, error) {
				asked++
				return test.answer, test.err
			}), mediaprompt.Settings{}, maxBytes)
			if blocks, err := viewer.View(t.Context(), picture("x")); !errors.Is(err, test.want) || len(blocks) > 0 || asked != test.asked {
				t.Errorf("got %+v, %v after %d requests", blocks, err, asked)
			}
		})
	}
	viewer := mediaprompt.NewViewer(replies(func(r mediaprompt.Request) (string, error) {
		return `{"blocks": [{"kind": "paragraph", "text": "` + mark.FindStringSubmatch(r.Rules)[1] + `"}]}`, nil
	}), mediaprompt.Settings{}, maxBytes)
	if _, err := viewer.View(t.Context(), picture("x")); !errors.Is(err, mediaprompt.ErrJunk) {
		t.Errorf("a fence comes back: %v", err)
	}
}

// Vision models sometimes repeat themselves endlessly.
func TestViewLimitsAnswers(t *testing.T) {
	long := strings.Repeat("again ", 100)
	for name, block := range map[string]map[string]any{
		"many":   {"kind": "paragraph", "text": "a"},
		"long":   {"kind": "paragraph", "text": long},
		"cells":  {"kind": "row", "cells": strings.Split(strings.Repeat("a,", 300), ",")},
		"fields": {"kind": "field", "cells": []string{long, long}},
	} {
		var all []any
		for range 6_000 {
			all = append(all, block)
		}
		answer, err := json.Marshal(map[string]any{"blocks": all})
		if err != nil {
			t.Fatal(err)
		}
		got, err := seen(t, string(answer))
		size := 0
		for _, b := range got {
			size += len(b.Text)
			for _, c := range b.Cells {
				size += len(c.Text)
			}
		}
		if err != nil || len(got) == 0 || len(got) > 5_000 || size > 256<<10 {
			t.Errorf("%s: %d blocks of %d bytes, %v", name, len(got), size, err)
		}
	}
}

func TestIsAboutPicture(t *testing.T) {
	for words, want := range map[string]bool{
		"could not process image": true,
		"the model returned the following errors: image exceeds 5 mb maximum":     true,
		"the pdf specified is password protected.":                                true,
		"cannot identify image file":                                              true,
		"this model doesn't support the image content block that you provided":    false,
		"image_url is only supported by certain models.":                          false,
		"the provided model identifier is invalid.":                               false,
		"image input is not supported - hint: you may need to provide the mmproj": false,
	} {
		if got := mediaprompt.IsAboutPicture(words); got != want {
			t.Errorf("%s: %v", words, got)
		}
	}
}

// A document accepts every block of a viewer: a known kind with text and without offsets.
func FuzzViews(f *testing.F) {
	f.Add(`{"blocks": [{"kind": "heading", "text": "a", "cells": []}, {"kind": "row", "cells": ["a", "", "b"]}]}`)
	f.Add("```json\n{\"blocks\": [{\"kind\": \"field\", \"text\": \"x\", \"cells\": [\"a\\tb\", \"\\u0000\"]}]}\n```")
	f.Add(`{"blocks": [{"kind": "row", "text": 1}]}`)
	f.Add(`{"blocks": {}}`)
	f.Fuzz(func(t *testing.T, answer string) {
		blocks, err := seen(t, answer)
		if err != nil && !errors.Is(err, mediaprompt.ErrJunk) {
			t.Fatal(err)
		}
		into := documents.NewBuilder(documents.Image, documents.DefaultLimits())
		for _, b := range blocks {
			if b.Start != 0 || b.Page != 0 || (b.Kind == documents.Row) != (b.Table > 0) || (len(b.Cells) > 0) == (b.Text != "") {
				t.Errorf("%+v", b)
			}
			if err := into.Add(b); err != nil {
				t.Fatal(err)
			}
		}
		if got := len(into.Document().Blocks); got != len(blocks) {
			t.Errorf("%d of %d blocks are taken", got, len(blocks))
		}
	})
}
