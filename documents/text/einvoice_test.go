package text_test

import (
	"slices"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/text"
)

const ciiInvoice = `<?xml version="1.0"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:a" xmlns:ram="urn:b" xmlns:udt="urn:c">
 <rsm:ExchangedDocument><ram:ID>20260401</ram:ID>
  <ram:IssueDateTime><udt:DateTimeString format="102">20260402</udt:DateTimeString></ram:IssueDateTime></rsm:ExchangedDocument>
 <rsm:SupplyChainTradeTransaction>
  <ram:IncludedSupplyChainTradeLineItem><ram:AssociatedDocumentLineDocument><ram:LineID>1</ram:LineID></ram:AssociatedDocumentLineDocument>
   <ram:SpecifiedTradeProduct><ram:Name>Hinges</ram:Name></ram:SpecifiedTradeProduct>
   <ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="H87">12</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
  </ram:IncludedSupplyChainTradeLineItem>
  <ram:ApplicableHeaderTradeAgreement>
   <ram:SellerTradeParty><ram:Name>Nordlicht GmbH</ram:Name>
    <ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">21/815/08150</ram:ID></ram:SpecifiedTaxRegistration>
    <ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">DE812345678</ram:ID></ram:SpecifiedTaxRegistration></ram:SellerTradeParty>
   <ram:BuyerTradeParty><ram:Name>Haus und Hof AG</ram:Name></ram:BuyerTradeParty>
  </ram:ApplicableHeaderTradeAgreement>
  <ram:ApplicableHeaderTradeSettlement><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
   <ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:TaxTotalAmount currencyID="EUR">19.00</ram:TaxTotalAmount>
    <ram:GrandTotalAmount>119.00</ram:GrandTotalAmount></ram:SpecifiedTradeSettlementHeaderMonetarySummation>
  </ram:ApplicableHeaderTradeSettlement>
 </rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>`

const ublInvoice = `<Invoice xmlns="urn:oasis" xmlns:cbc="urn:d" xmlns:cac="urn:e">
 <cbc:ID>R-7</cbc:ID><cbc:IssueDate>2026-04-02</cbc:IssueDate>
 <cbc:Note>#REG#HRB 1234</cbc:Note><cbc:Note>#7 of 9# boxes</cbc:Note>
 <cac:Extension><cbc:Ramp height="2 m">behind the house</cbc:Ramp></cac:Extension>
 <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
 <cac:AccountingSupplierParty><cac:Party><cac:PartyName><cbc:Name>Nordlicht</cbc:Name></cac:PartyName>
  <cac:PartyLegalEntity><cbc:RegistrationName>Nordlicht GmbH</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party>
 </cac:AccountingSupplierParty>
 <cac:LegalMonetaryTotal><cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount></cac:LegalMonetaryTotal>
 <cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:InvoicedQuantity unitCode="H87">12</cbc:InvoicedQuantity>
  <cac:Item><cbc:Name>Hinges</cbc:Name></cac:Item></cac:InvoiceLine>
 <cac:InvoiceLine><cbc:ID>2</cbc:ID><cac:Item><cbc:Name>Screws</cbc:Name></cac:Item></cac:InvoiceLine></Invoice>`

func TestEInvoicesAreReadByPath(t *testing.T) {
	for name, c := range map[string]struct {
		xml  string
		want []string
	}{
		"CII": {ciiInvoice, []string{
			"Invoice number\t20260401", "Invoice date\t2026-04-02", "Seller\tNordlicht GmbH", "Seller VAT number\tDE812345678", "Customer\tHaus und Hof AG",
			"VAT amount\t19.00 EUR", "Total amount including VAT\t119.00 EUR", "Position\tDescription\tQuantity\tUnit",
			"1\tHinges\t12\tH87",
		}},
		"ZUGFeRD 1.0": {zugferd1.Replace(ciiInvoice), []string{
			"Invoice number\t20260401", "Total amount including VAT\t119.00 EUR", "1\tHinges\t12\tH87",
		}},
		"UBL": {ublInvoice, []string{
			"Invoice number\tR-7", "Invoice date\t2026-04-02", "Seller\tNordlicht GmbH", "Total amount including VAT\t119.00 EUR", "1\tHinges\t12\tH87", "2\tScrews",
			"Note subject code\tREG", "Note\tHRB 1234", "Note\t#7 of 9# boxes", "Extension Ramp\tbehind the house",
		}},
		"a credit note": {strings.ReplaceAll(strings.ReplaceAll(ublInvoice, "Invoice>", "CreditNote>"), "<Invoice ", "<CreditNote "), []string{
			"Invoice number\tR-7", "Total amount including VAT\t119.00 EUR",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := document(t, text.ReadXML, c.xml)
			if err != nil {
				t.Fatal(err)
			}
			var blocks []string
			for _, b := range d.Blocks {
				blocks = append(blocks, b.Text)
			}
			for _, want := range c.want {
				if !slices.Contains(blocks, want) {
					t.Errorf("no block %q in\n%s", want, strings.Join(blocks, "\n"))
				}
			}
			if len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "e-invoice") {
				t.Errorf("warnings %q", d.Warnings)
			}
		})
	}
}

// zugferd1 gives elements of CII the names of ZUGFeRD 1.0.
var zugferd1 = strings.NewReplacer("CrossIndustryInvoice", "CrossIndustryDocument",
	"rsm:ExchangedDocument>", "rsm:HeaderExchangedDocument>",
	"SupplyChainTradeTransaction>", "SpecifiedSupplyChainTradeTransaction>", "ApplicableHeaderTrade", "ApplicableSupplyChainTrade",
	"SpecifiedLineTradeDelivery", "SpecifiedSupplyChainTradeDelivery", "SettlementHeaderMonetary", "SettlementMonetary")

// Other XML with a root of that name is not an e-invoice.
func TestOtherInvoicesAreReadAsXML(t *testing.T) {
	d, err := document(t, text.ReadXML, "<Invoice><ID>7</ID><Total>5.00</Total></Invoice>")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Warnings) > 0 || len(d.Blocks) != 2 || d.Blocks[0].Kind != documents.Field || d.Blocks[0].Text != "ID\t7" {
		t.Errorf("blocks %+v, warnings %q", d.Blocks, d.Warnings)
	}
}
