package mediatranscribe_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/documents"
	"portside/documents/answers"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/mediatranscribe"
	"portside/shared/testkit/mediatest"
)

func TestTranscribeReturnsCaptions(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech, Polls: 5})
	b.server.SetBehavior(mediatest.Behavior{Failures: 2, Status: http.StatusBadRequest, Code: "LimitExceededException"})
	captions, warnings, err := b.transcriber().Transcribe(t.Context(), recording("ID3 noise"))
	if err != nil || !reflect.DeepEqual(captions, wantCaptions()) || len(warnings) > 0 {
		t.Errorf("got %+v, %q, %v", captions, warnings, err)
	}
	want := []time.Duration{2 * time.Second, 2 * time.Second, 4 * time.Second, 4 * time.Second, 8 * time.Second}
	if waits := b.waits(); !slices.Equal(waits[2:], want) {
		t.Errorf("waited %v", waits)
	}
	started := b.server.Started()
	if len(started) != 1 || started[0].Format != "mp3" || started[0].Language != "" || started[0].Options != nil {
		t.Errorf("started %+v", started)
	}
	b.mustBeClean(t)
	b.checkSecrets(t, err)
	if log := b.logged(); strings.Count(log, "model call") != 1 || !strings.Contains(log, `"audioSeconds":30,`) ||
		!strings.Contains(log, `"microUSD":12000`) || !strings.Contains(log, `"engine":"transcribe"`) {
		t.Errorf("logged %s", log)
	}
}

func TestKeyFitsContent(t *testing.T) {
	for content, want := range map[string]string{
		"RIFF....WAVEfmt ": "wav", "fLaC": "flac", "OggS....": "ogg", "\x1a\x45\xdf\xa3": "webm", "\x00\x00\x00\x20ftypM4A ": "m4a",
		"\x00\x00\x00\x20ftypisom": "mp4", "\xff\xfb": "mp3",
	} {
		b := newBench(t, mediatest.Speech{})
		if _, _, err := b.transcriber().Transcribe(t.Context(), recording(content)); err != nil {
			t.Fatal(err)
		}
		if got := b.server.Started()[0].Format; got != want {
			t.Errorf("%q is sent as %s", content, got)
		}
	}
}

func TestLanguageIsSent(t *testing.T) {
	for lang, want := range map[answers.Lang]string{"de": "de-DE", "en": "en-US", "ro": "ro-RO", "ja": "", "": ""} {
		b := newBench(t, mediatest.Speech{Results: speech})
		r := recording("ID3")
		r.Lang = lang
		if _, _, err := b.transcriber().Transcribe(t.Context(), r); err != nil || b.server.Started()[0].Language != want {
			t.Errorf("%s: %+v, %v", lang, b.server.Started(), err)
		}
	}
}

func TestSilentRecording(t *testing.T) {
	for name, speech := range map[string]mediatest.Speech{
		"nobody speaks": {Polls: 2},
		"too short":     {Failure: "The input media file length is too small. Check the length of the file and try your request again."},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, speech)
			captions, warnings, err := b.transcriber().Transcribe(t.Context(), recording("ID3"))
			if err != nil || len(captions)+len(warnings) > 0 {
				t.Errorf("%+v, %q, %v", captions, warnings, err)
			}
			b.mustBeClean(t)
		})
	}
}

func TestFailedJobs(t *testing.T) {
	for reason, want := range map[string]error{
		"Unsupported media format.": documents.ErrDamaged,
		"The media format provided does not match the detected media format.":          documents.ErrDamaged,
		"Invalid sample rate for audio file.":                                          documents.ErrDamaged,
		"Failed to parse audio file.":                                                  documents.ErrDamaged,
		"Invalid file size: file size too large.":                                      mediatranscribe.ErrTooLarge,
		"Invalid number of channels: number of channels too large.":                    mediatranscribe.ErrUnsupported,
		"Your audio must have a speech segment for automatic language identification.": mediatranscribe.ErrTooLittleSpeech,
		"An internal error occurred. Try your request again.":                          mediatranscribe.ErrBusy,
	} {
		b := newBench(t, mediatest.Speech{Failure: reason, Polls: 2})
		captions, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3"))
		if len(captions) > 0 || !errors.Is(err, want) {
			t.Errorf("%s: %+v, %v", reason, captions, err)
		}
		b.mustBeClean(t)
	}
	b := newBench(t, mediatest.Speech{Failure: "Data access role is wrong."})
	if _, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3")); err == nil || fault.As(err) != nil {
		t.Errorf("a configuration error is reported as %v", err)
	}
	b.mustBeClean(t)
}

func TestServiceFailures(t *testing.T) {
	for name, test := range map[string]struct {
		behaviour mediatest.Behavior
		kind      fault.Kind
	}{
		"limited":     {mediatest.Behavior{Failures: 99, Status: 400, Code: "LimitExceededException"}, fault.Unavailable},
		"throttled":   {mediatest.Behavior{Failures: 99, Status: 400, Code: "ThrottlingException"}, fault.Unavailable},
		"broken":      {mediatest.Behavior{Failures: 99, Status: 500, Code: "InternalFailureException"}, fault.Unavailable},
		"dropped":     {mediatest.Behavior{Failures: 99, Drop: true}, fault.Unavailable},
		"cut off":     {mediatest.Behavior{CutAfter: 9}, fault.Unavailable},
		"junk":        {mediatest.Behavior{Body: "PWNED"}, fault.Unavailable},
		"empty":       {mediatest.Behavior{Body: "{}"}, fault.Unavailable},
		"not allowed": {mediatest.Behavior{Failures: 99, Status: 400, Code: "AccessDeniedException"}, fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, mediatest.Speech{Results: speech})
			b.server.SetBehavior(test.behaviour)
			captions, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3"))
			if len(captions) > 0 || err == nil || fault.KindOf(err) != test.kind {
				t.Errorf("got %+v, %v", captions, err)
			}
			if f := fault.As(err); f != nil && f.RetryAfter == 0 {
				t.Errorf("the fault has no time after which to retry: %v", err)
			}
			b.checkSecrets(t, err)
		})
	}
}

func TestConfigurationErrorsAreInternal(t *testing.T) {
	expired := func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, errors.New("expired") }
	for name, wrong := range map[string]func(*bench){
		"no bucket":      func(b *bench) { b.options.Bucket = "portside-no-such-bucket" },
		"no credentials": func(b *bench) { b.who = aws.CredentialsProviderFunc(expired) },
	} {
		b := newBench(t, mediatest.Speech{})
		wrong(b)
		if _, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3")); err == nil || fault.As(err) != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnsupportedRecordings(t *testing.T) {
	b := newBench(t, mediatest.Speech{})
	r := recording("ID3")
	r.File.Size = 3 << 30
	if _, _, err := b.transcriber().Transcribe(t.Context(), r); !errors.Is(err, mediatranscribe.ErrTooLarge) || b.server.Requests() > 0 {
		t.Errorf("too large: %v", err)
	}
	r.File = documents.Source{ReaderAt: broken{}, Size: 9}
	if _, _, err := b.transcriber().Transcribe(t.Context(), r); err == nil || b.server.Requests() > 0 {
		t.Errorf("broken: %v", err)
	}
}

// broken is a file that cannot be read.
type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, errors.New("the disk is gone") }

func TestJobNameDependsOnWork(t *testing.T) {
	b := newBench(t, mediatest.Speech{Results: speech})
	german := recording("ID3")
	german.Lang = "de"
	withKeywords := recording("ID3")
	withKeywords.Keywords = []string{"Nordwind"}
	ofCustomer, ofOther := withKeywords, withKeywords
	ofCustomer.Customer, ofOther.Customer = "acme", "globex"
	for _, r := range []media.Recording{recording("ID3"), recording("ID3 other"), german, withKeywords, ofCustomer, ofOther} {
		if _, _, err := b.transcriber().Transcribe(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, s := range b.server.Started() {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != 6 {
		t.Errorf("got %q", names)
	}
	if n := b.server.Calls("CreateVocabulary"); n != 3*5 { // in five languages
		t.Errorf("customers share vocabularies: %d are made", n)
	}
}

func TestInvalidResults(t *testing.T) {
	for name, text := range map[string]string{
		"words":      "PWNED",
		"cut":        speech[:len(speech)/2],
		"other form": `{"status":"COMPLETED"}`,
		"deep":       strings.Repeat(`{"results":`, 5_000),
		"deep aside": `{"aside":` + strings.Repeat(`[`, 100_000),
		"twice":      `{"results":{}}{"results":{}}`,
	} {
		b := newBench(t, mediatest.Speech{File: text})
		captions, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3"))
		if len(captions) > 0 || !errors.Is(err, mediatranscribe.ErrJunk) {
			t.Errorf("%s: %+v, %v", name, captions, err)
		}
		b.mustBeClean(t)
		b.checkSecrets(t, err)
	}
}

func TestInterruptedResults(t *testing.T) {
	for cuts, want := range map[int]error{2: nil, 99: mediatranscribe.ErrBusy} {
		b := newBench(t, mediatest.Speech{Results: speech})
		b.wire = &cutter{left: cuts}
		captions, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3"))
		if !errors.Is(err, want) || (len(captions) == 3) != (want == nil) {
			t.Errorf("cut %d times: %+v, %v", cuts, captions, err)
		}
		if want == nil {
			b.mustBeClean(t)
		}
		b.wire = nil // the next call uses the objects that are left
		if captions, _, err := b.transcriber().Transcribe(t.Context(), recording("ID3")); err != nil || len(captions) != 3 {
			t.Errorf("afterwards: %+v, %v", captions, err)
		}
		b.mustBeClean(t)
	}
}

// cutter closes the connection while results are read.
type cutter struct{ left int }

func (c *cutter) Do(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultClient.Do(r)
	isResult := r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, ".json")
	if err == nil && isResult && response.StatusCode == http.StatusOK && c.left > 0 {
		c.left--
		response.Body = &cutBody{ReadCloser: response.Body, left: 100}
	}
	return response, err
}

type cutBody struct {
	io.ReadCloser
	left int
}

func (c *cutBody) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.ReadCloser.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func TestVersionHasLanguages(t *testing.T) {
	b := newBench(t, mediatest.Speech{})
	usual := b.transcriber().Version()
	b.options.Languages = []answers.Lang{"it"}
	if special := b.transcriber().Version(); !strings.HasPrefix(usual, "transcribe ") || special == usual || !b.transcriber().Slow() {
		t.Errorf("got %q and %q", usual, special)
	}
}
