package tree

import (
	"slices"
	"strings"

	"portside/documents"
	"portside/documents/en16931"
	"portside/documents/text/internal/page"
)

const (
	eInvoiceWarning = "The file is an e-invoice. Its values were read by their paths in the XML."
	embeddedWarning = "The file has an e-invoice in XML. " +
		"Values were read by their paths in the XML first, and then from the pages."
)

// minTerms is how many terms make an e-invoice, because any XML may have an element "Invoice".
const minTerms = 4

// ciiNames are the names of CII for elements of ZUGFeRD 1.0.
var ciiNames = map[string]string{
	"HeaderExchangedDocument":                   "ExchangedDocument",
	"SpecifiedSupplyChainTradeTransaction":      "SupplyChainTradeTransaction",
	"ApplicableSupplyChainTradeAgreement":       "ApplicableHeaderTradeAgreement",
	"ApplicableSupplyChainTradeDelivery":        "ApplicableHeaderTradeDelivery",
	"ApplicableSupplyChainTradeSettlement":      "ApplicableHeaderTradeSettlement",
	"SpecifiedTradeSettlementMonetarySummation": "SpecifiedTradeSettlementHeaderMonetarySummation",
	"SpecifiedSupplyChainTradeAgreement":        "SpecifiedLineTradeAgreement",
	"SpecifiedSupplyChainTradeDelivery":         "SpecifiedLineTradeDelivery",
	"SpecifiedSupplyChainTradeSettlement":       "SpecifiedLineTradeSettlement",
	"SpecifiedExchangedDocumentContext":         "ExchangedDocumentContext",
}

// AddEmbeddedInvoice adds the terms and lines of an e-invoice that another file contains. It adds nothing if
// the XML is damaged, too large or no e-invoice.
func AddEmbeddedInvoice(to page.Page, data []byte) error {
	if len(data) > page.MaxFile {
		return nil
	}
	p := newXMLParser(data, to.Into.Limits)
	isBroken, _ := p.tree(to.Context)
	if err := to.Context.Err(); err != nil {
		return err
	}
	if isBroken || p.skipped {
		return nil
	}
	invoice := findInvoice(p.root)
	if invoice == nil {
		return nil
	}
	to.Into.Warn(embeddedWarning)
	return invoice.add(to)
}

// addEInvoice adds the terms of an e-invoice, and removes them from the tree. It does nothing with other XML.
func addEInvoice(to page.Page, root *node) error {
	invoice := findInvoice(root)
	if invoice == nil {
		return nil
	}
	to.Into.Warn(eInvoiceWarning)
	if err := invoice.add(to); err != nil {
		return err
	}
	if dropWithoutData(root); len(root.parts) == 0 {
		return nil
	}
	return to.Add(documents.Block{Kind: documents.Heading, Level: 1, Text: "Other data of the e-invoice"})
}

// constants maps an element to a child that the schema of the syntax requires and that is not a business term.
var constants = map[string]string{
	"SpecifiedProcuringProject":    "Name",
	"AdditionalReferencedDocument": "TypeCode",
	"CardAccount":                  "NetworkID",
}

// dropWithoutData removes the constants of the syntax, and parts of a node that have no text.
func dropWithoutData(n *node) {
	n.parts = slices.DeleteFunc(n.parts, func(part *node) bool {
		dropWithoutData(part)
		return part.text == "" && len(part.parts) == 0 || part.name != "" && constants[n.name] == part.name && part.kind == leaf
	})
}

// eInvoice is the values of an e-invoice.
type eInvoice struct {
	values map[en16931.Code]string // the first of each term
	fields []foundTerm
	lines  [][]foundTerm
}

// foundTerm is a value of a term, and the node that has it. An address has no node.
type foundTerm struct {
	term  en16931.Term
	value string
	node  *node
}

// findInvoice reads an e-invoice from its root or an element directly below it, as in an envelope of Peppol. It returns
// nil for other XML.
func findInvoice(root *node) *eInvoice {
	for _, n := range append([]*node{root}, root.parts...) {
		isCII := n.name == "CrossIndustryInvoice" || n.name == "CrossIndustryDocument"
		if !isCII && n.name != "Invoice" && n.name != "CreditNote" {
			continue
		}
		invoice := &eInvoice{values: map[en16931.Code]string{}}
		for _, group := range en16931.Groups() {
			for _, element := range invoice.elements(n, pathsIn(isCII, group.CII, group.UBL)) {
				invoice.fields = append(invoice.fields, withSubjects(invoice.read(element, group, isCII), group)...)
			}
		}
		if len(invoice.values) < minTerms {
			continue
		}
		lines := en16931.Lines()
		for _, element := range invoice.elements(n, pathsIn(isCII, lines.CII, lines.UBL)) {
			invoice.lines = append(invoice.lines, invoice.read(element, lines, isCII))
		}
		return invoice
	}
	return nil
}

func pathsIn(isCII bool, cii, ubl []en16931.Path) []en16931.Path {
	if isCII {
		return cii
	}
	return ubl
}

// elements returns the elements at the first path that has any; without a path, the node itself.
func (e *eInvoice) elements(n *node, paths []en16931.Path) []*node {
	if len(paths) == 0 {
		return []*node{n}
	}
	for _, path := range paths {
		if found := e.nodesAt(n, path); len(found) > 0 {
			return found
		}
	}
	return nil
}

// read returns the values of the terms of a group. Of the paths of a term, the first one with a value counts.
func (e *eInvoice) read(element *node, group en16931.Group, isCII bool) (all []foundTerm) {
	parts := map[en16931.Code]string{}
	for _, term := range group.Terms {
		for _, path := range pathsIn(isCII, term.CII, term.UBL) {
			found := e.termsAt(element, path, term)
			if len(found) == 0 {
				continue
			}
			parts[term.Code] = found[0].value
			if _, isKnown := e.values[term.Code]; !isKnown {
				e.values[term.Code] = found[0].value
			}
			all = append(all, found...)
			break
		}
	}
	for _, term := range group.Terms {
		if address := addressOf(term, parts); address != "" {
			codes := slices.Concat(term.Parts...)
			first := slices.IndexFunc(all, func(f foundTerm) bool { return slices.Contains(codes, f.term.Code) })
			all = slices.Insert(all, first, foundTerm{term: term, value: address})
		}
	}
	return all
}

// withSubjects divides notes of UBL, which has no element for the subject code of a note: "#REG#HRB 1234" is the note
// "HRB 1234" with the subject code REG. See the binding of BT-21 in CEN/TS 16931-3-2.
func withSubjects(all []foundTerm, group en16931.Group) []foundTerm {
	const mark = "#"
	subject := slices.IndexFunc(group.Terms, func(t en16931.Term) bool { return t.Code == en16931.ParseCode("BT-21") })
	if subject < 0 {
		return all
	}
	var divided []foundTerm
	for _, f := range all {
		if rest, isMarked := strings.CutPrefix(f.value, mark); isMarked && f.term.Code == en16931.ParseCode("BT-22") {
			if code, note, isDivided := strings.Cut(rest, mark); isDivided && isSubjectCode(code) {
				divided = append(divided, foundTerm{group.Terms[subject], code, f.node})
				f.value = strings.TrimSpace(note)
			}
		}
		divided = append(divided, f)
	}
	return divided
}

// isSubjectCode reports whether a text has the form of a code of UNTDID 4451: three capital letters.
func isSubjectCode(text string) bool {
	const letters = 3
	return len(text) == letters && !strings.ContainsFunc(text, func(r rune) bool { return r < 'A' || r > 'Z' })
}

// termsAt returns the values at a path.
func (e *eInvoice) termsAt(element *node, path en16931.Path, term en16931.Term) (all []foundTerm) {
	for _, n := range e.nodesAt(element, path) {
		value := valueOf(n)
		if value == "" {
			continue
		}
		if term.Kind == en16931.Date {
			value = isoDate(value)
		}
		all = append(all, foundTerm{term, value, n})
	}
	return all
}

// addressOf joins the parts of an address.
func addressOf(term en16931.Term, parts map[en16931.Code]string) string {
	var lines []string
	for _, codes := range term.Parts {
		var words []string
		for _, code := range codes {
			if parts[code] != "" {
				words = append(words, parts[code])
			}
		}
		if len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, ", ")
}

// add adds the terms as Fields and the lines as a table, and removes their values from the tree.
func (e *eInvoice) add(to page.Page) error {
	for _, f := range e.fields {
		block := page.Field(f.term.Name, e.withUnit(f))
		block.Cells[1].Term = f.term.Code
		if err := to.Add(block); err != nil {
			return err
		}
	}
	if err := e.addLines(to); err != nil {
		return err
	}
	for _, f := range slices.Concat(append(e.lines, e.fields)...) {
		if f.node != nil {
			*f.node = node{kind: leaf}
		}
	}
	return nil
}

// withUnit returns a value with its currency or its percent sign.
func (e *eInvoice) withUnit(f foundTerm) string {
	switch f.term.Kind {
	case en16931.Amount:
		currency := e.values[en16931.ParseCode("BT-5")]
		if f.node.kind == object {
			for _, part := range f.node.parts {
				if part.name == "currencyID" && part.text != "" {
					currency = part.text
				}
			}
		}
		return strings.TrimSpace(f.value + " " + currency)
	case en16931.Percent:
		return f.value + " %"
	}
	return f.value
}

// addLines adds the lines as a table that has a column for each term with a value.
func (e *eInvoice) addLines(to page.Page) error {
	columns := map[en16931.Code]int{}
	var heads []documents.Cell
	for _, term := range en16931.Lines().Terms {
		has := func(line []foundTerm) bool {
			return slices.ContainsFunc(line, func(f foundTerm) bool { return f.term.Code == term.Code })
		}
		if slices.ContainsFunc(e.lines, has) {
			columns[term.Code] = len(heads)
			heads = append(heads, documents.Cell{Text: term.Name, Column: len(heads), Header: true})
		}
	}
	if len(heads) == 0 {
		return nil
	}
	table := to.Into.NextTable()
	if err := to.Add(documents.Block{Kind: documents.Row, Table: table, Cells: heads}); err != nil {
		return err
	}
	for _, line := range e.lines {
		var cells []documents.Cell
		for len(line) > 0 {
			code, same := line[0].term.Code, 0
			var values []string
			for ; same < len(line) && line[same].term.Code == code; same++ {
				values = append(values, line[same].value)
			}
			cells = append(cells, documents.Cell{Text: strings.Join(values, "; "), Column: columns[code], Term: code})
			line = line[same:]
		}
		if err := to.Add(documents.Block{Kind: documents.Row, Table: table, Cells: cells}); err != nil {
			return err
		}
	}
	return nil
}

// nodesAt returns all nodes at a path.
func (e *eInvoice) nodesAt(n *node, path en16931.Path) []*node {
	if n.kind == list {
		var all []*node
		for _, part := range n.parts {
			all = append(all, e.nodesAt(part, path)...)
		}
		return all
	}
	if len(path) == 0 {
		return []*node{n}
	}
	var all []*node
	for _, part := range n.parts {
		name := part.name
		if renamed, ok := ciiNames[name]; ok {
			name = renamed
		}
		if name != path[0].Name {
			continue
		}
		for _, one := range e.nodesAt(part, nil) {
			if e.meets(one, path[0].Conditions) {
				all = append(all, e.nodesAt(one, path[1:])...)
			}
		}
	}
	return all
}

// meets reports whether an element meets the conditions.
func (e *eInvoice) meets(n *node, conditions []en16931.Condition) bool {
	return !slices.ContainsFunc(conditions, func(c en16931.Condition) bool {
		if c.VATID {
			return !isVATNumber(valueOf(n))
		}
		want := c.Value
		if c.Term != 0 {
			want = e.values[c.Term]
		}
		is := func(n *node) bool { return strings.EqualFold(valueOf(n), want) }
		return slices.ContainsFunc(e.nodesAt(n, c.Path), is) == c.Not
	})
}

// isVATNumber reports whether a value has the shape of a VAT number of the European Union: two letters before the rest.
func isVATNumber(value string) bool {
	const letters = 2
	return len(value) > letters && strings.Trim(value[:letters], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// valueOf returns the text of an element that may have attributes.
func valueOf(n *node) string {
	if n.kind == leaf {
		return n.text
	}
	for _, part := range n.parts {
		if part.name == "" && part.kind == leaf {
			return part.text
		}
	}
	return ""
}

// isoDate writes a date of eight digits, which CII has as format 102, with hyphens, and leaves out the time zone of a
// date of UBL. It returns other values as they are.
func isoDate(value string) string {
	const year, month, day, iso = 4, 6, 8, 10
	if len(value) == day && strings.Trim(value, "0123456789") == "" {
		return value[:year] + "-" + value[year:month] + "-" + value[month:]
	}
	if len(value) > iso && value[year] == '-' && value[day-1] == '-' && strings.IndexByte("TZ+-", value[iso]) >= 0 {
		return value[:iso]
	}
	return value
}
