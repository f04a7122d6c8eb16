package einvoice_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/en16931"
	"portside/documents/offline/einvoice"
	"portside/documents/text"
)

// The files all.*.xml have every term of the standard. The value of BT-n is "Tn", n.5 or the second day of a year that
// ends with the last two digits of n.
func invoiceOf(tb testing.TB, xml string) (*documents.Document, *einvoice.Invoice) {
	tb.Helper()
	into := documents.NewBuilder(documents.XML, documents.DefaultLimits())
	if err := text.ReadXML(tb.Context(), documents.FromBytes([]byte(xml)), into); err != nil {
		tb.Fatal(err)
	}
	d := into.Document()
	invoice := einvoice.Read(d)
	if invoice == nil {
		tb.Fatalf("no e-invoice in %s", d.Text())
	}
	return d, invoice
}

func file(tb testing.TB, name string) string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// syntaxes are the files that have every term.
func syntaxes(t *testing.T) map[string]string {
	t.Helper()
	ubl := file(t, "all.ubl.xml")
	creditNote := strings.NewReplacer("Invoice xmlns", "CreditNote xmlns", "</Invoice>", "</CreditNote>",
		"InvoiceLine>", "CreditNoteLine>", "InvoiceTypeCode>", "CreditNoteTypeCode>",
		"InvoicedQuantity", "CreditedQuantity").Replace(ubl)
	return map[string]string{"CII": file(t, "all.cii.xml"), "UBL": ubl, "UBL credit note": creditNote}
}

// wording is a way to ask for a term.
type wording struct {
	code en16931.Code
	text string
}

// variable returns the variable of a wording: its name is the wording if that is one word, and says nothing otherwise.
func (w wording) variable() answers.Variable {
	v := answers.Variable{Name: "q1", Description: w.text, Type: typeOf(w.code)}
	if !strings.Contains(w.text, " ") {
		v.Name, v.Description = w.text, ""
	}
	return v
}

func typeOf(code en16931.Code) answers.Type {
	switch kind := en16931.TermOf(code).Kind; {
	case kind.IsNumber():
		return answers.Number
	case kind == en16931.Date:
		return answers.Date
	}
	return answers.String
}

func wordings(t *testing.T) (all []wording) {
	t.Helper()
	for line := range strings.Lines(file(t, "wordings.txt")) {
		code, texts, isEntry := strings.Cut(strings.TrimSpace(line), ": ")
		if !isEntry || line[0] == '#' {
			continue
		}
		for w := range strings.SplitSeq(texts, " | ") {
			all = append(all, wording{en16931.ParseCode(code), w})
		}
	}
	return all
}

// valueOf returns the value that the files have for a term.
func valueOf(code en16931.Code) string {
	term := en16931.TermOf(code)
	n := strconv.Itoa(int(code))
	switch {
	case term.Kind == en16931.Address:
		var lines []string
		for _, codes := range term.Parts {
			var words []string
			for _, part := range codes {
				words = append(words, valueOf(part))
			}
			lines = append(lines, strings.Join(words, " "))
		}
		return strings.Join(lines, ", ")
	case term.Kind.IsNumber():
		return n + ".5"
	case term.Kind == en16931.Date && code > 100:
		return "20" + n[1:] + "-01-02"
	case term.Kind == en16931.Date:
		return "19" + "0"[:2-len(n)] + n + "-01-02"
	}
	return "T" + n
}

func TestEveryWordingFindsItsTerm(t *testing.T) {
	for name, xml := range syntaxes(t) {
		t.Run(name, func(t *testing.T) {
			d, invoice := invoiceOf(t, xml)
			for _, w := range wordings(t) {
				if w.code == 21 && name != "CII" {
					continue // UBL has no codes of notes
				}
				answer, isTerm := invoice.Answer(w.variable())
				if !isTerm || answer.Value.Text != valueOf(w.code) {
					t.Errorf("%v, %q: got %q (%v) of %v, want %q",
						w.code, w.text, answer.Value.Text, isTerm, answer.Code, valueOf(w.code))
					continue
				}
				at := answer.Evidence
				if d.Text()[at.Start:at.Start+len(at.Quote)] != at.Quote {
					t.Errorf("%v, %q: the quote %q is not at %d", w.code, w.text, at.Quote, at.Start)
				}
			}
		})
	}
}

// Without its term, a question has no answer: no other term takes its place.
func TestMissingTermsAreNull(t *testing.T) {
	for name, xml := range syntaxes(t) {
		t.Run(name, func(t *testing.T) {
			last, invoice := en16931.Code(0), (*einvoice.Invoice)(nil)
			for _, w := range wordings(t) {
				if hasSubstitute(w.code) {
					continue
				}
				if w.code != last {
					last = w.code
					_, invoice = invoiceOf(t, without(xml, w.code))
				}
				if answer, _ := invoice.Answer(w.variable()); answer.Value.Found() {
					t.Errorf("%v, %q: got %q of %v", w.code, w.text, answer.Value.Text, answer.Code)
				}
			}
		})
	}
}

// hasSubstitute reports whether another term or path answers questions for a term that is missing.
func hasSubstitute(code en16931.Code) bool {
	switch code {
	case 27, 44, 82, 154, 155, 31, 110: // such as the trading name, if a file in UBL has no other
		return true
	}
	return code < 0
}

// without removes the values of a term.
func without(xml string, code en16931.Code) string {
	value := valueOf(code)
	compact := strings.ReplaceAll(value, "-", "")
	return regexp.MustCompile(`(["> ])(`+value+`|`+compact+`)(["<])`).ReplaceAllString(xml, "$1$3")
}
