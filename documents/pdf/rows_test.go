package pdf_test

import (
	"fmt"
	"strings"
	"testing"
)

func TestColumnsOfTwoLines(t *testing.T) {
	left := []string{"The harbour office of the town", "sends its greetings to everyone"}
	right := []string{"All goods stay in the property of", "the seller until they are paid"}
	two := strings.Join(left, " ") + "\n" + strings.Join(right, " ")
	three := []string{left[0], left[1], "who lives beside the sea"}
	for _, test := range []struct {
		name, page, want string
	}{
		{"column by column", column(50, 700, left...) + column(320, 700, right...), two},
		{"line by line", at(50, 700, left[0]) + at(320, 700, right[0]) + at(50, 688, left[1]) + at(320, 688, right[1]), two},
		{"three lines beside two", column(50, 700, three...) + column(320, 700, right...),
			strings.Join(left, " ") + "\n" + "who lives beside the sea\n" + strings.Join(right, " ")},
		{"values are a table", column(50, 700, "Rent of the crane", "rent of the boat") + column(320, 700, "90.00 EUR", "80.00 EUR"),
			"Rent of the crane\t90.00 EUR\nrent of the boat\t80.00 EUR"},
		{"cells of a table", column(50, 712, "Kind", left[0], left[1], "None") + column(320, 712, "Tax", right[0], right[1], "Full") +
			column(500, 712, "Paid", "yes", "", "no"),
			"Kind\tTax\tPaid\n" + left[0] + "\t" + right[0] + "\tyes\n" + left[1] + "\t" + right[1] + "\nNone\tFull\tno"},
		{"gaps of a justified text are no gutter", "6 Tw " + column(50, 700, "the goods of the seller stay here until",
			"and when the price has been paid in full") + "0 Tw",
			"the goods of the seller stay here until and when the price has been paid in full"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := read(t, onePage(test.page))
			if err != nil || strings.ReplaceAll(d.Text(), "everyone who", "everyone\nwho") != test.want {
				t.Errorf("got %q, %v; want %q", d.Text(), err, test.want)
			}
		})
	}
}

// TestAmountsBesideNames moves a column of amounts up and down: amounts belong to the names beside them even if their
// baselines differ.
func TestAmountsBesideNames(t *testing.T) {
	names := []string{"Anna Berg", "Carl Dahl of Harbour Town", "Eva Falk", "Gus Holm", "Ida Jung"}
	amounts := []string{"1,100.00", "20.50 EUR", "300.00", "(4.00)", "[***]"}
	var want []string
	for i := range names {
		want = append(want, names[i]+"\t"+amounts[i])
	}
	for _, order := range []bool{true, false} {
		for shift := 0.0; shift < 6; shift++ {
			first, second := column(50, 700, names...), column(320, 700-shift, amounts...)
			if !order {
				first, second = second, first
			}
			d, err := read(t, onePage(first+second))
			if err != nil || d.Text() != strings.Join(want, "\n") {
				t.Errorf("shifted by %g: got %q, %v", shift, d.Text(), err)
			}
		}
	}
}

// TestRowsAreNotMerged checks that a row that lacks its first cells is not added to the row above it.
func TestRowsAreNotMerged(t *testing.T) {
	line := func(y float64, cells ...string) string {
		var out strings.Builder
		for i, c := range cells {
			if c != "" {
				out.WriteString(at([]float64{50, 250, 400}[i], y, c))
			}
		}
		return out.String()
	}
	head := line(712, "Item", "Quantity", "Amount") + line(700, "Crane hire", "2", "90.00")
	for _, test := range []struct {
		name string
		row  []string
		want string
	}{
		{"quantity and amount", []string{"", "3", "120.00"}, "Crane hire\t2\t90.00\n3\t120.00\nStorage\t4\t80.00"},
		{"amount alone", []string{"", "", "120.00 EUR"}, "Crane hire\t2\t90.00\n120.00 EUR\nStorage\t4\t80.00"},
		{"negative amount", []string{"", "-1", "-120.00"}, "Crane hire\t2\t90.00\n-1\t-120.00\nStorage\t4\t80.00"},
		{"a text continues", []string{"", "(days)", ""}, "Crane hire\t2 (days)\t90.00\nStorage\t4\t80.00"},
		{"a code continues", []string{"", "104", ""}, "Crane hire\t2 104\t90.00\nStorage\t4\t80.00"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := read(t, onePage(head+line(688, test.row...)+line(676, "Storage", "4", "80.00")))
			want := "Item\tQuantity\tAmount\n" + test.want
			if err != nil || d.Text() != want {
				t.Errorf("got %q, %v; want %q", d.Text(), err, want)
			}
		})
	}
}

// TestCloseRowsAreNotMerged sets rows closer than lines usually are, with the amounts a little lower than the names.
func TestCloseRowsAreNotMerged(t *testing.T) {
	var page strings.Builder
	var want []string
	for i := range 5 {
		y := 700 - 9*float64(i)
		page.WriteString(at(50, y, fmt.Sprint("Payment of month ", i)) + at(300, y-4, fmt.Sprintf("%d.50", 100+i)))
		want = append(want, fmt.Sprintf("Payment of month %d\t%d.50", i, 100+i))
	}
	d, err := read(t, onePage(page.String()))
	if err != nil || d.Text() != strings.Join(want, "\n") {
		t.Errorf("got %q, %v", d.Text(), err)
	}
}
