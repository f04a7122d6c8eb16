package einvoice_test

import (
	"testing"

	"portside/documents/answers"
	"portside/documents/en16931"
)

// A name and a description that ask for the same term find it together, also in different languages.
func TestNamesAndDescriptionsTogether(t *testing.T) {
	_, invoice := invoiceOf(t, file(t, "all.cii.xml"))
	names, descriptions := map[en16931.Code][]answers.Variable{}, map[en16931.Code][]string{}
	for _, w := range wordings(t) {
		if v := w.variable(); v.Description == "" {
			names[w.code] = append(names[w.code], v)
		} else {
			descriptions[w.code] = append(descriptions[w.code], v.Description)
		}
	}
	asked, missed := 0, 0
	const maxEach = 12 // names and descriptions of a term
	for code, all := range names {
		for _, v := range all[:min(len(all), maxEach)] {
			for _, v.Description = range descriptions[code][:min(len(descriptions[code]), maxEach)] {
				asked++
				answer, _ := invoice.Answer(v)
				switch {
				case !answer.Value.Found():
					missed++
				case answer.Value.Text != valueOf(code):
					t.Errorf("%v, %q, %q: got %q of %v", code, v.Name, v.Description, answer.Value.Text, answer.Code)
				}
			}
		}
	}
	const maxShare = 0.01
	if float64(missed) > maxShare*float64(asked) {
		t.Errorf("%d of %d have no answer", missed, asked)
	}
}

// A description may say more than a name in words that are not known. It may also show that the name means another
// thing.
func TestDescriptionsThatSayMore(t *testing.T) {
	_, invoice := invoiceOf(t, file(t, "all.ubl.xml"))
	for _, c := range []struct {
		code              en16931.Code // 0: the invoice has no such value
		name, description string
		kind              answers.Type
	}{
		{115, "amount_due", "The total outstanding balance that the client remits as indicated in the payment section", answers.Number},
		{115, "amount_due", "Remaining balance after subtracting deposits or refunds", answers.Number},
		{112, "total_amount", "Grand total as printed at the bottom, taxes included", answers.Number},
		{110, "vat", "The value added tax as an absolute amount, not as a percentage", answers.Number},
		{119, "vat", "The value added tax rate as a percentage, not as an amount", answers.Number},
		{1, "invoice_number", "Alphanumeric code that uniquely identifies this particular bill", answers.String},
		{9, "due_date", "Calendar date until which the customer should transfer the money", answers.Date},
		{5, "currency", "Three-letter ISO 4217 code like EUR, USD or CHF", answers.String},
		{31, "seller_vat_id", "Supplier tax identifier beginning with two letters (e.g. DE123456789)", answers.String},
		{13, "order_number", "Customer's PO, usually starts with PO or 45", answers.String},
		{72, "delivery_date", "Day on which goods arrived or the service has been rendered", answers.Date},
		{0, "total", "Total number of hours worked by all consultants", answers.Number},
		{0, "amount", "Amount of the late payment fee", answers.Number},
		{0, "date", "Date on which the contract was signed", answers.Date},
		{0, "name", "Name of the driver who delivered the goods", answers.String},
		{0, "city", "City of the competent court", answers.String},
		{0, "discount", "Discount granted for early payment in percent", answers.Number},
		{0, "rate", "Exchange rate used for conversion to CHF", answers.Number},
		{0, "seller_name", "Name of the sales employee in charge", answers.String},
		{0, "customer_name", "Name of the customer's project manager", answers.String},
		{0, "vat_amount", "VAT amount for the 7 % items only", answers.Number},
		{0, "due_date", "Date until which a 2% discount can be deducted", answers.Date},
		{0, "payment_date", "Date on which the previous invoice was paid", answers.Date},
		{0, "address", "Address of the warehouse", answers.String},
	} {
		answer, _ := invoice.Answer(answers.Variable{Name: c.name, Type: c.kind, Description: c.description})
		if answer.Code != c.code {
			t.Errorf("%q, %q: got %v, want %v", c.name, c.description, answer.Code, c.code)
		}
	}
}
