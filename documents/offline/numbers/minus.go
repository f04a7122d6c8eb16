package numbers

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// minusBefore reads a minus. Between words a dash with a space after it is none, and at the beginning of a line it may be a
// bullet; behind a label it is one.
func (f *Number) minusBefore(text string) {
	bare := strings.TrimSuffix(text[:f.At.Start], " ")
	dash, size := utf8.DecodeLastRuneInString(bare)
	if !isDash(dash) {
		f.minusWord(text)
		return
	}
	left := bare[:len(bare)-size]
	before := scan.LastRune(left)
	isMinus := left == "" || before == ' ' && dash != '–' && dash != '—' || before == '\t' || before == '\n' || before == '(' ||
		endsWithCurrency(left)
	spaced := len(bare) < f.At.Start
	switch {
	case !spaced && isMinus:
		f.isNegative, f.At.Start = true, len(left)
	case isBehindLabel(left):
		f.isNegative, f.At.Start = true, len(left)
		f.isUnclear = f.isUnclear || listsOn(restOfLine(text[f.digits.End:]))
	case spaced && (isOpening(left) && f.endsLine(text) || listsAlready(left)):
		f.isUnclear = true // an amount below zero, or the item of a list
	}
}

// isBehindLabel reports that what follows begins a value: "Balance: ", "Balance: EUR ", the next cell.
func isBehindLabel(left string) bool {
	left = strings.TrimRight(left, " ")
	_, size := currencyBefore(left)
	left = strings.TrimRight(left[:len(left)-size], " ")
	label, behind := strings.CutSuffix(left, ":")
	return strings.HasSuffix(left, "\t") || strings.HasSuffix(left, "=") || behind && label != "" && !scan.IsDigit(label[len(label)-1])
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

func (f *Number) endsLine(text string) bool {
	rest := restOfLine(text[f.digits.End:])
	size := len(rest) - len(strings.TrimLeft(rest, " "))
	_, currency := CurrencyAt(rest[size:])
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
var beforeMinus = scan.LazySet("al au pelo lo ao o ou no nao non pas ne of")

func minusAtEnd(text string) string {
	for _, word := range []string{"minus", "menos", "moins", "meno", "min"} {
		from := len(text) - len(word)
		if from >= 0 && strings.EqualFold(text[from:], word) && !scan.IsWordRune(scan.LastRune(text[:from])) {
			return word
		}
	}
	return ""
}

// minusWord reads "minus 500". Within a sentence it may as well take something from an amount, and min be a minimum.
func (f *Number) minusWord(text string) {
	const near = 24
	bare, spaced := strings.CutSuffix(text[max(0, f.At.Start-near):f.At.Start], " ")
	word := minusAtEnd(bare)
	if !spaced || word == "" {
		return
	}
	left := text[:f.At.Start-len(" ")-len(word)]
	before := strings.TrimRight(left, " ")
	opens := isOpening(left) || isBehindLabel(left)
	switch {
	case opens && word != "min":
		f.isNegative, f.At.Start = true, len(left)
	case opens:
		f.isUnclear = true
	case word != "min" && !beforeMinus()[scan.LastWord(before[max(0, len(before)-near):])] && !endsWithAmount(before):
		f.isUnclear = true
	}
}

func endsWithAmount(text string) bool {
	return endsWithCurrency(text) || text != "" && scan.IsDigit(text[len(text)-1])
}

// minusBehind reads 500- where a value is nothing else, and 12.50- anywhere.
func (f *Number) minusBehind(text string) {
	rest, ok := strings.CutPrefix(text[f.At.End:], "-")
	if !ok {
		rest, ok = strings.CutPrefix(text[f.At.End:], "−")
	}
	if !ok || rest != "" && strings.IndexByte(" \n\t", rest[0]) < 0 || opensNumber(rest) {
		return
	}
	size := len(text) - len(rest) - f.At.End
	bare, gap := cutSpace(rest)
	code, currency := CurrencyAt(bare)
	if currency == 0 || f.Currency != "" {
		gap, currency, code = 0, 0, f.Currency
	}
	left := text[:f.At.Start]
	whole := (isOpening(left) || isBehindLabel(left)) && strings.TrimSpace(restOfLine(rest[gap+currency:])) == ""
	if f.Fraction != "" || whole {
		f.isNegative, f.Currency, f.At.End = true, code, f.At.End+size+gap+currency
	}
}

// opensNumber reports the other end of a range, maybe in the next line.
func opensNumber(text string) bool {
	text = strings.TrimLeft(text, " \n")
	_, size := CurrencyAt(text)
	text = strings.TrimLeft(text[size:], " ")
	return text != "" && scan.IsDigit(text[0])
}

// inParentheses reads an amount in parentheses, which is below zero where it is all of a value, as bookkeepers write it. In a
// sentence it is not, and behind other words it may be either.
func (f *Number) inParentheses(text string) {
	if f.Percent || f.At.Start == 0 || f.At.End == len(text) || text[f.At.Start-1] != '(' || text[f.At.End] != ')' {
		return
	}
	at, code := f.withParentheses(text)
	left, rest := text[:at.Start], restOfLine(text[at.End:])
	alone := strings.TrimSpace(rest) == ""
	plain := f.Fraction == "" && code == ""
	inSentence := strings.IndexFunc(rest, unicode.IsLetter) >= 0 || rest != "" && strings.IndexByte(".,;", rest[0]) >= 0
	switch {
	case alone && isBehindLabel(left), alone && isOpening(left) && !plain:
		f.At, f.Currency, f.isNegative = at, code, true
	case alone && isOpening(left): // it may be the number of a page
		f.isUnclear = true
	case plain || f.Currency != "" && inSentence:
	case f.Currency == "" && f.Fraction != "" && !inSentence:
		f.At, f.isNegative = scan.Span{Start: f.At.Start - 1, End: f.At.End + 1}, true
	default:
		f.isUnclear = true
	}
}

// withParentheses is the amount with what is around it, and its currency wherever that stands.
func (f *Number) withParentheses(text string) (at scan.Span, code string) {
	at, code = scan.Span{Start: f.At.Start - 1, End: f.At.End + 1}, f.Currency
	if code != "" {
		return at, code
	}
	bare := strings.TrimRight(text[:at.Start], " ")
	if code, size := currencyBefore(bare); size > 0 {
		return scan.Span{Start: len(bare) - size, End: at.End}, code
	}
	rest, gap := cutSpace(text[at.End:])
	code, size := CurrencyAt(rest)
	if size > 0 {
		at.End += gap + size
	}
	return at, code
}
