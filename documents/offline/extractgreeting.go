package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// besideGreeting is how surely whom a letter greets is the passenger or patient that it is about: less than any label.
const besideGreeting = 0.66

// greeted are what the reader of a letter may be to its writer.
var greeted = []string{"passenger", "patient", "customer", "policyholder", "recipient", "employee", "tenant"}

var greetings = setsOf(`dear estimado estimada querido querida caro cara exmo cher chere bonjour geehrte geehrter liebe lieber hallo hello
	gentile egregio egregia beste geachte hej basta szanowny szanowna stimate stimata draga`)

var honorifics = setsOf(`mr mrs ms miss dr sr sra senor senora don dona m mme mlle monsieur madame herr herrn frau signor signora sig
	heer mevrouw meneer de pan pani domnule doamna domnul dl dna fru`)

// fromGreeting reads the full name behind "Dear": one word alone may be a first name or anything else.
func (r *reading) fromGreeting(q *query) []candidate {
	if q.shape != nameShape || !slices.Contains(greeted, q.concept) {
		return nil
	}
	for _, s := range r.sentences {
		if r.watch.ended() {
			return nil
		}
		words := wordsOf(r.text[s.start:min(s.end, s.start+nearBytes)])
		const first = 2 // "Sehr geehrte" has the greeting second
		isGreeting := func(w word) bool { return greetings()[w.text] }
		if !slices.ContainsFunc(words[:min(first, len(words))], isGreeting) {
			continue
		}
		if name := r.nameAfterGreeting(s); name.end > name.start {
			return []candidate{stringCandidate(r.text, name, besideGreeting)}
		}
	}
	return nil
}

func (r *reading) nameAfterGreeting(s span) span {
	line := r.text[s.start:s.end]
	if i := strings.IndexAny(line, ",:!\n"); i >= 0 {
		line = line[:i]
	}
	end := s.start + len(line)
	words := wordsOf(line)
	i := 0
	for i < len(words) && (greetings()[words[i].text] || honorifics()[words[i].text] || words[i].text == "sehr") {
		i++
	}
	const least, most = 2, 4
	if len(words)-i < least || len(words)-i > most {
		return span{}
	}
	for _, w := range words[i:] {
		if first, _ := utf8.DecodeRuneInString(line[w.at.start:]); !unicode.IsUpper(first) {
			return span{}
		}
	}
	return r.bare(span{s.start + words[i].at.start, end})
}
