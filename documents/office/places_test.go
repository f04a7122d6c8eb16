package office_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"portside/documents"
)

// TestPlaces looks for words in files of other programs. The references of cells are those that the programs show.
func TestPlaces(t *testing.T) {
	for file, places := range map[string]map[string]documents.Place{
		"accounts-en-libreoffice.xlsx": {"1234.5": {Sheet: "Sales", Cell: "C4"}, "16:40:30": {Sheet: "Sales", Cell: "F5"}},
		"accounts-en-libreoffice.ods":  {"1234.5": {Sheet: "Sales", Cell: "C4"}, "16:40:30": {Sheet: "Sales", Cell: "F5"}},
		"slides-it-libreoffice.pptx":   {"9.500 €": {Slide: 3, Headings: []string{"Costi"}, Table: 1, Row: 3, Column: 2}},
		"slides-it-libreoffice.odp":    {"9.500 €": {Slide: 3, Headings: []string{"Costi"}, Table: 1, Row: 3, Column: 2}},
		"contract-de-pandoc.docx": {
			"Eine Verlängerung": {Headings: []string{"Vertragsparteien", "Laufzeit"}},
			"350,00 €":          {Headings: []string{"Vertragsparteien", "Vergütung"}, Table: 1, Row: 2, Column: 3},
		},
	} {
		t.Run(file, func(t *testing.T) {
			d, err := parse(t, filepath.Ext(file), load(t, file))
			if err != nil {
				t.Fatal(err)
			}
			for text, want := range places {
				if got := d.PlaceOf(strings.Index(d.Text(), text)); !reflect.DeepEqual(got, want) {
					t.Errorf("%s: %+v, want %+v", text, got, want)
				}
			}
		})
	}
}
