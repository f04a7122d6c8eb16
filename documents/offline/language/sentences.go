package language

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"

	"portside/documents/answers"
	"portside/documents/lazyregexp"
	"portside/documents/offline/scan"
)

// Splitter splits a text into sentences. The rules of Unicode split "Dr. Meier" and do not split
// "ended. 20 people", so their borders are only proposals. The Splitter adds borders and then
// decides on each by the words around it.
type Splitter struct {
	always        map[string]bool // abbreviations that never end a sentence
	beforeNumbers map[string]bool // abbreviations that do not end a sentence before a number: no., art.
	stops         map[string]bool
	lang          answers.Lang
	watch         *scan.Watch
}

// NewSplitter returns a Splitter that stops early with the watch. If the language is not supported,
// it uses the abbreviations of all languages.
func NewSplitter(lang answers.Lang, w *scan.Watch) *Splitter {
	s := &Splitter{always: map[string]bool{}, beforeNumbers: map[string]bool{}, stops: stopWords(lang), lang: lang,
		watch: w}
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

// Split returns the sentences of a text, without the white space between them.
func (s *Splitter) Split(text string) []scan.Span {
	var spans []scan.Span
	start, read, brackets := 0, 0, openBrackets{}
	for _, border := range borders(s.watch, text) {
		if s.watch.Stopped() {
			break
		}
		brackets.read(text[read:border])
		if read = border; border < len(text) && (brackets.closeIn(text[border:]) || s.continuesOver(text[start:border], text[border:])) {
			continue
		}
		brackets = openBrackets{}
		if found := scan.TrimUnicodeSpace(text, scan.Between(start, border)); !found.IsEmpty() {
			spans = append(spans, found)
		}
		start = border
	}
	return spans
}

// openBrackets counts the round and the square brackets of a sentence that are open.
type openBrackets struct{ round, square int }

func (o *openBrackets) read(text string) {
	for i := range len(text) {
		switch text[i] {
		case '(':
			o.round++
		case ')':
			o.round = max(o.round-1, 0)
		case '[':
			o.square++
		case ']':
			o.square = max(o.square-1, 0)
		}
	}
}

// closeIn reports whether brackets are open that the text closes soon, so that a sentence cannot end here.
func (o *openBrackets) closeIn(text string) bool {
	const soon = 300 // bytes
	if o.round == 0 && o.square == 0 {
		return false
	}
	text = text[:min(len(text), soon)]
	after := *o
	for i := range len(text) {
		after.read(text[i : i+1])
		if after.round < o.round || after.square < o.square {
			return true
		}
	}
	return false
}

// definition matches the name that a contract gives to what comes before it: ("Buyer"), (the “Company”).
var definition = lazyregexp.New(`^\([\p{L} ,]{0,40}["“„«]`)

// continuesOver reports whether a sentence continues after the border between left and right. It
// looks only at the text near the border.
func (s *Splitter) continuesOver(left, right string) bool {
	left, right = nearBorder(left, right)
	trimmedLeft := strings.TrimRightFunc(left, unicode.IsSpace)
	right = strings.TrimLeftFunc(right, unicode.IsSpace)
	broken := strings.Contains(left[len(trimmedLeft):], "\n")
	if broken && !continuesOnNextLine(trimmedLeft, right) {
		return false
	}
	if StartsLower(right) || definition().MatchString(right) {
		return true
	}
	if !strings.HasSuffix(trimmedLeft, ".") {
		return isParagraphNumber(trimmedLeft) || (broken && !EndsSentence(trimmedLeft))
	}
	return isParagraphNumber(trimmedLeft) || s.abbreviated(strings.TrimSuffix(trimmedLeft, "."), right)
}

// SentenceEnds are the marks that end a sentence. Closers may follow them, and openers may come before a sentence.
const (
	closers      = `"')]»”’“`
	openers      = `"'([«„“‘»–—- `
	SentenceEnds = ".!?…"
)

// borders returns the offsets at which a sentence may end, including the end of the text.
func borders(w *scan.Watch, text string) []int {
	var found []int
	for segments := sentences.FromString(text); segments.Next() && !w.Stopped(); {
		found = appendInner(found, text[:segments.End()], segments.Start())
		found = append(found, segments.End()+restOfCitation(text, segments.End()))
	}
	return found
}

// appendInner adds the borders that Unicode's rules miss: a full stop before a number, an ellipsis
// before a capital.
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

// citation matches the numbers of sources after a sentence: "It floats.[12] Nobody"
var citation = lazyregexp.New(`^(\[\d{1,3}\])+ *`)

// restOfCitation returns the length of the citation in which the rules of Unicode end a sentence: after its bracket.
func restOfCitation(text string, border int) int {
	if text[border-1] != '[' {
		return 0
	}
	return max(len(citation().FindString(text[border-1:]))-1, 0)
}

// nearBorder returns the last bytes of left and the first bytes of right.
func nearBorder(left, right string) (string, string) {
	const maxBytes = 200
	if len(left) > maxBytes {
		cut := len(left) - maxBytes
		for !utf8.RuneStart(left[cut]) {
			cut++
		}
		left = left[cut:]
	}
	if len(right) > maxBytes {
		cut := maxBytes
		for !utf8.RuneStart(right[cut]) {
			cut--
		}
		right = right[:cut]
	}
	return left, right
}

// continuesOnNextLine reports whether a line break is within a sentence: the next line starts in
// lower case, or the line is so long that the break only wraps it.
func continuesOnNextLine(left, right string) bool {
	const fullLine = 55 // characters
	line := left[strings.LastIndexByte(left, '\n')+1:]
	next, _, _ := strings.Cut(right, "\n")
	switch {
	case IsListItem(next), strings.HasSuffix(left, ":"):
		return false
	case StartsLower(right):
		return true
	}
	return utf8.RuneCountInString(line) >= fullLine
}

// EndsSentence reports whether a text ends with a mark that ends a sentence. Closing quotes and
// brackets after it are ignored.
func EndsSentence(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, closers))
	return strings.ContainsRune(SentenceEnds, last)
}

// IsListItem reports whether a line begins with a bullet, a number or a letter in a bracket. A date
// such as "3. May" and an initial are not list items.
func IsListItem(line string) bool {
	first, rest, found := strings.Cut(line, " ")
	switch {
	case !found || first == "":
		return false
	case strings.HasSuffix(first, "."):
		return len(first) <= len("123.") && scan.IsDigit(first[0]) && isParagraphNumber(first) &&
			!countedNouns()[strings.ToLower(FirstWord(rest))]
	}
	return isParagraphNumber(first) || (utf8.RuneCountInString(first) == 1 && strings.ContainsAny(first, "-–—•*·‣"))
}

// StartsLower reports whether the first letter of a text is in lower case.
func StartsLower(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, openers))
	return unicode.IsLower(first)
}

// isParagraphNumber reports whether a text is only the number of a paragraph: "2.", "b)", "§ 3.",
// "iv.".
func isParagraphNumber(text string) bool {
	const maxBytes = 10
	text = strings.TrimSpace(strings.TrimLeft(text, "§(-–—•* "))
	if text == "" || len(text) > maxBytes || !strings.ContainsAny(text[len(text)-1:], ".)") {
		return text == ""
	}
	body := strings.TrimRight(text, ".)")
	if len(body) == 1 {
		return scan.IsDigit(body[0]) || unicode.IsLetter(rune(body[0]))
	}
	return body != "" && (strings.Trim(body, "0123456789.") == "" || strings.Trim(strings.ToLower(body), "ivx") == "")
}
