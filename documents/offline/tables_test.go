package offline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/answers"
	"portside/documents/files"
)

// drawnTable is a random table with one or two rows of headers. Each value stands in it once.
type drawnTable struct {
	titles       []string // of the groups of columns; nil without groups
	columns      []string // of a group
	rows         []string
	corner       string // the header of the column of names
	cells        [][]string
	kind         answers.Type
	hasNamesLast bool // the names of the rows stand in the last column
}

func drawTable(r *rand.Rand) drawnTable {
	columns := [][]string{{"Plan", "Actual"}, {"Min", "Max"}, {"Basic", "Pro", "Team"}, {"Men", "Women"}, {"Domestic", "Export"}}
	corners := []string{"City", "Part", "Feature"}
	rows := [][]string{{"Berlin", "Paris", "Rome"}, {"Bolts", "Nuts", "Washers", "Rivets"}, {"Backups", "Storage", "Seats"}}
	titles := [][]string{nil, {"2024", "2025"}, {"North", "South"}}
	subject := r.IntN(len(rows))
	t := drawnTable{
		titles: titles[r.IntN(len(titles))], columns: columns[r.IntN(len(columns))], rows: slices.Clone(rows[subject]), corner: corners[subject],
		kind: answers.Number, hasNamesLast: r.IntN(4) == 0,
	}
	if r.IntN(4) == 0 {
		t.kind = answers.String
	}
	words := strings.Fields("daily weekly hourly red green blue round square oval cotton linen silk harbor valley ridge meadow stone " +
		"amber coral cedar maple birch copper granite")
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	r.Shuffle(len(t.rows), func(i, j int) { t.rows[i], t.rows[j] = t.rows[j], t.rows[i] })
	width := max(1, len(t.titles)) * len(t.columns)
	for i := range t.rows {
		cells := slices.Clone(words[i*width : (i+1)*width])
		for j := range cells {
			if t.kind == answers.Number {
				cells[j] = strconv.Itoa(100*(1+r.IntN(9)) + 10*i + j)
			}
		}
		t.cells = append(t.cells, cells)
	}
	return t
}

// lines returns the table as lines of cells. The title of a group stands above its first column.
func (t drawnTable) lines() [][]string {
	withName := func(name string, cells []string) []string {
		if t.hasNamesLast {
			return append(slices.Clone(cells), name)
		}
		return append([]string{name}, cells...)
	}
	var all [][]string
	if t.titles != nil {
		var titles []string
		for _, title := range t.titles {
			titles = append(titles, title)
			titles = append(titles, make([]string, len(t.columns)-1)...)
		}
		all = append(all, withName(t.corner, titles), withName("", slices.Repeat(t.columns, len(t.titles))))
	} else {
		all = append(all, withName(t.corner, t.columns))
	}
	for i, name := range t.rows {
		all = append(all, withName(name, t.cells[i]))
	}
	return all
}

func (t drawnTable) csv() string {
	var b strings.Builder
	for _, line := range t.lines() {
		fmt.Fprintln(&b, strings.Join(line, ";"))
	}
	return b.String()
}

func (t drawnTable) html() string {
	var b strings.Builder
	b.WriteString("<html><body><table>")
	for i, line := range t.lines() {
		b.WriteString("<tr>")
		for j := 0; j < len(line); j++ {
			span := 1
			for i == 0 && t.titles != nil && j+span < len(line) && line[j+span] == "" {
				span++
			}
			tag := map[bool]string{true: "th", false: "td"}[i == 0 || i == 1 && t.titles != nil]
			fmt.Fprintf(&b, "<%s colspan=%d>%s</%[1]s>", tag, span, line[j])
			j += span - 1
		}
		b.WriteString("</tr>")
	}
	b.WriteString("</table></body></html>")
	return b.String()
}

// variables asks for each cell by the names of its row, its column and the group of its column, in a random order.
func (t drawnTable) variables(r *rand.Rand) (all []answers.Variable, want []string) {
	for i, row := range t.rows {
		for j, value := range t.cells[i] {
			words := []string{row, t.columns[j%len(t.columns)]}
			if t.titles != nil {
				words = append(words, t.titles[j/len(t.columns)])
			}
			r.Shuffle(len(words), func(a, b int) { words[a], words[b] = words[b], words[a] })
			all = append(all, answers.Variable{Name: strings.ToLower(strings.Join(words, "_")), Type: t.kind})
			want = append(want, value)
		}
	}
	return all, want
}

// TestCellsAreFoundByRowAndColumn asks for each cell of random tables. In a CSV file, a cell with text looks like a header, so
// texts in CSV tables with groups may be null. At least 9 of 10 cells must be right, and none wrong.
func TestCellsAreFoundByRowAndColumn(t *testing.T) {
	var all tally
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		table := drawTable(r)
		variables, want := table.variables(r)
		for format, text := range map[string]string{"csv": table.csv(), "html": table.html()} {
			for i, got := range valuesIn(t, text, variables) {
				switch got {
				case want[i]:
					all.correct++
				case "":
					all.abstained++
				default:
					all.wrong++
					t.Errorf("seed %d, %s: %s is %s, want %s\n%s", seed, format, variables[i].Name, got, want[i], table.csv())
				}
			}
		}
	}
	t.Logf("of %d cells, %d are right and %d null", all.total(), all.correct, all.abstained)
	if 10*all.correct < 9*all.total() {
		t.Errorf("%d of %d cells are right, want 9 of 10", all.correct, all.total())
	}
}

// TestOtherColumnsAreNoAnswer asks for columns that random tables do not have.
func TestOtherColumnsAreNoAnswer(t *testing.T) {
	for seed := range uint64(40) {
		table := drawTable(rand.New(rand.NewPCG(seed, 2)))
		var variables []answers.Variable
		for _, row := range table.rows {
			for _, column := range []string{"weight", "founded_in", "supplier", "zonk"} {
				variables = append(variables, answers.Variable{Name: strings.ToLower(row) + "_" + column, Type: table.kind})
			}
		}
		for i, got := range valuesIn(t, table.html(), variables) {
			if got != "" {
				t.Errorf("seed %d: %s is %s\n%s", seed, variables[i].Name, got, table.csv())
			}
		}
	}
}

// valuesIn returns the values of variables in a file, in the order of the variables; null values are empty.
func valuesIn(t *testing.T, text string, variables []answers.Variable) []string {
	t.Helper()
	d, err := files.Read(t.Context(), documents.FromBytes([]byte(text)), documents.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	settings := answers.ExtractSettings{Variables: variables}
	found, err := New().Extract(t.Context(), d, settings)
	if err != nil {
		t.Fatal(err)
	}
	checked := found.Checked(d, settings)
	values := make([]string, len(variables))
	for i, v := range variables {
		values[i] = checked.Values[v.Name].Text
	}
	return values
}

// TestEqualLabelsInTwoTables asks for a value that two tables of a document have, with and without the heading of one of them.
func TestEqualLabelsInTwoTables(t *testing.T) {
	const text = "# Plant Lyon\n\n| Position | Amount |\n|---|---|\n| Revenue | 1200 |\n| Costs | 900 |\n\n" +
		"# Plant Porto\n\n| Position | Amount |\n|---|---|\n| Revenue | 1500 |\n| Costs | 1000 |\n"
	variables := []answers.Variable{
		{Name: "revenue", Type: answers.Number},
		{Name: "revenue_porto", Type: answers.Number},
		{Name: "costs_lyon", Type: answers.Number},
	}
	if got := valuesIn(t, text, variables); !slices.Equal(got, []string{"", "1500", "900"}) {
		t.Errorf("values %q", got)
	}
}

// TestGluedCellDoesNotChangeOtherNumbers has the digits of two touching columns in one cell.
func TestGluedCellDoesNotChangeOtherNumbers(t *testing.T) {
	for _, glued := range []string{"0146,982", "00146,982", "982,1250", "1,25012,500"} {
		text := "Item;Qty;Price;Amount\nBolt;10;1,250;12,500\nNut;20;" + glued + ";29,396\nWasher;5;2,100;10,500\n"
		variables := []answers.Variable{{Name: "bolt_price", Type: answers.Number}, {Name: "washer_amount", Type: answers.Number}}
		if got := valuesIn(t, text, variables); !slices.Equal(got, []string{"1250", "10500"}) {
			t.Errorf("with %s: values %q", glued, got)
		}
	}
}
