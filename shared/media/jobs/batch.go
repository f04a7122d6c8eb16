package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/media"
)

// Limits of a batch.
const (
	// MaxBatchDocuments is how many documents a batch may have.
	MaxBatchDocuments = 1_000
	// MaxBatchNameChars is how many characters the name of a document may have.
	MaxBatchNameChars = 200
	// MaxBatchRuns is how many runs of JobTimeout a batch may take. Each run starts the next one through a bucket.
	// Lambda detects that as a recursive loop, and stops the function after about 16 invocations.
	MaxBatchRuns = 12
	// maxLineBytes bounds the line of a document in the results, so that the lines of all documents fit on the disk of
	// a function.
	maxLineBytes = 256 << 10
	// batchWorkers is how many documents a run reads at the same time. Each document can need 200 MB on the disk.
	batchWorkers = 2
	// batchReserve is the time that a run must have left to begin another document.
	batchReserve = 2 * time.Minute
)

// Faults of documents of a batch.
var (
	// ErrNotReached is the failure of a document that the last run did not begin before its time was up.
	ErrNotReached = fault.New(fault.Unavailable, "The batch ended after 3 hours before it came to this document. Send the document in "+
		"another batch.")
	// ErrLongAnswer is the failure of a document whose answer is larger than maxLineBytes, even without evidence.
	ErrLongAnswer = fault.New(fault.Unprocessable, "The answer has more than 256 KB, which is too large for a batch. Send the document in a "+
		"request of its own.")
)

// warningNoEvidence is the warning in the line of a document whose answer is too large with its evidence.
const warningNoEvidence = "The evidence was left out, because a document's part of the results has at most 256 KB."

// Batch is the part of a Job that answers one question about each of many documents separately.
type Batch struct {
	Documents []BatchDocument `json:"documents"` // in the order of the request, with the indexes of Job.Uploads
	Runs      int             `json:"runs"`      // earlier runs that ended because their time was up
}

// BatchDocument is a document of a batch, with the state of its work.
type BatchDocument struct {
	Name    string   `json:"name"` // the client's name for the document
	Status  Status   `json:"status"`
	Tries   int      `json:"tries,omitempty"`   // attempts that have begun
	Failure *Failure `json:"failure,omitempty"` // why it failed
}

// Ended reports whether the document has succeeded or failed.
func (d BatchDocument) Ended() bool { return d.Status == Succeeded || d.Status == Failed }

// Count returns how many documents have the status.
func (b *Batch) Count(status Status) (count int) {
	for i := range b.Documents {
		if b.Documents[i].Status == status {
			count++
		}
	}
	return count
}

// clone returns a copy with separate documents.
func (b *Batch) clone() *Batch { return &Batch{Documents: slices.Clone(b.Documents), Runs: b.Runs} }

// BatchRequest asks one question about each of many uploads.
type BatchRequest struct {
	Owner    string
	Customer string // of the owner; empty for the vendor's staff
	Question media.Question
	Uploads  []string // the IDs of the documents' uploads
	Names    []string // the names of the documents, with the indexes of Uploads
}

// StartBatch starts a job that answers the question about each document. If an equal request has already started the
// job and it has not ended, StartBatch returns that job. Errors: those of [Store].
func (r *Responder) StartBatch(ctx context.Context, req BatchRequest) (Job, error) {
	id, err := r.batchID(req)
	if err != nil {
		return Job{}, err
	}
	return r.startOnce(ctx, req.Owner, id, func(context.Context) (Job, error) {
		batch := &Batch{Documents: make([]BatchDocument, len(req.Names))}
		for i, name := range req.Names {
			batch.Documents[i] = BatchDocument{Name: name, Status: Queued}
		}
		return Job{Customer: req.Customer, Question: req.Question, Uploads: req.Uploads, Batch: batch}, nil
	})
}

// batchID returns the ID of a batch. Equal requests of an owner get the same ID, so a repeated request finds the job
// that is running.
func (r *Responder) batchID(req BatchRequest) (string, error) {
	question, err := r.Service.ResultKey(media.Work{Question: req.Question})
	if err != nil {
		return "", err
	}
	documents, err := json.Marshal([][]string{req.Uploads, req.Names})
	return uuid.NewHash(sha256.New(), uuid.Nil, fmt.Appendf(nil, "%s batch %s %s", req.Owner, question, documents), 8).String(), err
}

// BatchLine is a document's line in the results of a batch.
type BatchLine struct {
	Name     string        `json:"name"`
	UploadID string        `json:"uploadId"`
	Status   Status        `json:"status"`
	Result   *media.Answer `json:"result"` // null unless it succeeded
	Error    *Problem      `json:"error"`  // null unless it failed
}

// Problem is a Failure as clients see it.
type Problem struct {
	Code   errorcode.Code `json:"code"` // the code that problem details have for the same failure
	Detail string         `json:"detail"`
}

// encodeLine returns the line of a document that has succeeded, without a line break. If the line is too long,
// encodeLine leaves out the evidence. Errors: ErrLongAnswer.
func encodeLine(line BatchLine) ([]byte, error) {
	text, err := json.Marshal(line)
	if err == nil && len(text) > maxLineBytes && line.Result.Evidence != nil {
		short := *line.Result
		short.Evidence, short.Warnings = nil, append(slices.Clone(short.Warnings), warningNoEvidence)
		line.Result = &short
		text, err = json.Marshal(line)
	}
	if err == nil && len(text) > maxLineBytes {
		err = ErrLongAnswer
	}
	return text, err
}

// BatchResults stores the results of batches for Retention.
type BatchResults interface {
	// SaveLine stores a document's line, and replaces an earlier line of the document.
	SaveLine(ctx context.Context, job Job, index int, line []byte) error
	// Line returns a document's line. Errors: ErrNoLine.
	Line(ctx context.Context, job Job, index int) ([]byte, error)
	// SaveResults stores a file with the results of all documents.
	SaveResults(ctx context.Context, job Job, format ResultsFormat, file media.File) error
}

// ErrNoLine means that the store has no line for the document.
var ErrNoLine = errors.New("the line of a document is not stored")

// ResultsFormat is the format of a file with all results of a batch.
type ResultsFormat string

// The formats.
const (
	JSONLines ResultsFormat = "jsonl"
	CSV       ResultsFormat = "csv"
)
