package mediatranscribe_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/transcribe"
	"github.com/aws/smithy-go/middleware"

	"portside/documents"
	"portside/shared/media"
	"portside/shared/media/mediaprompt"
	"portside/shared/media/mediatranscribe"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/mediatest"
)

// bench has a server with a bucket, a clock that the test advances, and the log.
type bench struct {
	server  *mediatest.Transcribe
	objects *s3.Client
	options mediatranscribe.Options
	who     aws.CredentialsProvider
	ahead   time.Duration
	wire    s3.HTTPClient // nil: the usual one of S3

	mu     sync.Mutex
	log    bytes.Buffer
	pauses []time.Duration
}

func newBench(tb testing.TB, speech mediatest.Speech) *bench {
	tb.Helper()
	b := &bench{objects: awstest.S3(tb), who: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "hush", "")}
	b.server = mediatest.StartTranscribe(tb, b.objects)
	b.server.SetSpeech(speech)
	b.options = mediatranscribe.Options{
		Bucket:  awstest.Bucket(tb),
		CallLog: mediaprompt.CallLog{Out: slog.New(slog.NewJSONHandler(b, nil)), Prices: mediaprompt.Prices{Minute: price(tb, "0.024")}},
		Now:     func() time.Time { return awstest.RealTime().Add(b.ahead) },
		Retrier: mediaprompt.Retrier{Pause: b.pause, Draw: func(below time.Duration) time.Duration { return below / 2 }},
	}
	return b
}

// Write appends to the log.
func (b *bench) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.Write(line)
}

// pause records a wait instead of waiting.
func (b *bench) pause(ctx context.Context, wait time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pauses = append(b.pauses, wait)
	return ctx.Err()
}

func (b *bench) transcriber() *mediatranscribe.Transcriber {
	return b.transcriberVia(func(context.Context, string, func() error) error { return nil })
}

// transcriberWithPause returns a transcriber that waits with the function.
func (b *bench) transcriberWithPause(pause func(context.Context, time.Duration) error) *mediatranscribe.Transcriber {
	own := &bench{server: b.server, objects: b.objects, options: b.options, who: b.who}
	own.options.Retrier.Pause = pause
	return own.transcriber()
}

// interceptor is called instead of every call of a service. It may make the call; its error is the call's.
type interceptor func(ctx context.Context, operation string, do func() error) error

// transcriberVia returns a transcriber whose calls of both services go through the interceptor.
func (b *bench) transcriberVia(through interceptor) *mediatranscribe.Transcriber {
	step := middleware.InitializeMiddlewareFunc("through", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (out middleware.InitializeOutput, metadata middleware.Metadata, err error) {
		done := false
		do := func() (err error) {
			done = true
			out, metadata, err = next.HandleInitialize(ctx, in)
			return err
		}
		if err := through(ctx, awsmiddleware.GetOperationName(ctx), do); err != nil {
			return middleware.InitializeOutput{}, metadata, err
		}
		if !done {
			err = do()
		}
		return out, metadata, err
	})
	add := func(stack *middleware.Stack) error { return stack.Initialize.Add(step, middleware.After) }
	service := transcribe.New(transcribe.Options{
		Region: "us-east-1", BaseEndpoint: &b.server.URL, Credentials: b.who, APIOptions: []func(*middleware.Stack) error{add},
	})
	objects := s3.New(b.objects.Options(), func(o *s3.Options) {
		o.APIOptions = append(o.APIOptions, add)
		if b.wire != nil {
			o.HTTPClient = b.wire
		}
	})
	return mediatranscribe.New(service, objects, b.options)
}

func recording(content string) media.Recording {
	return media.Recording{File: documents.FromBytes([]byte(content)), Kind: documents.Audio}
}

func price(tb testing.TB, text string) mediaprompt.Price {
	tb.Helper()
	p, err := mediaprompt.ParsePrice(text)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// left returns the keys in the bucket, without the results, which stay.
func (b *bench) left(tb testing.TB) []string {
	tb.Helper()
	out, err := b.objects.ListObjectsV2(context.WithoutCancel(tb.Context()), &s3.ListObjectsV2Input{Bucket: &b.options.Bucket})
	if err != nil {
		tb.Fatal(err)
	}
	var keys []string
	for _, object := range out.Contents {
		if !strings.HasSuffix(*object.Key, ".json") {
			keys = append(keys, *object.Key)
		}
	}
	return keys
}

// mustBeClean checks that no object and no job is left.
func (b *bench) mustBeClean(tb testing.TB) {
	tb.Helper()
	if left := b.left(tb); len(left) > 0 || b.server.Jobs() > 0 {
		tb.Errorf("%q and %d jobs are left", left, b.server.Jobs())
	}
}

// checkSecrets checks that neither the log nor the error has words of the recording or of the service.
func (b *bench) checkSecrets(tb testing.TB, err error) {
	tb.Helper()
	text := b.logged()
	if err != nil {
		text += err.Error()
	}
	for _, secret := range []string{"hush", "PWNED", "Guten", "harbour", "Nordwind"} {
		if strings.Contains(text, secret) {
			tb.Errorf("%s is in %s", secret, text)
		}
	}
}

func (b *bench) logged() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}

func (b *bench) waits() []time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.pauses)
}

var errCrash = errors.New("the process is gone")

// speech is a result in the documented form of the service.
const speech = `{"transcripts":[{"transcript":"Guten Tag, hier ist Nordwind. Die Rechnung kommt, bald."}],
"language_code":"de-DE","language_identification":[{"score":"0.98","code":"de-DE"}],
"items":[
{"id":0,"type":"pronunciation","alternatives":[{"confidence":"0.99","content":"Guten"}],"start_time":"0.5","end_time":"0.9"},
{"id":1,"type":"pronunciation","alternatives":[{"confidence":"0.99","content":"Tag"},{"confidence":"0.01","content":"Tank"}],"start_time":"0.91","end_time":"1.2"},
{"id":2,"type":"punctuation","alternatives":[{"confidence":"0.0","content":","}]},
{"id":3,"type":"pronunciation","alternatives":[{"confidence":"0.99","content":"hier"}],"start_time":"1.3","end_time":"1.5"},
{"id":4,"type":"pronunciation","alternatives":[{"confidence":"0.99","content":"ist"}],"start_time":"1.5","end_time":"1.6"},
{"id":5,"type":"pronunciation","alternatives":[{"confidence":"0.99","content":"Nordwind"}],"start_time":"1.6","end_time":"2.2"},
{"id":6,"type":"punctuation","alternatives":[{"confidence":"0.0","content":"."}]},
{"id":7,"type":"pronunciation","alternatives":[{"confidence":"0.99","content":"Die"}],"start_time":"2.4","end_time":"2.6"},
{"id":8,"type":"pronunciation","alternatives":[{"confidence":"0.99","content":"Rechnung"}],"start_time":"2.6","end_time":"3.1"},
{"id":9,"type":"pronunciation","alternatives":[{"confidence":"0.99","content":"kommt"}],"start_time":"3.1","end_time":"3.6"},
{"id":10,"type":"punctuation","alternatives":[{"confidence":"0.0","content":","}]},
{"id":11,"type":"pronunciation","alternatives":[{"confidence":"0.99","content":"bald"}],"start_time":"6.0","end_time":"30"},
{"id":12,"type":"punctuation","alternatives":[{"confidence":"0.0","content":"."}]}],
"audio_segments":[{"id":0,"transcript":"Guten Tag, hier ist Nordwind.","start_time":"0.5","end_time":"2.2","items":[0,1,2,3,4,5,6]}]}`

// wantCaptions returns the captions of speech. The last one begins after a pause.
func wantCaptions() []documents.Block {
	return []documents.Block{
		{Kind: documents.Caption, Text: "Guten Tag, hier ist Nordwind.", Time: documents.Span{From: 0.5, To: 2.2}},
		{Kind: documents.Caption, Text: "Die Rechnung kommt,", Time: documents.Span{From: 2.4, To: 3.6}},
		{Kind: documents.Caption, Text: "bald.", Time: documents.Span{From: 6, To: 30}},
	}
}
