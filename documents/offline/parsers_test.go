package offline

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/documents"
	"portside/documents/answers"
)

func anyLang(t *rapid.T) answers.Lang { return rapid.SampledFrom(answers.Langs()).Draw(t, "language") }

// What the wording writes, the parsers read: in every language, around any day and number.
func TestDaysAreReadAsTheyAreWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lang := anyLang(t)
		day := time.Date(rapid.IntRange(1901, 2099).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0,
			364).Draw(t, "day"))
		layout := rapid.SampledFrom([]string{"", time.DateOnly, "02.01.2006", "2.1.2006"}).Draw(t, "layout")
		text := (wording{lang: lang}).date(day)
		if layout != "" {
			text = day.Format(layout)
		}
		found := datesOf("x: "+text+", y", lang)
		if len(found) != 1 || found[0].iso() != day.Format(time.DateOnly) || found[0].at != (span{3, 3 + len(text)}) {
			t.Fatalf("%s: %q is read as %+v", lang, text, found)
		}
	})
}

func TestNumbersAreReadAsTheyAreWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lang := anyLang(t)
		cents := rapid.Int64Range(-99_999_999_99, 99_999_999_99).Draw(t, "cents")
		value := strconv.FormatFloat(float64(cents)/100, 'f', 2, 64)
		currency := rapid.SampledFrom([]string{"", " EUR", " €", " kr", " zł", " lei"}).Draw(t, "currency")
		// 0.55 shows the decimal mark, which a single number such as 1,234 does not.
		text := (wording{lang: lang}).number("0.55") + " | " + media1(lang, value) + currency
		found := figuresOf(documents.Clean(text), lang)
		if len(found) != 2 || parseFloat(t, found[1].value) != parseFloat(t, value) {
			t.Fatalf("%s: %q is read as %+v", lang, text, found)
		}
	})
}

// media1 writes a number as the language does.
func media1(lang answers.Lang, value string) string { return wording{lang: lang}.number(value) }

func parseFloat(t *rapid.T, text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDaysOfAllKinds(t *testing.T) {
	for text, want := range map[string]string{
		"Tuesday, 3 March 2026": "2026-03-03", "March 3rd, 2026": "2026-03-03", "the 3rd day of March, 2026": "2026-03-03",
		"3-Mar-26":         "2026-03-03",
		"le 1er mars 2026": "2026-03-01", "el 3.º de marzo de 2026": "2026-03-03", "il 3 marzo 2026": "2026-03-03",
		"1º de março de 2026": "2026-03-01",
		"den 3 mars 2026":     "2026-03-03", "dnia 3 marca 2026 r.": "2026-03-03", "3. März 2026": "2026-03-03", "03.03.26": "2026-03-03",
		"3 mrt. 2026": "2026-03-03",
		"3. 3. 2026":  "2026-03-03", "2026/03/03": "2026-03-03", "25/12/2026": "2026-12-25", "12/25/2026": "2026-12-25",
		"2026-03-03T10:00:00Z":           "2026-03-03",
		"Tue, 3 Mar 2026 10:00:00 +0100": "2026-03-03", "3 août 2026": "2026-08-03", "3 października 2026": "2026-10-03",
		"7 iunie 2026": "2026-06-07",
		"31.02.2026":   "", "10.0.0.1": "", "1.2.2026.4": "", "March 2026": "", "3 March": "", "INV-2026-03-03": "", "3 May 10:30": "",
		"99.99.9999": "",
	} {
		found := datesOf(text, "de")
		got := ""
		if len(found) > 0 {
			got = found[0].iso()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTheDocumentDecidesOnMonths(t *testing.T) {
	for text, want := range map[string]string{
		"3/4/2026 and 3/18/2026": "[2026-03-04 2026-03-18]", "3/4/2026 and 18/3/2026": "[2026-04-03 2026-03-18]",
		"3/4/2026 for $5": "[]", "3/4/2026 for £5": "[2026-04-03]", "4/4/2026 for $5": "[2026-04-04]", "3/18/2026, 18/3/2026, 3/4/2026": "[2026-03-18 2026-03-18]",
	} {
		var got []string
		for _, d := range datesOf(text, "en") {
			got = append(got, d.iso())
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
}

func TestNumbersOfAllKinds(t *testing.T) {
	for text, want := range map[string]string{
		"1.234,56": "1234.56", "1,234.56": "1234.56", "1 234,56": "1234.56", "1'234.56": "1234.56", "-5": "-5", "−5,5 %": "-5.5",
		"(1,234.00)": "-1234",
		"1.200,- kr": "1200", "€ 3,2 miljoen": "3200000", "2,5 Mio. EUR": "2500000", "dos mil 3": "3", "12 mil euros": "12000",
		"3 mil millones": "3000000000",
		"$4.2m":          "4200000", "£12k": "12000", "25 de lei": "25", "19 %": "19", "EUR 1.234.567,8": "1234567.8", "1,234,567": "1234567",
		"0,125": "0.125", "007": "7",
		"-€ 50": "-50", "€ -50": "-50", "123,45-": "-123.45", "12kg": "12", "v1.2.3": "", "10.0.0.1": "", "INV-17": "", "3rd": "",
		"12:30": "", "A4": "",
	} {
		found := figuresOf(text, "de")
		got := ""
		if len(found) > 0 {
			got = found[0].value
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestTheDocumentDecidesOnTheDecimalMark(t *testing.T) {
	for _, step := range []struct {
		text string
		lang answers.Lang
		want string
	}{
		{"1.234 and 7,50", "en", "1234"}, {"1,234 and 7.50", "de", "1234"}, {"1.234", "de", "1234"}, {"1,234", "en", "1234"}, {"1.234 and 0.5", "de", "1.234"},
	} {
		if found := figuresOf(step.text, step.lang); len(found) == 0 || found[0].value != step.want {
			t.Errorf("%q in %s: %+v, want %s", step.text, step.lang, found, step.want)
		}
	}
}

func TestAnswersOfForms(t *testing.T) {
	for text, want := range map[string]string{
		"yes": "true", "Nein": "false", "Sí": "true", "Não": "false", "☒ ja ☐ nein": "true", "☐ ja ☒ nein": "false",
		"ja ☐ nein ☒": "false", "yes [ ] no [x]": "false",
		"[x]": "true", "[ ]": "false", "☑": "true", "Tak, od maja": "true", "no later than May": "", "☒ ja ☒ nein": "", "perhaps": "",
	} {
		value, ok := readAnswer(text)
		got := ""
		if ok {
			got = strconv.FormatBool(value)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestNamesAreUnderstoodInEveryLanguage(t *testing.T) {
	for concept, names := range map[string][]string{
		"invoice number": {"invoice_number", "invoiceNumber", "InvoiceNo", "numero-factura", "Rechnungsnummer", "numéro de facture",
			"numero fattura", "factuurnummer", "fakturanummer", "numer_faktury", "numarul_facturii", "número da fatura"},
		"due date": {"due_date", "payment due date", "fecha_vencimiento", "data de vencimento", "date d'échéance",
			"Fälligkeitsdatum", "data scadenza", "vervaldatum", "förfallodatum", "termin_platnosci", "data_scadentei"},
		"total": {"total", "invoice_total", "Gesamtbetrag", "montant total", "totale fattura", "totaalbedrag",
			"kwota do zapłaty", "total_de_plata", "valor total"},
		"notice period": {"notice_period", "Kündigungsfrist", "préavis", "opzegtermijn", "uppsägningstid", "okres wypowiedzenia",
			"preaviso", "preavviso"},
	} {
		for _, name := range names {
			c := conceptOf(termsOfName(name))
			if c == nil || c.name != concept {
				t.Errorf("%q means %v %v, want %s", name, termsOfName(name), c, concept)
			}
		}
	}
}
