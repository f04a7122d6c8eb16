package text_test

import (
	"testing"

	"portside/documents/text"
)

func TestLabelsInWrappedText(t *testing.T) {
	check(t, []step{
		{"labels", text.ReadText, "Supplier: Harbour Tools and Fittings Limited, Quay Street 12, Bristol\n" +
			"Invoice number: HT-2026-118, which please do state with all payments\nof yours\nTotal due: 1,250.00 EUR\n",
			`paragraph: "Supplier: Harbour Tools and Fittings Limited, Quay Street 12, Bristol\nInvoice number: HT-2026-118, ` +
				`which please do state with all payments of yours\nTotal due: 1,250.00 EUR"`, nil},
		{"prose", text.ReadText, "The parties have met in the town hall and have agreed on what follows in\n" +
			"Article five: the property of the seller goes over to the buyer once all\nis paid, and not before that. They have signed it by their own hand.\n",
			`paragraph: "The parties have met in the town hall and have agreed on what follows in Article five: the property of the seller ` +
				`goes over to the buyer once all is paid, and not before that. They have signed it by their own hand."`, nil},
	})
}

func TestIndentedCode(t *testing.T) {
	read := text.ReadMarkdown
	check(t, []step{
		{"code", read, "text\n\n    a *b* [c](d) <e> &amp; `f`\n\n      # g_h_\n\n\nafter *that*\n",
			"paragraph: \"text\"\nparagraph: \"a *b* [c](d) <e> &amp; `f`\\n# g_h_\"\nparagraph: \"after that\"", nil},
		{"paragraph that goes on", read, "text\n    *more*\n", `paragraph: "text more"`, nil},
		{"item that goes on", read, "- item\n\n    *more*\n\n          code *x*\n",
			"list item 0: \"item\"\nparagraph: \"more\"\nparagraph: \"code *x*\"", nil},
		{"in a quote", read, ">     *x*\n>     *y*\n\nz", "paragraph: \"*x*\\n*y*\"\nparagraph: \"z\"", nil},
		{"of tabs", read, "\t*x*\n", `paragraph: "*x*"`, nil},
	})
}

func TestHeadersWithinTables(t *testing.T) {
	const two = "row of table 1 | 0! day | 1! sum\nrow of table 1 | 0 a | 1 1\nrow of table 2 | 0! day | 1! sum\nrow of table 2 | 0 b | 1 2"
	check(t, []step{
		{"repeated in CSV", text.ReadCSV, "day,sum\na,1\nday,sum\nb,2\n", two, nil},
		{"repeated in text", text.ReadText, "day\tsum\na\t1\nday\tsum\nb\t2\n", two, nil},
		{"repeated in a page", text.ReadHTML, "<table><tr><th>day<th>sum<tr><td>a<td>1<tr><td>day<td> sum <tr><td>b<td>2</table>", two, nil},
		{"of another part", text.ReadHTML, "<table><tr><th>day<th>sum<tr><td>a<td>1<tr><th colspan=2>Next<tr><th>week<th>cost<tr><td>b<td>2</table>",
			"row of table 1 | 0! day | 1! sum\nrow of table 1 | 0 a | 1 1\nrow of table 1 | 0! Next\nrow of table 2 | 0! week | 1! cost\n" +
				"row of table 2 | 0 b | 1 2", nil},
		{"of two rows", text.ReadHTML, "<table><tr><th>a<th>b<tr><th>c<th>d<tr><td>1<td>2</table>",
			"row of table 1 | 0! a | 1! b\nrow of table 1 | 0! c | 1! d\nrow of table 1 | 0 1 | 1 2", nil},
		{"names of rows", text.ReadHTML, "<table><tr><th>a<td>1<tr><th>b<td>2</table>", "row of table 1 | 0! a | 1 1\nrow of table 1 | 0! b | 1 2", nil},
	})
}
