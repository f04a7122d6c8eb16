// Package mediabedrock calls language models with the Converse operation of Amazon Bedrock.
//
// The form of an answer is the input of a tool that the model must use, because Converse can force
// the use of a tool for models of all vendors. Text of the service may repeat a document, so it never
// gets into an error or a log. The SDK does not retry, because it does not know how much time is left.
package mediabedrock

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

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
func New(client *bedrockruntime.Client, o Options) *mediaprompt.Engine {
	return mediaprompt.New(&model{client: client, options: o}, o.prompt())
}

// Limits of the service.
const (
	maxPictureBytes = 3_750_000
	maxPDFBytes     = 4_500_000
)

// NewViewer returns a viewer that sends pictures and PDF files to the model.
func NewViewer(client *bedrockruntime.Client, o Options) *mediaprompt.Viewer {
	return mediaprompt.NewViewer(&model{client: client, options: o}, o.prompt(), map[string]int64{
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
	client  *bedrockruntime.Client
	options Options
	mu      sync.Mutex
	known   dialect
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
	input, err := d.request(m.options.Model, r)
	if err != nil {
		return "", err
	}
	call := mediaprompt.Call{
		Engine: "bedrock", Model: m.options.Model, Endpoint: "converse", StartedAt: time.Now(), Status: http.StatusOK, Attempt: attempt,
	}
	out, err := m.client.Converse(ctx, input, func(o *bedrockruntime.Options) { o.Retryer = aws.NopRetryer{} })
	if err != nil {
		call.Status, err = errorOf(ctx, err)
	} else if used := out.Usage; used != nil {
		call.InputTokens, call.OutputTokens = int(aws.ToInt32(used.InputTokens)), int(aws.ToInt32(used.OutputTokens))
	}
	m.options.CallLog.Record(ctx, call)
	if err != nil {
		return "", err
	}
	return answerText(out)
}

// request returns the request in the dialect.
func (d dialect) request(model string, r mediaprompt.Request) (*bedrockruntime.ConverseInput, error) {
	var schema map[string]any
	if err := json.Unmarshal(r.Schema, &schema); err != nil {
		return nil, fmt.Errorf("read a schema: %w", err)
	}
	tool := types.ToolSpecification{
		Name: aws.String(r.Name), Description: aws.String("Takes the answer."),
		InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(schema)},
	}
	if !d.noStrict {
		tool.Strict = aws.Bool(true)
	}
	limits := &types.InferenceConfiguration{MaxTokens: aws.Int32(int32(min(r.MaxTokens, 1<<20)))}
	if !d.noTemperature {
		limits.Temperature = aws.Float32(0)
	}
	return &bedrockruntime.ConverseInput{
		ModelId:         aws.String(model),
		System:          []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: r.Rules}},
		InferenceConfig: limits,
		Messages: []types.Message{{
			Role: types.ConversationRoleUser, Content: append(pictureBlocks(r.Pictures), &types.ContentBlockMemberText{Value: r.Data}),
		}},
		ToolConfig: &types.ToolConfiguration{
			Tools:      []types.Tool{&types.ToolMemberToolSpec{Value: tool}},
			ToolChoice: &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: aws.String(r.Name)}},
		},
	}, nil
}
