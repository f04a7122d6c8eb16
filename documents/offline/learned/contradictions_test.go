package learned

import "testing"

func TestLabelOfAnotherMeaningRulesOutAQuestion(t *testing.T) {
	for _, c := range []struct {
		name         string
		asked, label []string
		want         bool
	}{
		{"net for gross", []string{"TOTAL", "GROSS"}, []string{"NET", "AMOUNT"}, true},
		{"tax for net", []string{"NET", "AMOUNT"}, []string{"TAX", "TOTAL"}, true},
		{"the same", []string{"NET"}, []string{"NET", "TOTAL"}, false},
		{"two in one label", []string{"GROSS"}, []string{"NET", "GROSS"}, false},
		{"start for end", []string{"END", "DATE"}, []string{"START", "CONTRACT"}, true},
		{"a synonym", []string{"END"}, []string{"DUE", "DATE"}, false},
		{"seller for buyer", []string{"CUSTOMER", "NAME"}, []string{"SUPPLIER"}, true},
		{"a label without a group", []string{"END"}, []string{"CONTRACT"}, false},
		{"a question without a group", []string{"AMOUNT"}, []string{"NET"}, false},
		{"price for quantity", []string{"QUANTITY"}, []string{"PRICE", "UNIT"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := areOpposite(c.asked, c.label); got != c.want {
				t.Errorf("%v and %v: %v, want %v", c.asked, c.label, got, c.want)
			}
		})
	}
}
