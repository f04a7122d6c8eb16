package numbers

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"portside/documents/offline/scan"
)

// minusBefore reads a minus sign before the number. A dash between words with a space after it is
// not a sign. At the beginning of a line a dash may be a bullet, so the number is unclear; after a
// label it is a sign.
func (n *Number) minusBefore(text string) {
	bare := strings.TrimSuffix(text[:n.At.Start], " ")
	dash, size := utf8.DecodeLastRuneInString(bare)
	if !isDash(dash) {
		n.minusWord(text)
		return
	}
	left := bare[:len(bare)-size]
	before := scan.LastRune(left)
	isMinus := left == "" || before == ' ' && dash != '–' && dash != '—' || before == '\t' || before == '\n' ||
		before == '(' ||
		endsWithCurrency(left)
	spaced := len(bare) < n.At.Start
	switch {
	case !spaced && isMinus:
		n.isNegative, n.At.Start = true, len(left)
	case isBehindLabel(left):
		n.isNegative, n.At.Start = true, len(left)
		n.isUnclear = n.isUnclear || listsOn(restOfLine(text[n.digits.End:]))
	case spaced && (isOpening(left) && n.endsLine(text) || listsAlready(left)):
		n.isUnclear = true // a negative amount, or an item of a list
	}
}

// isBehindLabel reports whether a value begins after left: "Balance: ", "Balance: EUR ", or the
// next cell.
func isBehindLabel(left string) bool {
	left = strings.TrimRight(left, " ")
	_, size := currencyBefore(left)
	left = strings.TrimRight(left[:len(left)-size], " ")
	label, behind := strings.CutSuffix(left, ":")
	return strings.HasSuffix(left, "\t") || strings.HasSuffix(left, "=") || behind && label != "" &&
		!scan.IsDigit(label[len(label)-1])
}

// isOpening reports whether left ends at the beginning of a line.
func isOpening(left string) bool { return left == "" || left[len(left)-1] == '\n' }

// restOfLine returns the text up to the end of the line or cell, limited to a number of bytes.
func restOfLine(text string) string {
	const maxBytes = 120
	text = text[:min(len(text), maxBytes)]
	if i := strings.IndexAny(text, "\n\t"); i >= 0 {
		return text[:i]
	}
	return text
}

// endsLine reports whether nothing but a currency follows the digits in the line.
func (n *Number) endsLine(text string) bool {
	rest := restOfLine(text[n.digits.End:])
	size := len(rest) - len(strings.TrimLeft(rest, " "))
	_, currency := CurrencyAt(rest[size:])
	return strings.TrimSpace(rest[size+currency:]) == ""
}

// listsOn reports whether another amount follows a dash in the line: "Costs: - 500 EUR for painting
// - 300 EUR for floors".
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

// listsAlready reports whether left has earlier amounts of such a list.
func listsAlready(left string) bool {
	const maxBytes = 120
	line := left[max(0, len(left)-maxBytes):]
	line = line[strings.LastIndexAny(line, "\n\t")+1:]
	return strings.Contains(line, ": - ") || strings.Contains(line, ": – ") || strings.Contains(line, ": — ")
}

// beforeMinus are the words that change the meaning of "minus": at least, more or less.
var beforeMinus = scan.LazySet("al au pelo lo ao o ou no nao non pas ne of")

// minusAtEnd returns the word for minus at the end of a text, or an empty string.
func minusAtEnd(text string) string {
	for _, word := range []string{"minus", "menos", "moins", "meno", "min"} {
		from := len(text) - len(word)
		if from >= 0 && strings.EqualFold(text[from:], word) && !scan.IsWordRune(scan.LastRune(text[:from])) {
			return word
		}
	}
	return ""
}

// minusWord reads "minus 500". Within a sentence it may also subtract from an amount, and "min" may
// mean a minimum.
func (n *Number) minusWord(text string) {
	const near = 24
	bare, spaced := strings.CutSuffix(text[max(0, n.At.Start-near):n.At.Start], " ")
	word := minusAtEnd(bare)
	if !spaced || word == "" {
		return
	}
	left := text[:n.At.Start-len(" ")-len(word)]
	before := strings.TrimRight(left, " ")
	opens := isOpening(left) || isBehindLabel(left)
	switch {
	case opens && word != "min":
		n.isNegative, n.At.Start = true, len(left)
	case opens:
		n.isUnclear = true
	case word != "min" && !beforeMinus()[scan.LastWord(before[max(0, len(before)-near):])] && !endsWithAmount(before):
		n.isUnclear = true
	}
}

func endsWithAmount(text string) bool {
	return endsWithCurrency(text) || text != "" && scan.IsDigit(text[len(text)-1])
}

// minusBehind reads 500- if it is the whole value, and 12.50- anywhere.
func (n *Number) minusBehind(text string) {
	rest, ok := strings.CutPrefix(text[n.At.End:], "-")
	if !ok {
		rest, ok = strings.CutPrefix(text[n.At.End:], "−")
	}
	if !ok || rest != "" && strings.IndexByte(" \n\t", rest[0]) < 0 || opensNumber(rest) {
		return
	}
	size := len(text) - len(rest) - n.At.End
	bare, gap := cutSpace(rest)
	code, currency := CurrencyAt(bare)
	if currency == 0 || n.Currency != "" {
		gap, currency, code = 0, 0, n.Currency
	}
	left := text[:n.At.Start]
	whole := (isOpening(left) || isBehindLabel(left)) && strings.TrimSpace(restOfLine(rest[gap+currency:])) == ""
	if n.Fraction != "" || whole {
		n.isNegative, n.Currency, n.At.End = true, code, n.At.End+size+gap+currency
	}
}

// opensNumber reports whether a number follows, perhaps on the next line, as the other end of a
// range does.
func opensNumber(text string) bool {
	text = strings.TrimLeft(text, " \n")
	_, size := CurrencyAt(text)
	text = strings.TrimLeft(text[size:], " ")
	return text != "" && scan.IsDigit(text[0])
}

// inParentheses reads an amount in parentheses, which is negative if it is the whole value, as in
// bookkeeping. Within a sentence it is not negative. After other words it may be either, so the
// number is unclear.
func (n *Number) inParentheses(text string) {
	if n.Percent || n.At.Start == 0 || n.At.End == len(text) || text[n.At.Start-1] != '(' || text[n.At.End] != ')' {
		return
	}
	at, code := n.withParentheses(text)
	left, rest := text[:at.Start], restOfLine(text[at.End:])
	alone := strings.TrimSpace(rest) == ""
	plain := n.Fraction == "" && code == ""
	inSentence := strings.IndexFunc(rest, unicode.IsLetter) >= 0 || rest != "" && strings.IndexByte(".,;", rest[0]) >= 0
	switch {
	case alone && isBehindLabel(left), alone && isOpening(left) && !plain:
		n.At, n.Currency, n.isNegative = at, code, true
	case alone && isOpening(left): // it may be the number of a page
		n.isUnclear = true
	case plain || n.Currency != "" && inSentence:
	case n.Currency == "" && n.Fraction != "" && !inSentence:
		n.At, n.isNegative = scan.Between(n.At.Start-1, n.At.End+1), true
	default:
		n.isUnclear = true
	}
}

// withParentheses returns the span of the amount with its parentheses and its currency, on
// whichever side that stands.
func (n *Number) withParentheses(text string) (at scan.Span, code string) {
	at, code = scan.Between(n.At.Start-1, n.At.End+1), n.Currency
	if code != "" {
		return at, code
	}
	bare := strings.TrimRight(text[:at.Start], " ")
	if code, size := currencyBefore(bare); size > 0 {
		return scan.Between(len(bare)-size, at.End), code
	}
	rest, gap := cutSpace(text[at.End:])
	code, size := CurrencyAt(rest)
	if size > 0 {
		at.End += gap + size
	}
	return at, code
}
