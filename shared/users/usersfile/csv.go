package usersfile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"portside/shared/core/text"
)

var errLongRecord = fmt.Errorf("a record has more than %d bytes; check for a missing closing quote", MaxRowBytes)

// columns returns the known columns, which are the keys of a jsonRow. The first three are required.
func columns() []string {
	row := reflect.TypeFor[jsonRow]()
	names := make([]string, row.NumField())
	for i := range names {
		names[i], _, _ = strings.Cut(row.Field(i).Tag.Get("json"), ",")
	}
	return names
}

// errNotUTF8 is the error of a row in another character set. Spreadsheets on Windows write one unless the user selects
// UTF-8.
var errNotUTF8 = errors.New("the text is not UTF-8, so letters such as é cannot be read; save the file as UTF-8 (\"CSV UTF-8\" in a " +
	"spreadsheet) and import it again")

func isNotUTF8(cell string) bool { return !utf8.ValidString(cell) }

func csvHelp() string {
	names := columns()
	last := len(names) - 1
	return "email, name and role are required; " + strings.Join(names[3:last],
		", ") + " and " + names[last] + " are optional"
}

// csvReader reads RFC 4180 text with a header. The separator is a comma, or a semicolon, which
// spreadsheets write in countries where the comma is the decimal separator.
type csvReader struct {
	csv       *csv.Reader
	source    *recordSource
	positions map[string]int // index of each column
	header    []string       // as in the file, without the column of errors
	errorAt   int            // index of the column of errors; -1 without one
	line      int            // first line of the last record
	defaults  Defaults
}

// newCSV reads the header. The names may be in any order and case. An unknown, missing or
// repeated name is an error.
func newCSV(file io.Reader, defaults Defaults) (*csvReader, error) {
	whole, separator, err := detectSeparator(file)
	if err != nil {
		return nil, err
	}
	limited := &recordSource{from: whole, left: MaxRowBytes}
	rows := &csvReader{csv: csv.NewReader(limited), source: limited, defaults: defaults}
	rows.csv.ReuseRecord, rows.csv.Comma = true, separator
	record, err := rows.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty; its first line must name the columns: " + csvHelp())
	}
	if err == nil && slices.ContainsFunc(record, isNotUTF8) {
		err = errNotUTF8
	}
	if err == nil {
		rows.setHeader(record)
		rows.positions, err = columnPositions(rows.header)
	}
	if err != nil {
		return nil, fmt.Errorf("line 1, the header: %w", err)
	}
	return rows, nil
}

// setHeader keeps the names of the columns and drops the column of errors.
func (c *csvReader) setHeader(record []string) {
	c.header = slices.Clone(record)
	c.errorAt = slices.IndexFunc(c.header, func(title string) bool { return strings.EqualFold(strings.TrimSpace(title), ErrorColumn) })
	if c.errorAt >= 0 {
		c.header = slices.Delete(c.header, c.errorAt, c.errorAt+1)
	}
}

func (c *csvReader) Columns() (names []string, separator rune) { return c.header, c.csv.Comma }

// cells returns a record without the error of an earlier import, which is last in our files, also if the record is too
// short.
func (c *csvReader) cells(record []string) []string {
	cells := slices.Clone(record)
	if c.errorAt < 0 || len(cells) == 0 {
		return cells
	}
	at := c.errorAt
	if at == len(c.header) || at >= len(cells) {
		at = len(cells) - 1
	}
	cells = slices.Delete(cells, at, at+1)
	for i := range cells {
		cells[i] = text.FromCSVCell(cells[i])
	}
	return cells
}

// detectSeparator finds the separator in the first line. It returns a reader that starts again at
// the beginning. A first line with tabs is an error.
func detectSeparator(file io.Reader) (io.Reader, rune, error) {
	buffered := bufio.NewReader(file)
	line, _ := buffered.ReadSlice('\n') // the csv.Reader gets the same error
	again := io.MultiReader(bytes.NewReader(bytes.Clone(line)), buffered)
	switch {
	case bytes.ContainsRune(line, ','):
		return again, ',', nil
	case bytes.ContainsRune(line, ';'):
		return again, ';', nil
	case bytes.ContainsRune(line, '\t'):
		return nil, 0, errors.New("line 1 has tabs between its columns; save the file as CSV with commas, or as \"CSV UTF-8\" in a spreadsheet")
	}
	return again, ',', nil
}

// columnPositions returns the index of each column in the header.
func columnPositions(header []string) (map[string]int, error) {
	at := map[string]int{}
	for i, title := range header {
		title = strings.TrimSpace(title)
		known := slices.IndexFunc(columns(), func(name string) bool { return strings.EqualFold(name, title) })
		if known < 0 {
			return nil, fmt.Errorf("unknown column %q; %s", shortened(title), csvHelp())
		}
		name := columns()[known]
		if _, isRepeated := at[name]; isRepeated {
			return nil, fmt.Errorf("the column %q occurs twice", name)
		}
		at[name] = i
	}
	for _, required := range columns()[:3] {
		if _, found := at[required]; !found {
			return nil, fmt.Errorf("the column %q is missing; %s", required, csvHelp())
		}
	}
	return at, nil
}

func (c *csvReader) Next() (Row, error) {
	c.source.begin(c.csv.InputOffset())
	record, err := c.csv.Read()
	if failed, isSyntax := errors.AsType[*csv.ParseError](err); isSyntax {
		return c.failedRow(failed, record), nil
	}
	if errors.Is(err, errLongRecord) {
		return Row{}, fmt.Errorf("after line %d: %w", c.line, err)
	}
	if err != nil {
		return Row{}, err
	}
	c.line, _ = c.csv.FieldPos(0)
	r := Row{Line: c.line, Cells: c.cells(record)}
	if slices.ContainsFunc(record, isNotUTF8) {
		r.Err = errNotUTF8
		return r, nil
	}
	r.Err = c.fill(&r, r.Cells)
	return r, nil
}

// failedRow keeps the cells of a row with too many or too few. After a misplaced quote, they cannot be told apart, so
// the text of the row is one cell.
func (c *csvReader) failedRow(failed *csv.ParseError, record []string) Row {
	r := Row{Line: failed.StartLine, Err: csvFailure(failed)}
	if errors.Is(failed.Err, csv.ErrFieldCount) {
		r.Cells = c.cells(record)
	} else {
		r.Cells = []string{c.source.recordUntil(c.csv.InputOffset())}
	}
	return r
}

func csvFailure(err *csv.ParseError) error {
	if errors.Is(err.Err, csv.ErrFieldCount) {
		return errors.New("the row has more or fewer fields than the header")
	}
	return errors.New("a quote is misplaced or not closed; write a quote inside a quoted field twice")
}

// fill sets each text of a jsonRow from the column with its name, so a new text needs no code here.
func (c *csvReader) fill(r *Row, cells []string) error {
	cell := func(name string) string {
		if i, found := c.positions[name]; found {
			return cells[i]
		}
		return ""
	}
	var row jsonRow
	for i, name := range columns() {
		if field := reflect.ValueOf(&row).Elem().Field(i); field.Kind() == reflect.String {
			field.SetString(cell(name))
		}
	}
	if metadata := strings.TrimSpace(cell("metadata")); metadata != "" {
		row.Metadata = json.RawMessage(metadata)
	}
	row.fill(&r.User)
	switch strings.ToLower(strings.TrimSpace(cell("sendActivationEmail"))) {
	case "":
	case "true":
		row.SendActivationEmail = new(true)
	case "false":
		row.SendActivationEmail = new(false)
	default:
		return errors.New("sendActivationEmail must be true, false or empty")
	}
	return c.defaults.applyActivation(&r.User, row.SendActivationEmail)
}

// recordSource stops reading after too many bytes of one record. Without it, a missing closing quote
// would make the csv.Reader keep the rest of the file in memory. It keeps the text of the record for its error.
type recordSource struct {
	from  io.Reader
	left  int
	text  []byte // the part of the file read so far, from start on
	start int64
}

func (r *recordSource) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, errLongRecord
	}
	n, err := r.from.Read(p[:min(len(p), r.left)])
	r.left -= n
	r.text = append(r.text, p[:n]...)
	return n, err
}

// begin begins a record at an offset in the file.
func (r *recordSource) begin(offset int64) {
	r.left = MaxRowBytes
	r.text = slices.Delete(r.text, 0, int(offset-r.start))
	r.start = offset
}

// recordUntil returns the text of the record, which ends at an offset in the file, without the line break.
func (r *recordSource) recordUntil(end int64) string {
	return strings.TrimRight(string(r.text[:end-r.start]), "\r\n")
}
