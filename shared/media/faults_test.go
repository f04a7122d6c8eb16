package media_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/testkit"
)

// documentErrors are the errors of module documents with the fault that each becomes. The detail of
// a fault contains the message of the error unless the table has another one.
var documentErrors = map[string]struct {
	err    error
	kind   fault.Kind
	detail string
}{
	"unknown format": {documents.ErrUnknown, fault.UnsupportedType, "Send text, Markdown, HTML"},
	"other unsupported format": {
		&documents.Error{Unsupported: true, Message: "The file is a ZIP archive."}, fault.UnsupportedType, "",
	},
	"empty":     {documents.ErrEmpty, fault.Unprocessable, ""},
	"encrypted": {documents.ErrEncrypted, fault.Unprocessable, ""},
	"damaged":   {documents.ErrDamaged, fault.Unprocessable, ""},
	"no text":   {documents.ErrNoText, fault.Unprocessable, ""},
	"pictures":  {documents.ErrPictures, fault.Unprocessable, media.ErrNoViewer.Detail},
	"too much":  {documents.ErrTooMuch, fault.Unprocessable, ""},
	"too large": {documents.TooLarge(2 << 20), fault.Unprocessable, "2 MB"},
	"slow":      {documents.ErrSlow, fault.Unprocessable, "10 seconds"},
	"wrapped":   {fmt.Errorf("page 3: %w (%w)", documents.ErrDamaged, errors.New("secret words")), fault.Unprocessable, ""},
}

// Wherever an error of module documents comes from, it is a fault that the client sees. Without a
// kind, the client would get INTERNAL_ERROR.
func TestDocumentErrorsBecomeFaults(t *testing.T) {
	for name, test := range documentErrors {
		t.Run(name, func(t *testing.T) {
			for source, err := range errorsFromParts(t, test.err) {
				f := fault.As(err)
				if f == nil || f.Kind != test.kind || !errors.Is(err, test.err) {
					t.Errorf("from the %s: error %v, want a fault of kind %v", source, err, test.kind)
					continue
				}
				want := test.detail
				if want == "" {
					want = documents.AsError(test.err).Message
				}
				if !strings.Contains(f.Detail, want) || strings.Contains(f.Detail, "secret") {
					t.Errorf("from the %s: detail %q, want %q", source, f.Detail, want)
				}
			}
		})
	}
}

// errorsFromParts returns what a Service returns if one of its parts returns err, by part.
func errorsFromParts(t *testing.T, err error) map[string]error {
	t.Helper()
	read := func(change func(*media.Parts)) error {
		parts := newPictureService(stubViewer{}, documents.DefaultLimits()).Parts
		change(&parts)
		_, readErr := media.NewService(parts).Read(t.Context(), "", source("#picture"))
		return readErr
	}
	_, textErr := newFailingReaderService(err).ReadText(t.Context(), "text")
	_, jobErr := newFailingReaderService(err).NeedsJob(t.Context(), media.Work{Files: []media.File{{Source: source("text")}}})
	_, engineErr := media.NewService(media.Parts{Engine: failingEngine{err: err}}).
		AnswerTexts(t.Context(), media.Question{Task: media.Summarize}, &documents.Document{})
	found := map[string]error{
		"format detection": read(func(p *media.Parts) { p.Detect = failingDetect(err) }),
		"viewer":           read(func(p *media.Parts) { p.Viewer = stubViewer{map[string]error{"picture": err}} }),
		"transcriber": func() error {
			_, transcribeErr := newRecordingService(documents.Audio, nil, &stubTranscriber{err: err}).Read(t.Context(), "", source("noise"))
			return transcribeErr
		}(),
		"job decision": jobErr, "engine": engineErr,
	}
	if !errors.Is(err, documents.ErrEmpty) { // of a text, this is ErrBlankText
		found["text reader"] = textErr
	}
	found["file reader"] = read(func(p *media.Parts) { p.Readers[documents.PDF] = failingReader(err) })
	return found
}

type failingEngine struct {
	answers.Engine
	err error
}

func (e failingEngine) Summarize(context.Context, *documents.Document, answers.SummarySettings) (answers.Summary, error) {
	return answers.Summary{}, e.err
}

func failingDetect(err error) func(context.Context, documents.Source, documents.Limits) (documents.Format, error) {
	return func(context.Context, documents.Source, documents.Limits) (documents.Format, error) { return "", err }
}

func failingReader(err error) documents.Reader {
	return func(context.Context, documents.Source, *documents.Builder) error { return err }
}

// newFailingReaderService returns a service with a slow transcriber, whose readers and detection of
// formats fail.
func newFailingReaderService(err error) *media.Service {
	parts := newRecordingService(documents.Audio, memoryResults{}, &stubTranscriber{slow: true}).Parts
	parts.Detect = failingDetect(err)
	parts.Readers = map[documents.Format]documents.Reader{documents.PlainText: failingReader(err)}
	return media.NewService(parts)
}

func TestOtherErrorsStayAsTheyAre(t *testing.T) {
	broken, busy := errors.New("the disk is broken"), fault.New(fault.Unavailable, "The model is busy.")
	large := fmt.Errorf("%w (%w)", fault.New(fault.Unprocessable, "The upload is too large."), documents.ErrTooMuch)
	for _, err := range []error{broken, busy, large} {
		_, got := newRecordingService(documents.Audio, nil, &stubTranscriber{err: err}).Read(t.Context(), "", source("noise"))
		if !errors.Is(got, err) || fault.KindOf(got) != fault.KindOf(err) {
			t.Errorf("error %v becomes %v", err, got)
		}
		if f := fault.As(err); f != nil && fault.As(got).Detail != f.Detail {
			t.Errorf("detail %q becomes %q", f.Detail, fault.As(got).Detail)
		}
	}
}

// A file that was read in part is an answer with a warning, whatever ended the reading.
func TestPartOfAFileIsRead(t *testing.T) {
	for _, err := range []error{documents.ErrDamaged, documents.ErrSlow, documents.TooLarge(1 << 20)} {
		parts := newPictureService(nil, documents.DefaultLimits()).Parts
		parts.Readers[documents.PDF] = func(ctx context.Context, file documents.Source, into *documents.Builder) error {
			return errors.Join(readPages(ctx, file, into), err)
		}
		d, readErr := media.NewService(parts).Read(t.Context(), "", source("one"))
		if readErr != nil || d.Text() != "one" || len(d.Warnings) != 1 {
			t.Errorf("%v: document %+v, error %v; want the text and a warning", err, d, readErr)
		}
	}
}

// panicking returns a reader that panics with a text of the file, after it has read some text.
func panicking(text string) documents.Reader {
	return func(_ context.Context, _ documents.Source, into *documents.Builder) (err error) {
		defer documents.RecoverPanic(&err)
		if text != "" {
			if err := into.Add(documents.Block{Kind: documents.Paragraph, Text: text}); err != nil {
				return err
			}
		}
		panic("secret words of the file")
	}
}

// A panic is logged once, with its stack, and neither the log nor the client sees the file's words.
func TestPanicOfAReaderIsLogged(t *testing.T) {
	work := media.Work{Question: media.Question{Task: media.Summarize}, Files: []media.File{{Source: source("file")}}}
	newParts := func(reader documents.Reader) media.Parts {
		parts := newPictureService(nil, documents.DefaultLimits()).Parts
		parts.Engine, parts.Results = echoEngine{}, memoryResults{}
		parts.Readers = map[documents.Format]documents.Reader{documents.PDF: reader, documents.PlainText: reader}
		return parts
	}
	answerFile := func(parts media.Parts) (string, error) {
		answer, err := media.NewService(parts).Answer(t.Context(), work)
		return answer.Summary, err
	}
	for name, test := range map[string]struct {
		call    func() (string, error)
		summary string // if the call succeeds
	}{
		"file":         {func() (string, error) { return answerFile(newParts(panicking(""))) }, ""},
		"part of file": {func() (string, error) { return answerFile(newParts(panicking("Page 1"))) }, "Page 1"},
		"text": {func() (string, error) {
			_, err := media.NewService(newParts(panicking(""))).ReadText(t.Context(), "text")
			return "", err
		}, ""},
		"format": {func() (string, error) {
			parts := newParts(nil)
			parts.Detect = func(ctx context.Context, file documents.Source, _ documents.Limits) (documents.Format, error) {
				return "", panicking("")(ctx, file, nil)
			}
			return answerFile(parts)
		}, ""},
		"transcript": {func() (string, error) {
			err := panicking("")(t.Context(), source(""), nil)
			_, err = newRecordingService(documents.Audio, nil, &stubTranscriber{err: err}).Read(t.Context(), "", source("noise"))
			return "", err
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			logged := testkit.CaptureLogs(t)
			summary, err := test.call()
			if summary != test.summary || (err == nil) != (test.summary != "") {
				t.Errorf("summary %q, error %v", summary, err)
			}
			if err != nil && fault.KindOf(err) != fault.Unprocessable {
				t.Errorf("error %v, want a fault", err)
			}
			text := logged.String()
			if strings.Count(text, "a reader panicked") != 1 || !strings.Contains(text, "faults_test.go") {
				t.Errorf("want one log line with the stack, got %s", text)
			}
			if strings.Contains(text, "secret") || strings.Contains(fmt.Sprint(err), "secret") {
				t.Errorf("the words of the file are in the log or in the error: %s, %v", text, err)
			}
		})
	}
}

// Errors without a panic are not logged.
func TestLogPanicIgnoresOtherErrors(t *testing.T) {
	logged := testkit.CaptureLogs(t)
	media.LogPanic(t.Context(), nil)
	media.LogPanic(t.Context(), documents.ErrDamaged)
	if logged.Len() > 0 {
		t.Errorf("logged %s", logged)
	}
}
