package mediabedrock

import (
	"strings"

	"portside/shared/media/mediaprompt"
)

// answerText returns the input of the tool, or the text of the model if it used no tool. It returns an
// error if the answer is incomplete.
func answerText(out converseOutput) (string, error) {
	switch out.StopReason {
	case "tool_use", "end_turn":
	case "max_tokens":
		return "", mediaprompt.ErrTruncated
	case "guardrail_intervened", "content_filtered", "refusal":
		return "", mediaprompt.ErrRefused
	case "model_context_window_exceeded":
		return "", mediaprompt.ErrTooLong
	default:
		return "", mediaprompt.ErrJunk
	}
	if out.Output.Message == nil {
		return "", mediaprompt.ErrJunk
	}
	var text strings.Builder
	for _, block := range out.Output.Message.Content {
		if block.ToolUse != nil {
			return toolInput(*block.ToolUse)
		}
		text.WriteString(block.Text)
	}
	return text.String(), nil
}

func toolInput(use toolUse) (string, error) {
	if len(use.Input) == 0 {
		return "", mediaprompt.ErrJunk
	}
	return string(use.Input), nil
}
