// Package mediacommand transcribes recordings by the operator's own program, so that it can be done without any account.
//
// The program decodes what strangers send, and may hang, crash or never stop writing. So it runs in a process group of its own
// that ends with the context, its output is bounded, and it gets neither a shell nor the function's environment, which has
// credentials. What it writes to its standard error may repeat what is said, and goes nowhere.
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

// Why the program gave no words.
var (
	ErrUnheard = fault.New(fault.Unprocessable, "The recording could not be transcribed. Send it as MP3, M4A or WAV.")
	ErrTooSlow = fault.New(fault.Unprocessable, "There was not enough time to transcribe the recording. Send it with the header "+
		"Prefer: respond-async, or in parts.")
)

// mostOutput is what the program may write.
const mostOutput = 8 << 20

// Transcriber runs a command.
type Transcriber struct {
	program string
	args    []string
	read    documents.Reader
}

var _ media.Transcriber = (*Transcriber)(nil)

// New returns a Transcriber of a command: a program and its arguments, apart by spaces, as there is no shell that could know
// quotes. The program gets the path of the recording as its last argument and prints WebVTT, SubRip or plain text; read
// reads that.
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

// Slow implements [media.Transcriber]: a program that takes too long is the operator's to see to.
func (t *Transcriber) Slow() bool { return false }

// Version implements [media.Transcriber].
func (t *Transcriber) Version() string {
	return strings.Join(append([]string{"command", t.program}, t.args...), " ")
}

// Transcribe implements [media.Transcriber]. The program is told no keywords, and so a warning says where there were some.
func (t *Transcriber) Transcribe(ctx context.Context, r media.Recording) ([]documents.Block, []string, error) {
	name, err := saved(r)
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(name) //nolint:errcheck // a file that stays is small harm, and nobody can be told
	said, err := t.run(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	into := documents.NewBuilder(documents.PlainText, documents.DefaultLimits())
	err = t.read(ctx, documents.FromBytes(said), into)
	if err != nil && !errors.Is(err, documents.ErrEmpty) {
		return nil, nil, fmt.Errorf("read what the transcriber wrote: %w", err)
	}
	if len(r.Keywords) > 0 {
		into.Warn("The transcriber takes no keywords; they were left out.")
	}
	d := into.Document()
	return captions(d.Blocks), d.Warnings, nil
}

// captions makes all blocks ones of a recording; those of plain text have no times.
func captions(blocks []documents.Block) []documents.Block {
	all := make([]documents.Block, len(blocks))
	for i, b := range blocks {
		all[i] = documents.Block{Kind: documents.Caption, Text: b.Text, Time: b.Time}
	}
	return all
}

// saved writes the recording to a file with an ending that tells programs what it is.
func saved(r media.Recording) (name string, err error) {
	suffix, _, err := r.Container()
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "recording-*."+suffix)
	if err != nil {
		return "", fmt.Errorf("save a recording: %w", err)
	}
	_, err = io.Copy(file, io.NewSectionReader(r.File, 0, r.File.Size))
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("save a recording: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return file.Name(), nil
}

// run returns what the program prints about the file. Its whole process group has ended afterwards.
func (t *Transcriber) run(ctx context.Context, name string) ([]byte, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := &bounded{full: func() { stop(documents.ErrTooMuch) }}
	command := exec.CommandContext(ctx, t.program, append(slices.Clip(t.args), name)...)
	command.Stdout, command.Env = out, environment()
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endAll := func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.Cancel, command.WaitDelay = endAll, time.Second
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start the transcriber: %w", err)
	}
	err := command.Wait()
	_ = endAll() // what it left behind in its group; mostly there is nothing
	if err != nil {
		return nil, failed(ctx, err)
	}
	return out.buffer.Bytes(), nil
}

// failed says in terms of recordings what went wrong.
func failed(ctx context.Context, err error) error {
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.DeadlineExceeded):
		return fmt.Errorf("%w (%w)", ErrTooSlow, err)
	case cause != nil:
		return fmt.Errorf("the transcriber was ended: %w", cause)
	case ended && exit.Exited():
		return fmt.Errorf("%w (%w)", ErrUnheard, err)
	}
	return fmt.Errorf("the transcriber: %w", err)
}

// environment is what programs need to be found and to find their libraries and files, and nothing secret.
func environment() []string {
	var all []string
	for _, name := range []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH"} {
		if value, set := os.LookupEnv(name); set {
			all = append(all, name+"="+value)
		}
	}
	return all
}

// bounded takes what fits, and calls full when more comes.
type bounded struct {
	buffer bytes.Buffer
	full   func()
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if b.buffer.Len()+len(p) > mostOutput {
		b.full()
		return 0, documents.ErrTooMuch
	}
	return b.buffer.Write(p)
}
