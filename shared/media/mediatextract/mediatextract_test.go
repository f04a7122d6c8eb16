package mediatextract_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"portside/documents"
	"portside/documents/files"
	"portside/documents/kind"
	"portside/documents/offline"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/mediaprompt"
	"portside/shared/media/mediatextract"
	"portside/shared/testkit/mediatest"
)

const invoice = "Invoice INV-2026-0117\n\n\nDescription\tAmount\nStorm lantern\t1,020.00\nShipping\t60.00\n\n\nTotal\t1,080.00 EUR\n"

// bench has a server that sees the invoice in the page, and a viewer that uses it.
type bench struct {
	server  *mediatest.Textract
	config  aws.Config
	options mediatextract.Options
	viewer  *mediatextract.Viewer
	log     bytes.Buffer
	mu      sync.Mutex
	pauses  []time.Duration
}

func newBench(tb testing.TB, b mediatest.Behavior) *bench {
	tb.Helper()
	return newBenchAs(tb, b, credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "hush", ""))
}

func newBenchAs(tb testing.TB, b mediatest.Behavior, who aws.CredentialsProvider) *bench {
	tb.Helper()
	made := &bench{server: mediatest.StartTextract(tb)}
	made.server.SetBehavior(b)
	made.server.SetPictureText("image/png", pagePNG(tb), invoice)
	made.config = aws.Config{
		Region: "us-east-1", BaseEndpoint: aws.String(made.server.URL), Credentials: who, HTTPClient: http.DefaultClient,
	}
	made.options = mediatextract.Options{
		CallLog: mediaprompt.CallLog{Out: slog.New(slog.NewJSONHandler(&made.log, nil))},
		Retrier: mediaprompt.Retrier{Pause: made.pause, Draw: func(below time.Duration) time.Duration { return below / 2 }},
	}
	made.viewer = mediatextract.NewViewer(made.config, made.options)
	return made
}

// pause records a wait instead of waiting.
func (b *bench) pause(ctx context.Context, wait time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pauses = append(b.pauses, wait)
	return ctx.Err()
}

// page is a picture of 620 by 877 pixels, with a spot that tells it from others.
func page() *image.Paletted {
	m := image.NewPaletted(image.Rect(0, 0, 620, 877), color.Palette{color.White, color.Black})
	m.SetColorIndex(7, 7, 1)
	return m
}

func encoded(tb testing.TB, encode func(io.Writer) error) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := encode(&out); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func pagePNG(tb testing.TB) []byte {
	tb.Helper()
	return encoded(tb, func(w io.Writer) error { return png.Encode(w, page()) })
}

func pngPicture(tb testing.TB) documents.Picture {
	tb.Helper()
	return documents.Picture{MediaType: "image/png", Data: pagePNG(tb), Place: documents.Box{Right: 620, Bottom: 877}}
}

func textsOf(blocks []documents.Block) (texts []string) {
	for _, b := range blocks {
		texts = append(texts, string(b.Kind)+": "+b.Text)
	}
	return texts
}

func TestViewReturnsBlocks(t *testing.T) {
	want := []string{
		"paragraph: Invoice INV-2026-0117", "row: Description\tAmount", "row: Storm lantern\t1,020.00", "row: Shipping\t60.00",
		"row: Total\t1,080.00 EUR",
	}
	for name, b := range map[string]mediatest.Behavior{
		"at once":     {},
		"throttled":   {Failures: 3, Status: 400, Code: "ProvisionedThroughputExceededException"},
		"overloaded":  {Failures: 3, Status: 500, Code: "ThrottlingException"},
		"broken":      {Failures: 3, Status: 500, Code: "InternalServerError"},
		"unavailable": {Failures: 3, Status: 503, Code: ""},
		"dropped":     {Failures: 3, Drop: true},
		"many calls":  {Failures: 3, Status: 400, Code: "com.amazonaws.textract#LimitExceededException:http://internal.amazon.com/"},
	} {
		t.Run(name, func(t *testing.T) {
			bench := newBench(t, b)
			got, err := bench.viewer.View(t.Context(), pngPicture(t))
			if err != nil || !slices.Equal(textsOf(got), want) || len(bench.pauses) != b.Failures {
				t.Errorf("got %q, %v after pauses of %v", textsOf(got), err, bench.pauses)
			}
			if logged := bench.log.String(); strings.Count(logged, `"model call"`) != 1+b.Failures || strings.Contains(logged, "INV") ||
				!strings.Contains(logged, `"engine":"textract","model":"","endpoint":"detect-document-text"`) {
				t.Errorf("logged %s", logged)
			}
		})
	}
}

// A picture in a format that the service does not accept is converted, with the same pixels.
func TestViewConvertsPictures(t *testing.T) {
	data := encoded(t, func(w io.Writer) error { return gif.Encode(w, page(), nil) })
	bench := newBench(t, mediatest.Behavior{})
	got, err := bench.viewer.View(t.Context(), documents.Picture{MediaType: "image/gif", Data: data})
	if err != nil || len(got) != 5 || got[0].Box != (documents.Box{}) {
		t.Errorf("got %q, %v; want the invoice without boxes", textsOf(got), err)
	}
	if seen := bench.server.Pictures(); len(seen) != 1 || seen[0].MediaType != "image/png" {
		t.Errorf("the service got %d pictures", len(seen))
	}
}

func TestBlankPictureHasNoBlocks(t *testing.T) {
	blank := encoded(t, func(w io.Writer) error { return jpeg.Encode(w, image.NewGray(image.Rect(0, 0, 90, 90)), nil) })
	got, err := newBench(t, mediatest.Behavior{}).viewer.View(t.Context(), documents.Picture{MediaType: "image/jpeg", Data: blank})
	if err != nil || len(got) > 0 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestViewReportsFailures(t *testing.T) {
	const attempts = 6
	failing := func(status int, code string) mediatest.Behavior {
		return mediatest.Behavior{Failures: 99, Status: status, Code: code}
	}
	for _, test := range []struct {
		name     string
		b        mediatest.Behavior
		want     error // nil: an internal one
		requests int
	}{
		{"throttled", failing(400, "ThrottlingException"), mediatextract.ErrBusy, attempts},
		{"dropped", mediatest.Behavior{Failures: 99, Drop: true}, mediatextract.ErrBusy, attempts},
		{"cut short", mediatest.Behavior{CutAfter: 40}, mediatextract.ErrBusy, attempts},
		{"bad", failing(400, "BadDocumentException"), documents.ErrDamaged, 1},
		{"unsupported", failing(400, "UnsupportedDocumentException"), documents.ErrDamaged, 1},
		{"too large", failing(400, "DocumentTooLargeException"), documents.ErrTooMuch, 1},
		{"junk", mediatest.Behavior{Body: "PWNED"}, mediatextract.ErrJunk, 1},
		{"no page", mediatest.Behavior{Body: `{"Blocks": []}`}, mediatextract.ErrJunk, 1},
		{"not allowed", failing(400, "AccessDeniedException"), nil, 1},
		{"a defect of ours", failing(400, "InvalidParameterException PWNED"), nil, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			bench := newBench(t, test.b)
			got, err := bench.viewer.View(t.Context(), pngPicture(t))
			right := errors.Is(err, test.want)
			if test.want == nil {
				right = err != nil && fault.As(err) == nil && documents.AsError(err) == nil
			}
			if !right || len(got) > 0 || bench.server.Requests() != test.requests {
				t.Errorf("got %+v, %v after %d requests", got, err, bench.server.Requests())
			}
			if all := bench.log.String() + err.Error(); strings.Contains(all, "PWNED") || strings.Contains(all, "hush") {
				t.Errorf("the text of the service is in %s", all)
			}
		})
	}
}

// The service refuses pictures that it cannot read. The viewer does not send pictures that the service never accepts.
func TestPicturesThatCannotBeRead(t *testing.T) {
	broken := pagePNG(t)
	broken = append(broken[:len(broken)/2:len(broken)/2], make([]byte, len(broken)/2)...)
	wide := encoded(t, func(w io.Writer) error { return png.Encode(w, image.NewGray(image.Rect(0, 0, 10_001, 2))) })
	for _, test := range []struct {
		name, mediaType string
		data            []byte
		want            error
		requests        int
	}{
		{"broken", "image/png", broken, documents.ErrDamaged, 1},
		{"wrong type", "image/png", []byte("GIF89a"), documents.ErrDamaged, 0},
		{"broken WebP", "image/webp", []byte("RIFF1234WEBP"), documents.ErrDamaged, 0},
		{"empty", "image/png", nil, documents.ErrDamaged, 0},
		{"PDF", "application/pdf", []byte("%PDF-1.4"), documents.ErrDamaged, 0},
		{"too many pixels", "image/png", wide, documents.ErrTooMuch, 0},
		{"too many bytes", "image/png", make([]byte, 10<<20+1), documents.ErrTooMuch, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			bench := newBench(t, mediatest.Behavior{})
			got, err := bench.viewer.View(t.Context(), documents.Picture{MediaType: test.mediaType, Data: test.data})
			if !errors.Is(err, test.want) || len(got) > 0 || bench.server.Requests() != test.requests {
				t.Errorf("got %+v, %v after %d requests", got, err, bench.server.Requests())
			}
		})
	}
}

func TestCanceledCallsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	bench := newBench(t, mediatest.Behavior{Hang: cancel})
	if _, err := bench.viewer.View(ctx, pngPicture(t)); !errors.Is(err, context.Canceled) || bench.server.Requests() != 1 {
		t.Errorf("error %v after %d requests", err, bench.server.Requests())
	}
}

// A call that gets no answer ends, and counts as a failure of the service.
func TestCallsWithoutAnswerEnd(t *testing.T) {
	bench := newBench(t, mediatest.Behavior{Hang: func() {}})
	bench.options.Timeout = 5 * time.Millisecond
	_, err := mediatextract.NewViewer(bench.config, bench.options).View(t.Context(), pngPicture(t))
	if !errors.Is(err, mediatextract.ErrBusy) || len(bench.pauses) != 5 {
		t.Errorf("error %v after pauses of %v", err, bench.pauses)
	}
}

func TestMissingCredentialsAreInternalErrors(t *testing.T) {
	who := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, errors.New("none") })
	bench := newBenchAs(t, mediatest.Behavior{}, who)
	if _, err := bench.viewer.View(t.Context(), pngPicture(t)); err == nil || fault.As(err) != nil || bench.server.Requests() > 0 {
		t.Errorf("error %v after %d requests", err, bench.server.Requests())
	}
}

func TestMaxBytesAndVersion(t *testing.T) {
	viewer := newBench(t, mediatest.Behavior{}).viewer
	for mediaType, want := range map[string]int64{"image/png": 10 << 20, "image/webp": 10 << 20, "application/pdf": 0, "image/tiff": 0} {
		if got := viewer.MaxBytes(mediaType); got != want {
			t.Errorf("%s: %d", mediaType, got)
		}
	}
	if got := viewer.Version(); got != "textract 1" {
		t.Errorf("version %q", got)
	}
}

// A value from a picture file is extracted without a model. Its evidence has the box, and at most the certainty of its
// words.
func TestExtractFromPicture(t *testing.T) {
	for _, test := range []struct {
		percent, confidence float64 // confidence is 0 for a null
		warnings            int
	}{{99.5, 0.99, 0}, {75, 0.75, 1}, {40, 0, 1}} {
		t.Run(fmt.Sprintf("%v %%", test.percent), func(t *testing.T) {
			bench := newBench(t, mediatest.Behavior{})
			bench.server.SetConfidence("1,080.00", test.percent)
			answer := bench.extractTotal(t, pagePNG(t))
			if len(answer.Warnings) != test.warnings {
				t.Errorf("warnings %q", answer.Warnings)
			}
			evidence := answer.Evidence["Total"]
			if test.confidence == 0 {
				if len(evidence) > 0 {
					t.Errorf("evidence %+v, want none", evidence)
				}
				return
			}
			if len(evidence) != 1 || math.Round(100*evidence[0].Confidence) != 100*test.confidence || evidence[0].Page != 1 ||
				evidence[0].Quote != "1,080.00 EUR" {
				t.Fatalf("evidence %+v", evidence)
			}
			// The stand-in begins the second column at 35 % of the width, and the row of the total at 21 % of the
			// height.
			if box := evidence[0].Box; box == nil || math.Abs(box.Left-0.35*620) > 1 || math.Abs(box.Top-0.21*877) > 5 {
				t.Errorf("box %+v", box)
			}
		})
	}
}

// extractTotal extracts the total from a file with the offline engine.
func (b *bench) extractTotal(t *testing.T, file []byte) media.Answer {
	t.Helper()
	service := media.NewService(media.Parts{
		Detect: kind.Detect, Readers: files.Readers(), Engine: offline.New(), Viewer: b.viewer, Limits: documents.DefaultLimits(),
		Results: noResults{},
	})
	answer, err := service.Answer(t.Context(), media.Work{
		Question: media.Question{Task: media.Extract, Variables: mediatest.InvoiceVariables()[1:2]},
		Files:    []media.File{{Source: documents.FromBytes(file)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// A value from a picture in a document has the page of the picture, but no box, because the file does not say where
// pages put it.
func TestExtractFromPictureInDocument(t *testing.T) {
	const names = ` xmlns:w="w" xmlns:a="a" xmlns:r="r"`
	file := zipped(t, map[string]string{
		"word/document.xml": `<w:document` + names + `><w:body><w:p><w:r><w:t>The invoice:</w:t><w:br w:type="page"/></w:r></w:p>` +
			`<w:p><w:r><w:drawing><a:blip r:embed="r1"/></w:drawing></w:r></w:p></w:body></w:document>`,
		"word/_rels/document.xml.rels": `<Relationships><Relationship Id="r1" Type="x/image" Target="scan.png"/></Relationships>`,
		"word/scan.png":                string(pagePNG(t)),
		"[Content_Types].xml": `<Types><Override PartName="/word/document.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
	})
	answer := newBench(t, mediatest.Behavior{}).extractTotal(t, file)
	found := answer.Evidence["Total"]
	if len(found) != 1 || found[0].Quote != "1,080.00 EUR" || found[0].Page != 2 || found[0].Box != nil || len(answer.Warnings) > 0 {
		t.Errorf("evidence %+v, warnings %q", found, answer.Warnings)
	}
}

// zipped returns an archive of files by name.
func zipped(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	return encoded(t, func(w io.Writer) error {
		archive := zip.NewWriter(w)
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			part, err := archive.Create(name)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(part, parts[name]); err != nil {
				return err
			}
		}
		return archive.Close()
	})
}

// noResults is a cache that stays empty.
type noResults struct{}

func (noResults) FindResult(context.Context, string) (media.Answer, bool, error) {
	return media.Answer{}, false, nil
}

func (noResults) SaveResult(context.Context, string, media.Answer) error { return nil }
