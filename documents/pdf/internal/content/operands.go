package content

import (
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/geometry"
	"portside/documents/pdf/internal/syntax"
)

const (
	maxOperands     = 64     // of one operator
	maxOperandItems = 20_000 // of one array
)

// operand is an operand of an operator: a token, or a container.
type operand struct {
	syntax.Token // of a container its opening token

	isContainer bool
	items       []syntax.Token // of a container; nested containers are flattened
}

type operands []operand

func (o *operands) push(next operand) {
	if len(*o) < maxOperands {
		*o = append(*o, next)
	}
}

// number returns the number at an index, or 0.
func (o operands) number(i int) float64 {
	if i < len(o) {
		return o[i].Value
	}
	return 0
}

func (o operands) last() operand {
	if len(o) == 0 {
		return operand{}
	}
	return o[len(o)-1]
}

// matrix returns the first six operands.
func (o operands) matrix() geometry.Matrix {
	return geometry.Matrix{o.number(0), o.number(1), o.number(2), o.number(3), o.number(4), o.number(5)}
}

// readContainer reads the rest of an array or of a dictionary. It flattens nested containers and counts
// their depth instead of recursing.
func readContainer(lex *syntax.Lexer, opening syntax.Token, work *budget.Budget) operand {
	o := operand{Token: opening, isContainer: true}
	for depth := 1; depth > 0; {
		t := lex.Next()
		work.SpendWork(1)
		switch {
		case t.Kind == syntax.EndToken:
			return o
		case t.Kind == syntax.OpenToken:
			depth++
		case t.Kind == syntax.CloseToken:
			depth--
		case len(o.items) < maxOperandItems:
			o.items = append(o.items, t)
		}
	}
	return o
}

// skipInlineImage moves behind the operator EI of an inline image. The data of the image may contain
// the letters EI, so it accepts only an EI between white space that is followed by text.
func skipInlineImage(lex *syntax.Lexer) {
	for t := lex.Next(); t.Kind != syntax.EndToken && (t.Kind != syntax.KeywordToken || !t.Is("ID")); t = lex.Next() {
	}
	data := lex.Data
	for i := lex.Pos + 1; i+1 < len(data); i++ {
		isEnd := data[i] == 'E' && data[i+1] == 'I' && syntax.IsSpace(data[i-1])
		if isEnd && (i+2 == len(data) || syntax.IsSpace(data[i+2])) && looksLikeText(data[i+2:]) {
			lex.Pos = i + 2
			return
		}
	}
	lex.Pos = len(data)
}

// looksLikeText reports whether the next bytes are printable ASCII or white space.
func looksLikeText(data []byte) bool {
	const sampleBytes = 16
	for _, c := range data[:min(len(data), sampleBytes)] {
		if c > 126 || c < ' ' && !syntax.IsSpace(c) {
			return false
		}
	}
	return true
}
