package media

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// markedInText returns the marks in the text of a file, the selected one first, and the text before that.
const markedInText = `(() => {
	const selected = document.querySelector(".blocks mark.selected"), box = selected.closest(".blocks").getBoundingClientRect();
	const at = selected.getBoundingClientRect();
	return [selected.textContent, selected.previousSibling.textContent, String(at.top >= box.top && at.bottom <= box.bottom),
		...[...document.querySelectorAll(".blocks mark:not(.selected)")].map(mark => mark.textContent)];
})()`

// TestValuesOfWord finds values in a Word document by mouse and by keyboard. A browser cannot show such a file, so the
// page shows the text that the service has read.
func TestValuesOfWord(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	m.Upload(chooseFiles, m.example(t, "invoice-april.docx"))
	m.Check("Extract values", true)
	m.variable("Variable 1", "total", "Number", "amount to pay")
	m.variable("Variable 2", "due_date", "Date", "when it has to be paid")
	m.Click(browser.Button("Extract"))
	m.WaitFor(browser.Row("total"))
	m.Click(browser.Button("Show where total was found"))
	m.WaitFor(browser.Role("region", "Text of the file"))
	m.wantMarks(t, "1,512.50", "2 May 2026")
	m.Axe()
	m.wantSameFromCurl(t)
	m.Click(browser.Button("Close"))

	e2etest.TabTo(t, m.Page, "Show where due_date was found")
	m.Press("Enter")
	m.WaitFor(browser.Role("region", "Text of the file"))
	m.wantMarks(t, "2 May 2026", "1,512.50")
	e2etest.TabTo(t, m.Page, "Text of the file") // to scroll
	m.Press("Shift+Tab")
	m.Press("Enter")
	if got := m.Focused(); got.Name != "Show where due_date was found" {
		t.Errorf("after the place is closed, the focus is on %+v", got)
	}
}

// wantMarks checks that the text of the file marks one value as the selected one, in the visible part, and another
// value.
func (m *mediaPage) wantMarks(t *testing.T, selected, other string) {
	t.Helper()
	marks := browser.Eval[[]string](m.Page, markedInText)
	hasOther := slices.ContainsFunc(marks[3:], func(mark string) bool { return strings.Contains(mark, other) })
	if !strings.Contains(marks[0], selected) || marks[2] != "true" || !hasOther {
		t.Errorf("marked %q, want %q in the visible part, and %q", marks, selected, other)
	}
}

// TestValuesOfOtherFormats finds values in a table of sheets and in a mail. The mail tries to change the direction of
// the page's text and to add an element.
func TestValuesOfOtherFormats(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	sheets := e2etest.FromRepository(t, "documents", "office", "testdata", "accounts-en-libreoffice.xlsx")
	mail := "From: ada@example.com\nSubject: Prices\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n" +
		base64.StdEncoding.EncodeToString([]byte("<b id=injected>Total: \u202e1,200.00 EUR\u202c</b>\n\nTotal: 1,300.00 EUR\n")) + "\n"
	m.Upload(chooseFiles, m.file(t, "accounts.xlsx", sheets), m.file(t, "prices.eml", mail))
	m.Check("Extract values", true)
	m.variable("Variable 1", "total", "Number", "")
	m.Click(browser.Button("Extract from 2 files"))
	sheet := m.result("Extract values", "accounts.xlsx")
	sheet.WaitFor(browser.Row("total"))
	sheet.Click(browser.Button("Show where total was found"))
	m.WaitFor(browser.Role("region", "Text of the file"))
	marks := browser.Eval[[]string](m.Page, markedInText)
	places := browser.Eval[[]string](m.Page, `[...document.querySelectorAll(".block-place")].map(p => p.textContent)`)
	if marks[0] != "1322.75" || !strings.HasSuffix(marks[1], "Total\t") || len(places) < 2 || places[0] != "sheet 1" {
		t.Errorf("marked %q on %q", marks, places)
	}
	sheet.Click(browser.Button("Close"))

	message := m.result("Extract values", "prices.eml")
	message.WaitFor(browser.Row("total"))
	message.Click(browser.Button("Show where total was found"))
	m.WaitFor(browser.Role("region", "Text of the file"))
	text := browser.Eval[string](m.Page, `document.querySelector(".blocks").textContent`)
	if !strings.Contains(text, "<b id=injected>Total: 1,200.00") || strings.ContainsAny(text, "\u202e\u202c") {
		t.Errorf("the text is %q", text)
	}
	if browser.Eval[bool](m.Page, `document.querySelector("#injected") !== null`) {
		t.Error("the text of the mail added an element")
	}
}
