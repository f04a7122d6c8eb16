package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// readAll reads all rows. It fails if line numbers do not grow or if the rows never end.
func readAll(t *testing.T, rows rowReader, size int) (all []row, err error) {
	t.Helper()
	last := 0
	for range size + 2 {
		next, err := rows.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return all, err
		}
		if next.line <= last {
			t.Fatalf("line %d comes after line %d", next.line, last)
		}
		last = next.line
		all = append(all, next)
	}
	t.Fatalf("more rows than bytes: %d", len(all))
	return nil, nil
}

func FuzzCSVRows(f *testing.F) {
	f.Add([]byte(mixedCSV))
	f.Add([]byte("Email;Name;Role\r\na@example.com;\"A;B\";user\r\n"))
	f.Add([]byte("email,name,role\n\"a\n\n\"b,c\nx"))
	f.Add([]byte("email,name,role,metadata\r\na,b,c,\"{\"\"x\"\":1}\"\r\n\"\"\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := newCSVRows(bytes.NewReader(text), rowDefaults{})
		if err != nil {
			return
		}
		all, _ := readAll(t, rows, len(text))
		for _, r := range all {
			_ = r.user.Check()
		}
	})
}

func FuzzJSONRows(f *testing.F) {
	f.Add([]byte(mixedJSONL))
	f.Add([]byte("{}\n\n[]\n{\"email\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := newJSONRows(bytes.NewReader(text), rowDefaults{})
		if err != nil {
			return
		}
		all, err := readAll(t, rows, len(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			_ = r.user.Check()
		}
	})
}

// rowTexts are the rowTexts of one row, with the keys of a JSON row.
type rowTexts struct {
	Email      string `json:"email"`
	Name       string `json:"name"`
	Role       string `json:"role"`
	Department string `json:"department"`
}

func drawRow(t *rapid.T) rowTexts {
	text := rapid.StringMatching(`[a-zé"',; \n]{1,12}x`)
	return rowTexts{text.Draw(t, "email"), text.Draw(t, "name"), "user", text.Draw(t, "department")}
}

// The test writes random rowTexts with the encoders of the standard library and reads them again.
func TestRowsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		people := rapid.SliceOfN(rapid.Custom(drawRow), 0, 5).Draw(t, "people")
		var asCSV, asJSON strings.Builder
		table, objects := csv.NewWriter(&asCSV), json.NewEncoder(&asJSON)
		table.Comma = rapid.SampledFrom([]rune{',', ';'}).Draw(t, "separator")
		err := table.Write([]string{"department", "Role", "NAME", "email"})
		for _, p := range people {
			err = errors.Join(err, table.Write([]string{p.Department, p.Role, p.Name, p.Email}), objects.Encode(p))
		}
		table.Flush()
		fromCSV, csvErr := newCSVRows(strings.NewReader(asCSV.String()), rowDefaults{})
		fromJSON, jsonErr := newJSONRows(strings.NewReader(asJSON.String()), rowDefaults{})
		if err := errors.Join(err, csvErr, jsonErr); err != nil {
			t.Fatal(err)
		}
		checkRows(t, fromCSV, people)
		checkRows(t, fromJSON, people)
	})
}

func checkRows(t *rapid.T, rows rowReader, people []rowTexts) {
	for _, p := range people {
		got, err := rows.next()
		if err := errors.Join(err, got.err); err != nil {
			t.Fatal(err)
		}
		if back := (rowTexts{got.user.Email, got.user.Name, string(got.user.Role), got.user.Department}); back != p {
			t.Fatalf("%+v was read as %+v", p, back)
		}
	}
	if _, err := rows.next(); !errors.Is(err, io.EOF) {
		t.Fatalf("after the last row: %v", err)
	}
}

// The limit applies to a row and not to the whole file.
func TestCSVRowsReadsLongFile(t *testing.T) {
	t.Parallel()
	const rows = 300
	text := "email,name,role,department\n" + strings.Repeat("a@example.com,A,user,\""+strings.Repeat("x\n", 5_000)+"\"\n", rows)
	if len(text) < 2*maxRowBytes {
		t.Fatalf("the file has only %d bytes", len(text))
	}
	reader, err := newCSVRows(strings.NewReader(text), rowDefaults{})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := readAll(t, reader, len(text)); err != nil || len(all) != rows || all[rows-1].line != 2+(rows-1)*5_001 {
		t.Errorf("%d rows, %v; want %d", len(all), err, rows)
	}
}
