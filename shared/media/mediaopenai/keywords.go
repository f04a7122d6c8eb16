package mediaopenai

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// mostPromptTokens is what transcribers read of a prompt; of a longer one they read the end.
const mostPromptTokens = 224

// prompted makes a prompt of the keywords that fit, the first ones, and says how many did not. The estimate is on the safe side:
// names are rare words, so it takes a token for every two letters.
func prompted(keywords []string) (prompt string, warnings []string) {
	spent := 0
	for i, word := range keywords {
		spent += (max(utf8.RuneCountInString(word), len(word)/2)+1)/2 + 1
		if spent > mostPromptTokens {
			return strings.Join(keywords[:i], ", "), []string{fmt.Sprintf(
				"The transcription service takes few keywords: the last %d of %d were left out.", len(keywords)-i, len(keywords))}
		}
	}
	return strings.Join(keywords, ", "), nil
}
