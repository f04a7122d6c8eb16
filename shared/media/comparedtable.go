package media

import (
	"strconv"

	"portside/documents/differences"
	"portside/documents/differences/rows"
	"portside/documents/schema"
)

// Table is how the rows of a table differ between two files. Each row is in one of the lists, or Equal counts it.
type Table struct {
	Equal   int          `json:"equal" doc:"How many rows are the same in both files, in any order." example:"3"`
	Changed []ChangedRow `json:"changed" doc:"The rows that both files have, with other values, in the order of the first file."`
	Removed []Row        `json:"removed" doc:"The rows that only the first file has, in its order."`
	Added   []Row        `json:"added" doc:"The rows that only the second file has, in its order."`
}

// Row is a row of one file.
type Row struct {
	Row  int `json:"row" doc:"Position of the row in the table of its file, from 0, as in the pointers of the evidence." example:"1"`
	Data any `json:"data" doc:"The row, in the form that the schema describes."`
}

// ChangedRow is a row that differs between two files.
type ChangedRow struct {
	Row           int                       `json:"row" doc:"Position of the row in the table of the first file, from 0." example:"0"`
	RowToCompare  int                       `json:"row_to_compare" doc:"Position of the row in the table of the second file, from 0." example:"0"`
	Data          any                       `json:"data" doc:"The row of the first file, in the form that the schema describes."`
	DataToCompare any                       `json:"data_to_compare" doc:"The row of the second file."`
	Differences   map[string]CellDifference `json:"differences" doc:"The cells that differ, by their JSON Pointers within the row."`
}

// CellDifference is how a cell differs between two files.
type CellDifference struct {
	Data          string     `json:"data" doc:"Value in the first file; empty if it was not found." example:"10"`
	DataToCompare string     `json:"data_to_compare" doc:"Value in the second file; empty if it was not found." example:"12"`
	Difference    Difference `json:"difference" doc:"How the values compare."`
}

// comparedTable returns how the rows of an array differ between the two answers.
func comparedTable(list schema.List, found [2]schema.Answer) Table {
	table := Table{Changed: []ChangedRow{}, Removed: []Row{}, Added: []Row{}}
	first, second := found[0].Items[list.Pointer], found[1].Items[list.Pointer]
	for _, pair := range rows.Match(rowsOf(list, found[0]), rowsOf(list, found[1])) {
		switch {
		case pair.Second < 0:
			table.Removed = append(table.Removed, Row{pair.First, first[pair.First]})
		case pair.First < 0:
			table.Added = append(table.Added, Row{pair.Second, second[pair.Second]})
		default:
			cells := changedCells(list, pair, found)
			if len(cells) == 0 {
				table.Equal++
				continue
			}
			table.Changed = append(table.Changed, ChangedRow{pair.First, pair.Second, first[pair.First], second[pair.Second], cells})
		}
	}
	return table
}

// rowsOf returns the items of an array as rows, with a value for each column.
func rowsOf(list schema.List, found schema.Answer) []rows.Row {
	table := make([]rows.Row, len(found.Items[list.Pointer]))
	for i := range table {
		for _, column := range list.Columns {
			table[i] = append(table[i], found.Values[cellPointer(list, i, column)])
		}
	}
	return table
}

// changedCells returns the cells in which a pair of rows differs, by their JSON Pointers within the row.
func changedCells(list schema.List, pair rows.Pair, found [2]schema.Answer) map[string]CellDifference {
	cells := map[string]CellDifference{}
	for _, column := range list.Columns {
		first, second := sideOf(found[0], cellPointer(list, pair.First, column)), sideOf(found[1], cellPointer(list, pair.Second, column))
		difference := newDifference(column.Variable.Type, first, second)
		if difference.Relation != differences.Equal && difference.Relation != differences.Neither {
			cells[column.Pointer] = CellDifference{first.Value.Text, second.Value.Text, difference}
		}
	}
	return cells
}

// cellPointer returns the JSON Pointer to the value in a row and a column of an array.
func cellPointer(list schema.List, row int, column schema.Single) string {
	return list.Pointer + "/" + strconv.Itoa(row) + column.Pointer
}
