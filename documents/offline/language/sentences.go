package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"

	"portside/documents/answers"
	"portside/documents/offline/scan"
)

// splitter finds sentences. Unicode's rules take every "Dr. Meier" for two and every "ended. 20 people" for one, so their
// borders are only proposals here, some are added, and what stands around each decides.
type Splitter struct {
	always        map[string]bool // abbreviations that something always follows
	beforeNumbers map[string]bool // abbreviations that a number follows: no., art.
	stops         map[string]bool
	lang          answers.Lang
	watch         *scan.Watch
}

// newSplitter returns a splitter; of an unknown language, with the abbreviations of all.
func NewSplitter(lang answers.Lang, w *scan.Watch) *Splitter {
	s := &Splitter{always: map[string]bool{}, beforeNumbers: map[string]bool{}, stops: StopWords()[lang], lang: lang, watch: w}
	if s.stops == nil {
		s.stops = AllStopWords()
	}
	lists := abbreviations()
	for other := range lists["always"] {
		if other == lang || other == "all" || Supported(lang) == "" {
			scan.AddWords(s.always, lists["always"][other])
			scan.AddWords(s.beforeNumbers, lists["before numbers"][other])
		}
	}
	return s
}

// split returns the sentences of a text without the spaces between them.
func (s *Splitter) Split(text string) []scan.Span {
	var spans []scan.Span
	start := 0
	for _, border := range borders(s.watch, text) {
		if s.watch.Stopped() {
			break
		}
		if border < len(text) && s.continuesOver(text[start:border], text[border:]) {
			continue
		}
		if found := scan.TrimUnicodeSpace(text, scan.Span{Start: start, End: border}); found.Start < found.End {
			spans = append(spans, found)
		}
		start = border
	}
	return spans
}

// borders are the places where a sentence may end, the text's end included.
func borders(w *scan.Watch, text string) []int {
	var found []int
	for segments := sentences.FromString(text); segments.Next() && !w.Stopped(); {
		found = appendInner(found, text[:segments.End()], segments.Start())
		found = append(found, segments.End())
	}
	return found
}

// appendInner adds what Unicode's rules leave together: a full stop before a number, an ellipsis before a capital.
func appendInner(found []int, text string, from int) []int {
	for i := from; i < len(text); i++ {
		size := 1
		switch {
		case strings.HasPrefix(text[i:], "…"):
			size = len("…")
		case text[i] != '.':
			continue
		}
		rest := strings.TrimLeft(text[i+size:], closers)
		next := strings.TrimLeft(rest, " ")
		if next == "" || len(next) == len(rest) {
			continue
		}
		first, _ := utf8.DecodeRuneInString(next)
		if unicode.IsDigit(first) || (size > 1 && unicode.IsUpper(first)) {
			found = append(found, len(text)-len(next))
		}
	}
	return found
}

const (
	closers      = `"')]»”’“`
	openers      = `"'([«„“‘»–—- `
	SentenceEnds = ".!?…"
)

// joins reports whether a sentence goes on over a border. It looks at what is near only, however long the text is.
func (s *Splitter) continuesOver(left, right string) bool {
	left, right = nearBorder(left, right)
	trimmedLeft := strings.TrimRightFunc(left, unicode.IsSpace)
	right = strings.TrimLeftFunc(right, unicode.IsSpace)
	broken := strings.Contains(left[len(trimmedLeft):], "\n")
	if broken && !continuesOnNextLine(trimmedLeft, right) {
		return false
	}
	if StartsLower(right) {
		return true
	}
	if !strings.HasSuffix(trimmedLeft, ".") {
		return isParagraphNumber(trimmedLeft) || (broken && !EndsSentence(trimmedLeft))
	}
	return isParagraphNumber(trimmedLeft) || s.abbreviated(strings.TrimSuffix(trimmedLeft, "."), right)
}

func nearBorder(left, right string) (lastBytes, firstBytes string) {
	const reach = 200
	if len(left) > reach {
		cut := len(left) - reach
		for !utf8.RuneStart(left[cut]) {
			cut++
		}
		left = left[cut:]
	}
	if len(right) > reach {
		cut := reach
		for !utf8.RuneStart(right[cut]) {
			cut--
		}
		right = right[:cut]
	}
	return left, right
}

// isEnded reports whether a text ends as sentences do, closing quotes and brackets aside.
func EndsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, closers))
	return strings.ContainsRune(SentenceEnds, last)
}

// joinsLines reports whether a line break is one that fell into a sentence.
func continuesOnNextLine(left, right string) bool {
	const full = 55 // characters of a line that was broken because it was full
	line := left[strings.LastIndexByte(left, '\n')+1:]
	next, _, _ := strings.Cut(right, "\n")
	switch {
	case IsListItem(next), strings.HasSuffix(left, ":"):
		return false
	case StartsLower(right):
		return true
	}
	return utf8.RuneCountInString(line) >= full
}

// isItem reports whether a line begins as one of a list: with a bullet, a number or a letter in a bracket. A date is none,
// nor is an initial.
func IsListItem(line string) bool {
	first, rest, found := strings.Cut(line, " ")
	switch {
	case !found || first == "":
		return false
	case strings.HasSuffix(first, "."):
		return len(first) <= len("123.") && scan.IsDigit(first[0]) && isParagraphNumber(first) && !countedNouns()[strings.ToLower(FirstWord(rest))]
	}
	return isParagraphNumber(first) || (utf8.RuneCountInString(first) == 1 && strings.ContainsAny(first, "-–—•*·‣"))
}

func StartsLower(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, openers))
	return unicode.IsLower(first)
}

// isLabel reports whether a text is nothing but what numbers a paragraph: "2.", "b)", "§ 3.", "iv.".
func isParagraphNumber(text string) bool {
	const longest = 10
	text = strings.TrimSpace(strings.TrimLeft(text, "§(-–—•* "))
	if text == "" || len(text) > longest || !strings.ContainsAny(text[len(text)-1:], ".)") {
		return text == ""
	}
	body := strings.TrimRight(text, ".)")
	if len(body) == 1 {
		return scan.IsDigit(body[0]) || unicode.IsLetter(rune(body[0]))
	}
	return body != "" && (strings.Trim(body, "0123456789.") == "" || strings.Trim(strings.ToLower(body), "ivx") == "")
}
