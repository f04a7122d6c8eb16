package mediacommand_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"portside/documents"
	"portside/documents/text"
	"portside/shared/core/fault"
	"portside/shared/media"
	"portside/shared/media/mediacommand"
)

// newScript returns a transcriber that runs a shell script. The recording is its last argument.
func newScript(tb testing.TB, script string, args ...string) *mediacommand.Transcriber {
	tb.Helper()
	file := filepath.Join(tb.TempDir(), "transcribe.sh")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		tb.Fatal(err)
	}
	transcriber, err := mediacommand.New(strings.Join(append([]string{"sh", file}, args...), "  "), text.ReadText)
	if err != nil {
		tb.Fatal(err)
	}
	return transcriber
}

func recording(content string, keywords ...string) media.Recording {
	file := documents.FromBytes([]byte(content))
	return media.Recording{File: file, Kind: documents.Audio, Keywords: keywords}
}

func TestTranscribeParsesOutput(t *testing.T) {
	timed := []documents.Block{
		{Kind: documents.Caption, Text: "Good morning.", Time: documents.Span{From: 0, To: 2.5}},
		{Kind: documents.Caption, Text: "Goodbye.", Time: documents.Span{From: 3, To: 4}},
	}
	untimed := []documents.Block{{Kind: documents.Caption, Text: "Good morning."}, {Kind: documents.Caption, Text: "Goodbye."}}
	for name, test := range map[string]struct {
		prints string
		want   []documents.Block
	}{
		"WebVTT":    {`WEBVTT\n\n00:00.000 --> 00:02.500\nGood morning.\n\n00:03.000 --> 00:04.000\nGoodbye.\n`, timed},
		"SubRip":    {`1\n00:00:00,000 --> 00:00:02,500\nGood morning.\n\n2\n00:00:03,000 --> 00:00:04,000\nGoodbye.\n`, timed},
		"plain":     {`Good morning.\n\nGoodbye.\n`, untimed},
		"blank":     {` \n \n`, []documents.Block{}},
		"nothing":   {``, []documents.Block{}},
		"no shell":  {`$HOME; * > x`, []documents.Block{{Kind: documents.Caption, Text: "$HOME; * > x"}}},
		"not UTF-8": {`Gr\374\337e aus K\366ln`, []documents.Block{{Kind: documents.Caption, Text: "Grüße aus Köln"}}},
	} {
		t.Run(name, func(t *testing.T) {
			captions, warnings, err := newScript(t, "printf '"+test.prints+"'").Transcribe(t.Context(), recording("noise"))
			if err != nil || !reflect.DeepEqual(captions, test.want) || len(warnings) > 0 {
				t.Errorf("got %+v, %q, %v", captions, warnings, err)
			}
		})
	}
}

// A program gets its arguments and the recording in a file with the right extension, but no secrets and no ID of the
// customer.
//
//proves:docs/security.md
func TestProgramGetsRecordingWithoutSecrets(t *testing.T) {
	t.Setenv("MEDIA_MODEL_KEY", "hush")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	transcriber := newScript(t, `echo "$# $1 ${2##*.} $(cat "$2") [$MEDIA_MODEL_KEY$AWS_SECRET_ACCESS_KEY]" \
"$( (env; echo "$@") | grep -c acme-customer)"; rm -f "$0"`, "-l;auto")
	r := recording("RIFF....WAVEfmt ", "Nordwind")
	r.Customer = "acme-customer"
	captions, warnings, err := transcriber.Transcribe(t.Context(), r)
	if err != nil || len(captions) != 1 || captions[0].Text != "2 -l;auto wav RIFF....WAVEfmt [] 0" || len(warnings) != 1 {
		t.Errorf("got %+v, %q, %v", captions, warnings, err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("files left behind: %v, %v", left, err)
	}
	if version := transcriber.Version(); !strings.HasSuffix(version, " -l;auto") {
		t.Errorf("the version is %q", version)
	}
}

func TestTranscribeReportsFailures(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for name, test := range map[string]struct {
		script string
		want   error
	}{
		"fails":     {"echo secret words >&2; exit 3", mediacommand.ErrNotTranscribed},
		"chatters":  {"while :; do echo blah blah blah blah; done", documents.ErrTooMuch},
		"is killed": {"kill -9 $$", nil},
	} {
		t.Run(name, func(t *testing.T) {
			captions, _, err := newScript(t, test.script).Transcribe(t.Context(), recording("noise"))
			if captions != nil || err == nil || test.want != nil && !errors.Is(err, test.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, %v", captions, err)
			}
			if test.want == nil && fault.As(err) != nil {
				t.Errorf("want an internal error: %v", err)
			}
		})
	}
	broken := recording("")
	broken.File = documents.Source{ReaderAt: failing{}, Size: 9}
	if _, _, err := newScript(t, "echo hello").Transcribe(t.Context(), broken); !errors.Is(err, errGone) {
		t.Errorf("a recording that cannot be read: %v", err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("files left behind: %v, %v", left, err)
	}
}

var errGone = errors.New("the disk is gone")

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, errGone }

// A hanging program and its children are killed when the context ends.
func TestHangingProgramIsKilled(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	script := `sleep 600 & echo $! $$ >"$1.new"; mv "$1.new" "$1"; echo partly; wait`
	transcriber := newScript(t, script, pids)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	ended := make(chan error)
	go func() {
		_, _, err := transcriber.Transcribe(ctx, recording("noise"))
		ended <- err
	}()
	var output []byte
	await(t, func() bool {
		var err error
		output, err = os.ReadFile(pids)
		return err == nil
	})
	cancel(context.DeadlineExceeded)
	if err := <-ended; !errors.Is(err, mediacommand.ErrTooSlow) {
		t.Errorf("got %v", err)
	}
	for word := range strings.FieldsSeq(string(output)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		await(t, func() bool { return hasEnded(pid) })
	}
}

// hasEnded reports whether a process has ended. It is also true for a zombie.
func hasEnded(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil {
		return strings.Contains(string(stat), ") Z ")
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func await(tb testing.TB, met func() bool) {
	tb.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	deadline := time.After(time.Minute)
	for !met() {
		select {
		case <-poll.C:
		case <-deadline:
			tb.Fatal("it never happens")
		}
	}
}

func TestNewRejectsInvalidCommands(t *testing.T) {
	for _, command := range []string{"", "  ", "no-such-program-anywhere -x"} {
		if _, err := mediacommand.New(command, text.ReadText); err == nil {
			t.Errorf("%q is accepted", command)
		}
	}
}
