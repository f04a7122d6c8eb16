package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"portside/documents"
	"portside/shared/core/fault"
)

// formatHelp follows every error about a format that cannot be read.
const formatHelp = " Send text, Markdown, HTML, CSV, JSON, XML, RTF, PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, mail or " +
	"subtitles; a PNG, JPEG, GIF or WebP picture; audio or video where it can be transcribed."

// asFault turns an error of module documents into the fault that a client sees. Other errors,
// faults included, stay as they are. Every error that leaves a Service goes through it, so that no
// error of a reader, viewer, transcriber or engine about a file becomes an internal error.
func asFault(err error) error {
	e := documents.AsError(err)
	if e == nil || fault.As(err) != nil {
		return err
	}
	f := fault.New(fault.Unprocessable, e.Message)
	switch {
	case e == documents.ErrPictures:
		f = ErrNoViewer
	case e == documents.ErrUnknown:
		f = fault.New(fault.UnsupportedType, e.Message+formatHelp)
	case e.Unsupported:
		f = fault.New(fault.UnsupportedType, e.Message)
	}
	return fmt.Errorf("%w (%w)", f, err)
}

// LogPanic logs a panic of a reader, with its stack, if err contains one. The client only learns
// that the file cannot be read. The caller of a reader calls LogPanic once with the error,
// before the error is dropped or passed on.
func LogPanic(ctx context.Context, err error) {
	if p, ok := errors.AsType[*documents.PanicError](err); ok {
		slog.ErrorContext(ctx, "a reader panicked", "panic", p.Reason, "stack", p.Stack)
	}
}

// IsTransient reports whether the same work may succeed later.
func IsTransient(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.RateLimited
}
