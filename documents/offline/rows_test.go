package offline_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/files"
	"portside/documents/offline"
)

var lineItems = answers.Table{
	Name: "lines", MaxRows: 100, Columns: []answers.Variable{
		{Name: "description", Type: answers.String},
		{Name: "quantity", Type: answers.Number},
		{Name: "unit price", Type: answers.Number},
		{Name: "amount", Type: answers.Number},
	},
}

// rowsOf returns the records of a table, one line each: the values of the columns with a slash between them.
func rowsOf(t *testing.T, text []byte, table answers.Table) string {
	t.Helper()
	d, err := files.Read(t.Context(), documents.FromBytes(text), documents.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	settings := answers.ExtractSettings{Tables: []answers.Table{table}}
	found, err := offline.New().Extract(t.Context(), d, settings)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, row := range found.Checked(d, settings).Rows[table.Name] {
		var cells []string
		for _, column := range table.Columns {
			cells = append(cells, row.Values[column.Name].Text)
		}
		lines = append(lines, strings.Join(cells, "/"))
	}
	return strings.Join(lines, "\n")
}

// TestLineItemsInFormatsAndLanguages asks in English for the lines of invoices.
func TestLineItemsInFormatsAndLanguages(t *testing.T) {
	for file, want := range map[string]string{
		"xml/en-invoice.xml":       "Website design/1/2400/2400\nHosting (months)/12/35.5/426",
		"docx/fr-facture.docx":     "Banc en chêne/3/410/1230\nLivraison/1/85/85",
		"pdf/es-factura.pdf":       "Revisión del horno/1/350/350\nPiezas de recambio/4/62.5/250",
		"xlsx/es-factura.xlsx":     "Revisión del horno/1/350/350\nPiezas de recambio/4/62.5/250",
		"xlsx/de-rechnung.xlsx":    "Eichentisch/1/1180/1180\nStuhl/4/145/580",
		"html/it-fattura.html":     "", // has only sums
		"json/it-fattura.json":     "",
		"ods/nl-factuur.ods":       "",
		"csv/en-us-invoice.csv":    "",
		"pdf/en-contract.pdf":      "",
		"pdf/fr-bulletin-paie.pdf": "",
		// Words of two columns stand as close as words of one.
		"../../../../docs/media/invoice-march.pdf": "Storm lantern/12/85/1020\nShipping/1/60/60",
	} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "cmd", "quality", "testdata", filepath.FromSlash(file)))
			if err != nil {
				t.Fatal(err)
			}
			if got := rowsOf(t, text, lineItems); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", file, got, want)
			}
		})
	}
}

func TestRowsOfTables(t *testing.T) {
	const headers = "<tr><th>Description</th><th>Quantity</th><th>Amount</th></tr>"
	row := func(cells ...string) string { return "<tr><td>" + strings.Join(cells, "</td><td>") + "</td></tr>" }
	table := func(rows ...string) string { return "<table>" + strings.Join(rows, "") + "</table>" }
	for name, test := range map[string]struct{ html, want string }{
		"repeated headers": {
			table(headers, row("Rope", "2", "10.00")) + "<p>Page 2</p>" + table(headers, row("Sail", "1", "90.00")),
			"Rope/2//10\nSail/1//90",
		},
		"next page without headers": {
			table(headers, row("Rope", "2", "10.00"), row("Mast", "1", "99.50")) + "<p>Page 2</p>" +
				table(row("Sail", "1", "90.00"), row("Oar", "2", "18.00")),
			"Rope/2//10\nMast/1//99.5\nSail/1//90\nOar/2//18",
		},
		"totals at the end": {
			table(headers, row("Rope", "2", "10.00"), row("Sail", "1", "90.00"), row("Total", "", "100")),
			"Rope/2//10\nSail/1//90",
		},
		"an item that is named like a total": {
			table(headers, row("Total care set", "2", "10.00"), row("Sail", "1", "90.00")), "Total care set/2//10\nSail/1//90",
		},
		"second line of a record": {
			table(headers, row("Rope", "2", "10.00"), row("30 m, blue", "", ""), row("Sail", "1", "90.00")),
			"Rope/2//10\nSail/1//90",
		},
		"an amount is the product of a quantity and a price": {
			table("<tr><th>Description</th><th>Tax</th><th>Net value</th><th>Net price</th><th>Pieces</th></tr>",
				row("Rope", "20", "10.00", "5.00", "2"), row("Sail", "20", "270.00", "90.00", "3")),
			"Rope/2/5/10\nSail/3/90/270",
		},
		"a product that fails in most rows": {
			table("<tr><th>Description</th><th>Quantity</th><th>Value</th><th>Weight</th></tr>",
				row("Rope", "2", "5.00", "10"), row("Sail", "3", "90.00", "12"), row("Mast", "1", "99.50", "80")),
			"Rope/2//5\nSail/3//90\nMast/1//99.5",
		},
		"all quantities are 1": {
			table("<tr><th>No.</th><th>Description</th><th>Quantity</th><th>Price</th><th>Amount</th></tr>",
				row("1", "Rope", "1", "5.00", "5.00"), row("2", "Sail", "1", "90.00", "90.00")),
			"Rope/1/5/5\nSail/1/90/90",
		},
		"two columns of texts": {
			table("<tr><th>Item</th><th>Description</th><th>Quantity</th><th>Amount</th></tr>",
				row("R30", "Rope, 30 m", "2", "10.00"), row("S1", "Sail, white", "1", "90.00")),
			"Rope, 30 m/2//10\nSail, white/1//90",
		},
		"cell of another type": {
			table(headers, row("Rope", "2", "10.00"), row("Sail", "on request", "90.00"), row("Mast", "1", "99.50")),
			"Rope/2//10\nSail///90\nMast/1//99.5",
		},
		"other table": {
			table("<tr><th>Name</th><th>Phone</th><th>Room</th></tr>", row("Ada", "555 0100", "12"),
				row("Grace", "555 0101", "14")), "",
		},
		"no headers": {table(row("Rope", "2", "10.00"), row("Sail", "1", "90.00")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := rowsOf(t, []byte("<html><body>"+test.html+"</body></html>"), lineItems); got != test.want {
				t.Errorf("%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestRowsAreBounded(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("Description,Quantity,Unit price,Amount\n")
	for i := range 500 {
		fmt.Fprintf(&csv, "Item number %d,%d,2.50,%d.50\n", i, i+1, i)
	}
	table := lineItems
	table.MaxRows = 20
	if n := strings.Count(rowsOf(t, []byte(csv.String()), table), "\n") + 1; n != table.MaxRows {
		t.Errorf("%d rows, want %d", n, table.MaxRows)
	}
}

// TestDatesInRows reads dates in the order that the rest of the column decides.
func TestDatesInRows(t *testing.T) {
	table := answers.Table{Name: "visits", MaxRows: 10, Columns: []answers.Variable{
		{Name: "date", Type: answers.Date}, {Name: "technician", Type: answers.String},
	}}
	const csv = "Date,Technician,Hours\n2026-11-02,Ada,2\n2026-11-17,Grace,1.5\n"
	if got, want := rowsOf(t, []byte(csv), table), "2026-11-02/Ada\n2026-11-17/Grace"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRowsOfHugeTablesEndInTime reads tables with many columns and with many rows until the context ends.
func TestRowsOfHugeTablesEndInTime(t *testing.T) {
	line := strings.Repeat("Amount,", 5_000) + "Amount\n"
	for name, text := range map[string]string{
		"columns": line + strings.Repeat(strings.Repeat("1,", 5_000)+"1\n", 20),
		"rows":    "Description,Quantity,Amount\n" + strings.Repeat("Rope,1,2\n", 60_000),
		"tables":  strings.Repeat("Description,Quantity,Amount\nRope,1,2\n,,\n", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			into := documents.NewBuilder(documents.CSV, documents.DefaultLimits())
			d, err := into.Finish(files.Readers()[documents.CSV](t.Context(), documents.FromBytes([]byte(text)), into))
			if err != nil {
				t.Fatal(name, err)
			}
			table := lineItems
			for i := range 150 {
				table.Columns = append(slices.Clip(table.Columns),
					answers.Variable{Name: fmt.Sprintf("amount %d", i), Type: answers.Number})
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(errTimeIsUp) })
			_, err = offline.New().Extract(ctx, d, answers.ExtractSettings{Tables: []answers.Table{table, table, table}})
			if err != nil && !errors.Is(err, errTimeIsUp) && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

var errTimeIsUp = errors.New("the time is up")

func FuzzRows(f *testing.F) {
	f.Add([]byte("Description,Quantity,Amount\nRope,2,10.00\nSail,1,90.00\nTotal,,100.00\n"))
	f.Add([]byte("Items: rope, sail; 12.5, 13 and 2 March 2026, 3/4/2026,\nmast"))
	f.Add([]byte("# Items\n\n1. rope\n2. 12.5\n3. 2026-03-02\n\nItems:\n- a\n  - b\n"))
	f.Add([]byte("<table><tr><th>Description<th>Amount<tr><td colspan=2>Rope 10<tr><td>Sail<td>90</table>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := files.Read(t.Context(), documents.FromBytes(text), documents.DefaultLimits())
		if err != nil {
			return
		}
		settings := answers.ExtractSettings{Tables: []answers.Table{lineItems}}
		for _, kind := range []answers.Type{answers.String, answers.Number, answers.Date} {
			name := "items " + string(kind)
			settings.Tables = append(settings.Tables, answers.Table{
				Name: name, MaxRows: 5, Columns: []answers.Variable{{Name: "items", Type: kind}},
			})
		}
		found, err := offline.New().Extract(t.Context(), d, settings)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range settings.Tables {
			rows, checked := found.Rows[table.Name], found.Checked(d, settings).Rows[table.Name]
			if len(checked) != len(rows) || len(rows) > table.MaxRows {
				t.Fatalf("%d rows, of which %d have quotes", len(rows), len(checked))
			}
			for i, row := range rows {
				for column, value := range row.Values {
					if checked[i].Values[column] != value {
						t.Fatalf("row %d: %s is %+v, but its quotes show %+v", i, column, value, checked[i].Values[column])
					}
				}
			}
		}
	})
}
