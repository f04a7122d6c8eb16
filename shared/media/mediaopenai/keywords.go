package mediaopenai

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxPromptTokens is the length of a prompt that transcribers read. Of a longer prompt, they read only the
// end.
const maxPromptTokens = 224

// promptOf returns a prompt of the first keywords that fit. A warning says how many do not. The
// estimate of a token for every two letters is cautious, because names are rare words.
func promptOf(keywords []string) (prompt string, warnings []string) {
	tokens := 0
	for i, word := range keywords {
		tokens += (max(utf8.RuneCountInString(word), len(word)/2)+1)/2 + 1
		if tokens > maxPromptTokens {
			return strings.Join(keywords[:i], ", "), []string{fmt.Sprintf(
				"The transcription service takes few keywords, so the last %d of %d were left out.", len(keywords)-i, len(keywords))}
		}
	}
	return strings.Join(keywords, ", "), nil
}
