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

// Transcribe speaks batch jobs and custom vocabularies of Amazon Transcribe, in AWS JSON 1.1. Recordings and results lie in a real
// S3. What a request asks for that is not there is refused as the service does; what no request may look like fails the test.
// Nothing happens by itself: jobs and vocabularies get on by being asked about.
type Transcribe struct {
	server
	URL string // the endpoint

	objects      *s3.Client
	speech       Speech
	jobs         map[string]*job
	vocabularies map[string]*vocabulary
	order        []string // of the vocabularies, oldest first
	started      int
	calls        map[string]int
	inputs       []StartedJob
}

// Speech is what happens to recordings. The zero Speech completes with a silent recording at the first question.
type Speech struct {
	Results   string // the member results of what a job writes; empty: nobody speaks
	File      string // the whole of what a job writes instead
	Language  string // that is identified; empty: en-US
	Polls     int    // questions until a job has ended: half of them it is queued
	Failure   string // FailureReason of a job instead of a result
	Lose      bool   // jobs are forgotten when they have ended
	Unwritten bool   // completed jobs write nothing

	VocabularyPolls   int    // questions until a vocabulary is ready
	VocabularyFailure string // FailureReason of a vocabulary
	Vocabularies      int    // that the account may have; 0: 100
	Strict            bool   // jobs take no vocabularies where the language has to be found out
	NotFound          bool   // what is not there is a NotFoundException, not a BadRequestException
}

// StartedJob is what was asked for when a job was started.
type StartedJob struct {
	Name         string
	Format       string
	Language     string            // empty: to be identified
	Options      []string          // languages to choose from
	Vocabularies map[string]string // by language
}

// StartTranscribe starts a server that ends with the test, and uses the buckets that the client can reach.
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

// Speak changes what happens from the next request on.
func (s *Transcribe) Speak(speech Speech) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.speech = speech
}

// Started are the jobs that were started, and so paid for.
func (s *Transcribe) Started() []StartedJob {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]StartedJob(nil), s.inputs...)
}

// Jobs is how many jobs there are.
func (s *Transcribe) Jobs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.jobs)
}

// Calls is how often an operation was asked for.
func (s *Transcribe) Calls(operation string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[operation]
}

// exceptional is an answer that the service gives to a sound request.
type exceptional struct{ code, message string }

// Error implements error.
func (e *exceptional) Error() string { return e.code + ": " + e.message }

// ServeHTTP answers one request.
func (s *Transcribe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, fails := s.begin()
	operation, body, err := checkEnvelope(r)
	if err != nil {
		s.wrong(w, operation, err)
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
	refused, isException := errors.AsType[*exceptional](err)
	switch {
	case isException:
		exception(w, http.StatusBadRequest, refused.code, refused.message)
	case err != nil:
		s.wrong(w, operation, err)
	default:
		if b.ContentType == "" {
			b.ContentType = "application/x-amz-json-1.1"
		}
		send(w, b, written(answer))
	}
}

// wrong fails the test.
func (s *Transcribe) wrong(w http.ResponseWriter, operation string, err error) {
	s.tb.Errorf("mediatest: a wrong request: %s: %v", operation, err)
	exception(w, http.StatusBadRequest, "BadRequestException", "mediatest: "+err.Error())
}

var transcribeSignature = regexp.MustCompile(`^AWS4-HMAC-SHA256 Credential=[^/]+/[0-9]{8}/[a-z0-9-]+/transcribe/aws4_request, ` +
	`SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*x-amz-target[a-z0-9;-]*, Signature=[0-9a-f]{64}$`)

var amzDate = regexp.MustCompile(`^[0-9]{8}T[0-9]{6}Z$`)

// checkEnvelope checks what all operations have in common.
func checkEnvelope(r *http.Request) (operation string, body []byte, err error) {
	operation, known := strings.CutPrefix(r.Header.Get("X-Amz-Target"), "Transcribe.")
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/":
		return operation, nil, fmt.Errorf("unexpected %s %s", r.Method, r.URL.Path)
	case !known:
		return operation, nil, errors.New("the target is " + r.Header.Get("X-Amz-Target"))
	case r.Header.Get("Content-Type") != "application/x-amz-json-1.1":
		return operation, nil, errors.New("the content type is " + r.Header.Get("Content-Type"))
	case !transcribeSignature.MatchString(r.Header.Get("Authorization")) || !amzDate.MatchString(r.Header.Get("X-Amz-Date")):
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
	return nil, errors.New("the operation is not known")
}

// absent is what the service says of a name that it does not know.
func (s *Transcribe) absent(kind string) error {
	code := "BadRequestException"
	if s.speech.NotFound {
		code = "NotFoundException"
	}
	return &exceptional{code, "The requested " + kind + " couldn't be found. Check the " + kind + " name and try your request again."}
}

var resourceName = regexp.MustCompile(`^[0-9a-zA-Z._-]{1,200}$`)

// epoch is a time as the protocol writes it.
func epoch(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
