package mediabedrock

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"portside/shared/media/mediaprompt"
)

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
