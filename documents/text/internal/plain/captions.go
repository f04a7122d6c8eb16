package plain

import (
	"html"
	"strconv"
	"strings"

	"portside/documents"
	"portside/documents/charset"
	"portside/documents/lazyregexp"
	"portside/documents/text/internal/page"
)

// ReadCaptions reads subtitles.
func ReadCaptions(to page.Page, data []byte) error {
	return subtitles(to, charset.Decode(data, ""))
}

const oneTime = `(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2}(?:[.,]\d{1,6})?)`

var cueTime = lazyregexp.New(`^\s*` + oneTime + ` *--> *` + oneTime)

// isSubtitles reports whether the text begins as WebVTT, or with a number and a time as SubRip does.
func isSubtitles(text string) bool {
	text = strings.TrimLeft(text, "\ufeff \r\n")
	if strings.HasPrefix(text, "WEBVTT") {
		return true
	}
	number, rest, _ := strings.Cut(text, "\n")
	time, _, _ := strings.Cut(rest, "\n")
	_, err := strconv.Atoi(strings.TrimSpace(number))
	return err == nil && cueTime().MatchString(time)
}

func subtitles(to page.Page, text string) error {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "").Replace(text)
	var cue []string
	var time documents.Span
	inCue, last := false, ""
	flush := func() error {
		said := strings.Join(cue, "\n")
		cue = cue[:0]
		if !inCue || said == last {
			return nil
		}
		last = said
		return to.Add(documents.Block{Kind: documents.Caption, Text: said, Time: time})
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		span, isTime := timeOf(line)
		if isTime || line == "" {
			if err := flush(); err != nil {
				return err
			}
			inCue, time = isTime, span
			continue
		}
		if inCue {
			cue = append(cue, spoken(line))
		}
	}
	return flush()
}

func timeOf(line string) (documents.Span, bool) {
	if !strings.Contains(line, "-->") {
		return documents.Span{}, false
	}
	found := cueTime().FindStringSubmatch(line)
	if found == nil {
		return documents.Span{}, false
	}
	span := documents.Span{From: seconds(found[1:4]), To: seconds(found[4:7])}
	return span, span.To >= span.From
}

// seconds converts hours, minutes and seconds. The hours may be missing.
func seconds(parts []string) float64 {
	total := 0.0
	for _, part := range parts {
		n, err := strconv.ParseFloat(strings.Replace(part, ",", ".", 1), 64)
		if err != nil {
			n = 0 // no hours
		}
		total = total*60 + n
	}
	return total
}

var (
	voice   = lazyregexp.New(`<v(?:\.[^\s>]*)?\s+([^>]*)>`)
	cueTag  = lazyregexp.New(`</?[A-Za-z0-9][^>]{0,200}>|\{\\[^}]{0,100}\}`)
	timeTag = lazyregexp.New(`<\d[\d:.]*>`)
)

// spoken returns a line of a cue without its markup.
func spoken(line string) string {
	const maxCue = 10 << 10 // bytes
	line = line[:min(len(line), maxCue)]
	line = voice().ReplaceAllString(line, "$1: ")
	line = timeTag().ReplaceAllString(line, "")
	return html.UnescapeString(cueTag().ReplaceAllString(line, ""))
}
