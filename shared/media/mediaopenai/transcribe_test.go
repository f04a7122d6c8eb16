package mediaopenai_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/mediaopenai"
	"portside/shared/media/mediaprompt"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/mediatest"
)

const speech = `{"task": "transcribe", "language": "german", "duration": 9.5, "text": " Guten Tag. Bis bald.", "segments": [
	{"id": 0, "seek": 0, "start": 0.0, "end": 2.5, "text": " Guten Tag.", "tokens": [1], "temperature": 0, "avg_logprob": -0.2,
	 "compression_ratio": 1, "no_speech_prob": 0.1},
	{"id": 1, "start": 2.5, "end": 3, "text": " \u200b "},
	{"id": 2, "start": 3, "end": 9.5, "text": " Bis\u0000  bald."}]}`

// newSpeechBench returns a bench whose server returns the speech for every recording.
func newSpeechBench(tb testing.TB, speech string, b mediatest.Behavior) (*bench, media.Transcriber) {
	tb.Helper()
	bench := newBench(tb, nil)
	bench.server.Speech = speech
	bench.server.SetBehavior(b)
	transcriber, err := mediaopenai.NewTranscriber(bench.options)
	if err != nil {
		tb.Fatal(err)
	}
	return bench, transcriber
}

func recording(content string) media.Recording {
	return media.Recording{File: documents.FromBytes([]byte(content)), Kind: documents.Audio}
}

func TestTranscribeReturnsCaptions(t *testing.T) {
	b, transcriber := newSpeechBench(t, speech, mediatest.Behavior{Failures: 2, Status: 503})
	r := recording("ID3 noise")
	r.Lang, r.Keywords = "de", []string{"Nordwind", "Świętosława"}
	captions, warnings, err := transcriber.Transcribe(t.Context(), r)
	want := []documents.Block{
		{Kind: documents.Caption, Text: "Guten Tag.", Time: documents.Span{From: 0, To: 2.5}},
		{Kind: documents.Caption, Text: "Bis bald.", Time: documents.Span{From: 3, To: 9.5}},
	}
	if err != nil || !reflect.DeepEqual(captions, want) || len(warnings) > 0 || len(b.pauses) != 2 {
		t.Errorf("got %+v, %q, %v", captions, warnings, err)
	}
	for _, form := range b.server.Forms { // the file is whole each time
		if form["file"] != "ID3 noise" || form["language"] != "de" || form["prompt"] != "Nordwind, Świętosława" {
			t.Errorf("got %q", form)
		}
	}
	if log := b.log.String(); strings.Contains(log, "Guten") || !strings.Contains(log, `"endpoint":"transcriptions"`) {
		t.Errorf("logged %s", log)
	}
}

func TestFileNameFitsContent(t *testing.T) {
	for content, want := range map[string]string{
		"RIFF....WAVEfmt ":         "recording.wav",
		"fLaC":                     "recording.flac",
		"OggS....":                 "recording.ogg",
		"\x1a\x45\xdf\xa3":         "recording.webm",
		"\x00\x00\x00\x20ftypM4A ": "recording.m4a",
		"\x00\x00\x00\x20ftypisom": "recording.mp4",
		"\xff\xfb":                 "recording.mp3",
		"R":                        "recording.mp3",
	} {
		b, transcriber := newSpeechBench(t, speech, mediatest.Behavior{})
		if _, _, err := transcriber.Transcribe(t.Context(), recording(content)); err != nil {
			t.Fatal(err)
		}
		if got := b.server.Forms[0]["file name"]; got != want {
			t.Errorf("%q is sent as %s", content, got)
		}
		if _, sent := b.server.Forms[0]["language"]; sent {
			t.Error("a language is sent that nobody knows")
		}
	}
}

// The transcriber learns from the first refusal that a server returns no times.
func TestServerWithoutTimes(t *testing.T) {
	b, transcriber := newSpeechBench(t, speech, mediatest.Behavior{Unsupported: []string{"verbose_json"}})
	for range 2 {
		captions, warnings, err := transcriber.Transcribe(t.Context(), recording("ID3"))
		want := []documents.Block{{Kind: documents.Caption, Text: "Guten Tag. Bis bald."}}
		if err != nil || !reflect.DeepEqual(captions, want) || len(warnings) != 1 {
			t.Errorf("got %+v, %q, %v", captions, warnings, err)
		}
	}
	if b.server.Requests() != 3 {
		t.Errorf("%d requests", b.server.Requests())
	}
}

func TestImpossibleTimesAreDropped(t *testing.T) {
	_, transcriber := newSpeechBench(t, `{"text": "", "segments": [{"start": -1, "end": 2, "text": "a"}, {"start": 5, "end": 4, "text": "b"},
		{"start": 7, "end": 8, "text": "c"}, {"start": 6, "end": 9, "text": "d"}]}`, mediatest.Behavior{})
	captions, _, err := transcriber.Transcribe(t.Context(), recording("ID3"))
	if err != nil || len(captions) != 4 {
		t.Fatalf("got %+v, %v", captions, err)
	}
	for i, want := range []documents.Span{{}, {}, {From: 7, To: 8}, {}} {
		if captions[i].Time != want {
			t.Errorf("%d: %+v", i, captions[i])
		}
	}
}

func TestSilentRecording(t *testing.T) {
	_, transcriber := newSpeechBench(t, `{"text": " ", "segments": []}`, mediatest.Behavior{})
	if captions, warnings, err := transcriber.Transcribe(t.Context(), recording("ID3")); err != nil || len(captions)+len(warnings) > 0 {
		t.Errorf("got %+v, %q, %v", captions, warnings, err)
	}
}

func TestTranscribeReportsFailures(t *testing.T) {
	for _, test := range []struct {
		name string
		b    mediatest.Behavior
		want error
	}{
		{"throttled", mediatest.Behavior{Failures: 99, Status: 429}, mediaprompt.ErrBusy},
		{"cut off", mediatest.Behavior{CutAfter: 9}, mediaprompt.ErrBusy},
		{"junk", mediatest.Behavior{Body: "PWNED"}, mediaprompt.ErrJunk},
		{"wrong types", mediatest.Behavior{Body: `{"segments": [{"start": "soon", "text": 7}]}`}, mediaprompt.ErrJunk},
		{"a page", mediatest.Behavior{ContentType: "text/html"}, mediaprompt.ErrJunk},
		{"too large", mediatest.Behavior{Failures: 99, Status: 413}, mediaopenai.ErrTooLarge},
		{"unknown kind", mediatest.Behavior{Failures: 99, Status: 415}, mediaopenai.ErrUnsupported},
	} {
		t.Run(test.name, func(t *testing.T) {
			b, transcriber := newSpeechBench(t, speech, test.b)
			captions, _, err := transcriber.Transcribe(t.Context(), recording("ID3"))
			if len(captions) > 0 || !errors.Is(err, test.want) || fault.As(err).Detail != fault.As(test.want).Detail {
				t.Errorf("got %v, %v", captions, err)
			}
			b.checkSecrets(t, err)
		})
	}
}

// broken is a recording that cannot be read.
type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, errors.New("the disk is gone") }

func TestUnreadableRecording(t *testing.T) {
	b, transcriber := newSpeechBench(t, speech, mediatest.Behavior{})
	r := media.Recording{File: documents.Source{ReaderAt: broken{}, Size: 9}, Kind: documents.Audio}
	if _, _, err := transcriber.Transcribe(t.Context(), r); err == nil || b.server.Requests() > 0 {
		t.Errorf("got %v", err)
	}
}

func TestWarningAboutUnusedKeywords(t *testing.T) {
	b, transcriber := newSpeechBench(t, speech, mediatest.Behavior{})
	r := recording("ID3")
	for i := range media.MaxKeywords {
		r.Keywords = append(r.Keywords, fmt.Sprintf("Keyword%04d", i))
	}
	_, warnings, err := transcriber.Transcribe(t.Context(), r)
	sent := strings.Split(b.server.Forms[0]["prompt"], ", ")
	if err != nil || len(sent) < 25 || len(sent) > 60 || sent[0] != "Keyword0000" {
		t.Fatalf("%d keywords are sent, %v", len(sent), err)
	}
	want := fmt.Sprintf("the last %d of %d were left out", media.MaxKeywords-len(sent), media.MaxKeywords)
	if len(warnings) != 1 || !strings.Contains(warnings[0], want) {
		t.Errorf("got %q", warnings)
	}
}

func TestTranscribeHonorsRetryAfter(t *testing.T) {
	at := awstest.RealTime().Add(40 * time.Second).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	b, transcriber := newSpeechBench(t, speech, mediatest.Behavior{Failures: 1, Status: 503, RetryAfter: at})
	if _, _, err := transcriber.Transcribe(t.Context(), recording("ID3")); err != nil || len(b.pauses) != 1 || b.pauses[0] < 5*time.Second {
		t.Errorf("pauses of %v, %v", b.pauses, err)
	}
}
