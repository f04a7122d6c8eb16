package einvoice

import (
	"slices"

	"portside/documents/answers"
	"portside/documents/en16931"
	"portside/documents/offline/questions"
)

// Rows returns the lines of the invoice or its VAT breakdown as the records of a table. isFound is false if fewer than
// half of its columns ask for terms of one of them.
func (i *Invoice) Rows(t answers.Table) (rows []answers.Row, isFound bool) {
	name := tableOf(t)
	columns := columnsOf(t, name)
	records := i.tables[name]
	if len(records) == 0 || len(columns) == 0 || 2*len(columns) < len(t.Columns) {
		return nil, false
	}
	for _, record := range records[:min(len(records), t.MaxRows)] {
		row := answers.Row{Values: map[string]answers.Value{}, Evidence: map[string][]answers.Evidence{}}
		for _, v := range t.Columns {
			for _, code := range columns[v.Name].codes {
				p, isFilled := record[code]
				if value, isTyped := valueOf(p.text, code, v.Type); isFilled && isTyped {
					row.Values[v.Name], row.Evidence[v.Name] = value, []answers.Evidence{p.evidence(confidence)}
					break
				}
			}
		}
		rows = append(rows, row)
	}
	return rows, true
}

// tableOf returns the group of questions.txt for the columns of a table: the VAT breakdown if the table mentions VAT
// and no lines, otherwise the lines. It returns an empty string for a table of something else, such as discounts.
func tableOf(t answers.Table) string {
	asked := read(questions.SplitName(t.Name)).and(read(t.Description))
	isOfLines := slices.ContainsFunc(ofLines, asked.has)
	switch {
	case isOfLines:
		return lineGroup
	case asked.has("VAT"):
		return breakdownGroup
	case slices.ContainsFunc(otherTables, asked.has):
		return ""
	}
	return lineGroup
}

// otherTables are the meanings of lists that are neither lines nor the VAT breakdown.
var otherTables = []string{
	"DISCOUNT", "CHARGE", "PREPAID", "NOTE", "SUPPORTING", "PRECEDING", "DELIVERY", "CONTACT", "ACCOUNT", "IBAN",
}

// columnsOf returns the terms that the columns of a table ask for. If two columns ask for the name of the item, the one
// that asks for its description is about the longer text.
func columnsOf(t answers.Table, name string) map[string]target {
	columns := map[string]target{}
	if name == "" {
		return columns
	}
	for _, v := range t.Columns {
		if asked := understand(v, name); asked.isClear {
			columns[v.Name] = asked.terms
		}
	}
	const itemName, itemDescription = 153, 154
	isName := func(v answers.Variable) bool {
		return slices.Equal(columns[v.Name].codes, []en16931.Code{itemName})
	}
	for _, v := range t.Columns {
		asked := read(questions.SplitName(v.Name)).and(read(v.Description))
		isOther := func(other answers.Variable) bool { return other.Name != v.Name && isName(other) }
		if isName(v) && asked.has("DESCRIPTION") && slices.ContainsFunc(t.Columns, isOther) {
			columns[v.Name] = target{codes: []en16931.Code{itemDescription}}
		}
	}
	return columns
}
