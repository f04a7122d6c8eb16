package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/answers"
)

// inSentence is how surely a value belongs to the words before it in running text.
const inSentence = 0.84

// fromSentences looks for values in running text: beside the words of the variable, in the same clause.
func (r *reading) fromSentences(q *query) []candidate {
	var all []candidate
	isPeriod := q.asksForStart() || q.asksForEnd()
	for _, s := range r.sentences {
		if r.watch.ended() {
			return nil
		}
		if isPeriod && len(r.datesIn(s)) > 0 {
			all = append(all, r.ofPeriod(q, s, r.terms(s))...)
		}
		if !r.mayAnswer(q, s) {
			continue
		}
		switch {
		case q.variable.Type == answers.Date || q.shape == dateShape:
			all = append(all, r.datesBeside(q, s)...)
		case q.shape == durationShape:
			all = append(all, r.durationsBeside(q, s)...)
		case q.variable.Type == answers.Number || q.shape == moneyShape || q.shape == percentShape:
			all = append(all, r.figuresBeside(q, s)...)
		default:
			all = append(all, r.textBeside(q, s)...)
			all = append(all, r.partiesIn(q, s)...)
		}
	}
	return all
}

// mayAnswer reports that a sentence has a term of the variable that means something.
func (r *reading) mayAnswer(q *query, s span) bool {
	return r.mentionsAny(q.touched, s)
}

func (r *reading) datesBeside(q *query, s span) []candidate {
	dates := r.daysSaid(s)
	spans := make([]span, len(dates))
	for i, d := range dates {
		spans[i] = d.at
	}
	var all []candidate
	for i, score := range r.beside(q, s, spans) {
		if score > 0 {
			c := q.dayOf(dates[i], score)
			if q.variable.Type == answers.String {
				c.value = answers.Value{Type: answers.String, Text: r.text[c.at.start:c.at.end]}
			}
			all = append(all, c)
		}
	}
	return all
}

func (r *reading) figuresBeside(q *query, s span) []candidate {
	var figures []figure
	for _, f := range r.figuresIn(s) {
		if f.percent != (q.shape == percentShape) || q.shape == moneyShape && f.currency == "" || q.shape == anyShape && f.percent {
			continue
		}
		if r.numbersClause(q, f) || opensClause(f, s, r.text) {
			continue
		}
		figures = append(figures, f)
	}
	spans := make([]span, len(figures))
	for i, f := range figures {
		spans[i] = f.at
	}
	var all []candidate
	for i, score := range r.beside(q, s, spans) {
		if score > 0 {
			c := numberCandidate(figures[i], score)
			if q.variable.Type == answers.String {
				c.value = answers.Value{Type: answers.String, Text: r.text[c.at.start:c.at.end]}
			}
			all = append(all, c)
		}
	}
	return all
}

// beside scores each of the values of a sentence by the words between it and the value before, and of the last one also by
// the words after it, as verbs come last in some languages.
func (r *reading) beside(q *query, s span, values []span) []float64 {
	scores := make([]float64, len(values))
	values = values[:min(len(values), mostBeside)] // no sentence has as many
	from := s.start
	for i, v := range values {
		if r.watch.ended() {
			break
		}
		before := r.afterAnd(span{from, max(from, v.start)}) // two amounts may share the currency between them
		scores[i] = q.matchWords(r.within(before), r.topic) * inSentence
		after := span{v.end, max(v.end, s.end)} // a range may go on in the next stretch
		if i+1 < len(values) {
			after.end = r.beforeAnd(span{v.end, max(v.end, values[i+1].start)})
		}
		const lessSure = 0.95
		around := slices.Concat(r.within(before), r.within(r.clauseFrom(after)))
		scores[i] = max(scores[i], q.matchWords(around, r.topic)*inSentence*lessSure)
		from = v.end
	}
	return scores
}

// clauseFrom ends at the first comma or semicolon.
func (r *reading) clauseFrom(s span) span {
	if i := strings.IndexAny(r.text[s.start:s.end], ",;"); i >= 0 {
		s.end = s.start + i
	}
	return s
}

var ands = []string{" and ", " und ", " y ", " e ", " et ", " en ", " och ", " i ", " oraz ", " și ", " si ", ", ", "; "}

// afterAnd cuts off what belongs to the value before: everything up to the last "and" or comma, if words with a meaning follow.
func (r *reading) afterAnd(s span) span {
	last := -1
	for _, and := range ands {
		if i := strings.LastIndex(r.text[s.start:s.end], and); i >= 0 {
			last = max(last, i+len(and))
		}
	}
	if last < 0 {
		return s
	}
	rest := span{s.start + last, s.end}
	if !slices.ContainsFunc(r.within(rest), func(m mention) bool { return isTerm(m.term) && !m.small && !slices.Contains(generic, m.term) }) {
		return s
	}
	return rest
}

// beforeAnd is where the words after a value end that are not about the next one.
func (r *reading) beforeAnd(s span) int {
	first := s.end - s.start
	for _, and := range ands {
		if i := strings.Index(r.text[s.start:s.end], and); i >= 0 {
			first = min(first, i)
		}
	}
	if first == s.end-s.start {
		return s.start
	}
	return s.start + first
}

// matchWords tells how well the words around a value answer the variable. Words with other meanings are common in running
// text; only those that the concept excludes count against it.
func (q *query) matchWords(words []mention, topic []string) float64 {
	const most = 14
	words = words[max(0, len(words)-most):]
	terms := make([]string, 0, len(words))
	for _, m := range words {
		if !m.small {
			terms = append(terms, m.term)
		}
	}
	best := 0.0
	for _, p := range q.patterns {
		best = max(best, p.weight*q.coverWords(p.terms, terms, topic))
	}
	return best
}

func (q *query) coverWords(wanted, said, topic []string) float64 {
	score, hits := 1.0, 0
	for _, t := range wanted {
		switch {
		case containsTerm(said, t):
			if !slices.Contains(q.soft, t) && !slices.Contains(generic, t) {
				hits++
			}
		case slices.Contains(q.soft, t):
			score *= softMissing
		case containsTerm(topic, t):
			score *= knownMissing
		default:
			score *= termMissing
		}
	}
	if hits == 0 {
		return 0
	}
	for _, t := range said {
		if !slices.Contains(wanted, t) && slices.Contains(q.not, t) {
			score *= contrary
		}
	}
	return score
}

// textBeside reads what follows a label in running text, for the few shapes where that can be told from the rest.
func (r *reading) textBeside(q *query, s span) []candidate {
	words := r.within(s)
	for i := range words {
		if r.watch.ended() {
			return nil
		}
		end, score := q.phraseAt(words, i)
		if score == 0 {
			if c, ok := r.codeAt(q, words[i], s); ok {
				return []candidate{c}
			}
			continue
		}
		rest := r.afterLink(span{end, min(s.end, end+mostValueBytes)})
		if c, ok := r.textAfter(q, rest); ok {
			c.score *= score * inSentence
			return []candidate{c}
		}
		if c, ok := r.nameBeside(q, span{end, rest.end}); ok {
			c.score *= score * inSentence
			return []candidate{c}
		}
	}
	return nil
}

// codeAt reads what can only be a number right behind what it numbers: order PO-7781.
func (r *reading) codeAt(q *query, m mention, s span) (candidate, bool) {
	const digits, near = 5, 2
	if q.shape != idShape {
		return candidate{}, false
	}
	numbered := func(p pattern) bool {
		return sameSet(without(p.terms, q.soft), []string{m.term}) && !slices.Contains(q.soft, m.term)
	}
	i := slices.IndexFunc(q.patterns, numbered)
	if i < 0 {
		return candidate{}, false
	}
	at := r.id(span{m.at.end, min(s.end, m.at.end+mostValueBytes)})
	code := r.text[at.start:at.end]
	isCode := strings.ContainsFunc(code, unicode.IsLetter) || len(code) >= digits
	if at.end == at.start || at.start-m.at.end > near || !isCode {
		return candidate{}, false
	}
	return stringCandidate(r.text, at, q.patterns[i].weight*softMissing*inSentence), true
}

// phraseAt matches the best pattern with the words that begin at i.
func (q *query) phraseAt(words []mention, i int) (end int, score float64) {
	const reachWords = 4
	for n := 1; n <= reachWords && i+n <= len(words); n++ {
		if last := &words[i+n-1]; !last.small && !q.touched[last.term] {
			break // no pattern has it
		}
		terms := labelTerms(words[i : i+n])
		for _, p := range q.patterns {
			if sameSet(p.terms, terms) && p.weight >= score {
				end, score = words[i+n-1].at.end, p.weight
			}
		}
	}
	return end, score
}

func (r *reading) textAfter(q *query, rest span) (candidate, bool) {
	switch q.shape {
	case idShape:
		if at := r.id(rest); at.end > at.start && at.start-rest.start < nearBytes {
			return stringCandidate(r.text, at, 1), true
		}
	case lawShape:
		if at := r.untilClause(r.law(rest)); at.end > at.start && r.isName(at) {
			return stringCandidate(r.text, at, 1), true
		}
	}
	return candidate{}, false
}

// persons are roles that stand right in front of the name of who has them: "with dentist L. Verbeek".
var persons = []string{"doctor", "patient", "landlord", "tenant", "chair", "secretary", "employee", "employer", "policyholder", "passenger"}

// nameBeside reads the name after a role, or after "is".
func (r *reading) nameBeside(q *query, s span) (candidate, bool) {
	text := strings.TrimLeft(r.text[s.start:s.end], " ")
	rest := afterVerb(text)
	if q.shape != nameShape || rest == text && (r.lang == "de" || !slices.Contains(persons, q.concept)) {
		return candidate{}, false
	}
	at := r.capitalized(span{s.end - len(rest), s.end})
	const least = 2
	if len(strings.Fields(r.text[at.start:at.end])) < least || r.isOnlyLabel(at) {
		return candidate{}, false
	}
	return stringCandidate(r.text, at, 1), true
}

var particles = setsOf("van de der den von zu af av da do dos della di del du la le los ter ten y")

// capitalized is the run of words with capitals at the beginning of a stretch, and the small words within it.
func (r *reading) capitalized(s span) span {
	end, next := s.start, s.start
	for _, w := range wordsOf(r.text[s.start:s.end]) {
		at := span{s.start + w.at.start, s.start + w.at.end}
		gap := r.text[next:at.start]
		if strings.Trim(gap, " .&'’-") != "" || strings.HasSuffix(gap, ". ") && next-end == 0 && !isShortWord(r.text[:next]) {
			break
		}
		first, _ := utf8.DecodeRuneInString(r.text[at.start:])
		if !unicode.IsUpper(first) && !particles()[w.text] {
			break
		}
		next = at.end
		if unicode.IsUpper(first) {
			end = at.end
		}
	}
	return r.bare(span{s.start, end})
}

// isShortWord reports that a text ends in an initial or an abbreviation, whose point ends no sentence.
func isShortWord(text string) bool {
	const most = 3
	return len(text)-strings.LastIndexByte(text, ' ')-1 <= most
}

// afterLink passes over the verb between a label and its value.
func (r *reading) afterLink(s span) span {
	for _, link := range []string{" ", "is", "ist", "est", "es", "é", "è", "jest", "este", "är", "no", "nr", ".", ":", "number",
		"with", "la", "le", "the", "ter", " "} {
		rest := r.text[s.start:s.end]
		if link == " " || link == "." || link == ":" {
			s.start = s.end - len(strings.TrimLeft(rest, link))
		} else if after, ok := cutWord(rest, link); ok {
			s.start = s.end - len(strings.TrimLeft(after, " "))
		}
	}
	return s
}

func (r *reading) untilClause(s span) span {
	text := r.text[s.start:s.end]
	end := len(text)
	for _, stop := range []string{",", ";", ".", "(", " and ", " und ", " y ", " e ", " et ", " en ", " och ", " i ", " și ",
		" applies", " without", " unter ", " ohne ", "\n", " with ", " shall "} {
		i := strings.Index(text, stop)
		joinsNames := i > 0 && strings.HasPrefix(stop, " ") && i+len(stop) < len(text) && isUpper(text[i+len(stop)])
		if i > 0 && !joinsNames {
			end = min(end, i)
		}
	}
	return r.bare(span{s.start, s.start + end})
}
