// Package mediacommand transcribes recordings with a program of the operator, so that it needs no
// account with a service.
//
// The program decodes files from strangers. It may hang, crash, or write without end. So it runs in a
// separate process group that ends with the context, its output is limited, and it gets neither a
// shell nor the function's environment, which contains credentials. Its standard error is dropped,
// because it may repeat the words of the recording.
package mediacommand

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"portside/documents"
	"portside/shared/core/fault"
	"portside/shared/media"
)

// Errors about recordings that the program cannot transcribe.
var (
	ErrNotTranscribed = fault.New(fault.Unprocessable, "The recording could not be transcribed. Send it as MP3, M4A or WAV.")
	ErrTooSlow        = fault.New(fault.Unprocessable, "There was not enough time to transcribe the recording. Send it with the header "+
		"Prefer: respond-async, or send it in parts.")
)

// maxOutputBytes limits the output of the program.
const maxOutputBytes = 8 << 20

// Transcriber runs a command.
type Transcriber struct {
	program string
	args    []string
	read    documents.Reader
}

var _ media.Transcriber = (*Transcriber)(nil)

// New returns a Transcriber for a command: a program and its arguments, separated by spaces. There is
// no shell, so the command cannot contain quotes. The program gets the path of the recording as its
// last argument. It prints WebVTT, SubRip or plain text, which read parses.
func New(command string, read documents.Reader) (*Transcriber, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, errors.New("names no program")
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil, fmt.Errorf("names a program that cannot be run: %w", err)
	}
	return &Transcriber{words[0], words[1:], read}, nil
}

// Slow implements [media.Transcriber]. The operator chooses a program that is fast enough.
func (t *Transcriber) Slow() bool { return false }

// Version implements [media.Transcriber].
func (t *Transcriber) Version() string {
	return strings.Join(append([]string{"command", t.program}, t.args...), " ")
}

// Transcribe implements [media.Transcriber]. The program gets no keywords; a warning says so if there
// are any.
func (t *Transcriber) Transcribe(ctx context.Context, r media.Recording) ([]documents.Block, []string, error) {
	name, err := saveRecording(r)
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(name) //nolint:errcheck // the caller cannot do anything about a file that stays
	output, err := t.run(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	err = t.read(ctx, documents.FromBytes(output), into)
	if err != nil && !errors.Is(err, documents.ErrEmpty) {
		return nil, nil, fmt.Errorf("read the output of the transcriber: %w", err)
	}
	if len(r.Keywords) > 0 {
		into.Warn("The transcriber does not support keywords, so they were not used.")
	}
	d := into.Document()
	return captions(d.Blocks), d.Warnings, nil
}

// captions turns all blocks into captions. Blocks of plain text have no times.
func captions(blocks []documents.Block) []documents.Block {
	all := make([]documents.Block, len(blocks))
	for i, b := range blocks {
		all[i] = documents.Block{Kind: documents.Caption, Text: b.Text, Time: b.Time}
	}
	return all
}

// saveRecording writes the recording to a file whose extension fits its format.
func saveRecording(r media.Recording) (name string, err error) {
	extension, _, err := r.Container()
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "recording-*."+extension)
	if err != nil {
		return "", fmt.Errorf("save a recording: %w", err)
	}
	_, err = io.Copy(file, io.NewSectionReader(r.File, 0, r.File.Size))
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("save a recording: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return file.Name(), nil
}

// run runs the program on the file and returns its output. When it returns, all processes of the group
// have ended.
func (t *Transcriber) run(ctx context.Context, name string) ([]byte, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := &limitedBuffer{onFull: func() { stop(documents.ErrTooMuch) }}
	command := exec.CommandContext(ctx, t.program, append(slices.Clip(t.args), name)...)
	command.Stdout, command.Env = out, environment()
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	killGroup := func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.Cancel, command.WaitDelay = killGroup, time.Second
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the transcriber: %w", err)
	}
	err := command.Wait()
	_ = killGroup() // processes that the program left behind; usually it leaves none
	if err != nil {
		return nil, errorOf(ctx, err)
	}
	return out.buffer.Bytes(), nil
}

// errorOf classifies a failure of the program.
func errorOf(ctx context.Context, err error) error {
	exit, isExit := errors.AsType[*exec.ExitError](err)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.DeadlineExceeded):
		return fmt.Errorf("%w (%w)", ErrTooSlow, err)
	case cause != nil:
		return fmt.Errorf("the transcriber was killed: %w", cause)
	case isExit && exit.Exited():
		return fmt.Errorf("%w (%w)", ErrNotTranscribed, err)
	}
	return fmt.Errorf("the transcriber: %w", err)
}

// environment returns the variables that programs need to find their libraries and files. None of
// them is secret.
func environment() []string {
	var all []string
	for _, name := range []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH"} {
		if value, set := os.LookupEnv(name); set {
			all = append(all, name+"="+value)
		}
	}
	return all
}

// limitedBuffer calls onFull, and fails, if more is written than fits.
type limitedBuffer struct {
	buffer bytes.Buffer
	onFull func()
}

// Write implements [io.Writer].
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.buffer.Len()+len(p) > maxOutputBytes {
		b.onFull()
		return 0, documents.ErrTooMuch
	}
	return b.buffer.Write(p)
}
