package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"portside/documents"
	"portside/shared/core/fault"
)

// unknownHelp follows every error about a format that is not read.
const unknownHelp = " Send text, Markdown, HTML, CSV, JSON, XML, RTF, PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, mail or " +
	"subtitles; a PNG, JPEG, GIF or WebP picture where a vision model is set up; audio or video where it can be transcribed."

// asFault gives an error of module documents the kind of fault that it means for a caller. Other errors stay as they are.
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
		f = fault.New(fault.UnsupportedType, e.Message+unknownHelp)
	case e.Unsupported:
		f = fault.New(fault.UnsupportedType, e.Message)
	}
	return fmt.Errorf("%w (%w)", f, err)
}

// logPanic logs a panic of a reader, with its stack. Its caller sees only that the file cannot be read.
func logPanic(ctx context.Context, err error) {
	if p, ok := errors.AsType[*documents.PanicError](err); ok {
		slog.ErrorContext(ctx, "a reader panicked", "panic", p.Reason, "stack", p.Stack)
	}
}
