package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// isTerminal reports whether a reader or writer is a terminal.
func isTerminal(stream any) bool {
	file, isFile := stream.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}

// hasColors reports whether tables have colors. See https://no-color.org.
func (a *App) hasColors() bool {
	forbidden, _ := a.Lookup("NO_COLOR")
	kind, _ := a.Lookup("TERM")
	return isTerminal(a.Stdout) && forbidden == "" && kind != "dumb"
}

// askSecret asks for a text that the terminal does not show. The terminal is raw before the question appears, so it
// never shows a key that is typed or pasted early. A raw terminal sends Ctrl-C as a character, not as a signal.
func (a *App) askSecret(ctx context.Context, question string) (string, error) {
	file, isFile := a.Stdin.(*os.File)
	if !isFile {
		return "", errors.New("stdin is not a terminal")
	}
	before, err := term.MakeRaw(int(file.Fd()))
	if err != nil {
		return "", err
	}
	text, err := await(ctx, func() (string, error) {
		return term.NewTerminal(dialog{file, a.Stderr}, "").ReadPassword(question)
	})
	if err != nil {
		_, _ = fmt.Fprint(a.Stderr, "\r\n") // after the question
	}
	if errors.Is(err, io.EOF) { // Ctrl-C or Ctrl-D
		err = context.Canceled
	}
	return text, errors.Join(err, term.Restore(int(file.Fd()), before))
}

// dialog reads from stdin and writes to stderr.
type dialog struct {
	io.Reader
	io.Writer
}

// Confirm asks whether to do something that cannot be undone. Without a terminal, the flag --yes answers.
func (a *App) Confirm(ctx context.Context, yes bool, question string) error {
	if yes {
		return nil
	}
	if !isTerminal(a.Stdin) || !isTerminal(a.Stderr) {
		return UsageError("pass --yes to confirm, because stdin is not a terminal")
	}
	_, _ = fmt.Fprint(a.Stderr, question+" [y/N] ")
	line, err := await(ctx, func() (string, error) { return bufio.NewReader(a.Stdin).ReadString('\n') })
	if err != nil {
		_, _ = fmt.Fprintln(a.Stderr) // after the question
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return errors.New("stopped; nothing was changed")
	}
	return nil
}

// await returns when f returns or ctx ends, because a read from a terminal cannot be interrupted.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := f()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// Progress shows on a terminal how far a long command is. It shows nothing elsewhere, nor between the lines of a
// result.
type Progress struct {
	w       io.Writer
	isShown bool
}

// NewProgress returns a line that shows the progress of a command.
func (a *App) NewProgress() *Progress {
	if !isTerminal(a.Stderr) || isTerminal(a.Stdout) && a.Format.IsForPrograms() {
		return &Progress{w: io.Discard}
	}
	return &Progress{w: a.Stderr}
}

// shortWait is the longest wait for a retry about which a command says nothing.
const shortWait = 3 * time.Second

// reportWait says why a command waits, so that it does not seem stuck. The line replaces the progress.
func (a *App) reportWait(wait time.Duration, cause error) {
	if wait <= shortWait {
		return
	}
	start := ""
	if isTerminal(a.Stderr) {
		start = clearLine
	}
	a.Report("%swaiting %.0f s: %s", start, wait.Seconds(), reasonOf(cause))
}

// clearLine moves the cursor to the start of the line and deletes the line.
const clearLine = "\r\x1b[K"

// Show replaces the line.
func (p *Progress) Show(format string, args ...any) {
	p.isShown = true
	_, _ = fmt.Fprintf(p.w, clearLine+format, args...)
}

// Finish removes the line.
func (p *Progress) Finish() {
	if p.isShown {
		_, _ = fmt.Fprint(p.w, clearLine)
		p.isShown = false // so that a second call does not clear a line of the result
	}
}
