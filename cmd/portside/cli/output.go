package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode"

	"portside/shared/core/text"
)

// format is how a result is printed. The zero value is a table.
type format struct {
	JSON, CSV, JSONLines bool
}

// IsForPrograms reports whether the result is not a table.
func (f format) IsForPrograms() bool { return f.JSON || f.CSV || f.JSONLines }

// Column is a column of a table or of CSV.
type Column[T any] struct {
	name  string // in CSV, and the field in JSON
	title string // in tables; a column without a title is only in CSV
	Value func(T) any
}

// Field returns a column.
func Field[T any](name, title string, value func(T) any) Column[T] {
	return Column[T]{name, title, value}
}

// progressInterval is after how many items of a list the progress is shown again.
const progressInterval = 100

// PrintList prints the items of a list.
func PrintList[T any](a *App, columns []Column[T], items iter.Seq2[T, error]) error {
	shown := a.NewProgress()
	defer shown.Finish()
	out := newWriter(a, columns)
	n := 0
	for item, err := range items {
		if err != nil {
			return err
		}
		if err := out.add(item); err != nil {
			return err
		}
		if n++; n%progressInterval == 0 {
			shown.Show("%d read", n)
		}
	}
	shown.Finish()
	return out.end()
}

// listWriter prints one item after another.
type listWriter[T any] interface {
	add(item T) error
	end() error
}

func newWriter[T any](a *App, columns []Column[T]) listWriter[T] {
	switch {
	case a.Format.JSON:
		return &jsonList[T]{w: a.Stdout}
	case a.Format.JSONLines:
		return jsonLines[T]{a.Stdout}
	case a.Format.CSV:
		return &csvList[T]{w: csv.NewWriter(a.Stdout), columns: columns}
	}
	return &tableList[T]{a: a, columns: columns}
}

// jsonList prints an array. A list that fails later is not closed, so that no program takes it for complete.
type jsonList[T any] struct {
	w io.Writer
	n int
}

func (l *jsonList[T]) add(item T) error {
	lead := ",\n  "
	if l.n++; l.n == 1 {
		lead = "[\n  "
	}
	encoded, err := encodeJSON(item, "  ")
	if err == nil {
		_, err = fmt.Fprint(l.w, lead, encoded)
	}
	return err
}

func (l *jsonList[T]) end() error {
	tail := "\n]"
	if l.n == 0 {
		tail = "[]"
	}
	_, err := fmt.Fprintln(l.w, tail)
	return err
}

// jsonLines prints one item per line.
type jsonLines[T any] struct{ w io.Writer }

func (l jsonLines[T]) add(item T) error {
	e := json.NewEncoder(l.w)
	e.SetEscapeHTML(false)
	return e.Encode(item)
}

func (jsonLines[T]) end() error { return nil }

func encodeJSON(value any, prefix string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	err := e.Encode(value)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// csvList prints rows, also the header of an empty list.
type csvList[T any] struct {
	w         *csv.Writer
	columns   []Column[T]
	hasHeader bool
}

func (l *csvList[T]) header() error {
	if l.hasHeader {
		return nil
	}
	l.hasHeader = true
	names := make([]string, len(l.columns))
	for i, c := range l.columns {
		names[i] = c.name
	}
	return l.w.Write(names)
}

func (l *csvList[T]) add(item T) error {
	if err := l.header(); err != nil {
		return err
	}
	cells := make([]string, len(l.columns))
	for i, c := range l.columns {
		cells[i] = text.CSVCell(Cell(c.Value(item), time.RFC3339Nano))
	}
	return l.w.Write(cells)
}

func (l *csvList[T]) end() error {
	if err := l.header(); err != nil {
		return err
	}
	l.w.Flush()
	return l.w.Error()
}

// tableList prints a table when all items are known, because the widest cell sets the width of a column.
type tableList[T any] struct {
	a       *App
	columns []Column[T]
	rows    [][]string
}

func (l *tableList[T]) add(item T) error {
	var cells []string
	for _, c := range l.columns {
		if c.title != "" {
			cells = append(cells, Cell(c.Value(item), TableTime))
		}
	}
	l.rows = append(l.rows, cells)
	return nil
}

func (l *tableList[T]) end() error {
	var titles []string
	for _, c := range l.columns {
		if c.title != "" {
			titles = append(titles, c.title)
		}
	}
	if len(l.rows) == 0 && isTerminal(l.a.Stderr) {
		l.a.Report("The list is empty.")
	}
	return writeTable(l.a.Stdout, titles, l.rows, l.a.hasColors())
}

// PrintOne prints one item: a line for each field, or one object, or one row.
func PrintOne[T any](a *App, columns []Column[T], item T) error {
	if a.Format.JSON {
		encoded, err := encodeJSON(item, "")
		if err == nil {
			_, err = fmt.Fprintln(a.Stdout, encoded)
		}
		return err
	}
	if a.Format.CSV {
		return PrintList(a, columns, only(item))
	}
	var rows [][]string
	for _, c := range columns {
		title := c.title
		if title == "" {
			title = spacedTitle(c.name)
		}
		rows = append(rows, []string{title, Cell(c.Value(item), TableTime)})
	}
	return writeFields(a.Stdout, rows, a.hasColors())
}

// spacedTitle returns the title for a name such as decidedAt: DECIDED AT.
func spacedTitle(name string) string {
	var b strings.Builder
	for _, c := range name {
		if unicode.IsUpper(c) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToUpper(c))
	}
	return b.String()
}

// only returns a list of one item.
func only[T any](item T) iter.Seq2[T, error] { return Each([]T{item}) }

// Each returns the items of a list that came whole.
func Each[T any](items []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// MaxItems is the flag --limit: how many items a list has at most. The zero value means no limit.
type MaxItems int

func (l *MaxItems) String() string {
	return strconv.Itoa(int(*l))
}

// Page returns how many items a call gets.
func (l *MaxItems) Page() *int64 {
	if *l == 0 {
		return new(int64(PageSize))
	}
	return new(min(int64(*l), PageSize))
}

// Type implements pflag.Value.
func (l *MaxItems) Type() string { return "N" }

// Set implements pflag.Value.
func (l *MaxItems) Set(given string) error {
	n, err := strconv.Atoi(given)
	if err != nil || n < 1 {
		return errors.New("must be a whole number of at least 1")
	}
	*l = MaxItems(n)
	return nil
}

// AtMost ends a list at its limit.
func AtMost[T any](limit MaxItems, items iter.Seq2[T, error]) iter.Seq2[T, error] {
	if limit == 0 {
		return items
	}
	return func(yield func(T, error) bool) {
		left := limit
		for item, err := range items {
			left--
			if !yield(item, err) || left == 0 {
				return
			}
		}
	}
}

// TableTime is how tables show times, which are UTC.
const TableTime = "2006-01-02 15:04"

// Cell returns the text of a value. A missing value is empty.
func Cell(value any, layout string) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case *string:
		if v != nil {
			return *v
		}
		return ""
	case *int64:
		if v != nil {
			return strconv.FormatInt(*v, 10)
		}
		return ""
	case time.Time:
		return v.UTC().Format(layout)
	case *time.Time:
		if v != nil {
			return v.UTC().Format(layout)
		}
		return ""
	case []string:
		return strings.Join(v, " ")
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case map[string]any:
		encoded, err := json.Marshal(v)
		if err != nil || len(v) == 0 {
			return ""
		}
		return string(encoded)
	}
	return fmt.Sprint(value)
}

// PageSize is how many items a call gets: the most that the service returns.
const PageSize = 100
