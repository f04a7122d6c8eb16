package usersfile

import (
	"strings"
	"testing"
)

func TestOtherCharacterSetsAreNamed(t *testing.T) {
	const file = "email,name,role\na@example.com,Ren\xe9,user\nb@example.com,Zo\u00eb,user\n"
	rows, err := New(CSV, strings.NewReader(file), Defaults{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := readAll(t, rows, len(file))
	if err != nil || len(all) != 2 {
		t.Fatalf("%d rows, %v", len(all), err)
	}
	if all[0].Line != 2 || all[0].Err == nil || !strings.Contains(all[0].Err.Error(), "CSV UTF-8") || all[1].Err != nil {
		t.Errorf("the rows have the errors %v and %v", all[0].Err, all[1].Err)
	}
}

func TestHeaderSaysHowToSaveTheFile(t *testing.T) {
	for file, want := range map[string]string{
		"email\tname\trole\na@example.com\tAda\tuser\n": "line 1 has tabs between its columns",
		"email,name,role,d\xe9partement\n":              "line 1, the header: the text is not UTF-8",
		"\xff\xfee\x00m\x00":                            "the file is UTF-16",
	} {
		t.Run(file, func(t *testing.T) {
			if _, err := New(CSV, strings.NewReader(file), Defaults{}); err == nil || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), "CSV UTF-8") {
				t.Errorf("%q: %v, want %q and how to save the file", file, err, want)
			}
		})
	}
	if _, err := New(CSV, strings.NewReader("\ufeffemail,name,role\n"), Defaults{}); err != nil {
		t.Errorf("with a byte order mark: %v", err)
	}
}
