package mediatranscribe

import (
	"strings"
	"unicode/utf8"

	"portside/documents"
)

const (
	mostOfCaption = 200 // characters; a longer word is a caption all the same
	softEnd       = 150 // characters after which a comma is a good end, too
	longPause     = 1.5 // seconds, as speakers make them between thoughts
)

// captions puts words together to sentences. The zero value is ready for use.
type captions struct {
	blocks  []documents.Block
	text    strings.Builder
	size    int // characters of text
	time    documents.Span
	timed   bool
	ended   bool // the next word begins another caption
	opening string
	reached float64 // no later word begins before
	end     float64 // of all words
}

// say adds a word. A time that would go back is none.
func (c *captions) say(word string, time documents.Span, timed bool) {
	if word == "" {
		return
	}
	timed = timed && time.From >= c.reached
	word, c.opening = c.opening+word, ""
	size := utf8.RuneCountInString(word)
	paused := timed && c.timed && time.From-c.time.To > longPause
	if c.ended || paused || c.size+1+size > mostOfCaption {
		c.flush()
	}
	if c.size > 0 {
		c.text.WriteByte(' ')
		c.size++
	}
	c.text.WriteString(word)
	c.size += size
	if timed {
		if !c.timed {
			c.time.From = time.From
		}
		c.time.To, c.timed, c.reached, c.end = time.To, true, time.From, max(c.end, time.To)
	}
}

// punctuate adds a sign to the last word, or keeps it for the next, as Spanish wants it.
func (c *captions) punctuate(sign string) {
	if sign == "¿" || sign == "¡" {
		c.opening = sign
		return
	}
	if c.size == 0 {
		return
	}
	c.text.WriteString(sign)
	c.size += utf8.RuneCountInString(sign)
	c.ended = c.ended || strings.ContainsAny(sign, ".?!…") || c.size >= softEnd && strings.ContainsAny(sign, ",;:")
}

func (c *captions) flush() {
	if c.size > 0 {
		c.blocks = append(c.blocks, documents.Block{Kind: documents.Caption, Text: c.text.String(), Time: c.time})
	}
	c.text.Reset()
	c.size, c.time, c.timed, c.ended = 0, documents.Span{}, false, false
}

// done returns all.
func (c *captions) done() []documents.Block {
	c.flush()
	return c.blocks
}

// sentences are captions of a text of which only the whole time is known.
func sentences(text string, time documents.Span) []documents.Block {
	var c captions
	for word := range strings.FieldsSeq(documents.Clean(text)) {
		c.say(word, documents.Span{}, false)
		c.ended = strings.HasSuffix(word, ".") || strings.HasSuffix(word, "?") || strings.HasSuffix(word, "!")
	}
	all := c.done()
	for i := range all {
		all[i].Time = time
	}
	return all
}
