package names

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// Greetings are the words that open a letter.
var Greetings = scan.LazySet(`dear estimado estimada querido querida caro cara exmo cher chere bonjour geehrte geehrter liebe
	lieber hallo hello gentile egregio egregia beste geachte hej basta szanowny szanowna stimate stimata draga`)

var honorifics = scan.LazySet(`mr mrs ms miss dr sr sra senor senora don dona m mme mlle monsieur madame herr herrn frau signor signora sig
	heer mevrouw meneer de pan pani domnule doamna domnul dl dna fru`)

// AfterGreeting returns the full name after the greeting of a letter. A single word may be a first
// name or anything else, so the span is empty then.
func AfterGreeting(text string, s scan.Span) scan.Span {
	line := s.In(text)
	if i := strings.IndexAny(line, ",:!\n"); i >= 0 {
		line = line[:i]
	}
	end := s.Start + len(line)
	words := scan.Words(line)
	i := 0
	for i < len(words) && (Greetings()[words[i].Text] || honorifics()[words[i].Text] || words[i].Text == "sehr") {
		i++
	}
	const minWords, maxWords = 2, 4
	if len(words)-i < minWords || len(words)-i > maxWords {
		return scan.Span{}
	}
	for _, w := range words[i:] {
		if first, _ := utf8.DecodeRuneInString(line[w.At.Start:]); !unicode.IsUpper(first) {
			return scan.Span{}
		}
	}
	return Trim(text, scan.Between(s.Start+words[i].At.Start, end))
}

// RolePhrases come between the name of a party and its role: X, hereinafter "the Supplier".
var RolePhrases = []string{
	"hereinafter", "hereafter", "en adelante", "en lo sucesivo", "adiante designado", "adiante designada", "doravante", "di seguito", "d'ora in avanti",
	"d'ora innanzi", "ci-après", "nachfolgend", "im folgenden", "nachstehend", "hierna", "verder te noemen", "nedan kallad",
	"nedan", "härefter", "fortsättningsvis", "zwanym", "zwaną", "zwany", "zwana", "zwanymi", "denumit", "numit", "în calitate de",
	"in qualità di", "en calidad de", "na qualidade de", "en qualité de", "as the", "in de hoedanigheid van", "w charakterze",
}

// partyLinks come before the name of a party.
var partyLinks = []string{
	": ", "between ", " and ", "zwischen ", " und ", "entre ", " y ", " e ", " et ", " tra ", "tussen ", " en ", "mellan ", " och ",
	"pomiędzy ", "między ", " a ",
	" oraz ", " i ", "între ", " și ", "by ", "der ", "la société ", "la empresa ", "a empresa ", "società ",
	"De una parte, ", "De otra parte, ", "De una, ", "De otra, ", "de una parte, ", "de otra parte, ", "de otra, ", "de una, ", "por uma parte, ", "d'une part, ", "d'autre part, ",
}

// Last returns the name at the end of a span, without its address.
func Last(text string, s scan.Span) scan.Span {
	s.Start = skipOpening(text, s)
	start := s.Start
	for _, link := range partyLinks {
		part := s.In(text)
		for i := strings.LastIndex(part, link); i >= 0; i = strings.LastIndex(part[:i], link) {
			if next := i + len(link); next < len(part) && (scan.IsUpper(part[next]) || part[next] >= 0x80) {
				start = max(start, s.Start+next)
				break
			}
		}
	}
	return CutAddress(text, Trim(text, scan.Between(start, s.End)))
}

// skipOpening returns the offset after a first word such as "between".
func skipOpening(text string, s scan.Span) int {
	s = scan.TrimSpace(text, s)
	for _, w := range []string{"between", "zwischen", "entre", "tra", "fra", "tussen", "mellan", "pomiędzy", "między", "între",
		"and", "und", "y", "e", "et", "en", "och", "a", "i", "și"} {
		if rest, ok := scan.CutWord(s.In(text), w); ok {
			return s.End - len(rest)
		}
	}
	return s.Start
}
