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
	"log/slog"
	"strings"
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
	Log     *slog.Logger // nil: the default one at the time of a call
}

// New returns an engine that asks the model.
func New(client *bedrockruntime.Client, o Options) *mediaprompt.Engine {
	if o.Prompt.Name == "" {
		o.Prompt.Name = "bedrock " + o.Model
	}
	return mediaprompt.New(&model{client: client, options: o}, o.Prompt)
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
	began := time.Now()
	out, err := m.client.Converse(ctx, input, func(o *bedrockruntime.Options) { o.Retryer = aws.NopRetryer{} })
	status, used := 200, types.TokenUsage{}
	if err != nil {
		status, err = failed(ctx, err)
	} else if out.Usage != nil {
		used = *out.Usage
	}
	m.logger().InfoContext(ctx, "model call", "engine", "bedrock", "model", m.options.Model, "endpoint", "converse",
		"inputTokens", aws.ToInt32(used.InputTokens), "outputTokens", aws.ToInt32(used.OutputTokens),
		"ms", time.Since(began).Milliseconds(), "status", status, "attempt", attempt)
	if err != nil {
		return "", err
	}
	return textOf(out)
}

func (m *model) logger() *slog.Logger {
	if m.options.Log != nil {
		return m.options.Log
	}
	return slog.Default()
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
			Role: types.ConversationRoleUser, Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: r.Data}},
		}},
		ToolConfig: &types.ToolConfiguration{
			Tools:      []types.Tool{&types.ToolMemberToolSpec{Value: tool}},
			ToolChoice: &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: aws.String(r.Name)}},
		},
	}, nil
}

// textOf is the answer, if it is whole: what the tool got, or what the model said instead.
func textOf(out *bedrockruntime.ConverseOutput) (string, error) {
	switch out.StopReason {
	case types.StopReasonToolUse, types.StopReasonEndTurn:
	case types.StopReasonMaxTokens:
		return "", mediaprompt.ErrTruncated
	case types.StopReasonGuardrailIntervened, types.StopReasonContentFiltered, "refusal":
		return "", mediaprompt.ErrRefused
	case types.StopReasonModelContextWindowExceeded:
		return "", mediaprompt.ErrTooLong
	default:
		return "", mediaprompt.ErrJunk
	}
	message, ok := out.Output.(*types.ConverseOutputMemberMessage)
	if !ok {
		return "", mediaprompt.ErrJunk
	}
	var said strings.Builder
	for _, block := range message.Value.Content {
		switch b := block.(type) {
		case *types.ContentBlockMemberToolUse:
			return toolInput(b.Value)
		case *types.ContentBlockMemberText:
			said.WriteString(b.Value)
		}
	}
	return said.String(), nil
}

func toolInput(use types.ToolUseBlock) (string, error) {
	if use.Input == nil {
		return "", mediaprompt.ErrJunk
	}
	input, err := use.Input.MarshalSmithyDocument()
	if err != nil {
		return "", mediaprompt.ErrJunk
	}
	return string(input), nil
}
