package einvoice

import (
	"slices"
	"strings"

	"portside/documents/answers"
	"portside/documents/offline/questions"
)

// understand returns the terms that a variable asks for. The name and the description must be understood as a whole,
// because a single other word may change the meaning: the total of an invoice is not its total of hours. A table makes
// it a question about a column of the table.
func understand(v answers.Variable, table string) match {
	name := read(questions.SplitName(cut(v.Name)))
	description := readDescription(cut(v.Description))
	find := func(a asked) match {
		if a.unknown > 0 {
			return match{}
		}
		return allRules().find(a, v.Type, table)
	}
	byName, byDescription, byBoth := find(name), find(description), find(name.and(description))
	switch {
	case len(description.meanings) == 0:
		if description.unknown > 0 {
			return match{}
		}
		return byName
	case len(name.meanings) == 0:
		return byDescription
	case byName.isClear && byDescription.isClear && byName.terms.equals(byDescription.terms):
		return byName
	case byBoth.score > 0:
		return byBoth
	case byDescription.score > 0:
		return byDescription
	case byName.score == 0:
		return match{}
	}
	known := name.and(description)
	known.unknown = 0
	isSpecific := byName.score > 1 || isRepeated(name, description) && !isWeak(name)
	if isSpecific && (isElaborated(byName, description) || find(known).terms.equals(byName.terms)) {
		return byName
	}
	return match{}
}

// understandKnown returns the terms that a variable asks for if words without a known meaning are left out.
func understandKnown(v answers.Variable) match {
	return allRules().find(read(questions.SplitName(cut(v.Name))).and(read(cut(v.Description))), v.Type, "")
}

// cut returns as much of a text as is read.
func cut(text string) string {
	const maxBytes = 500
	return text[:min(len(text), maxBytes)]
}

// isElaborated reports whether a description may say more about what a name asks for: it names nothing else.
func isElaborated(byName match, description asked) bool {
	known := allRules().rewritten(description).meanings
	rest := slices.DeleteFunc(known, func(m string) bool { return slices.Contains(general, m) })
	return byName.isClear && byName.pattern.allows(rest)
}

// isRepeated reports whether a description has all meanings of the name.
func isRepeated(name, description asked) bool {
	return !slices.ContainsFunc(name.meanings, func(m string) bool { return !description.has(m) })
}

// general are the meanings that many descriptions of one thing have.
var general = strings.Fields(`NUMBER CODE REFERENCE NAME DATE AMOUNT TOTAL INVOICE COMPANY ISSUE SEND RECEIVE PAY HOW WHO
	BUYER SELLER`)

// weak are the meanings that have a different sense with other words, as in "total of hours".
var weak = strings.Fields(`AMOUNT TOTAL NET GROSS DATE NAME NUMBER NOTE PAY RATE VAT CITY ADDRESS COUNTRY EMAIL PHONE
	QUANTITY PRICE`)

// isWeak reports whether unknown words may change what a question asks for.
func isWeak(a asked) bool {
	return slices.ContainsFunc(weak, a.has)
}

// readDescription reads a description. If its first part is understood and the rest adds nothing that is known, as in
// "the amount due, with two decimals", it leaves out the rest.
func readDescription(text string) asked {
	whole := read(text)
	if whole.unknown == 0 {
		return whole
	}
	for i, r := range text {
		if i == 0 || !strings.ContainsRune(".,;:()-\n", r) {
			continue
		}
		first, rest := read(text[:i]), read(text[i:])
		isKnown := !slices.ContainsFunc(rest.meanings, func(m string) bool { return !first.has(m) })
		if first.unknown == 0 && len(first.meanings) > 0 && isKnown {
			return first
		}
	}
	return whole
}
