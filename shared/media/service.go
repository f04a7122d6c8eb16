package media

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/files"
	"portside/shared/core/fault"
)

// Retention is how long uploads and answers are kept.
const Retention = 24 * time.Hour

// Results keeps answers, so that the same work is not done and paid for twice.
type Results interface {
	// Find returns what was kept under the key less than Retention ago; false if there is nothing.
	Find(ctx context.Context, key string) (Answer, bool, error)
	// Keep keeps an answer. One that is there already is as good.
	Keep(ctx context.Context, key string, answer Answer) error
}

// Parts is what a Service is made of.
type Parts struct {
	Detect      func(context.Context, documents.Source, documents.Limits) (documents.Format, error) // as kind.Detect
	Readers     map[documents.Format]documents.Reader
	Engine      answers.Engine
	Transcriber Transcriber // nil: NoTranscriber
	Viewer      Viewer      // nil: NoViewer
	Results     Results
	Limits      documents.Limits
}

// Service answers questions about files.
type Service struct{ Parts }

// NewService returns a Service.
func NewService(parts Parts) *Service {
	if parts.Transcriber == nil {
		parts.Transcriber = NoTranscriber{}
	}
	if parts.Viewer == nil {
		parts.Viewer = NoViewer{}
	}
	if parts.Viewer.Takes("image/png") == 0 {
		parts.Limits.Pictures = 0
	}
	return &Service{parts}
}

// Work is a question about one file, or two of a comparison.
type Work struct {
	Question Question
	Files    []File
}

// File is a file with the SHA-256 of its bytes.
type File struct {
	documents.Source
	Sum [sha256.Size]byte
}

// readShare is how much of the work reading is, as far as progress goes.
const readShare = 0.5

// Answer does the work, or finds that it was done before. It ends soon after the context does, and keeps nothing then, nor where
// something was left out that another time may bring: for want of time, or because a viewer failed. Errors:
// the faults of reading, with the place of the file in front where there are two; errors of the engine.
func (s *Service) Answer(ctx context.Context, work Work) (Answer, error) {
	key, err := s.Key(work)
	if err != nil {
		return Answer{}, err
	}
	known, found, err := s.Results.Find(ctx, key)
	if err == nil && found {
		return known, nil
	}
	if err != nil { // asking again is better than not answering
		slog.WarnContext(ctx, "kept answers cannot be read", "error", err)
	}
	docs, err := s.readAll(stretch(ctx, 0, readShare), work)
	if err != nil {
		return Answer{}, err
	}
	answer, err := s.ask(stretch(ctx, readShare, 1), work.Question, docs)
	if err == nil {
		err = context.Cause(ctx) // what could not be looked at for want of time is left out then
	}
	if err != nil {
		return Answer{}, err
	}
	if slices.ContainsFunc(docs, func(d *documents.Document) bool { return d.Incomplete }) {
		return answer, nil
	}
	if err := s.Results.Keep(ctx, key, answer); err != nil {
		slog.WarnContext(ctx, "an answer is not kept", "error", err)
	}
	return answer, nil
}

func (s *Service) readAll(ctx context.Context, work Work) ([]*documents.Document, error) {
	docs := make([]*documents.Document, len(work.Files))
	for i, file := range work.Files {
		from, to := float64(i)/float64(len(work.Files)), float64(i+1)/float64(len(work.Files))
		var err error
		if docs[i], err = s.Read(stretch(ctx, from, to), file.Source, work.Question.Keywords...); err != nil {
			return nil, atFile(err, i, len(work.Files))
		}
		Progress(ctx, to)
	}
	return docs, nil
}

// Outlasts reports whether it is known beforehand that a client cannot wait for the work: it has a recording that takes long
// to transcribe, and was not done before. Errors: those of telling what the files are.
func (s *Service) Outlasts(ctx context.Context, work Work) (bool, error) {
	if !s.Transcriber.Slow() {
		return false, nil
	}
	if key, err := s.Key(work); err == nil {
		if _, found, err := s.Results.Find(ctx, key); err == nil && found {
			return false, nil
		}
	}
	for i, file := range work.Files {
		format, err := s.detect(ctx, file.Source)
		if err != nil {
			return false, atFile(err, i, len(work.Files))
		}
		if format == documents.Audio || format == documents.Video {
			return true, nil
		}
	}
	return false, nil
}

// ErrBlank is about a text that came by itself.
var ErrBlank = fault.New(fault.Unprocessable, "The text is empty, or has nothing but spaces.")

// ReadText makes a document of a text that came by itself. Errors: ErrBlank; those of the reader.
func (s *Service) ReadText(ctx context.Context, text string) (*documents.Document, error) {
	into := documents.NewBuilder(documents.PlainText, s.Limits)
	err := s.Readers[documents.PlainText](ctx, documents.FromBytes([]byte(text)), into)
	d := into.Document()
	switch {
	case errors.Is(err, documents.ErrEmpty) || err == nil && len(d.Blocks) == 0:
		return nil, ErrBlank
	case err != nil:
		return nil, asFault(err)
	}
	return d, nil
}

// AnswerTexts is Answer about texts that are no files; nothing is kept of them.
func (s *Service) AnswerTexts(ctx context.Context, q Question, docs ...*documents.Document) (Answer, error) {
	return s.ask(ctx, q, docs)
}

// readers changes with every change of the readers that may change what is read in a file.
const readers = "2"

// Key is the same for the same bytes, question, engine, transcriber, viewer and readers. The sums of the files stand for their bytes.
func (s *Service) Key(work Work) (string, error) {
	question, err := json.Marshal(work.Question)
	if err != nil {
		return "", fmt.Errorf("encode a question: %w", err)
	}
	sum := sha256.New()
	versions := []string{readers, s.Engine.Version(), s.Transcriber.Version(), s.Viewer.Version()}
	_, _ = fmt.Fprintf(sum, "%q %q", versions, question) // a hash never fails
	for _, file := range work.Files {
		_, _ = sum.Write(file.Sum[:])
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Read makes a document of a file, whatever it is. Keywords are for recordings. A question's language is not: it is that of
// the answer, and a transcriber that is told the wrong one writes nonsense.
func (s *Service) Read(ctx context.Context, file documents.Source, keywords ...string) (*documents.Document, error) {
	format, err := s.detect(ctx, file)
	if err != nil {
		return nil, err
	}
	if format == documents.Audio || format == documents.Video {
		d, err := s.transcribe(ctx, Recording{File: file, Kind: format, Keywords: keywords})
		return d, asFault(err)
	}
	d, err := s.read(ctx, file, format)
	return d, asFault(err)
}

func (s *Service) detect(ctx context.Context, file documents.Source) (documents.Format, error) {
	format, err := s.Detect(ctx, file, s.Limits)
	logPanic(ctx, err)
	return format, asFault(err)
}

func (s *Service) read(ctx context.Context, file documents.Source, format documents.Format) (*documents.Document, error) {
	read, known := s.Readers[format]
	if !known {
		return nil, documents.ErrUnknown
	}
	into := documents.NewBuilder(format, s.Limits)
	unread := files.Within(files.Timeout, read)(ctx, file, into)
	logPanic(ctx, unread)
	if unread == nil {
		if err := s.viewWholeFile(file, format, into); err != nil {
			return nil, err
		}
	}
	if err := s.view(ctx, into); err != nil {
		return nil, fmt.Errorf("view the pictures: %w", err)
	}
	if unread != nil && ctx.Err() != nil && documents.AsError(unread) == nil {
		return nil, unread // of the caller's context, whose cause may be any error
	}
	return into.Finish(unread)
}

// atFile says which of two files is meant.
func atFile(err error, i, of int) error {
	f := fault.As(err)
	if f == nil || of < 2 {
		return err
	}
	named := *f
	named.Detail = fmt.Sprintf("file%d: %s", i+1, f.Detail)
	return fmt.Errorf("%w", &named)
}

func (s *Service) ask(ctx context.Context, q Question, docs []*documents.Document) (Answer, error) {
	answer := Answer{Warnings: []string{}}
	for _, d := range docs {
		answer.Warnings = append(answer.Warnings, d.Warnings...)
	}
	var err error
	switch q.Task {
	case Summarize:
		err = s.summarize(ctx, q, docs[0], &answer)
	case Extract:
		err = s.extract(ctx, q, docs[0], &answer)
	case Compare:
		err = s.compare(ctx, q, docs, &answer)
	}
	return answer, err
}

func (s *Service) summarize(ctx context.Context, q Question, d *documents.Document, answer *Answer) error {
	summary, err := s.Engine.Summarize(ctx, d, q.Summary())
	if err != nil {
		return fmt.Errorf("summarize: %w", err)
	}
	answer.Summary, answer.Warnings = summary.Text, append(answer.Warnings, summary.Warnings...)
	return nil
}

func (s *Service) extract(ctx context.Context, q Question, d *documents.Document, answer *Answer) error {
	answer.Extracted, answer.Evidence = map[string]any{}, map[string][]Quote{}
	if len(q.Variables) == 0 {
		return nil
	}
	extraction, err := s.Engine.Extract(ctx, d, q.Extraction())
	if err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	extraction = extraction.Checked(d, q.Variables)
	answer.Extracted = valuesOf(extraction)
	addQuotes(answer.Evidence, extraction, d, 0)
	answer.Warnings = append(answer.Warnings, extraction.Warnings...)
	return nil
}

func (s *Service) compare(ctx context.Context, q Question, docs []*documents.Document, answer *Answer) error {
	answer.Extracted, answer.Evidence = map[string]any{}, map[string][]Quote{}
	if len(q.Variables) == 0 {
		return nil
	}
	comparison, err := s.Engine.Compare(ctx, docs[0], docs[1], q.Comparison())
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	first, second := comparison.First.Checked(docs[0], q.Variables), comparison.Second.Checked(docs[1], q.Variables)
	comparison.First, comparison.Second = first, second
	answer.Extracted = comparedValues(comparison, q.Variables)
	addQuotes(answer.Evidence, first, docs[0], 1)
	addQuotes(answer.Evidence, second, docs[1], 2)
	answer.Warnings = append(answer.Warnings, comparison.Warnings...)
	return nil
}
