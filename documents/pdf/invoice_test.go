package pdf_test

import (
	"strings"
	"testing"

	"portside/documents/answers"
	"portside/documents/offline/extraction"
)

const invoiceXML = `<?xml version="1.0"?><rsm:CrossIndustryInvoice xmlns:rsm="urn:a" xmlns:ram="urn:b" xmlns:udt="urn:c">
<rsm:ExchangedDocument><ram:ID>R-77</ram:ID>
<ram:IssueDateTime><udt:DateTimeString format="102">20260402</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
<rsm:SupplyChainTradeTransaction><ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:Name>Nordlicht GmbH</ram:Name>
</ram:SellerTradeParty></ram:ApplicableHeaderTradeAgreement><ram:ApplicableHeaderTradeSettlement>
<ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode><ram:SpecifiedTradeSettlementHeaderMonetarySummation>
<ram:GrandTotalAmount>119.00</ram:GrandTotalAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation>
</ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>`

// withAttachment returns a file with one page and an attachment. Objects 6 and 7 are the attachment and its data.
func withAttachment(catalog, name, dict, data string) []byte {
	r := &raw{}
	r.add("<</Type/Catalog/Pages 2 0 R%s>>", catalog)
	r.add("<</Type/Pages/Kids[3 0 R]/Count 1>>")
	r.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<<%s>>>>>>", helvetica)
	r.stream("", at(50, 700, "the page"))
	r.add("<</Kids[5 0 R 8 0 R]>>")
	r.add("<</Type/Filespec/F(%s)/EF<</F 7 0 R>>>>", name)
	r.stream(dict, data)
	r.add("<</Names[(a) 6 0 R]>>")
	return r.bytes()
}

func TestEmbeddedInvoices(t *testing.T) {
	const inTree, associated = "/Names<</EmbeddedFiles 5 0 R>>", "/AF[6 0 R]"
	const values = "Invoice number\tR-77\nInvoice date\t2026-04-02\nCurrency\tEUR\nSeller\tNordlicht GmbH\n" +
		"Total amount including VAT\t119.00 EUR\nthe page"
	for _, test := range []struct {
		name string
		file []byte
		want string
	}{
		{"name tree with a cycle", withAttachment(inTree, "ZUGFeRD-invoice.xml", "/Filter/FlateDecode", deflated(t, invoiceXML)), values},
		{"associated file", withAttachment(associated, "factur-x.xml", "", invoiceXML), values},
		{"another name", withAttachment(inTree, "notes.xml", "", invoiceXML), "the page"},
		{"cut short", withAttachment(inTree, "xrechnung.xml", "", invoiceXML[:len(invoiceXML)-30]), "the page"},
		{"damaged stream", withAttachment(inTree, "factur-x.xml", "/Filter/FlateDecode", deflated(t, invoiceXML)[:80]), "the page"},
		{"no invoice", withAttachment(inTree, "factur-x.xml", "", "<Invoice><a>1</a></Invoice>"), "the page"},
		{"no attachment", withAttachment("", "factur-x.xml", "", invoiceXML), "the page"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := read(t, test.file)
			if err != nil || d.Text() != test.want {
				t.Fatalf("got %q, %v", d.Text(), err)
			}
			isInvoice := len(d.Warnings) == 1 && strings.Contains(d.Warnings[0], "e-invoice")
			isNamed := strings.Join(d.Warnings, "") == `The attachment "notes.xml" was not read; send it by itself.`
			if isInvoice != (test.want == values) || !isInvoice && !isNamed && len(d.Warnings) > 0 {
				t.Errorf("warnings: %q", d.Warnings)
			}
			if last := d.Blocks[len(d.Blocks)-1]; last.Page != 1 || len(last.Words) == 0 {
				t.Errorf("the block of the page: %+v", last)
			}
		})
	}
}

// The pages of a file may contradict its e-invoice, and have more values.
func TestEmbeddedInvoicesAnswer(t *testing.T) {
	page := at(50, 780, "Invoice number: X-1") + at(50, 750, "Invoice date: 3 May 2025") +
		at(50, 720, "Total amount including VAT: 555.00 EUR") +
		at(50, 690, "Purchase order: PO-5")
	file := withAttachment("/AF[6 0 R]", "factur-x.xml", "", invoiceXML)
	file = []byte(strings.Replace(string(file), at(50, 700, "the page"), page, 1)) // the reader repairs the offsets
	d, err := read(t, file)
	if err != nil {
		t.Fatal(err)
	}
	found, err := extraction.Extract(t.Context(), d, answers.ExtractSettings{Variables: []answers.Variable{
		{Name: "invoice_number", Type: answers.String}, {Name: "total_amount", Type: answers.Number}, {Name: "invoice_date", Type: answers.Date},
		{Name: "purchase_order", Type: answers.String},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if order := found.Values["purchase_order"].Text; order != "PO-5" {
		t.Errorf("the purchase order is %q", order)
	}
	for name, want := range map[string]string{"invoice_number": "R-77", "total_amount": "119.00 EUR",
		"invoice_date": "2026-04-02"} {
		quotes := found.Evidence[name]
		if len(quotes) != 1 || !strings.Contains(quotes[0].Quote, want) || quotes[0].Page != 0 {
			t.Errorf("%s: got %+v, want %s of the e-invoice", name, quotes, want)
		}
	}
}
