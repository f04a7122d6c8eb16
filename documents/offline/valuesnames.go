package offline

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents"
)

// legalForms may follow the comma after a company's name.
var legalForms = []string{"inc", "ltd", "llc", "lp", "llp", "plc", "gmbh", "ag", "kg", "sa", "s", "sl", "lda", "srl", "spa", "bv",
	"nv", "ab", "sp"}

// name keeps a name and its legal form, and leaves out the address, role or remark behind it.
func (r *reading) name(s span) span {
	text := r.text[s.start:s.end]
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		ends := c == '(' || c == ';' || c == '\n' || c == '\t' || c == '|' || c == '<'
		if c == ',' {
			next := wordsOf(rest[:min(len(rest), 12)])
			ends = len(next) == 0 || !slices.Contains(legalForms, next[0].text)
		}
		if strings.HasPrefix(text[i:], " – ") || strings.HasPrefix(text[i:], " - ") || strings.HasPrefix(text[i:],
			" — ") || strings.HasPrefix(text[i:], " / ") {
			ends = true
		}
		if ends && i > 0 {
			return r.bare(span{s.start, s.start + i})
		}
		i += size
	}
	return s
}

// isName reports that a text may be a name: it has a capital, few words, and is no label itself.
func (r *reading) isName(s span) bool {
	const mostWords = 9
	text := r.text[s.start:s.end]
	first, _ := utf8.DecodeRuneInString(text)
	return len(strings.Fields(text)) <= mostWords && (unicode.IsUpper(first) || unicode.IsDigit(first)) && !strings.ContainsRune(text, ':')
}

// law leaves out "the laws of" and the like.
func (r *reading) law(s span) span {
	for _, w := range []string{"the", "laws", "law", "of", "las", "leyes", "la", "ley", "lei", "leis", "legea", "legile", "le",
		"droit", "das", "recht", "der", "het", "van", "de", "legge", "prawu", "prawo", "droit"} {
		if rest, ok := cutWord(r.text[s.start:s.end], w); ok && strings.HasPrefix(rest, " ") {
			s.start = s.end - len(rest) + 1
		}
	}
	return s
}

// fromShapes finds values that show by themselves what they are: an address of e-mail, an IBAN, the currency of all amounts.
func (r *reading) fromShapes(q *query) []candidate {
	const unlabelled = 0.8
	switch q.shape {
	case emailShape, ibanShape:
		return r.shaped(q.shape, span{0, len(r.text)}, unlabelled)
	case phoneShape:
		return r.phonesNamed(unlabelled)
	case currencyShape:
		return r.commonCurrency()
	case timeShape:
		return r.onlyTime()
	}
	return nil
}

// onlyTime is the time of the day that a document names, if it names but one.
func (r *reading) onlyTime() []candidate {
	const unlabelled = 0.7
	var all []candidate
	for s := (span{0, len(r.text)}); s.start < s.end && !r.watch.ended(); {
		at := r.timeIn(s)
		if at.end <= at.start {
			break
		}
		if i := blockAt(r.blocks, at.start); r.blocks[i].Kind != documents.Field {
			all = append(all, stringCandidate(r.text, at, unlabelled))
		}
		s.start = at.end
	}
	return all
}

// phonesNamed are the telephone numbers that follow such a word anywhere, as in "Jo Vink, tel. 030 55 01".
func (r *reading) phonesNamed(score float64) []candidate {
	var all []candidate
	for _, m := range r.mentions {
		if m.term != "PHONE" || r.watch.ended() {
			continue
		}
		if at, ok := phoneIn(r.text, r.shortly(m.at.end)); ok && at.start-m.at.end <= len(" us now on: ") {
			all = append(all, stringCandidate(r.text, at, score))
		}
	}
	return all
}

func (r *reading) shaped(s shape, in span, score float64) []candidate {
	var all []candidate
	switch s {
	case emailShape:
		for _, at := range emailsIn(r.text, in) {
			all = append(all, stringCandidate(r.text, at, score))
		}
	case ibanShape:
		for _, at := range ibansIn(r.text, in) {
			all = append(all, stringCandidate(r.text, at, score))
		}
	case phoneShape:
		if at, ok := phoneIn(r.text, in); ok {
			all = append(all, stringCandidate(r.text, at, score))
		}
	case currencyShape:
		at := r.bare(in)
		if _, size := currencyAt(r.text[at.start:at.end]); size > 0 {
			all = append(all, stringCandidate(r.text, span{at.start, at.start + size}, score))
		}
	}
	return all
}

// commonCurrency is the one that all amounts have: its code if it is written anywhere, its sign otherwise.
func (r *reading) commonCurrency() []candidate {
	const score = 0.8
	var best candidate
	code := ""
	for _, f := range r.figures {
		if f.currency == "" {
			continue
		}
		if code != "" && f.currency != code {
			return nil
		}
		code = f.currency
		text := r.text[f.at.start:f.at.end]
		if i := strings.Index(text, code); i >= 0 {
			at := f.at.start + i
			return []candidate{stringCandidate(r.text, span{at, at + len(code)}, score)}
		}
		if sign, ok := signIn(text); ok && best.score == 0 {
			best = stringCandidate(r.text, span{f.at.start + sign.start, f.at.start + sign.end}, score)
		}
	}
	if best.score == 0 {
		return r.writtenCurrency(score)
	}
	best.key = code
	return []candidate{best}
}

// writtenCurrency is the code that a document writes apart from its amounts.
func (r *reading) writtenCurrency(score float64) []candidate {
	var all []candidate
	for _, m := range r.mentions {
		if r.watch.ended() {
			return nil
		}
		text := r.text[m.at.start:m.at.end]
		if code, size := currencyAt(text); size == len(text) && code == text {
			all = append(all, stringCandidate(r.text, m.at, score))
		}
	}
	return all
}

func signIn(text string) (span, bool) {
	for i := range text {
		if _, size := currencyAt(text[i:]); size > 0 {
			return span{i, i + size}, true
		}
	}
	return span{}, false
}

func emailsIn(text string, in span) []span {
	var found []span
	for at := in.start; at < in.end; {
		n := strings.IndexByte(text[at:in.end], '@')
		if n < 0 {
			return found
		}
		s := span{at + n, at + n + 1}
		for s.start > in.start && isAddressByte(text[s.start-1]) {
			s.start--
		}
		for s.end < in.end && isAddressByte(text[s.end]) {
			s.end++
		}
		for s.end > s.start && strings.IndexByte(".-", text[s.end-1]) >= 0 {
			s.end--
		}
		if host := text[at+n+1 : max(s.end, at+n+1)]; s.start < at+n && strings.Contains(host, ".") {
			found = append(found, s)
		}
		at = max(s.end, at+n+1)
	}
	return found
}

func isAddressByte(b byte) bool { return isLetterOrDigit(b) || strings.IndexByte("._-+", b) >= 0 }

// ibansIn finds account numbers whose check digits are right.
func ibansIn(text string, in span) []span {
	var found []span
	for i := in.start; i+4 < in.end; i++ {
		starts := isUpper(text[i]) && isUpper(text[i+1]) && isDigit(text[i+2]) && isDigit(text[i+3])
		if !starts || i > 0 && isLetterOrDigit(text[i-1]) {
			continue
		}
		if end := ibanEnd(text, i, in.end); end > 0 {
			found = append(found, span{i, end})
			i = end
		}
	}
	return found
}

func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

func ibanEnd(text string, i, last int) int {
	const least, most = 15, 34
	var digits strings.Builder
	end := 0
	for at := i; at < last && digits.Len() <= most; at++ {
		b := text[at]
		if b == ' ' && at+1 < last && (isUpper(text[at+1]) || isDigit(text[at+1])) {
			continue
		}
		if !isUpper(b) && !isDigit(b) {
			break
		}
		digits.WriteByte(b)
		if digits.Len() >= least && digits.Len() <= most && checksOut(digits.String()) {
			end = at + 1
		}
	}
	return end
}

func checksOut(iban string) bool {
	const modulus = 97
	rest := 0
	for _, b := range []byte(iban[4:] + iban[:4]) {
		if isDigit(b) {
			rest = (rest*10 + int(b-'0')) % modulus
		} else {
			rest = (rest*100 + int(b-'A') + 10) % modulus
		}
	}
	return rest == 1
}

func phoneIn(text string, in span) (span, bool) {
	const least, most = 6, 16
	start := strings.IndexAny(text[in.start:in.end], "+(0123456789")
	if start < 0 {
		return span{}, false
	}
	s := span{in.start + start, in.start + start}
	digits := 0
	for at := s.start; at < in.end && strings.IndexByte("+()-./ 0123456789", text[at]) >= 0; at++ {
		if isDigit(text[at]) {
			digits++
			s.end = at + 1
		}
	}
	return s, digits >= least && digits <= most
}
