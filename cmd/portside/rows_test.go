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

// drain reads to the end, and fails where rows go backwards or have no end.
func drain(t *testing.T, rows rowReader, size int) (all []row, err error) {
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
		all, _ := drain(t, rows, len(text))
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
		all, err := drain(t, rows, len(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			_ = r.user.Check()
		}
	})
}

// texts are those of one row, named as in a file of objects.
type texts struct {
	Email      string `json:"email"`
	Name       string `json:"name"`
	Role       string `json:"role"`
	Department string `json:"department"`
}

func drawTexts(t *rapid.T) texts {
	text := rapid.StringMatching(`[a-zé"',; \n]{1,12}x`)
	return texts{text.Draw(t, "email"), text.Draw(t, "name"), "user", text.Draw(t, "department")}
}

// TestRowsComeBack writes any texts by the standard library's writers and reads them again.
func TestRowsComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		people := rapid.SliceOfN(rapid.Custom(drawTexts), 0, 5).Draw(t, "people")
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

func checkRows(t *rapid.T, rows rowReader, people []texts) {
	for _, p := range people {
		got, err := rows.next()
		if err := errors.Join(err, got.err); err != nil {
			t.Fatal(err)
		}
		if back := (texts{got.user.Email, got.user.Name, string(got.user.Role), got.user.Department}); back != p {
			t.Fatalf("%+v came back as %+v", p, back)
		}
	}
	if _, err := rows.next(); !errors.Is(err, io.EOF) {
		t.Fatalf("after the last row: %v", err)
	}
}

// TestLongFile has no more than one row in memory, whose bound is not the file's.
func TestLongFile(t *testing.T) {
	t.Parallel()
	const rows = 300
	text := "email,name,role,department\n" + strings.Repeat("a@example.com,A,user,\""+strings.Repeat("x\n", 5_000)+"\"\n", rows)
	if len(text) < 2*maxRow {
		t.Fatalf("the file has %d bytes only", len(text))
	}
	reader, err := newCSVRows(strings.NewReader(text), rowDefaults{})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := drain(t, reader, len(text)); err != nil || len(all) != rows || all[rows-1].line != 2+(rows-1)*5_001 {
		t.Errorf("%d rows, %v; want %d", len(all), err, rows)
	}
}
