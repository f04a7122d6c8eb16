package usersfile

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// A file with the errors of an earlier import is read without them, whatever the position of their column.
func TestErrorColumnIsIgnored(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"email,name,role,error\na@example.com,'=A,user,line 2: x\n",
		"Error,email,name,role\nline 2: x,a@example.com,'=A,user\n",
		"email,name, ERROR ,role\na@example.com,'=A,,user\n",
	} {
		rows, err := New(CSV, strings.NewReader(file), Defaults{})
		if err != nil {
			t.Fatal(err)
		}
		row, err := rows.Next()
		if err != nil || row.Err != nil || row.User.Name != "=A" || row.User.Email != "a@example.com" ||
			row.User.Role != "user" {
			t.Errorf("%q is %+v: %v", file, row, err)
		}
		names, separator := rows.Columns()
		want := []string{"a@example.com", "=A", "user"}
		if !slices.Equal(names, []string{"email", "name", "role"}) || separator != ',' || !slices.Equal(row.Cells, want) {
			t.Errorf("%q has the columns %q and the cells %q", file, names, row.Cells)
		}
	}
}

// Without the column, no text is changed.
func TestApostrophesStayInOtherFiles(t *testing.T) {
	t.Parallel()
	user := firstUser(t, CSV, "email,name,role\na@example.com,'=A,user\n")
	if user.Name != "'=A" {
		t.Errorf("the name is %q", user.Name)
	}
}

// A row with a misplaced quote keeps its text, also if it has several lines, comes late in a large file, or ends the
// file.
func TestRowsWithMisplacedQuotesKeepTheirText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ok@example.com,Ok,user\n", 1000)
	file := "email,name,role\r\n" + long + "a@example.com,A \"B\" C,user\r\n" + long + "b@example.com,\"two\nlines\"x,user\n" +
		"c@example.com,C\"\",user"
	rows, err := New(CSV, strings.NewReader(file), Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	read := 0
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if read++; row.Err != nil {
			got = append(got, row.Cells...)
		}
	}
	want := []string{`a@example.com,A "B" C,user`, "b@example.com,\"two\nlines\"x,user", `c@example.com,C"",user`}
	if !slices.Equal(got, want) || read != 2003 {
		t.Errorf("of %d rows, the texts are %q, want %q", read, got, want)
	}
}
