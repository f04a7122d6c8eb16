package web

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/text"
	"portside/shared/web/server"
)

// csvType is the media type of a list as CSV (RFC 4180), which clients request with the header Accept.
const csvType = "text/csv"

// bodyField returns the type of a field of an output's Body, if the Body is a struct that has it.
func bodyField(output reflect.Type, name string) (field reflect.Type, isThere bool) {
	body, hasBody := output.FieldByName("Body")
	if !hasBody || body.Type.Kind() != reflect.Struct {
		return nil, false
	}
	found, isThere := body.Type.FieldByName(name)
	return found.Type, isThere
}

// itemsOf returns the type of the items of a list. An output is a list if its Body.Data is a slice of structs.
func itemsOf(output reflect.Type) (item reflect.Type, isList bool) {
	data, hasData := bodyField(output, "Data")
	if !hasData || data.Kind() != reflect.Slice || data.Elem().Kind() != reflect.Struct {
		return nil, false
	}
	return data.Elem(), true
}

// Tabular is a Body.Data that can be sent as CSV although it is not a list, or with other columns than the fields of
// its items.
type Tabular interface {
	// Table returns the names of the columns and the records. It may contain formulas: writeCSV makes them harmless.
	Table() [][]string
}

// hasTable reports whether an output has a Tabular.
func hasTable(output reflect.Type) bool {
	data, hasData := bodyField(output, "Data")
	return hasData && data.Implements(reflect.TypeFor[Tabular]())
}

// jsonLinesType is the media type of a list with one item per line.
const jsonLinesType = "application/x-ndjson"

// formatsOf returns the media types other than JSON in which an operation responds.
func formatsOf(method string, output reflect.Type) []string {
	_, isList := itemsOf(output)
	switch {
	case method != http.MethodGet:
		return nil
	case isList:
		return []string{csvType, jsonLinesType}
	case hasTable(output):
		return []string{csvType}
	}
	return nil
}

// setAccept sets the header Accept to the one type that the response will have, because huma does not know ranges, and
// compares types with their case.
func setAccept(r *http.Request, others []string) {
	all := slices.Concat([]string{"application/json"}, others)
	r.Header.Set("Accept", server.Preferred(r.Header.Values("Accept"), all))
}

// varyByAccept tells caches that the response depends on the header Accept.
func varyByAccept(ctx context.Context) {
	if response := inputFrom(ctx).response; response != nil {
		response.Add("Vary", "Accept")
	}
}

// csvFormat encodes a Tabular, or the body of a list: a header with the names of the fields, and a record for each
// item. A value that is null is an empty cell, and an object or array is JSON. Spreadsheets run no cell as a formula.
var csvFormat = huma.Format{
	Marshal: func(w io.Writer, body any) error {
		data := reflect.ValueOf(body).FieldByName("Data")
		if table, isTable := reflect.TypeAssert[Tabular](data); isTable {
			return writeCSV(w, table.Table())
		}
		records, err := recordsOf(data)
		if err != nil {
			return err
		}
		return writeCSV(w, records)
	},
	Unmarshal: func([]byte, any) error { return errNotReadable },
}

// jsonLines encodes the body of a list as its items, one per line.
var jsonLines = huma.Format{
	Marshal: func(w io.Writer, body any) error {
		items := reflect.ValueOf(body).FieldByName("Data")
		for i := range items.Len() {
			if err := strictJSON.Marshal(w, items.Index(i).Interface()); err != nil {
				return err
			}
		}
		return nil
	},
	Unmarshal: func([]byte, any) error { return errNotReadable },
}

// recordsOf returns the header and the records of a list.
func recordsOf(items reflect.Value) ([][]string, error) {
	fields := columnsOf(items.Type().Elem())
	header := make([]string, len(fields))
	for i, f := range fields {
		header[i] = jsonName(f)
	}
	records := [][]string{header}
	for n := range items.Len() {
		record := make([]string, len(fields))
		for i, f := range fields {
			var err error
			if record[i], err = csvCell(items.Index(n).FieldByIndex(f.Index)); err != nil {
				return nil, err
			}
		}
		records = append(records, record)
	}
	return records, nil
}

// writeCSV writes records. In a table with one column, an empty cell needs quotes, because readers skip empty lines.
func writeCSV(w io.Writer, records [][]string) error {
	out := csv.NewWriter(w)
	for _, record := range records {
		for i, cell := range record {
			record[i] = text.CSVCell(cell)
		}
		if len(record) > 1 || record[0] != "" {
			_ = out.Write(record) // Flush keeps the error
			continue
		}
		out.Flush()
		if _, err := io.WriteString(w, "\"\"\n"); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// csvNote documents that a list is also available as CSV. A second media type in the document would make generated
// clients of TypeScript return a list or a text.
func csvNote(item reflect.Type) string {
	names := make([]string, 0, item.NumField())
	for _, f := range columnsOf(item) {
		names = append(names, "`"+jsonName(f)+"`")
	}
	return "With `Accept: text/csv`, the response has the items as CSV, with the columns " + strings.Join(names, ", ") + "."
}

// columnsOf returns the fields of an item that its JSON has. The fields of embedded structs are among them.
func columnsOf(item reflect.Type) (columns []reflect.StructField) {
	for _, f := range reflect.VisibleFields(item) {
		if !f.Anonymous && jsonName(f) != "" {
			columns = append(columns, f)
		}
	}
	return columns
}

// csvCell returns the value of a field as a cell.
func csvCell(value reflect.Value) (string, error) {
	encoded, err := json.Marshal(value.Interface())
	if err != nil {
		return "", fmt.Errorf("web: encode a cell: %w", err)
	}
	var content string
	switch {
	case string(encoded) == "null":
		return "", nil
	case encoded[0] != '"':
		return string(encoded), nil
	}
	err = json.Unmarshal(encoded, &content)
	return content, err
}
