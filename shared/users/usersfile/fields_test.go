package usersfile

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"portside/shared/testkit/fieldstest"
	"portside/shared/users"
)

func TestFilesKeepEachField(t *testing.T) {
	user := fieldstest.Filled[users.NewUser](t)
	line, err := Line(user)
	if err != nil {
		t.Fatal(err)
	}
	fieldstest.WantSame(t, "JSON Lines", firstUser(t, JSONLines, line), user)
	fieldstest.WantSame(t, "CSV", firstUser(t, CSV, asCSV(t, line)), user)
}

func firstUser(t *testing.T, format Format, text string) users.NewUser {
	t.Helper()
	rows, err := New(format, strings.NewReader(text), Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	row, err := rows.Next()
	if err != nil || row.Err != nil {
		t.Fatalf("%v, %v", err, row.Err)
	}
	return row.User
}

// asCSV returns a file with all columns, whose values are those of a line.
func asCSV(t *testing.T, line string) string {
	t.Helper()
	var values map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &values); err != nil {
		t.Fatal(err)
	}
	record := make([]string, len(columns()))
	for i, name := range columns() {
		if json.Unmarshal(values[name], &record[i]) != nil {
			record[i] = string(values[name]) // not a text
		}
	}
	var file strings.Builder
	if err := csv.NewWriter(&file).WriteAll([][]string{columns(), record}); err != nil {
		t.Fatal(err)
	}
	return file.String()
}
