package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// linesSchema asks for the lines of an invoice.
const linesSchema = `{"type":"object","properties":{"lines":{"type":"array","items":{"type":"object","properties":{
	"description":{"type":"string"},"quantity":{"type":"integer"},"price":{"type":"number"},"amount":{"type":"number"}}}}}}`

// invoicePDF returns an invoice whose lines have a number, a description, a quantity, a price and an amount.
func invoicePDF(lines ...string) string {
	var page strings.Builder
	y := 700
	for n, line := range append([]string{"Description|Quantity|Price|Amount"}, lines...) {
		position := fmt.Sprint(n)
		if n == 0 {
			position = "Pos."
		}
		for column, text := range append([]string{position}, strings.Split(line, "|")...) {
			fmt.Fprintf(&page, "BT /F1 10 Tf %d %d Td (%s) Tj ET\n", []int{60, 100, 280, 360, 450}[column], y, text)
		}
		y -= 20
	}
	return newPDF(page.String())
}

// testTableDifferences compares two PDFs: one line was added between others, one was removed, and one has another price.
func testTableDifferences(t *testing.T, p *testStack) {
	first := invoicePDF("Storm lantern|12|85.00|1020.00", "Copper kettle|3|40.00|120.00", "Rope, 20 m|2|21.25|42.50", "Post|1|60.00|60.00")
	second := invoicePDF("Storm lantern|12|85.00|1020.00", "Brass compass|4|55.00|220.00", "Rope, 20 m|2|24.00|48.00", "Post|1|60.00|60.00")
	answer := p.admin(t).form(compareMedia, map[string]string{"schema": linesSchema}, file{"file1", first}, file{"file2", second}).
		WantStatus(http.StatusOK)
	table, _ := answer.JSON("tables").(map[string]any)["/lines"].(map[string]any)
	const want = "map[added:[map[data:map[amount:220 description:Brass compass price:55 quantity:4] row:1]] " +
		"changed:[map[data:map[amount:42.5 description:Rope, 20 m price:21.25 quantity:2] " +
		"data_to_compare:map[amount:48 description:Rope, 20 m price:24 quantity:2] " +
		"differences:map[/amount:map[data:42.5 data_to_compare:48 difference:map[amount:5.5 percent:12.94 relation:different]] " +
		"/price:map[data:21.25 data_to_compare:24 difference:map[amount:2.75 percent:12.94 relation:different]]] row:2 row_to_compare:2]] " +
		"equal:2 removed:[map[data:map[amount:120 description:Copper kettle price:40 quantity:3] row:1]]]"
	if got := fmt.Sprint(table); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
