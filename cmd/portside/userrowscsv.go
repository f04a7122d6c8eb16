package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

var errLongRecord = fmt.Errorf("a record has more than %d bytes; check for a missing closing quote", maxRowBytes)

// csvColumns returns the known columns. The first three are required.
func csvColumns() []string {
	return []string{"email", "name", "role", "department", "metadata", "sendActivationEmail"}
}

const csvHelp = "email, name and role are required; department, metadata and sendActivationEmail are optional"

// csvRows reads RFC 4180 text with a header. The separator is a comma, or a semicolon, which
// spreadsheets write in countries where the comma is the decimal separator.
type csvRows struct {
	csv      *csv.Reader
	limit    *byteLimit
	columns  map[string]int // index of each column
	line     int            // first line of the last record
	defaults rowDefaults
}

// newCSVRows reads the header. The names may be in any order and case. An unknown, missing or
// repeated name is an error.
func newCSVRows(r io.Reader, defaults rowDefaults) (*csvRows, error) {
	text, err := withoutByteOrderMark(r)
	if err != nil {
		return nil, err
	}
	text, separator := detectSeparator(text)
	limited := &byteLimit{from: text, left: maxRowBytes}
	rows := &csvRows{csv: csv.NewReader(limited), limit: limited, defaults: defaults}
	rows.csv.ReuseRecord, rows.csv.Comma = true, separator
	header, err := rows.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty; its first line must name the columns: " + csvHelp)
	}
	if err == nil {
		rows.columns, err = columnPositions(header)
	}
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	return rows, nil
}

// detectSeparator finds the separator in the first line. It returns a reader that starts again at
// the beginning.
func detectSeparator(text io.Reader) (io.Reader, rune) {
	buffered := bufio.NewReader(text)
	line, _ := buffered.ReadSlice('\n') // the csv.Reader gets the same error
	again := io.MultiReader(bytes.NewReader(bytes.Clone(line)), buffered)
	if bytes.ContainsRune(line, ';') && !bytes.ContainsRune(line, ',') {
		return again, ';'
	}
	return again, ','
}

// columnPositions returns the index of each column in the header.
func columnPositions(header []string) (map[string]int, error) {
	at := map[string]int{}
	for i, text := range header {
		text = strings.TrimSpace(text)
		known := slices.IndexFunc(csvColumns(), func(name string) bool { return strings.EqualFold(name, text) })
		if known < 0 {
			return nil, fmt.Errorf("unknown column %q; %s", text, csvHelp)
		}
		name := csvColumns()[known]
		if _, isRepeated := at[name]; isRepeated {
			return nil, fmt.Errorf("the column %q occurs twice", name)
		}
		at[name] = i
	}
	for _, required := range csvColumns()[:3] {
		if _, found := at[required]; !found {
			return nil, fmt.Errorf("the column %q is missing; %s", required, csvHelp)
		}
	}
	return at, nil
}

func (c *csvRows) next() (row, error) {
	c.limit.left = maxRowBytes
	record, err := c.csv.Read()
	if failed, isSyntax := errors.AsType[*csv.ParseError](err); isSyntax {
		return row{line: failed.StartLine, err: csvFailure(failed)}, nil
	}
	if errors.Is(err, errLongRecord) {
		return row{}, fmt.Errorf("after line %d: %w", c.line, err)
	}
	if err != nil {
		return row{}, err
	}
	c.line, _ = c.csv.FieldPos(0)
	r := row{line: c.line}
	r.err = c.fill(&r, record)
	return r, nil
}

func csvFailure(err *csv.ParseError) error {
	if errors.Is(err.Err, csv.ErrFieldCount) {
		return errors.New("the row has more or fewer fields than the header")
	}
	return errors.New("a quote is misplaced or not closed; write a quote inside a quoted field twice")
}

func (c *csvRows) fill(r *row, record []string) error {
	field := func(name string) string {
		if i, found := c.columns[name]; found {
			return record[i]
		}
		return ""
	}
	r.user.Email, r.user.Name, r.user.Department = field("email"), field("name"), field("department")
	r.user.Role = roleOf(field("role"))
	if metadata := strings.TrimSpace(field("metadata")); metadata != "" {
		r.user.Metadata = json.RawMessage(metadata)
	}
	var requested *bool
	switch strings.ToLower(strings.TrimSpace(field("sendActivationEmail"))) {
	case "":
	case "true":
		requested = new(true)
	case "false":
		requested = new(false)
	default:
		return errors.New("sendActivationEmail must be true, false or empty")
	}
	return c.defaults.applyActivation(&r.user, requested)
}

// byteLimit stops reading after too many bytes of one record. Without it, a missing closing quote
// would read the whole file into one field.
type byteLimit struct {
	from io.Reader
	left int
}

func (b *byteLimit) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLongRecord
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
