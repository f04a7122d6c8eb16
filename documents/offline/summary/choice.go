package summary

import (
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/language"
)

// chooser chooses one sentence after the other: each has a high score and does not repeat a chosen
// one.
type chooser struct {
	sentences []sentence
	score     []float64
	usable    []bool
	alike     []float64 // similarity to the most similar chosen sentence
	taken     []int
	words     int
	cut       int    // words to which the only sentence is cut; 0: not cut
	needs     []bool // whether a sentence needs the one before
	asked     []bool // whether the hint asks for a sentence
}

// extend chooses sentences up to the budget. share is a limit in words for short documents, which
// does not apply to the first sentence.
func (c *chooser) extend(b budget, share int) {
	const minShare = 0.5 // of the score of a better sentence that is too long
	for len(c.taken) < b.sentences {
		room := min(b.words, share) - c.words
		if len(c.taken) == 0 {
			room = b.words
		}
		best := c.best(room)
		if best < 0 || (len(c.taken) > 0 && c.score[best] < minShare*c.score[c.best(b.words)]) {
			return
		}
		c.take(best)
	}
}

func (c *chooser) take(i int) {
	c.taken = append(c.taken, i)
	c.words += c.sentences[i].words
	for j := range c.alike {
		c.alike[j] = max(c.alike[j], similarity(c.sentences[i].terms, c.sentences[j].terms))
	}
}

// best returns the best sentence of at most room words, or -1.
func (c *chooser) best(room int) int {
	const same, related, oneBlock = 0.55, 0.05, 0.95
	best, highestValue := -1, -1.0
	for i := range c.sentences {
		s := &c.sentences[i]
		if !c.usable[i] || s.words > room || c.alike[i] > same || slices.Contains(c.taken, i) || c.needs[i] && !c.hasBefore(i) {
			continue
		}
		value := c.score[i] * (1 - max(0, c.alike[i]-related))
		if c.hasBlock(s.block) {
			value *= oneBlock
		}
		if value > highestValue {
			best, highestValue = i, value
		}
	}
	return best
}

// hasBefore reports whether the sentence before another one, in the same section, was chosen.
func (c *chooser) hasBefore(i int) bool {
	if i == 0 {
		return false
	}
	before, s := &c.sentences[i-1], &c.sentences[i]
	return before.order+1 == s.order && before.section == s.section && slices.Contains(c.taken, i-1)
}

func (c *chooser) hasBlock(block int) bool {
	return slices.ContainsFunc(c.taken, func(i int) bool { return c.sentences[i].block == block })
}

// atLeastOne chooses the beginning of the best sentence if all sentences are too long.
func (c *chooser) atLeastOne(words int) {
	if len(c.taken) > 0 || len(c.sentences) == 0 {
		return
	}
	best := 0
	for i := range c.score {
		if c.usable[i] && (!c.usable[best] || c.score[i] > c.score[best]) {
			best = i
		}
	}
	c.taken, c.cut = []int{best}, words
}

// texts returns the chosen sentences, edited so that each stands alone: first what the hint asks for, then the others,
// each in the order of the document. Successive sentences stay together.
func (c *chooser) texts(lang answers.Lang) []string {
	slices.Sort(c.taken)
	var asked, others []string
	isAsked := false
	for _, i := range c.taken {
		text := withoutLabel(c.sentences[i].text)
		if !c.hasBefore(i) {
			text = withoutOpener(text, lang)
			isAsked = c.asked[i]
		} else {
			isAsked = isAsked || c.asked[i] && !c.needs[i]
		}
		if isAsked {
			asked = append(asked, text)
		} else {
			others = append(others, text)
		}
	}
	list := slices.Concat(asked, others)
	if c.cut > 0 && len(list) == 1 && wordCount(list[0]) > c.cut {
		list[0] = beginning(list[0], c.cut-2) + " …"
	}
	return list
}

// withoutOpener removes an opening such as "However," that refers to a sentence that was not
// chosen. This is only safe in all languages before a comma, and if the next word may be
// capitalized.
func withoutOpener(text string, lang answers.Lang) string {
	first, rest, found := strings.Cut(text, ", ")
	if !found || rest == "" {
		return text
	}
	for opener := range strings.SplitSeq(summaryWords()["openings"][lang], "|") {
		if strings.EqualFold(first, opener) && startsWithPlainWord(rest) {
			return capitalized(rest)
		}
	}
	return text
}

// startsWithPlainWord reports whether a text begins with a word without inner capitals.
func startsWithPlainWord(text string) bool {
	word := language.FirstWord(text)
	return word != "" && strings.HasPrefix(text, word) && strings.ToLower(word[1:]) == word[1:]
}

// layOut writes bullets or one paragraph. In a paragraph, a semicolon separates lines that do not
// end like sentences.
func layOut(lines []string, shape answers.Shape) string {
	if shape == answers.AsBullets {
		return "- " + strings.Join(lines, "\n- ")
	}
	var text strings.Builder
	for i, line := range lines {
		if i > 0 && !language.EndsSentence(lines[i-1]) && !strings.ContainsAny(lines[i-1][len(lines[i-1])-1:], ";:,") {
			text.WriteByte(';')
		}
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(line)
	}
	return text.String()
}
