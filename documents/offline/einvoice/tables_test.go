package einvoice_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"portside/documents/answers"
	"portside/documents/en16931"
)

// table returns a table with a column of strings for each name.
func table(name string, columns ...string) answers.Table {
	t := answers.Table{Name: name, MaxRows: 10}
	for _, c := range columns {
		t.Columns = append(t.Columns, answers.Variable{Name: c, Type: answers.String})
	}
	return t
}

func TestColumnsOfLinesAreTerms(t *testing.T) {
	for _, c := range []struct {
		name    string
		columns string
		want    []en16931.Code
	}{
		{"line_items", "position description quantity unit unit_price vat_rate amount",
			[]en16931.Code{126, 153, 129, 130, 146, 152, 131}},
		{"items", "name description sku qty price total", []en16931.Code{153, 154, 155, 129, 146, 131}},
		{"positionen", "pos artikelnummer bezeichnung menge einheit einzelpreis steuersatz gesamtpreis",
			[]en16931.Code{126, 155, 153, 129, 130, 146, 152, 131}},
		{"lignes", "désignation quantité unité prix_unitaire taux_tva montant_ht",
			[]en16931.Code{153, 129, 130, 146, 152, 131}},
		{"lineas", "descripción cantidad unidad precio_unitario tipo_iva importe",
			[]en16931.Code{153, 129, 130, 146, 152, 131}},
		{"righe", "descrizione quantità unità_di_misura prezzo_unitario aliquota importo",
			[]en16931.Code{153, 129, 130, 146, 152, 131}},
		{"regels", "omschrijving aantal eenheid stuksprijs btw_tarief bedrag",
			[]en16931.Code{153, 129, 130, 146, 152, 131}},
		{"linhas", "descrição quantidade unidade preço_unitário taxa_iva valor",
			[]en16931.Code{153, 129, 130, 146, 152, 131}},
		{"rader", "beskrivning antal enhet styckpris momssats belopp", []en16931.Code{153, 129, 130, 146, 152, 131}},
		{"pozycje", "nazwa ilość jednostka cena_jednostkowa stawka_vat wartość_netto",
			[]en16931.Code{153, 129, 130, 146, 152, 131}},
		{"linii", "denumire cantitate unitate preț_unitar cota_tva valoare",
			[]en16931.Code{153, 129, 130, 146, 152, 131}},
		{"products", "gtin origin classification note gross_price discount",
			[]en16931.Code{157, 159, 158, 127, 148, 136}},
	} {
		t.Run(c.name, func(t *testing.T) {
			names := strings.Fields(c.columns)
			for syntax, xml := range syntaxes(t) {
				_, invoice := invoiceOf(t, xml)
				rows, isFound := invoice.Rows(table(c.name, names...))
				if !isFound || len(rows) != 1 {
					t.Fatalf("%s: %d rows, found %v", syntax, len(rows), isFound)
				}
				for i, name := range names {
					if got := rows[0].Values[name].Text; got != valueOf(c.want[i]) {
						t.Errorf("%s, %s: %q, want %q", syntax, name, got, valueOf(c.want[i]))
					}
				}
			}
		})
	}
}

func TestColumnsWithoutATermAreEmpty(t *testing.T) {
	_, invoice := invoiceOf(t, file(t, "all.cii.xml"))
	rows, isFound := invoice.Rows(table("lines", "description", "quantity", "vat_amount", "gross_amount", "color"))
	if isFound {
		t.Errorf("fewer than half of the columns are terms: %v", rows)
	}
	rows, _ = invoice.Rows(table("lines", "description", "quantity", "vat_amount"))
	if got := slices.Sorted(maps.Keys(rows[0].Values)); !slices.Equal(got, []string{"description", "quantity"}) {
		t.Errorf("values of %v", got)
	}
	if rows, isFound := invoice.Rows(table("discounts", "reason", "amount")); isFound {
		t.Errorf("the discounts are not lines: %v", rows)
	}
}

// twoRates has two categories in its VAT breakdown, of which only the first has a reason for an exemption.
func twoRates(t *testing.T) string {
	t.Helper()
	const subtotal = `</a:TaxSubtotal>`
	second := `<a:TaxSubtotal><b:TaxableAmount currencyID="T5">-216.5</b:TaxableAmount><b:TaxAmount currencyID="T5">-217.5</b:TaxAmount>
  <a:TaxCategory><b:ID>S</b:ID><b:Percent>7</b:Percent></a:TaxCategory></a:TaxSubtotal>`
	return strings.Replace(file(t, "all.ubl.xml"), subtotal, subtotal+second, 1)
}

func TestRowsOfTheBreakdown(t *testing.T) {
	_, invoice := invoiceOf(t, twoRates(t))
	for _, name := range []string{"vat_breakdown", "taxes", "umsatzsteuer", "tva", "Steueraufschlüsselung USt"} {
		rows, isFound := invoice.Rows(table(name, "rate", "base_amount", "amount", "exemption_reason"))
		if !isFound || len(rows) != 2 {
			t.Fatalf("%s: %d rows, found %v", name, len(rows), isFound)
		}
		var got []string
		for _, column := range []string{"rate", "base_amount", "amount", "exemption_reason"} {
			got = append(got, rows[1].Values[column].Text)
		}
		isFirstExempt := rows[0].Values["exemption_reason"].Text == "T120"
		if !slices.Equal(got, []string{"7 %", "-216.5 T5", "-217.5 T5", ""}) || !isFirstExempt {
			t.Errorf("%s: %+v", name, rows)
		}
	}
}

// A question that does not say which of several values it asks for has none, but shows them.
func TestSeveralValuesAreNoAnswer(t *testing.T) {
	_, invoice := invoiceOf(t, twoRates(t))
	answer, isTerm := invoice.Answer(answers.Variable{Name: "tax_rate", Type: answers.Number})
	if !isTerm || answer.Value.Found() || len(answer.Candidates) != 2 || answer.Candidates[1].Value.Text != "7" {
		t.Errorf("%+v, %v", answer, isTerm)
	}
	for _, name := range []string{"city", "vat_number", "country", "email", "company_name"} {
		answer, isTerm := invoice.Answer(answers.Variable{Name: name, Type: answers.String})
		if !isTerm || answer.Value.Found() || len(answer.Candidates) != 2 {
			t.Errorf("%s: %+v, %v", name, answer, isTerm)
		}
	}
	if answer, _ := invoice.Answer(answers.Variable{Name: "total_vat", Type: answers.Number}); answer.Value.Text != "110.5" {
		t.Errorf("the total of VAT is %+v", answer)
	}
}

func TestManyValuesAreBounded(t *testing.T) {
	var means strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&means, "<a:PaymentMeans><a:PayeeFinancialAccount><b:ID>X%d</b:ID></a:PayeeFinancialAccount></a:PaymentMeans>", i)
	}
	_, invoice := invoiceOf(t, strings.Replace(file(t, "all.ubl.xml"), "<a:PaymentTerms>", means.String()+"<a:PaymentTerms>", 1))
	for range 100 { // answering is fast, because it does not compare all values
		answer, isTerm := invoice.Answer(answers.Variable{Name: "iban", Type: answers.String})
		if n := len(answer.Candidates); !isTerm || answer.Value.Found() || n < 2 || n > 20 {
			t.Fatalf("%d candidates, %+v", n, answer.Value)
		}
	}
}
