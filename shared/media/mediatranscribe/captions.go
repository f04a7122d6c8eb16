package mediatranscribe

import (
	"strings"
	"unicode/utf8"

	"portside/documents"
)

const (
	maxCaptionChars = 200 // a single longer word is still a caption
	commaEndChars   = 150 // after so many characters, a comma may end a caption
	minPauseSeconds = 1.5 // between two captions
)

// captionBuilder joins words into captions, if possible of one sentence each. The zero value is ready
// for use.
type captionBuilder struct {
	blocks     []documents.Block
	text       strings.Builder
	size       int // characters of text
	time       documents.Span
	isTimed    bool
	isComplete bool    // the next word begins a new caption
	opening    string  // punctuation before the next word
	reached    float64 // start of the latest word
	end        float64 // of the last word
}

// addWord adds a word. It ignores a time before the time of an earlier word.
func (c *captionBuilder) addWord(word string, time documents.Span, timed bool) {
	if word == "" {
		return
	}
	timed = timed && time.From >= c.reached
	word, c.opening = c.opening+word, ""
	size := utf8.RuneCountInString(word)
	paused := timed && c.isTimed && time.From-c.time.To > minPauseSeconds
	if c.isComplete || paused || c.size+1+size > maxCaptionChars {
		c.flush()
	}
	if c.size > 0 {
		c.text.WriteByte(' ')
		c.size++
	}
	c.text.WriteString(word)
	c.size += size
	if timed {
		if !c.isTimed {
			c.time.From = time.From
		}
		c.time.To, c.isTimed, c.reached, c.end = time.To, true, time.From, max(c.end, time.To)
	}
}

// addPunctuation adds punctuation to the last word. Inverted Spanish marks are added to the next word.
func (c *captionBuilder) addPunctuation(sign string) {
	if sign == "¿" || sign == "¡" {
		c.opening = sign
		return
	}
	if c.size == 0 {
		return
	}
	c.text.WriteString(sign)
	c.size += utf8.RuneCountInString(sign)
	c.isComplete = c.isComplete || strings.ContainsAny(sign, ".?!…") || c.size >= commaEndChars && strings.ContainsAny(sign, ",;:")
}

func (c *captionBuilder) flush() {
	if c.size > 0 {
		c.blocks = append(c.blocks, documents.Block{Kind: documents.Caption, Text: c.text.String(), Time: c.time})
	}
	c.text.Reset()
	c.size, c.time, c.isTimed, c.isComplete = 0, documents.Span{}, false, false
}

// finish returns the captions.
func (c *captionBuilder) finish() []documents.Block {
	c.flush()
	return c.blocks
}

// splitSentences returns the sentences of a text as captions. They all have the time of the whole text.
func splitSentences(text string, time documents.Span) []documents.Block {
	var c captionBuilder
	for word := range strings.FieldsSeq(documents.Clean(text)) {
		c.addWord(word, documents.Span{}, false)
		c.isComplete = strings.HasSuffix(word, ".") || strings.HasSuffix(word, "?") || strings.HasSuffix(word, "!")
	}
	all := c.finish()
	for i := range all {
		all[i].Time = time
	}
	return all
}
