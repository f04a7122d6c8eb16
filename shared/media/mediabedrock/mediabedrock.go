// Package mediabedrock calls language models with the Converse operation of Amazon Bedrock.
//
// The form of an answer is the input of a tool that the model must use, because Converse can force
// the use of a tool for models of all vendors. Text of the service may repeat a document, so it never
// gets into an error or a log.
//
// The package sends its one kind of request without the SDK's client, which makes the start of a function longer; see
// package awsrequest.
package mediabedrock

import (
	"context"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/shared/lambda/awsrequest"
	"portside/shared/media/mediaprompt"
)

// Options configure the calls of a model.
type Options struct {
	Model   string // ID or ARN of a model or an inference profile
	Prompt  mediaprompt.Settings
	Retrier mediaprompt.Retrier
	CallLog mediaprompt.CallLog
}

// New returns an engine that calls the model.
func New(cfg aws.Config, o Options) *mediaprompt.Engine {
	return mediaprompt.New(newModel(cfg, o), o.prompt())
}

// Limits of the service.
const (
	maxPictureBytes = 3_750_000
	maxPDFBytes     = 4_500_000
)

// NewViewer returns a viewer that sends pictures and PDF files to the model.
func NewViewer(cfg aws.Config, o Options) *mediaprompt.Viewer {
	return mediaprompt.NewViewer(newModel(cfg, o), o.prompt(), map[string]int64{
		"image/png": maxPictureBytes, "image/jpeg": maxPictureBytes, "image/gif": maxPictureBytes, "image/webp": maxPictureBytes,
		pdfType: maxPDFBytes,
	})
}

// prompt returns the settings of prompts. The default is the name of the model.
func (o Options) prompt() mediaprompt.Settings {
	if o.Prompt.Name == "" {
		o.Prompt.Name = "bedrock " + o.Model
	}
	return o.Prompt
}

// model calls a model and remembers which parameters it supports.
type model struct {
	client  *awsrequest.Client
	options Options
	mu      sync.Mutex
	known   dialect
}

func newModel(cfg aws.Config, o Options) *model {
	service := awsrequest.Service{ID: "Bedrock Runtime", Host: "bedrock-runtime", SigningName: "bedrock"}
	return &model{client: awsrequest.New(cfg, service), options: o}
}

// dialect is the set of parameters that a model supports. The zero dialect uses all of them.
type dialect struct{ noTemperature, noStrict bool }

// Ask implements [mediaprompt.Model].
func (m *model) Ask(ctx context.Context, r mediaprompt.Request) (answer string, err error) {
	err = m.options.Retrier.Do(ctx, func(attempt int) error {
		answer, err = m.askInDialect(ctx, r, attempt)
		return err
	})
	if len(r.Pictures) > 0 {
		err = asPictureError(err)
	}
	return answer, err
}

// askInDialect asks with the parameters that the model is known to support, and without those that it
// refuses.
func (m *model) askInDialect(ctx context.Context, r mediaprompt.Request, attempt int) (string, error) {
	for d := m.knownDialect(); ; {
		answer, err := m.converse(ctx, r, d, attempt)
		simpler, ok := d.simplify(err)
		if !ok {
			if err == nil {
				m.learn(d)
			}
			return answer, err
		}
		d = simpler
	}
}

func (m *model) knownDialect() dialect {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// learn remembers a dialect that the model has answered.
func (m *model) learn(d dialect) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = d
}

// converse sends one request and logs the call.
func (m *model) converse(ctx context.Context, r mediaprompt.Request, d dialect, attempt int) (string, error) {
	call := mediaprompt.Call{Engine: "bedrock", Model: m.options.Model, Endpoint: "converse", StartedAt: time.Now(), Attempt: attempt}
	out, status, err := m.send(ctx, d.request(r))
	call.Status, call.InputTokens, call.OutputTokens = status, out.Usage.InputTokens, out.Usage.OutputTokens
	m.options.CallLog.Record(ctx, call)
	if err != nil {
		return "", err
	}
	return answerText(out)
}

// request returns the request in the dialect.
func (d dialect) request(r mediaprompt.Request) converseInput {
	in := converseInput{
		System:   []contentBlock{{Text: r.Rules}},
		Messages: []message{{Role: "user", Content: append(pictureBlocks(r.Pictures), contentBlock{Text: r.Data})}},
	}
	in.InferenceConfig.MaxTokens = r.MaxTokens
	if !d.noTemperature {
		in.InferenceConfig.Temperature = new(float64) // 0
	}
	var answer tool
	answer.ToolSpec.Name, answer.ToolSpec.Description, answer.ToolSpec.Strict = r.Name, "Takes the answer.", !d.noStrict
	answer.ToolSpec.InputSchema.JSON = r.Schema
	in.ToolConfig.Tools = []tool{answer}
	in.ToolConfig.ToolChoice.Tool.Name = r.Name
	return in
}
