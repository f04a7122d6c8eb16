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

var errLongRecord = fmt.Errorf("a record has more than %d bytes; is a quote left open?", maxRow)

// csvColumns are the columns that there are; the first three must be there.
func csvColumns() []string {
	return []string{"email", "name", "role", "department", "metadata", "sendActivationEmail"}
}

const csvHelp = "email, name and role are needed, department, metadata and sendActivationEmail may be left out"

// csvRows reads RFC 4180 text with a header, separated by commas, or by the semicolons that spreadsheets write where the
// comma is the decimal sign.
type csvRows struct {
	csv      *csv.Reader
	budget   *budget
	at       map[string]int // positions of the columns
	line     int            // where the last record began
	defaults rowDefaults
}

// newCSVRows reads the header. Names stand in any order and case; an unknown, missing or repeated one is an error.
func newCSVRows(r io.Reader, defaults rowDefaults) (*csvRows, error) {
	text, err := plainText(r)
	if err != nil {
		return nil, err
	}
	text, separator := separated(text)
	limited := &budget{from: text, left: maxRow}
	rows := &csvRows{csv: csv.NewReader(limited), budget: limited, defaults: defaults}
	rows.csv.ReuseRecord, rows.csv.Comma = true, separator
	header, err := rows.csv.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: its first line must name the columns; " + csvHelp)
	}
	if err == nil {
		rows.at, err = positions(header)
	}
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	return rows, nil
}

// separated tells what separates the columns by the first line, and returns the text from its beginning again.
func separated(text io.Reader) (io.Reader, rune) {
	buffered := bufio.NewReader(text)
	line, _ := buffered.ReadSlice('\n') // an error comes again with the rows
	again := io.MultiReader(bytes.NewReader(bytes.Clone(line)), buffered)
	if bytes.ContainsRune(line, ';') && !bytes.ContainsRune(line, ',') {
		return again, ';'
	}
	return again, ','
}

// positions returns where each column of the header stands.
func positions(header []string) (map[string]int, error) {
	at := map[string]int{}
	for i, said := range header {
		said = strings.TrimSpace(said)
		known := slices.IndexFunc(csvColumns(), func(name string) bool { return strings.EqualFold(name, said) })
		if known < 0 {
			return nil, fmt.Errorf("there is no column %q; %s", said, csvHelp)
		}
		name := csvColumns()[known]
		if _, twice := at[name]; twice {
			return nil, fmt.Errorf("the column %q stands there twice", name)
		}
		at[name] = i
	}
	for _, needed := range csvColumns()[:3] {
		if _, there := at[needed]; !there {
			return nil, fmt.Errorf("the column %q is missing; %s", needed, csvHelp)
		}
	}
	return at, nil
}

func (c *csvRows) next() (row, error) {
	c.budget.left = maxRow
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
	return errors.New("a quote is in the wrong place or left open; inside quotes it is written twice")
}

func (c *csvRows) fill(r *row, record []string) error {
	field := func(name string) string {
		if i, there := c.at[name]; there {
			return record[i]
		}
		return ""
	}
	r.user.Email, r.user.Name, r.user.Department = field("email"), field("name"), field("department")
	r.user.Role = roleOf(field("role"))
	if metadata := strings.TrimSpace(field("metadata")); metadata != "" {
		r.user.Metadata = json.RawMessage(metadata)
	}
	var said *bool
	switch strings.ToLower(strings.TrimSpace(field("sendActivationEmail"))) {
	case "":
	case "true":
		said = new(true)
	case "false":
		said = new(false)
	default:
		return errors.New("sendActivationEmail must be true, false or empty")
	}
	return c.defaults.activation(&r.user, said)
}

// budget ends reading when too much is read at once: a quote left open would draw the whole file into one field.
type budget struct {
	from io.Reader
	left int
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLongRecord
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
