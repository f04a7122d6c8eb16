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

// Retention is how long uploads, jobs and answers are available.
const Retention = 24 * time.Hour

// Results caches answers, so that the same work of a customer is neither done nor paid for twice.
type Results interface {
	// FindResult returns the answer that was saved under the key less than Retention ago. It returns
	// false if no such answer exists.
	FindResult(ctx context.Context, key string) (Answer, bool, error)
	// SaveResult saves an answer under the key. It may keep an answer that is already there.
	SaveResult(ctx context.Context, key string, answer Answer) error
}

// Parts configures a Service.
type Parts struct {
	// Detect finds out the format of a file; kind.Detect is the real one.
	Detect      func(context.Context, documents.Source, documents.Limits) (documents.Format, error)
	Readers     map[documents.Format]documents.Reader
	Engine      answers.Engine
	Transcriber Transcriber // nil: NoTranscriber
	Viewer      Viewer      // nil: NoViewer
	Results     Results
	Limits      documents.Limits
}

// Service answers questions about files.
type Service struct{ Parts }

// NewService returns a Service. It reads no pictures if the viewer cannot view any.
func NewService(parts Parts) *Service {
	if parts.Transcriber == nil {
		parts.Transcriber = NoTranscriber{}
	}
	if parts.Viewer == nil {
		parts.Viewer = NoViewer{}
	}
	if parts.Viewer.MaxBytes("image/png") == 0 {
		parts.Limits.Pictures = 0
	}
	return &Service{parts}
}

// Work is a question and its files: two for a comparison, otherwise up to MaxFiles.
type Work struct {
	Customer string // whose user asks; empty for the vendor's staff
	Question Question
	Files    []File
}

// File is a file with the SHA-256 of its bytes.
type File struct {
	documents.Source
	Sum [sha256.Size]byte
}

// readingShare is the share of the progress that reading the files accounts for.
const readingShare = 0.5

// Answer returns the cached answer or does the work. It ends soon after the context does.
//
// It does not cache an answer if the context ended, or if something was left out that a later
// attempt may read: because reading took too long, or because a viewer failed. Errors: faults of
// reading, which name the file if there are two; errors of the engine; the context's cause.
func (s *Service) Answer(ctx context.Context, work Work) (Answer, error) {
	key, err := s.ResultKey(work)
	if err != nil {
		return Answer{}, err
	}
	cached, found, err := s.Results.FindResult(ctx, key)
	if err == nil && found {
		return cached, nil
	}
	if err != nil { // the cache is an optimization: without it, the engine answers
		slog.WarnContext(ctx, "cached answer cannot be read", "error", err)
	}
	docs, err := s.readAll(WithProgressPart(ctx, 0, readingShare), work)
	if err != nil {
		return Answer{}, err
	}
	answer, err := s.ask(WithProgressPart(ctx, readingShare, 1), work.Question, docs)
	if err == nil {
		// If the context has ended, pictures may be missing in the documents.
		err = context.Cause(ctx)
	}
	if err != nil {
		return Answer{}, err
	}
	if !slices.ContainsFunc(docs, func(d *documents.Document) bool { return d.Incomplete }) {
		s.cache(ctx, key, answer)
	}
	return answer, nil
}

func (s *Service) cache(ctx context.Context, key string, answer Answer) {
	if err := s.Results.SaveResult(ctx, key, answer); err != nil {
		slog.WarnContext(ctx, "answer cannot be cached", "error", err)
	}
}

func (s *Service) readAll(ctx context.Context, work Work) ([]*documents.Document, error) {
	count, text := len(work.Files), 0
	docs := make([]*documents.Document, count)
	for i, file := range work.Files {
		from, to := float64(i)/float64(count), float64(i+1)/float64(count)
		var err error
		docs[i], err = s.Read(WithProgressPart(ctx, from, to), work.Customer, file.Source, work.Question.Keywords...)
		if err != nil {
			return nil, nameFile(err, i, count)
		}
		if text += len(docs[i].Text()); text > s.Limits.Text && i > 0 && work.Question.Task != Compare {
			return nil, ErrTooMuchText
		}
		Progress(ctx, to)
	}
	return docs, nil
}

// NeedsJob reports whether the work is known to take longer than a client can wait: it has a
// recording that must be transcribed, the transcriber is slow, and no answer is cached. Errors are
// those of detecting the formats of the files.
func (s *Service) NeedsJob(ctx context.Context, work Work) (bool, error) {
	if !s.Transcriber.Slow() {
		return false, nil
	}
	if key, err := s.ResultKey(work); err == nil {
		if _, found, err := s.Results.FindResult(ctx, key); err == nil && found {
			return false, nil
		}
	}
	for i, file := range work.Files {
		format, err := s.detect(ctx, file.Source)
		if err != nil {
			return false, nameFile(err, i, len(work.Files))
		}
		if format == documents.Audio || format == documents.Video {
			return true, nil
		}
	}
	return false, nil
}

// ErrBlankText means that the text of a request has no words.
var ErrBlankText = fault.New(fault.Unprocessable, "The text has no visible character.")

// ReadText makes a document of a text that was sent in the request itself, not in a file. Errors:
// ErrBlankText; those of the reader.
func (s *Service) ReadText(ctx context.Context, text string) (*documents.Document, error) {
	into := documents.NewBuilder(documents.PlainText, s.Limits)
	err := s.Readers[documents.PlainText](ctx, documents.FromBytes([]byte(text)), into)
	LogPanic(ctx, err)
	d := into.Document()
	switch {
	case errors.Is(err, documents.ErrEmpty) || err == nil && len(d.Blocks) == 0:
		return nil, ErrBlankText
	case err != nil:
		return nil, asFault(err)
	}
	return d, nil
}

// AnswerTexts answers a question about documents that [Service.ReadText] returned. It caches nothing.
func (s *Service) AnswerTexts(ctx context.Context, q Question, docs ...*documents.Document) (Answer, error) {
	return s.ask(ctx, q, docs)
}

// readersVersion is part of every cache key. Increase it with every change of the readers that may
// change the text of a file, and with every change of the form of an answer.
const readersVersion = "8"

// ResultKey returns the key under which the answer to the work is cached. It depends on the
// customer, the files' checksums, the question, and the versions of the readers, engine, transcriber
// and viewer. Customers share no answers: a quick answer would show that another customer has sent
// the same file.
func (s *Service) ResultKey(work Work) (string, error) {
	question, err := json.Marshal(work.Question)
	if err != nil {
		return "", fmt.Errorf("encode a question: %w", err)
	}
	sum := sha256.New()
	versions := []string{readersVersion, s.Engine.Version(), s.Transcriber.Version(), s.Viewer.Version()}
	_, _ = fmt.Fprintf(sum, "%q %q %q", work.Customer, versions, question) // a hash never fails
	for _, file := range work.Files {
		_, _ = sum.Write(file.Sum[:])
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Read makes a document of a customer's file of any format. Keywords help to transcribe a recording.
//
// The language of a question is not passed to the transcriber, because it is the language of the
// answer: a transcriber that expects the wrong language writes nonsense.
func (s *Service) Read(
	ctx context.Context, customer string, file documents.Source, keywords ...string,
) (*documents.Document, error) {
	format, err := s.detect(ctx, file)
	if err != nil {
		return nil, err
	}
	if format == documents.Audio || format == documents.Video {
		d, err := s.transcribe(ctx, Recording{Customer: customer, File: file, Kind: format, Keywords: keywords})
		return d, asFault(err)
	}
	d, err := s.readFile(ctx, file, format)
	return d, asFault(err)
}

func (s *Service) detect(ctx context.Context, file documents.Source) (documents.Format, error) {
	format, err := s.Detect(ctx, file, s.Limits)
	LogPanic(ctx, err)
	return format, asFault(err)
}

func (s *Service) readFile(
	ctx context.Context, file documents.Source, format documents.Format,
) (*documents.Document, error) {
	reader, isKnown := s.Readers[format]
	if !isKnown {
		return nil, documents.ErrUnknown
	}
	into := documents.NewBuilder(format, s.Limits)
	readErr := files.Within(files.Timeout, reader)(ctx, file, into)
	LogPanic(ctx, readErr)
	if readErr == nil {
		if err := s.usePDFAsPicture(file, format, into); err != nil {
			return nil, err
		}
	}
	if err := s.viewPictures(ctx, into); err != nil {
		return nil, fmt.Errorf("view the pictures: %w", err)
	}
	if readErr != nil && ctx.Err() != nil && documents.AsError(readErr) == nil {
		return nil, readErr // the cause of the caller's context, not a defect of the file
	}
	return into.Finish(readErr)
}

// nameFile puts the number of the file in front of a fault if the work has several files. In a comparison, that is the
// name of its field.
func nameFile(err error, index, count int) error {
	f := fault.As(err)
	if f == nil || count < 2 {
		return err
	}
	named := *f
	named.Detail = fmt.Sprintf("file%d: %s", index+1, f.Detail)
	return fmt.Errorf("%w", &named)
}

// ask puts the question to the engine.
func (s *Service) ask(ctx context.Context, q Question, docs []*documents.Document) (Answer, error) {
	answer := Answer{Warnings: []string{}}
	for _, d := range docs {
		answer.Warnings = append(answer.Warnings, d.Warnings...)
	}
	var err error
	switch q.Task {
	case Summarize:
		one, _ := documents.Join(docs...)
		err = s.summarize(ctx, q, one, &answer)
	case Extract:
		one, parts := documents.Join(docs...)
		err = s.extract(ctx, q, one, &answer)
		answer.nameFiles(one, parts)
	case Compare:
		err = s.compare(ctx, q, docs, &answer)
	}
	if err == nil && q.WithText {
		answer.Texts, err = textsOf(docs)
	}
	if err == nil {
		err = answer.limitSize()
	}
	return answer, asFault(err)
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
	if q.Schema != nil {
		return s.extractBySchema(ctx, q, d, answer)
	}
	if len(q.Variables) == 0 {
		return nil
	}
	extraction, err := s.Engine.Extract(ctx, d, q.Extraction())
	if err != nil {
		return fmt.Errorf("extract: %w", err)
	}
	extraction = extraction.Checked(d, q.Extraction())
	answer.Extracted = valuesOf(extraction)
	answer.addQuotes(extraction, d, 0)
	answer.addCandidates(extraction, d, 0)
	answer.Warnings = append(answer.Warnings, extraction.Warnings...)
	return nil
}

func (s *Service) compare(ctx context.Context, q Question, docs []*documents.Document, answer *Answer) error {
	answer.Extracted, answer.Evidence = map[string]any{}, map[string][]Quote{}
	if q.Schema != nil {
		return s.compareBySchema(ctx, q, docs, answer)
	}
	if len(q.Variables) == 0 {
		answer.addChanges(docs[0], docs[1])
		return nil
	}
	comparison, err := s.compareVariables(ctx, q.Comparison(), docs)
	if err != nil {
		return err
	}
	answer.Extracted = comparedValues(comparison, q.Variables)
	answer.addQuotes(comparison.First, docs[0], 1)
	answer.addQuotes(comparison.Second, docs[1], 2)
	if q.WithCandidates {
		answer.addCandidates(comparison.First, docs[0], 1)
		answer.addCandidates(comparison.Second, docs[1], 2)
	}
	answer.Warnings = append(answer.Warnings, comparison.Warnings...)
	return nil
}

// compareVariables returns the comparison of two documents, with checked values.
func (s *Service) compareVariables(
	ctx context.Context, settings answers.CompareSettings, docs []*documents.Document,
) (answers.Comparison, error) {
	comparison, err := s.Engine.Compare(ctx, docs[0], docs[1], settings)
	if err != nil {
		return answers.Comparison{}, fmt.Errorf("compare: %w", err)
	}
	comparison.First = comparison.First.Checked(docs[0], settings.Extraction())
	comparison.Second = comparison.Second.Checked(docs[1], settings.Extraction())
	return comparison, nil
}
