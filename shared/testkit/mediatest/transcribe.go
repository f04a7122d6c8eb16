package mediatest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Transcribe is a server with the batch jobs and custom vocabularies of Amazon Transcribe, in AWS JSON
// 1.1. Recordings and results are in a real S3. A request for something that does not exist gets the
// error of the service; an invalid request fails the test. Jobs and vocabularies only advance when a
// request polls them.
type Transcribe struct {
	server
	URL string // the endpoint

	objects      *s3.Client
	speech       Speech
	jobs         map[string]*job
	vocabularies map[string]*vocabulary
	order        []string // names of the vocabularies, oldest first
	started      int
	calls        map[string]int
	inputs       []StartedJob
}

// Speech is the result of jobs. With the zero Speech, a job completes at the first poll, and the
// recording is silent.
type Speech struct {
	Results       string // member results of the file that a job writes; empty: no words
	File          string // whole content of that file instead
	Language      string // language that jobs identify; empty: en-US
	Polls         int    // polls until a job has ended; it is queued for half of them
	Failure       string // FailureReason of jobs; empty: they complete
	LosesJobs     bool   // jobs disappear when they have ended
	WritesNothing bool   // completed jobs write no file

	VocabularyPolls   int    // polls until a vocabulary is ready
	VocabularyFailure string // FailureReason of a vocabulary
	Vocabularies      int    // quota of the account; 0: 100
	Strict            bool   // jobs that identify the language accept no vocabularies
	NotFound          bool   // missing resources are a NotFoundException instead of a BadRequestException
}

// StartedJob has the parameters of a job that was started.
type StartedJob struct {
	Name         string
	Format       string
	Language     string            // empty: to be identified
	Options      []string          // languages to choose from
	Vocabularies map[string]string // by language
}

// StartTranscribe starts a server that stops at the end of the test. It reads and writes files with the
// S3 client.
func StartTranscribe(tb testing.TB, objects *s3.Client) *Transcribe {
	tb.Helper()
	s := &Transcribe{
		server: server{tb: tb}, objects: objects,
		jobs: map[string]*job{}, vocabularies: map[string]*vocabulary{}, calls: map[string]int{},
	}
	running := httptest.NewServer(s)
	tb.Cleanup(running.Close)
	s.URL = running.URL
	return s
}

// SetSpeech changes the speech from the next request on.
func (s *Transcribe) SetSpeech(speech Speech) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.speech = speech
}

// Started returns the jobs that were started, and that would have to be paid for.
func (s *Transcribe) Started() []StartedJob {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]StartedJob(nil), s.inputs...)
}

// Jobs returns the number of jobs that exist.
func (s *Transcribe) Jobs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.jobs)
}

// Calls returns how often an operation was called.
func (s *Transcribe) Calls(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[operation]
}

// serviceError is an error that the service returns for a valid request.
type serviceError struct{ code, message string }

// Error implements error.
func (e *serviceError) Error() string { return e.code + ": " + e.message }

// ServeHTTP answers one request.
func (s *Transcribe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, fails := s.countRequest()
	operation, body, err := checkEnvelope(r)
	if err != nil {
		s.failTest(w, operation, err)
		return
	}
	switch {
	case fails && b.Drop:
		panic(http.ErrAbortHandler)
	case fails:
		exception(w, b.Status, b.Code, "slow down, PWNED")
		return
	case b.Hang != nil:
		b.Hang()
		<-r.Context().Done()
		return
	}
	answer, err := s.operate(context.WithoutCancel(r.Context()), operation, body)
	refused, isException := errors.AsType[*serviceError](err)
	switch {
	case isException:
		exception(w, http.StatusBadRequest, refused.code, refused.message)
	case err != nil:
		s.failTest(w, operation, err)
	default:
		if b.ContentType == "" {
			b.ContentType = "application/x-amz-json-1.1"
		}
		send(w, b, toJSON(answer))
	}
}

// failTest fails the test because of an invalid request.
func (s *Transcribe) failTest(w http.ResponseWriter, operation string, err error) {
	s.tb.Errorf("mediatest: invalid request: %s: %v", operation, err)
	exception(w, http.StatusBadRequest, "BadRequestException", "mediatest: "+err.Error())
}

var transcribeSignature = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=[^/]+/[0-9]{8}/[a-z0-9-]+/transcribe/aws4_request, ` +
	`SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*x-amz-target[a-z0-9;-]*, Signature=[0-9a-f]{64}$`)

var amzDate = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z$`)

// checkEnvelope checks the headers of a request.
func checkEnvelope(r *http.Request) (operation string, body []byte, err error) {
	operation, isKnown := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "Transcribe.")
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/":
		return operation, nil, fmt.Errorf("unexpected %s %s", r.Method, r.URL.Path)
	case !isKnown:
		return operation, nil, errors.New("the target is " + r.Header.Get("X-Amz-Target"))
	case r.Header.Get("Content-Type") != "application/x-amz-json-1.1":
		return operation, nil, errors.New("the content type is " + r.Header.Get("Content-Type"))
	case !transcribeSignature.MatchString(r.Header.Get("Authorization")) ||
		!amzDate.MatchString(r.Header.Get("X-Amz-Date")):
		return operation, nil, errors.New("the request is not signed")
	}
	body, err = io.ReadAll(r.Body)
	return operation, body, err
}

func (s *Transcribe) operate(ctx context.Context, operation string, body []byte) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[operation]++
	switch operation {
	case "StartTranscriptionJob":
		return s.startJob(ctx, body)
	case "GetTranscriptionJob":
		return s.getJob(ctx, body)
	case "DeleteTranscriptionJob":
		return s.deleteJob(body)
	case "CreateVocabulary":
		return s.createVocabulary(body)
	case "GetVocabulary":
		return s.getVocabulary(body)
	case "ListVocabularies":
		return s.listVocabularies(body)
	case "DeleteVocabulary":
		return s.deleteVocabulary(body)
	}
	return nil, errors.New("unknown operation")
}

// notFound returns the error for a name that does not exist.
func (s *Transcribe) notFound(kind string) error {
	code := "BadRequestException"
	if s.speech.NotFound {
		code = "NotFoundException"
	}
	return &serviceError{code, "The requested " + kind + " couldn't be found. Check the " + kind +
		" name and try your request again."}
}

var resourceName = regexp.MustCompile(`^[0-9a-zA-Z._-]{1,200}$`)

// epoch returns a time in the form of the protocol.
func epoch(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
