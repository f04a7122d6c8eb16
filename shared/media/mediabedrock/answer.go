package mediabedrock

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"portside/shared/media/mediaprompt"
)

// answerText returns the input of the tool, or the text of the model if it used no tool. It returns an
// error if the answer is incomplete.
func answerText(out *bedrockruntime.ConverseOutput) (string, error) {
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
	var text strings.Builder
	for _, block := range message.Value.Content {
		switch b := block.(type) {
		case *types.ContentBlockMemberToolUse:
			return toolInput(b.Value)
		case *types.ContentBlockMemberText:
			text.WriteString(b.Value)
		}
	}
	return text.String(), nil
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
