// Package mediabedrock asks language models through Amazon Bedrock's Converse operation.
//
// An answer gets its form by a tool that the model has to use: Converse forces one whoever made the model. As text of the
// service may repeat a document, none of it gets into an error or a log. Waiting is not left to the SDK, which knows
// nothing of the time that is left.
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

// Options are which model to ask, and how.
type Options struct {
	Model   string // id or ARN of a model or an inference profile
	Prompt  mediaprompt.Settings
	Retrier mediaprompt.Retrier
	Ledger  mediaprompt.Ledger
}

// New returns an engine that asks the model.
func New(client *bedrockruntime.Client, o Options) *mediaprompt.Engine {
	return mediaprompt.New(&model{client: client, options: o}, o.prompt())
}

// What the service takes, in bytes.
const (
	mostPicture  = 3_750_000
	mostDocument = 4_500_000
)

// NewViewer returns a viewer that shows the model pictures, and PDFs as they are.
func NewViewer(client *bedrockruntime.Client, o Options) *mediaprompt.Viewer {
	return mediaprompt.NewViewer(&model{client: client, options: o}, o.prompt(), map[string]int64{
		"image/png": mostPicture, "image/jpeg": mostPicture, "image/gif": mostPicture, "image/webp": mostPicture,
		wholePDF: mostDocument,
	})
}

// prompt names the model where the options do not.
func (o Options) prompt() mediaprompt.Settings {
	if o.Prompt.Name == "" {
		o.Prompt.Name = "bedrock " + o.Model
	}
	return o.Prompt
}

// model learns what it supports.
type model struct {
	client  *bedrockruntime.Client
	options Options
	mu      sync.Mutex
	known   dialect
}

// dialect is what a model takes. The zero dialect asks for all that there is.
type dialect struct{ noCool, noStrict bool }

// Ask implements [mediaprompt.Model].
func (m *model) Ask(ctx context.Context, r mediaprompt.Request) (answer string, err error) {
	err = m.options.Retrier.Do(ctx, func(attempt int) error {
		answer, err = m.adapted(ctx, r, attempt)
		return err
	})
	if len(r.Pictures) > 0 {
		err = unseen(err)
	}
	return answer, err
}

// adapted asks as the model is known to take it, and simpler where it refuses.
func (m *model) adapted(ctx context.Context, r mediaprompt.Request, attempt int) (string, error) {
	for d := m.dialect(); ; {
		answer, err := m.once(ctx, r, d, attempt)
		simpler, ok := d.after(err)
		if !ok {
			if err == nil {
				m.learn(d)
			}
			return answer, err
		}
		d = simpler
	}
}

func (m *model) dialect() dialect {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known
}

// learn keeps a dialect that was answered.
func (m *model) learn(d dialect) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = d
}

// once makes one request and logs it.
func (m *model) once(ctx context.Context, r mediaprompt.Request, d dialect, attempt int) (string, error) {
	input, err := d.request(m.options.Model, r)
	if err != nil {
		return "", err
	}
	noted := mediaprompt.Call{
		Engine: "bedrock", Model: m.options.Model, Endpoint: "converse", Began: time.Now(), Status: http.StatusOK, Attempt: attempt,
	}
	out, err := m.client.Converse(ctx, input, func(o *bedrockruntime.Options) { o.Retryer = aws.NopRetryer{} })
	if err != nil {
		noted.Status, err = failed(ctx, err)
	} else if used := out.Usage; used != nil {
		noted.Input, noted.Output = int(aws.ToInt32(used.InputTokens)), int(aws.ToInt32(used.OutputTokens))
	}
	m.options.Ledger.Note(ctx, noted)
	if err != nil {
		return "", err
	}
	return textOf(out)
}

// request is in the dialect.
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
	if !d.noCool {
		limits.Temperature = aws.Float32(0)
	}
	return &bedrockruntime.ConverseInput{
		ModelId:         aws.String(model),
		System:          []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: r.Rules}},
		InferenceConfig: limits,
		Messages: []types.Message{{
			Role: types.ConversationRoleUser, Content: append(shown(r.Pictures), &types.ContentBlockMemberText{Value: r.Data}),
		}},
		ToolConfig: &types.ToolConfiguration{
			Tools:      []types.Tool{&types.ToolMemberToolSpec{Value: tool}},
			ToolChoice: &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: aws.String(r.Name)}},
		},
	}, nil
}
