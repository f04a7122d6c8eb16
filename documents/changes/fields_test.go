package changes_test

import (
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/changes"
	"portside/documents/text"
)

// read reads XML into a document.
func read(t *testing.T, xml string) *documents.Document {
	t.Helper()
	into := documents.NewBuilder(documents.XML, documents.DefaultLimits())
	d, err := into.Finish(text.ReadXML(t.Context(), documents.Source{ReaderAt: strings.NewReader(xml), Size: int64(len(xml))}, into))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	booking = `<Booking><Guest><Name>Ada Berg</Name><Town>Visby</Town></Guest><Arrival>2026-05-04</Arrival>
		<Price currencyID="SEK">1250.50</Price><Remark>Vegetarian food, a cot for the baby and a late check-out</Remark>
		<Status>confirmed</Status></Booking>`
	reservation = `<Reservation><ArrivalDate format="102">20260504</ArrivalDate><TotalAmount currencyID="SEK">1250.5000</TotalAmount>
		<Deposit>0.00</Deposit><StatusText>confirmed</StatusText><Visitor><FullName>Ada Berg</FullName>
		<Address><City>Visby</City></Address></Visitor><Note>Vegetarian food, a cot for the baby</Note><Note>and a late check-out</Note>
		</Reservation>`
)

// Two vocabularies have other names for the same values, in another order.
func TestNamesOfDataAreNoChange(t *testing.T) {
	for name, step := range map[string]struct {
		old, changed string
		want         string
	}{
		"same":   {"", "", ""},
		"amount": {"1250.5000", "1350.5000", "removed: Price\t1250.50\nadded: Total amount\t1350.5000"},
		"date":   {"20260504", "20260505", "removed: Arrival\t2026-05-04\nadded: Arrival date\t20260505"},
		"name":   {"Ada Berg", "Ida Berg", "removed: Guest Name\tAda Berg\nadded: Visitor Full name\tIda Berg"},
		"a word is gone": {"a late ", "a ", "changed: Remark\tVegetarian food, a cot for the baby and a late check-out → " +
			"Note\tVegetarian food, a cot for the baby, and a check-out [Remark|Note] [|,] [late|]"},
		"one more": {"<Deposit>0.00", "<Deposit>12.00", "added: Deposit\t12.00"},
	} {
		t.Run(name, func(t *testing.T) {
			found := changes.Between(read(t, booking), read(t, strings.Replace(reservation, step.old, step.changed, 1)))
			if got := describe(found); got != step.want {
				t.Errorf("got\n%s\nwant\n%s", got, step.want)
			}
		})
	}
}

// Values under the same name are compared by their name, also if the file has the value elsewhere.
func TestValuesOfOneVocabularyKeepTheirNames(t *testing.T) {
	first := read(t, `<Trip><From>Lund</From><To>Malmö</To></Trip>`)
	second := read(t, `<Trip><From>Malmö</From><To>Lund</To></Trip>`)
	if found := changes.Between(first, second); len(found.All) != 2 {
		t.Errorf("%s", describe(found))
	}
}
