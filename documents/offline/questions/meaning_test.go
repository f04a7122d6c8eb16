package questions

import (
	"testing"

	"portside/documents/answers"
)

func TestNewFindsConceptShapeAndEnd(t *testing.T) {
	for _, c := range []struct {
		name, description string
		kind              answers.Type
		concept           string
		shape             Shape
		end               End
	}{
		{"invoice_total", "", answers.Number, "total", MoneyShape, NoEnd},
		{"x", "What do we have to pay in total?", answers.Number, "total", MoneyShape, NoEnd},
		{"due_date", "", answers.Date, "due date", DateShape, SecondEnd},
		{"minimum_salary", "", answers.Number, "", MoneyShape, FirstEnd},
		{"Höchstpreis", "", answers.Number, "", AnyShape, SecondEnd},
		{"growth", "", answers.Number, "", PercentShape, NoEnd},
		{"tenant_email", "", answers.String, "", AnyShape, NoEnd},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := New(answers.Variable{Name: c.name, Type: c.kind, Description: c.description})
			if c.concept != "" && q.Concept != c.concept {
				t.Errorf("%s: concept %q, want %q", c.name, q.Concept, c.concept)
			}
			if c.shape != AnyShape && q.Shape != c.shape {
				t.Errorf("%s: shape %q, want %q", c.name, q.Shape, c.shape)
			}
			if q.End != c.end {
				t.Errorf("%s: end %d, want %d", c.name, q.End, c.end)
			}
		})
	}
}

func TestSplitName(t *testing.T) {
	for name, want := range map[string]string{
		"invoice_number": "invoice number", "invoiceNumber": "invoice Number", "VATNumber": "VAT Number", "MwSt-Satz": "Mwst Satz",
	} {
		t.Run(name, func(t *testing.T) {
			if got := SplitName(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		})
	}
}

func TestIsUninformative(t *testing.T) {
	for name, want := range map[string]bool{"x": true, "the": true, "a_b": true, "total": false, "x_total": false} {
		t.Run(name, func(t *testing.T) {
			if got := IsUninformative(name); got != want {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		})
	}
}
