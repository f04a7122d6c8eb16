package usersfile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"portside/testclient/scale"
)

// readAll reads all rows. It fails if line numbers do not grow or if the rows never end.
func readAll(t *testing.T, rows Reader, size int) (all []Row, err error) {
	t.Helper()
	last := 0
	for range size + 2 {
		next, err := rows.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return all, err
		}
		if next.Line <= last {
			t.Fatalf("line %d comes after line %d", next.Line, last)
		}
		last = next.Line
		all = append(all, next)
	}
	t.Fatalf("more rows than bytes: %d", len(all))
	return nil, nil
}

func FuzzCSVRows(f *testing.F) {
	f.Add([]byte("\ufeffname,email,role,metadata\r\nAda,a@b,admin,\"{\"\"n\"\": 1}\"\r\n\"A\nB\",c@d,user,\r\n\r\nx,\"m\"a@b\r\n"))
	f.Add([]byte("Email;Name;Role\r\na@example.com;\"A;B\";user\r\n"))
	f.Add([]byte("email,name,role\n\"a\n\n\"b,c\nx"))
	f.Add([]byte("email,name,role,metadata\r\na,b,c,\"{\"\"x\"\":1}\"\r\n\"\"\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := New(CSV, bytes.NewReader(text), Defaults{})
		if err != nil {
			return
		}
		all, _ := readAll(t, rows, len(text))
		for _, r := range all {
			_ = r.User.Check()
		}
	})
}

func FuzzJSONRows(f *testing.F) {
	f.Add([]byte("\ufeff{\"email\":\"a@b\",\"name\":\"A\",\"role\":\"user\",\"metadata\":{\"n\": 1}}\r\n\nnull\n{} {}\n{"))
	f.Add([]byte("{}\n\n[]\n{\"email\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := New(JSONLines, bytes.NewReader(text), Defaults{})
		if err != nil {
			return
		}
		all, err := readAll(t, rows, len(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			_ = r.User.Check()
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

// A valid row is the same after Line and another reading, so a client can send the rows of a preview back.
func TestLineRoundTrip(t *testing.T) {
	t.Parallel()
	const text = `{"email":" ADA@example.com","name":"<Ada> \u2028 & \"B\"","role":"admin","department":"R&D",` +
		`"metadata":{"seat": 12345678901234567890, "html": "<b>"},"sendActivationEmail":true}`
	first := readOne(t, text)
	line, err := Line(first.User)
	if err != nil || strings.Contains(line, "\n") {
		t.Fatalf("%q, %v", line, err)
	}
	again := readOne(t, line).User
	if again.Email != "ada@example.com" || again.Name != first.User.Name || again.Department != "R&D" ||
		!again.ActivationEmail ||
		string(again.Metadata) != `{"seat":12345678901234567890,"html":"<b>"}` {
		t.Errorf("%s was read as %+v", line, again)
	}
}

func readOne(t *testing.T, text string) Row {
	t.Helper()
	rows, err := New(JSONLines, strings.NewReader(text), Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	row, err := rows.Next()
	if err := errors.Join(err, row.Err); err != nil {
		t.Fatal(err)
	}
	return row
}

func drawRow(t *rapid.T) rowTexts {
	text := rapid.StringMatching(`[a-zé"',; \n]{1,12}x`)
	return rowTexts{text.Draw(t, "email"), text.Draw(t, "name"), "user", text.Draw(t, "department")}
}

// The test writes random rowTexts with the encoders of the standard library and reads them again.
func TestRowsRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		people := rapid.SliceOfN(rapid.Custom(drawRow), 0, 5).Draw(t, "people")
		var asCSV, asJSON strings.Builder
		table, objects := csv.NewWriter(&asCSV), json.NewEncoder(&asJSON)
		table.Comma = rapid.SampledFrom([]rune{',', ';'}).Draw(t, "separator")
		err := table.Write([]string{"department", "Role", "NAME", "email"})
		for _, p := range people {
			err = errors.Join(err, table.Write([]string{p.Department, p.Role, p.Name, p.Email}), objects.Encode(p))
		}
		table.Flush()
		fromCSV, csvErr := New(CSV, strings.NewReader(asCSV.String()), Defaults{})
		fromJSON, jsonErr := New(JSONLines, strings.NewReader(asJSON.String()), Defaults{})
		if err := errors.Join(err, csvErr, jsonErr); err != nil {
			t.Fatal(err)
		}
		checkRows(t, fromCSV, people)
		checkRows(t, fromJSON, people)
	})
}

func checkRows(t *rapid.T, rows Reader, people []rowTexts) {
	for _, p := range people {
		got, err := rows.Next()
		if err := errors.Join(err, got.Err); err != nil {
			t.Fatal(err)
		}
		if back := (rowTexts{got.User.Email, got.User.Name, string(got.User.Role), got.User.Department}); back != p {
			t.Fatalf("%+v was read as %+v", p, back)
		}
	}
	if _, err := rows.Next(); !errors.Is(err, io.EOF) {
		t.Fatalf("after the last row: %v", err)
	}
}

// The limit applies to a row and not to the whole file.
func TestCSVRowsReadsLongFile(t *testing.T) {
	t.Parallel()
	const rows = 300
	text := "email,name,role,department\n" + strings.Repeat("a@example.com,A,user,\""+strings.Repeat("x\n",
		5_000)+"\"\n", rows)
	if len(text) < 2*MaxRowBytes {
		t.Fatalf("the file has only %d bytes", len(text))
	}
	reader, err := New(CSV, strings.NewReader(text), Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := readAll(t, reader, len(text)); err != nil || len(all) != rows || all[rows-1].Line != 2+(rows-1)*5_001 {
		t.Errorf("%d rows, %v; want %d", len(all), err, rows)
	}
}
