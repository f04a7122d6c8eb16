package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minusBefore reads a minus. Between words a dash with a space after it is none, and at the beginning of a line it may be a
// bullet; behind a label it is one.
func (f *figure) minusBefore(text string) {
	bare := strings.TrimSuffix(text[:f.at.start], " ")
	dash, size := utf8.DecodeLastRuneInString(bare)
	if !isDash(dash) {
		f.minusWord(text)
		return
	}
	left := bare[:len(bare)-size]
	before := lastRune(left)
	isMinus := left == "" || before == ' ' && dash != '–' && dash != '—' || before == '\t' || before == '\n' || before == '(' ||
		endsWithCurrency(left)
	spaced := len(bare) < f.at.start
	switch {
	case !spaced && isMinus:
		f.negative, f.at.start = true, len(left)
	case isBehindLabel(left):
		f.negative, f.at.start = true, len(left)
		f.unclear = f.unclear || listsOn(restOfLine(text[f.digits.end:]))
	case spaced && (isOpening(left) && f.endsLine(text) || listsAlready(left)):
		f.unclear = true // an amount below zero, or the item of a list
	}
}

// isBehindLabel reports that what follows begins a value: "Balance: ", "Balance: EUR ", the next cell.
func isBehindLabel(left string) bool {
	left = strings.TrimRight(left, " ")
	_, size := currencyBefore(left)
	left = strings.TrimRight(left[:len(left)-size], " ")
	label, behind := strings.CutSuffix(left, ":")
	return strings.HasSuffix(left, "\t") || strings.HasSuffix(left, "=") || behind && label != "" && !isDigit(label[len(label)-1])
}

// isOpening reports the beginning of a line.
func isOpening(left string) bool { return left == "" || left[len(left)-1] == '\n' }

// restOfLine is what follows in a line or a cell, as far as it is looked at.
func restOfLine(text string) string {
	const most = 120
	text = text[:min(len(text), most)]
	if i := strings.IndexAny(text, "\n\t"); i >= 0 {
		return text[:i]
	}
	return text
}

func (f *figure) endsLine(text string) bool {
	rest := restOfLine(text[f.digits.end:])
	size := len(rest) - len(strings.TrimLeft(rest, " "))
	_, currency := currencyAt(rest[size:])
	return strings.TrimSpace(rest[size+currency:]) == ""
}

// listsOn reports another amount behind a dash in the line: "Costs: - 500 EUR for painting - 300 EUR for the floors".
func listsOn(line string) bool {
	for _, dash := range []string{" - ", " – ", " — "} {
		for at := 0; ; {
			i := strings.Index(line[at:], dash)
			if i < 0 {
				break
			}
			at += i + len(dash)
			if opensNumber(line[at:]) {
				return true
			}
		}
	}
	return false
}

// listsAlready reports that the amounts of such a list stand before.
func listsAlready(left string) bool {
	const most = 120
	line := left[max(0, len(left)-most):]
	line = line[strings.LastIndexAny(line, "\n\t")+1:]
	return strings.Contains(line, ": - ") || strings.Contains(line, ": – ") || strings.Contains(line, ": — ")
}

// beforeMinus makes another word of a minus: at least, more or less.
var beforeMinus = setsOf("al au pelo lo ao o ou no nao non pas ne of")

func minusAtEnd(text string) string {
	for _, word := range []string{"minus", "menos", "moins", "meno", "min"} {
		from := len(text) - len(word)
		if from >= 0 && strings.EqualFold(text[from:], word) && !isWordRune(lastRune(text[:from])) {
			return word
		}
	}
	return ""
}

// minusWord reads "minus 500". Within a sentence it may as well take something from an amount, and min be a minimum.
func (f *figure) minusWord(text string) {
	const near = 24
	bare, spaced := strings.CutSuffix(text[max(0, f.at.start-near):f.at.start], " ")
	word := minusAtEnd(bare)
	if !spaced || word == "" {
		return
	}
	left := text[:f.at.start-len(" ")-len(word)]
	before := strings.TrimRight(left, " ")
	opens := isOpening(left) || isBehindLabel(left)
	switch {
	case opens && word != "min":
		f.negative, f.at.start = true, len(left)
	case opens:
		f.unclear = true
	case word != "min" && !beforeMinus()[lastFolded(before[max(0, len(before)-near):])] && !endsWithAmount(before):
		f.unclear = true
	}
}

func endsWithAmount(text string) bool {
	return endsWithCurrency(text) || text != "" && isDigit(text[len(text)-1])
}

// minusBehind reads 500- where a value is nothing else, and 12.50- anywhere.
func (f *figure) minusBehind(text string) {
	rest, ok := strings.CutPrefix(text[f.at.end:], "-")
	if !ok {
		rest, ok = strings.CutPrefix(text[f.at.end:], "−")
	}
	if !ok || rest != "" && strings.IndexByte(" \n\t", rest[0]) < 0 || opensNumber(rest) {
		return
	}
	size := len(text) - len(rest) - f.at.end
	bare, gap := cutSpace(rest)
	code, currency := currencyAt(bare)
	if currency == 0 || f.currency != "" {
		gap, currency, code = 0, 0, f.currency
	}
	left := text[:f.at.start]
	whole := (isOpening(left) || isBehindLabel(left)) && strings.TrimSpace(restOfLine(rest[gap+currency:])) == ""
	if f.fraction != "" || whole {
		f.negative, f.currency, f.at.end = true, code, f.at.end+size+gap+currency
	}
}

// opensNumber reports the other end of a range, maybe in the next line.
func opensNumber(text string) bool {
	text = strings.TrimLeft(text, " \n")
	_, size := currencyAt(text)
	text = strings.TrimLeft(text[size:], " ")
	return text != "" && isDigit(text[0])
}

// inParentheses reads an amount in parentheses, which is below zero where it is all of a value, as bookkeepers write it. In a
// sentence it is not, and behind other words it may be either.
func (f *figure) inParentheses(text string) {
	if f.percent || f.at.start == 0 || f.at.end == len(text) || text[f.at.start-1] != '(' || text[f.at.end] != ')' {
		return
	}
	at, code := f.withParentheses(text)
	left, rest := text[:at.start], restOfLine(text[at.end:])
	alone := strings.TrimSpace(rest) == ""
	plain := f.fraction == "" && code == ""
	inSentence := strings.IndexFunc(rest, unicode.IsLetter) >= 0 || rest != "" && strings.IndexByte(".,;", rest[0]) >= 0
	switch {
	case alone && isBehindLabel(left), alone && isOpening(left) && !plain:
		f.at, f.currency, f.negative = at, code, true
	case alone && isOpening(left): // it may be the number of a page
		f.unclear = true
	case plain || f.currency != "" && inSentence:
	case f.currency == "" && f.fraction != "" && !inSentence:
		f.at, f.negative = span{f.at.start - 1, f.at.end + 1}, true
	default:
		f.unclear = true
	}
}

// withParentheses is the amount with what is around it, and its currency wherever that stands.
func (f *figure) withParentheses(text string) (at span, code string) {
	at, code = span{f.at.start - 1, f.at.end + 1}, f.currency
	if code != "" {
		return at, code
	}
	bare := strings.TrimRight(text[:at.start], " ")
	if code, size := currencyBefore(bare); size > 0 {
		return span{len(bare) - size, at.end}, code
	}
	rest, gap := cutSpace(text[at.end:])
	code, size := currencyAt(rest)
	if size > 0 {
		at.end += gap + size
	}
	return at, code
}
