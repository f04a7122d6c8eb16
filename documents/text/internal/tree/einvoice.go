package tree

import (
	"strings"

	"portside/documents"
	"portside/documents/text/internal/page"
)

// An e-invoice is XML by the European standard EN 16931, in the syntax CII (UN/CEFACT Cross Industry Invoice; also in
// ZUGFeRD and Factur-X) or UBL 2.1 (OASIS). Its reader finds the values by their paths and gives them the names that
// people use.

// eInvoiceTerm is a value of an e-invoice, with its possible paths below the root.
type eInvoiceTerm struct {
	name  string
	kind  termKind
	paths []string
}

type termKind int

const (
	words termKind = iota
	money
	day
	vatNumber // of the European Union: two letters before digits
)

// eInvoiceRoots are the syntaxes by the names of their root elements.
var eInvoiceRoots = map[string][]eInvoiceTerm{
	"CrossIndustryInvoice": ciiTerms, "CrossIndustryDocument": ciiTerms, "Invoice": ublTerms, "CreditNote": ublTerms,
}

const eInvoiceWarning = "The file is an e-invoice. Its values were read by their paths in the XML."

// ciiTerms are the terms of CII. Elements that ZUGFeRD 1.0 names differently are renamed by ciiName.
var ciiTerms = []eInvoiceTerm{
	{"Invoice number", words, []string{"ExchangedDocument/ID"}},
	{"Invoice date", day, []string{"ExchangedDocument/IssueDateTime/DateTimeString"}},
	{"Seller", words, []string{ciiAgreement + "SellerTradeParty/Name"}},
	{"Seller VAT number", vatNumber, []string{ciiAgreement + "SellerTradeParty/SpecifiedTaxRegistration/ID"}},
	{"Customer", words, []string{ciiAgreement + "BuyerTradeParty/Name"}},
	{"Order number", words, []string{ciiAgreement + "BuyerOrderReferencedDocument/IssuerAssignedID", ciiAgreement + "BuyerOrderReferencedDocument/ID"}},
	{"Contract number", words, []string{ciiAgreement + "ContractReferencedDocument/IssuerAssignedID", ciiAgreement + "ContractReferencedDocument/ID"}},
	{"Delivery date", day, []string{
		ciiTransaction + "ApplicableHeaderTradeDelivery/ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString",
	}},
	{"Due date", day, []string{ciiSettlement + "SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString"}},
	{"Currency", words, []string{ciiSettlement + "InvoiceCurrencyCode"}},
	{"IBAN", words, []string{ciiSettlement + "SpecifiedTradeSettlementPaymentMeans/PayeePartyCreditorFinancialAccount/IBANID"}},
	{"Net amount", money, []string{ciiSummation + "TaxBasisTotalAmount"}},
	{"VAT amount", money, []string{ciiSummation + "TaxTotalAmount"}},
	{"Total amount including VAT", money, []string{ciiSummation + "GrandTotalAmount"}},
	{"Prepaid amount", money, []string{ciiSummation + "TotalPrepaidAmount"}},
	{"Amount due", money, []string{ciiSummation + "DuePayableAmount"}},
}

const (
	ciiTransaction = "SupplyChainTradeTransaction/"
	ciiAgreement   = ciiTransaction + "ApplicableHeaderTradeAgreement/"
	ciiSettlement  = ciiTransaction + "ApplicableHeaderTradeSettlement/"
	ciiSummation   = ciiSettlement + "SpecifiedTradeSettlementHeaderMonetarySummation/"
)

// ciiNames are the names of CII for elements of ZUGFeRD 1.0.
var ciiNames = map[string]string{
	"HeaderExchangedDocument": "ExchangedDocument", "SpecifiedSupplyChainTradeTransaction": "SupplyChainTradeTransaction",
	"ApplicableSupplyChainTradeAgreement": "ApplicableHeaderTradeAgreement", "ApplicableSupplyChainTradeDelivery": "ApplicableHeaderTradeDelivery",
	"ApplicableSupplyChainTradeSettlement":      "ApplicableHeaderTradeSettlement",
	"SpecifiedTradeSettlementMonetarySummation": "SpecifiedTradeSettlementHeaderMonetarySummation",
	"SpecifiedSupplyChainTradeAgreement":        "SpecifiedLineTradeAgreement", "SpecifiedSupplyChainTradeDelivery": "SpecifiedLineTradeDelivery",
	"SpecifiedSupplyChainTradeSettlement": "SpecifiedLineTradeSettlement",
	"SpecifiedExchangedDocumentContext":   "ExchangedDocumentContext",
}

// ublTerms are the terms of UBL.
var ublTerms = []eInvoiceTerm{
	{"Invoice number", words, []string{"ID"}},
	{"Invoice date", day, []string{"IssueDate"}},
	{"Seller", words, []string{ublSeller + "PartyLegalEntity/RegistrationName", ublSeller + "PartyName/Name"}},
	{"Seller VAT number", vatNumber, []string{ublSeller + "PartyTaxScheme/CompanyID"}},
	{"Customer", words, []string{ublBuyer + "PartyLegalEntity/RegistrationName", ublBuyer + "PartyName/Name"}},
	{"Order number", words, []string{"OrderReference/ID"}},
	{"Contract number", words, []string{"ContractDocumentReference/ID"}},
	{"Delivery date", day, []string{"Delivery/ActualDeliveryDate"}},
	{"Due date", day, []string{"DueDate", "PaymentMeans/PaymentDueDate"}},
	{"Currency", words, []string{"DocumentCurrencyCode"}},
	{"IBAN", words, []string{"PaymentMeans/PayeeFinancialAccount/ID"}},
	{"Net amount", money, []string{ublTotal + "TaxExclusiveAmount"}},
	{"VAT amount", money, []string{"TaxTotal/TaxAmount"}},
	{"Total amount including VAT", money, []string{ublTotal + "TaxInclusiveAmount"}},
	{"Prepaid amount", money, []string{ublTotal + "PrepaidAmount"}},
	{"Amount due", money, []string{ublTotal + "PayableAmount"}},
}

const (
	ublSeller = "AccountingSupplierParty/Party/"
	ublBuyer  = "AccountingCustomerParty/Party/"
	ublTotal  = "LegalMonetaryTotal/"
)

const embeddedWarning = "The file has an e-invoice in XML. Values were read by their paths in the XML first, and then from the pages."

// minTerms is how many terms make an e-invoice, because any XML may have an element "Invoice".
const minTerms = 4

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
	found := findTerms(p.root)
	if len(found) < minTerms {
		return nil
	}
	to.Into.Warn(embeddedWarning)
	if err := addTerms(to, found); err != nil {
		return err
	}
	return addInvoiceLines(to, p.root)
}

// addEInvoice adds the terms of an e-invoice as Fields, and removes them from the tree. It does nothing with other XML.
func addEInvoice(to page.Page, root *node) error {
	found := findTerms(root)
	if len(found) < minTerms {
		return nil
	}
	to.Into.Warn(eInvoiceWarning)
	if err := addTerms(to, found); err != nil {
		return err
	}
	if err := addInvoiceLines(to, root); err != nil {
		return err
	}
	return to.Add(documents.Block{Kind: documents.Heading, Level: 1, Text: "Other data of the e-invoice"})
}

// addTerms adds terms as Fields, and removes them from the tree.
func addTerms(to page.Page, found []foundTerm) error {
	currency := ""
	for _, f := range found {
		if f.term.name == "Currency" {
			currency = valueOf(f.node)
		}
	}
	for _, f := range found {
		value := valueOf(f.node)
		switch f.term.kind {
		case money:
			value = strings.TrimSpace(value + " " + currency)
		case day:
			value = isoDate(value)
		}
		if err := to.Field(f.term.name, value); err != nil {
			return err
		}
		*f.node = node{kind: leaf}
	}
	return nil
}

// lineTerms are the columns of the table of lines, below the element of a line: first the paths of CII, then those of
// UBL.
var lineTerms = []eInvoiceTerm{
	{"Position", words, []string{"AssociatedDocumentLineDocument/LineID", "ID"}},
	{"Item number", words, []string{"SpecifiedTradeProduct/SellerAssignedID", "Item/SellersItemIdentification/ID"}},
	{"Description", words, []string{"SpecifiedTradeProduct/Name", "Item/Name"}},
	{"Quantity", words, []string{"SpecifiedLineTradeDelivery/BilledQuantity", "InvoicedQuantity", "CreditedQuantity"}},
	{"Unit price", words, []string{"SpecifiedLineTradeAgreement/NetPriceProductTradePrice/ChargeAmount", "Price/PriceAmount"}},
	{"VAT rate", words, []string{
		"SpecifiedLineTradeSettlement/ApplicableTradeTax/RateApplicablePercent", "SpecifiedLineTradeSettlement/ApplicableTradeTax/ApplicablePercent",
		"Item/ClassifiedTaxCategory/Percent",
	}},
	{"Line amount", words, []string{
		"SpecifiedLineTradeSettlement/SpecifiedTradeSettlementLineMonetarySummation/LineTotalAmount",
		"SpecifiedLineTradeSettlement/SpecifiedTradeSettlementMonetarySummation/LineTotalAmount", "LineExtensionAmount",
	}},
}

// linePaths are the elements of the lines.
var linePaths = []string{ciiTransaction + "IncludedSupplyChainTradeLineItem", "InvoiceLine", "CreditNoteLine"}

// addInvoiceLines adds the lines of an e-invoice as a table, and removes the values from the tree.
func addInvoiceLines(to page.Page, root *node) error {
	var lines []*node
	for _, path := range linePaths {
		lines = append(lines, nodesAt(root, strings.Split(path, "/"))...)
	}
	if len(lines) == 0 {
		return nil
	}
	table := to.Into.NextTable()
	heads := make([]documents.Cell, len(lineTerms))
	for i, term := range lineTerms {
		heads[i] = documents.Cell{Text: term.name, Column: i, Header: true}
	}
	if err := to.Add(documents.Block{Kind: documents.Row, Table: table, Cells: heads}); err != nil {
		return err
	}
	for _, line := range lines {
		var cells []documents.Cell
		for i, term := range lineTerms {
			if n := term.in(line); n != nil {
				cells = append(cells, documents.Cell{Text: valueOf(n), Column: i})
				*n = node{kind: leaf}
			}
		}
		if err := to.Add(documents.Block{Kind: documents.Row, Table: table, Cells: cells}); err != nil {
			return err
		}
	}
	return nil
}

// foundTerm is a term with the node of its value.
type foundTerm struct {
	term eInvoiceTerm
	node *node
}

func findTerms(root *node) []foundTerm {
	var all []foundTerm
	for _, term := range eInvoiceRoots[root.name] {
		if n := term.in(root); n != nil {
			all = append(all, foundTerm{term, n})
		}
	}
	return all
}

// in returns the node of the term's value below another node, or nil.
func (term eInvoiceTerm) in(n *node) *node {
	for _, path := range term.paths {
		for _, found := range nodesAt(n, strings.Split(path, "/")) {
			value := valueOf(found)
			if value != "" && (term.kind != vatNumber || isVATNumber(value)) {
				return found
			}
		}
	}
	return nil
}

func isVATNumber(value string) bool {
	const letters = 2
	return len(value) > letters && strings.Trim(value[:letters], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// nodesAt returns all nodes at a path.
func nodesAt(n *node, path []string) []*node {
	if n.kind == list {
		var all []*node
		for _, part := range n.parts {
			all = append(all, nodesAt(part, path)...)
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
		if name == path[0] {
			all = append(all, nodesAt(part, path[1:])...)
		}
	}
	return all
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

// isoDate writes a date of eight digits, which CII has as format 102, with hyphens. It returns other values as they
// are.
func isoDate(value string) string {
	const year, month, day = 4, 6, 8
	if len(value) != day || strings.Trim(value, "0123456789") != "" {
		return value
	}
	return value[:year] + "-" + value[year:month] + "-" + value[month:]
}
