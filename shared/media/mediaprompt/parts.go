package mediaprompt

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// bytesPerToken is on the safe side: most tokenizers need fewer tokens for the languages of answers, and one for a character
// of three bytes.
const bytesPerToken = 3

func tokens(text string) int { return (len(text) + bytesPerToken - 1) / bytesPerToken }

// part is a stretch of a document that fits into one request.
type part struct {
	text   string
	start  int // in the document's text
	folded func() folded
}

func newPart(text string, start int) part {
	return part{text, start, sync.OnceValue(func() folded { return fold(text) })}
}

// parts cuts a text between blocks where it can, and says what it left out.
func (e *Engine) parts(text string) (all []part, warnings []string) {
	most := max(e.settings.PartTokens*bytesPerToken, utf8.UTFMax)
	for start := 0; start < len(text); {
		if len(all) == e.settings.Parts {
			return all, []string{fmt.Sprintf("The document is too long for the language model: only the first %d %% of its text were read.",
				start*100/len(text))}
		}
		end := start + cut(text[start:], most)
		all = append(all, newPart(text[start:end], start))
		start = end
	}
	return all, nil
}

// cut returns where to cut a text so that at most so many bytes stand before: behind a block, else behind a word, else between
// two characters.
func cut(text string, most int) int {
	if len(text) <= most {
		return len(text)
	}
	for _, gap := range []string{"\n", " "} {
		if at := strings.LastIndex(text[:most], gap); at >= most/2 {
			return at + len(gap)
		}
	}
	for at := most; at > most-utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			return at
		}
	}
	return most // no UTF-8
}
