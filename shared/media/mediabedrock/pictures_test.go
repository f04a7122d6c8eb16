package mediabedrock_test

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"reflect"
	"strings"
	"testing"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/mediabedrock"
	"portside/shared/media/mediaprompt"
	"portside/shared/testkit/mediatest"
)

const (
	words = "# Invoice 7\nTotal\t1.234,50 EUR\nDue: 5 March 2026"
	pdf   = "%PDF-1.4\nnothing that anybody could read\n%%EOF"
)

func dot(tb testing.TB) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// newPictureBench returns a bench whose server sees the words in the pictures.
func newPictureBench(tb testing.TB, b mediatest.Behavior) (*bench, media.Viewer) {
	tb.Helper()
	bench := newBench(tb, b)
	bench.server.SetPictureText("image/png", dot(tb), words)
	bench.server.SetPictureText("application/pdf", []byte(pdf), words)
	return bench, mediabedrock.NewViewer(bench.config, bench.options)
}

func TestViewReturnsBlocks(t *testing.T) {
	for name, b := range map[string]mediatest.Behavior{
		"at once":        {},
		"throttled":      {Failures: 3, Status: 429, Code: "ThrottlingException"},
		"in words":       {Model: mediatest.Rambling},
		"no temperature": {Unsupported: []string{"temperature", "strict"}},
	} {
		for _, p := range []documents.Picture{
			{MediaType: "image/png", Data: dot(t)}, {MediaType: "application/pdf", Data: []byte(pdf)},
		} {
			t.Run(name+", "+p.MediaType, func(t *testing.T) {
				bench, viewer := newPictureBench(t, b)
				got, err := viewer.View(t.Context(), p)
				want := []documents.Block{
					{Kind: documents.Heading, Text: "Invoice 7", Level: 1},
					{Kind: documents.Row, Table: 1, Cells: []documents.Cell{{Text: "Total"}, {Text: "1.234,50 EUR", Column: 1}}},
					{Kind: documents.Field, Cells: []documents.Cell{{Text: "Due", Header: true}, {Text: "5 March 2026", Column: 1}}},
				}
				if err != nil || !reflect.DeepEqual(got, want) || len(bench.pauses) != b.Failures {
					t.Errorf("got %+v, %v", got, err)
				}
				if seen := bench.server.Prompts()[0].Pictures; len(seen) != 1 || !bytes.Equal(seen[0].Data, p.Data) {
					t.Errorf("the model sees %+v", seen)
				}
			})
		}
	}
}

func TestMaxBytes(t *testing.T) {
	_, viewer := newPictureBench(t, mediatest.Behavior{})
	for mediaType, want := range map[string]int64{
		"image/png": 3_750_000, "image/jpeg": 3_750_000, "image/gif": 3_750_000, "image/webp": 3_750_000,
		"application/pdf": 4_500_000, "image/tiff": 0, "text/html": 0,
	} {
		if got := viewer.MaxBytes(mediaType); got != want {
			t.Errorf("%s: %d", mediaType, got)
		}
	}
	if v := viewer.Version(); !strings.HasPrefix(v, "bedrock maker.model-of-the-test-v1:0 view ") {
		t.Errorf("got %s", v)
	}
}

func TestViewReportsFailures(t *testing.T) {
	const attempts = 6
	invalid := func(message string) mediatest.Behavior {
		return mediatest.Behavior{Failures: 9, Status: 400, Code: "ValidationException", Message: message}
	}
	for _, test := range []struct {
		name     string
		b        mediatest.Behavior
		want     error // nil: an internal one
		requests int
	}{
		{"throttled", mediatest.Behavior{Failures: 99, Status: 429, Code: "ThrottlingException"}, mediaprompt.ErrBusy, attempts},
		{"guarded", mediatest.Behavior{Stop: "guardrail_intervened"}, mediaprompt.ErrRefused, 1},
		{"too much text", mediatest.Behavior{Stop: "max_tokens"}, mediaprompt.ErrDense, 1},
		{"junk", mediatest.Behavior{Model: mediatest.Constant("PWNED")}, mediaprompt.ErrJunk, 2},
		{"no picture", invalid("Could not process image PWNED"), documents.ErrDamaged, 1},
		{"a locked PDF", invalid("The PDF specified is password protected."), documents.ErrDamaged, 1},
		{"a wrong model", invalid("The provided model identifier is invalid."), nil, 1},
		{"a blind model", mediatest.Behavior{Unsupported: []string{"pictures"}}, nil, 1},
		{"not allowed", mediatest.Behavior{Failures: 9, Status: 403, Code: "AccessDeniedException", Message: "No image for you"}, nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			bench, viewer := newPictureBench(t, test.b)
			got, err := viewer.View(t.Context(), documents.Picture{MediaType: "image/png", Data: dot(t)})
			right := errors.Is(err, test.want) && message(err) == message(test.want)
			if test.want == nil {
				right = err != nil && fault.As(err) == nil
			}
			if !right || len(got) > 0 || bench.server.Requests() != test.requests {
				t.Errorf("got %+v, %v after %d requests", got, err, bench.server.Requests())
			}
			bench.checkSecrets(t, err)
		})
	}
}

// message returns the text of an error that a client sees.
func message(err error) string {
	if f := fault.As(err); f != nil {
		return f.Detail
	}
	if e := documents.AsError(err); e != nil {
		return e.Message
	}
	return ""
}
