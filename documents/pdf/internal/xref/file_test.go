package xref

import (
	"fmt"
	"strings"
	"testing"

	"portside/documents"
	"portside/documents/pdf/internal/budget"
	"portside/documents/pdf/internal/syntax"
)

// objectStreamFile has a catalog in the file and two objects in an object stream. Its table comes
// from a repair.
const objectStreamFile = "%PDF-1.5\n1 0 obj\n<</Type/Catalog/Pages 3 0 R>>\nendobj\n" +
	"2 0 obj\n<</Type/ObjStm/N 2/First 9/Length 44>>\nstream\n3 0 4 22 <</Type/Pages/Kids[]>>(in a stream)\nendstream\nendobj\n"

func newFile(t *testing.T, data string) *File {
	t.Helper()
	return New(budget.New(t.Context(), documents.DefaultLimits()), []byte(data))
}

func TestRepairFindsObjectsAndObjectStreams(t *testing.T) {
	f := newFile(t, objectStreamFile)
	if err := f.ReadTables(); err == nil || budget.IsFinal(err) {
		t.Fatalf("file without startxref: got %v, want an error that a repair may fix", err)
	}
	if err := f.Repair(); err != nil {
		t.Fatal(err)
	}
	if got := f.Objects.Name(f.Objects.Dict(f.Catalog()["Pages"])["Type"]); got != "Pages" {
		t.Errorf("the page tree has the type %q", got)
	}
	if got := f.Objects.Text(syntax.Reference{Number: 4}); !strings.Contains(got, "in a stream") {
		t.Errorf("object 4 is %q", got)
	}
}

func TestMissingObjectIsNull(t *testing.T) {
	f := newFile(t, "%PDF-1.4\n1 0 obj\n<</Type/Catalog/X 9 0 R>>\nendobj\n")
	if err := f.Repair(); err != nil {
		t.Fatal(err)
	}
	if got := f.Objects.Resolve(syntax.Reference{Number: 9}); got != nil || f.Damage.Lost {
		t.Errorf("got %v, lost: %v", got, f.Damage.Lost)
	}
	if f.Expect(f.Catalog()["X"]); !f.Damage.Lost {
		t.Error("Expect records no loss for a missing object in a repaired file")
	}
}

func TestOlderTableDoesNotReplaceNewerEntries(t *testing.T) {
	file := "%PDF-1.4\n"
	older := len(file)
	file += "1 0 obj\n(older)\nendobj\n"
	newer := len(file)
	file += "1 0 obj\n(newer)\nendobj\n"
	oldTable := len(file)
	file += fmt.Sprintf("xref\n1 1\n%010d 00000 n \ntrailer\n<</Root 1 0 R>>\n", older)
	newTable := len(file)
	file += fmt.Sprintf("xref\n1 1\n%010d 00000 n \ntrailer\n<</Root 1 0 R/Prev %d>>\n", newer, oldTable)
	f := newFile(t, file+fmt.Sprintf("startxref\n%d\n%%%%EOF", newTable))
	if err := f.ReadTables(); err != nil {
		t.Fatal(err)
	}
	if got := f.Objects.Text(syntax.Reference{Number: 1}); got != "newer" {
		t.Errorf("got %q", got)
	}
}

func TestStreamDataIgnoresWrongLength(t *testing.T) {
	for _, length := range []string{"4", "1", "400", "-1", "9 0 R", "/X"} {
		f := newFile(t, "%PDF-1.4\n1 0 obj\n<</Length "+length+">>\nstream\ndata\nendstream\nendobj\n")
		if err := f.Repair(); err != nil {
			t.Fatal(err)
		}
		s := f.Objects.Stream(syntax.Reference{Number: 1})
		if s == nil || string(s.Raw) != "data" || s.Truncated {
			t.Errorf("length %s: got %+v", length, s)
		}
	}
}
