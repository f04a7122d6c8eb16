package media

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// Labels of the page for media.
const (
	chooseFiles = "Drop files here, or choose them"
	chooseTwo   = "Drop two files here, or choose them"
	curlLabel   = "curl command"
	jsonLabel   = "JSON response"
)

// mediaPage is the portal's page for media, with the data that its tests need.
type mediaPage struct {
	*browser.Page
	*e2etest.Stack

	key    string // an API key of the same user, for curl commands
	folder string // of the files that the test sends
}

// visitMedia opens the page for media as a new user.
func visitMedia(t *testing.T, p *e2etest.Stack) *mediaPage {
	t.Helper()
	_, key := p.Users.Create(t, "ada", "user")
	m := &mediaPage{Stack: p, key: key, folder: t.TempDir(), Page: p.Portal.VisitAs(t, "ada")}
	m.Allow("another host: POST " + p.Info.S3)
	m.Allow("another host: OPTIONS " + p.Info.S3)
	m.open("/portal/media")
	return m
}

func (m *mediaPage) open(path string) {
	m.Open(path)
	m.WaitFor(browser.Heading("Media"))
}

// file writes a file that the test can send.
func (m *mediaPage) file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(m.folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// example copies a file of the documentation to the folder of the test.
func (m *mediaPage) example(t *testing.T, name string) string {
	t.Helper()
	return m.file(t, name, e2etest.FromRepository(t, "docs", "media", name))
}

// drop writes a file and drops a file with the same name and content on the page. DevTools cannot choose files whose
// names have special characters.
func (m *mediaPage) drop(t *testing.T, name, content string) {
	t.Helper()
	m.file(t, name, content)
	browser.Eval[bool](m.Page, `(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File([`+e2etest.QuoteJS(t, content)+`], `+e2etest.QuoteJS(t, name)+`, { type: "text/plain" }));
		return document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
	})()`)
}

// variable adds a variable to the form.
func (m *mediaPage) variable(row, name, kind, description string) {
	m.Click(browser.Button("Add variable"))
	fields := m.Within(browser.Role("group", row))
	fields.Fill("Name", name)
	fields.Select("Type", kind)
	fields.Fill("Description (optional)", description)
}

// result is the part of the page with the result for a file.
func (m *mediaPage) result(task, file string) browser.Scope {
	return m.Within(browser.Role("region", task+": "+file))
}

// newestCode returns the text of a block of code of the newest result.
func (m *mediaPage) newestCode(t *testing.T, label string) string {
	t.Helper()
	return browser.Eval[string](m.Page, `(() => {
		const results = document.querySelector("h2.results").nextElementSibling;
		for (const details of results.querySelectorAll(":scope > details")) details.open = true;
		return results.querySelector("pre[aria-label='`+label+`'] code").textContent;
	})()`)
}

// runScript runs a curl command of the page in the folder of the files, and returns the response.
func (m *mediaPage) runScript(t *testing.T, script string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	command.Dir, command.Env, command.Stderr = m.folder, append(os.Environ(), "KEY="+m.key), t.Output()
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, output)
	}
	return output
}

// wantSameFromCurl runs the curl command of the newest result, and compares the response with the response that the
// page shows.
func (m *mediaPage) wantSameFromCurl(t *testing.T) {
	t.Helper()
	script := m.newestCode(t, curlLabel)
	output := m.runScript(t, script)
	var want, got any
	if err := json.Unmarshal([]byte(m.newestCode(t, jsonLabel)), &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(output, &got); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, output)
	}
	if !e2etest.Agrees(want, got) {
		t.Errorf("%s\nreturns %s\nthe page has %v", script, output, want)
	}
}

func TestSummaryPage(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	m.Upload(chooseFiles, m.example(t, "contrato.txt"), m.example(t, "protokoll.docx"))
	m.Select("Format", "Bullet points")
	m.Select("Length", "Short")
	m.Fill("Focus on (optional)", "precio; coste's")
	m.Click(browser.Button("Summarize 2 files"))
	m.result("Summarize", "protokoll.docx").WaitText("Versandkosten")
	m.result("Summarize", "contrato.txt").WaitText("La renta")
	m.wantSameFromCurl(t) // of contrato.txt, which is first
	m.Axe()
	m.Click(browser.Button("Remove the result of contrato.txt"))
	m.Click(browser.Button("Remove the result of protokoll.docx"))
	m.WaitGone(browser.Heading("Results"))
}

func TestValuesOfText(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	m.Upload(chooseFiles, m.example(t, "contrato.txt"))
	m.Check("Extract values", true)
	m.variable("Variable 1", "landlord", "Text", "arrendador")
	m.variable("Variable 2", "monthly_rent", "Number", "renta mensual")
	m.variable("Variable 3", "renews", "Yes or no", "prórroga automática")
	m.variable("Variable 4", "pets", "Yes or no", "se permiten mascotas")
	m.Click(browser.Button("Extract"))
	m.WaitFor(browser.Row("landlord"))
	for row, want := range map[string]string{
		"landlord": "Inmobiliaria Puerto Claro, S.L.", "monthly_rent": "1,450", "renews": "yes", "pets": "not found",
	} {
		m.Within(browser.Row(row)).WaitText(want)
	}
	m.Click(browser.Button("Show where monthly_rent was found"))
	m.WaitFor(browser.Role("region", "Text of the file"))
	marked := browser.Eval[[]string](m.Page,
		`[...document.querySelectorAll("pre.document mark")].map(mark => mark.textContent)`)
	before := browser.Eval[string](m.Page,
		`document.querySelector("mark.selected").previousSibling.textContent.slice(-15)`)
	if len(marked) != 3 || marked[1] != "1.450,00 €" || before != "Renta mensual: " {
		t.Errorf("marked %q, the selected one after %q", marked, before)
	}
	m.wantSameFromCurl(t)
	m.Axe()
}

// TestValuesInDoubt shows possible values in place of one in doubt, and then takes the likeliest.
func TestValuesInDoubt(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	m.Upload(chooseFiles, m.file(t, "offer.txt",
		"We offer the pump for 120.00 EUR and the hose for 80.00 EUR. Delivery takes 14 days.\n"))
	m.Check("Extract values", true)
	m.variable("Variable 1", "total", "Number", "")
	m.Click(browser.Button("Extract"))
	m.WaitFor(browser.Row("total"))
	row := m.Within(browser.Row("total"))
	row.WaitText("not found")
	row.WaitText("Possible values")
	row.WaitText("120.00 EUR")
	row.Click(browser.Button("Show where 120.00 EUR was found"))
	m.WaitUntil("the mark", `document.querySelector("mark.selected")?.textContent === "120.00 EUR"`)
	m.Axe()
	m.Upload("Import", m.file(t, "model.json", `{"minConfidence": 0.02, "variables": {"total": {"type": "number"}}}`))
	m.WaitText("Imported with one variable.")
	m.Click(browser.Button("Extract"))
	m.WaitUntil("the value", `document.querySelector("h2.results").parentElement.querySelector("td .found")?.textContent === "120"`)
	m.wantSameFromCurl(t)
}

func TestComparisonPage(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	contract := "Lease\n\nTenant: Ada Lovelace\nMonthly rent: EUR 950.00\nStart: 1 September 2026\n"
	other := strings.NewReplacer("950", "990", "Ada Lovelace", "Grace Hopper").Replace(contract)
	m.Check("Compare", true)
	m.Upload(chooseTwo, m.file(t, "old.txt", contract))
	m.variable("Variable 1", "monthly_rent", "Number", "rent per month")
	m.variable("Variable 2", "start", "Date", "start of the lease")
	m.variable("Variable 3", "deposit", "Number", "")
	m.Click(browser.Button("Compare"))
	m.WaitText("A comparison needs two files. Choose 1 more.")
	m.Upload(chooseTwo, m.file(t, "new.txt", other))
	m.Click(browser.Button("Compare"))
	m.WaitFor(browser.Row("monthly_rent"))
	for row, want := range map[string]string{
		"monthly_rent": "Higher in the second document by 40", "start": "2026-09-01", "deposit": "Not found in either document",
	} {
		m.Within(browser.Row(row)).WaitText(want)
	}
	for row, want := range map[string]string{"monthly_rent": "+40 (+4.21%)", "start": "Equal", "deposit": "In neither"} {
		m.Within(browser.Row(row)).WaitText(want)
	}
	m.Click(browser.Button("Show where monthly_rent was found in the second file"))
	m.WaitFor(browser.Role("region", "Text of the file"))
	if mark := browser.Eval[string](m.Page, `document.querySelector("mark.selected").textContent`); !strings.Contains(mark,
		"990.00") {
		t.Errorf("marked %q", mark)
	}
	m.wantSameFromCurl(t)
}

// TestChangesPage compares whole texts in the portal. It checks that the words that differ are marked, also if the same
// words occur earlier.
func TestChangesPage(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	m.Check("Compare", true)
	rent := "Lease\n\nThe rent of the flat and the rent of the garage are due.\n\n"
	m.Upload(chooseTwo, m.file(t, "old.txt", rent+"Pets are not allowed.\n"))
	fee := strings.Replace(rent, "rent of the garage", "fee of the garage", 1)
	m.Upload(chooseTwo, m.file(t, "new.txt", fee+"The landlord insures it <b>.\n"))
	m.Click(browser.Button("Compare"))
	m.WaitText("3 clauses differ.")
	for row, want := range map[string][2]string{
		"Changed": {"<del>rent</del>", "<ins>fee</ins>"},
		"Removed": {"<del>Pets are not allowed.</del>", "not in this file"},
		"Added":   {"not in this file", "<ins>The landlord insures it &lt;b&gt;.</ins>"},
	} {
		m.WaitFor(browser.Row(row))
		cells := browser.Eval[[]string](m.Page, `[...document.querySelectorAll("tbody tr")]
			.filter((row) => row.cells[0].textContent === "`+row+`").flatMap((row) => [row.cells[1].innerHTML, row.cells[2].innerHTML])`)
		if len(cells) != 2 || !strings.Contains(cells[0], want[0]) || !strings.Contains(cells[1], want[1]) {
			t.Errorf("%s: %q, want %q", row, cells, want)
		}
	}
	before := browser.Eval[string](m.Page, `document.querySelector(".change del").previousSibling.textContent`)
	if before != "The rent of the flat and the " {
		t.Errorf("the mark comes after %q", before)
	}
	m.Axe()
	m.Click(browser.Button("Show where change 1 was found in the second file"))
	m.WaitFor(browser.Role("region", "Text of the file"))
	mark := browser.Eval[string](m.Page, `document.querySelector("mark.selected").textContent`)
	if mark != "The rent of the flat and the fee of the garage are due." {
		t.Errorf("marked %q", mark)
	}
	m.Axe()
	m.wantSameFromCurl(t)
}

// TestPicturePage shows the picture with the quote of a value. The test supplies the response, so that it knows the places.
func TestPicturePage(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		t.Fatal(err)
	}
	m.Check("Extract values", true)
	m.Upload(chooseFiles, m.file(t, "receipt <b>.png", picture.String()))
	m.variable("Variable 1", "total", "Number", "")
	m.variable("Variable 2", "paid", "Number", "")
	stop := m.Network.Respond("*"+e2etest.ExtractMedia+"*", http.StatusOK, `{
		"extracted_data": {"total": 12, "paid": 3}, "warnings": [], "evidence": {
		"total": [{"quote": "Total <b>12</b> EUR", "page": 1, "start": 0, "end": 19, "confidence": 0.9}],
		"paid": [{"quote": "3 EUR", "page": 1, "start": 20, "end": 25, "confidence": 0.9,
			"box": {"left": 10, "top": 5, "right": 30, "bottom": 10}}]}}`)
	m.Click(browser.Button("Extract"))
	m.Click(browser.Button("Show where total was found"))
	m.WaitFor(browser.Role("image", "Picture receipt <b>.png"))
	m.WaitText("Total <b>12</b> EUR")
	m.WaitUntil("the picture", `document.querySelector("main img.picture")?.naturalWidth === 40`)
	if marks := browser.Eval[int](m.Page, `document.querySelectorAll(".paper .mark.selected").length`); marks > 0 {
		t.Errorf("%d marks of an unknown place", marks)
	}
	m.Axe()
	m.Click(browser.Button("Show where paid was found"))
	m.WaitUntil("a mark on the second quarter of the height", `(() => {
		const part = (selector) => document.querySelector(selector)?.getBoundingClientRect();
		const [picture, mark] = [part("main img.picture"), part(".paper .mark.selected")];
		const near = (a, b) => Math.abs(a - b) <= 1;
		return mark && near(mark.left - picture.left, picture.width / 4) && near(mark.right - picture.left, picture.width * 3 / 4) &&
			near(mark.top - picture.top, picture.height / 4) && near(mark.bottom - picture.top, picture.height / 2);
	})()`)
	m.Axe()
	stop()
}

func TestLargeFilePage(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	line := "The quay was repaired in spring and the cranes were painted. "
	text := strings.Repeat(line, 6_000_000/len(line)) + "\nTotal: 12 EUR\n"
	m.Check("Extract values", true)
	m.Upload(chooseFiles, m.file(t, "large file.txt", "Total: 12 EUR\n"+text))
	m.variable("Variable 1", "total", "Number", "")
	m.Click(browser.Button("Extract"))
	m.WaitFor(browser.Row("total"))
	m.Within(browser.Row("total")).WaitText("12")
	sent := false
	for _, request := range m.Network.Requests() {
		sent = sent || request.Method == http.MethodPost && strings.HasPrefix(request.URL, m.Info.S3)
	}
	if !sent {
		t.Error("the page did not post the file to the bucket")
	}
	m.wantSameFromCurl(t) // with the ID of the upload
	// The command beside the form uploads the file itself.
	script := browser.Eval[string](m.Page, `document.querySelector("pre[aria-label='`+curlLabel+`'] code").textContent`)
	if !strings.Contains(script, "/v1/uploads") {
		t.Errorf("the command uploads nothing:\n%s", script)
	}
	if output := m.runScript(t, script); !strings.Contains(string(output), `"total":12`) {
		t.Errorf("the command returns %s", output)
	}
}

func TestSettingsOfMediaPage(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	model := `{"lang": "de", "prompt": "Preis", "minConfidence": 0.9, ` +
		`"variables": {"__proto__": {"type": "number", "description": "<b>"}, "b": {"type": "date"}}}`
	m.Check("Compare", true)
	m.Upload("Import", m.file(t, "model.json", model))
	m.WaitText("Imported with 2 variables.")
	m.Within(browser.Role("group", "Variable 2")).Fill("Description (optional)", "Beginn")
	m.Reload()
	m.WaitFor(browser.Heading("Variables"))
	name, exported := m.Download(func() { m.Click(browser.Button("Export")) })
	want := `{"lang": "de", "prompt": "Preis", "minConfidence": 0.9, "variables": {"__proto__": {"type": "number", "description": "<b>"}, ` +
		`"b": {"type": "date", "description": "Beginn"}}}`
	if name != "model.json" || !e2etest.Agrees(e2etest.Parsed(t, want), e2etest.Parsed(t, string(exported))) {
		t.Errorf("exported %s with %s", name, exported)
	}
	for text, want := range map[string]string{
		"no": "The file is not JSON", "[]": "must be an object", `{"colour": "red"}`: "has no key colour",
		`{"variables": {"a": {"type": "money"}}}`: "type must be one of string, number, date, boolean", `{"lang": 3}`: "lang must be text",
		`{"minConfidence": 2}`: "minConfidence must be a number above 0",
	} {
		m.Upload("Import", m.file(t, "wrong.json", text))
		m.WaitText(want)
	}
	m.Within(browser.Role("group", "Variable 1")).Click(browser.Button("Remove __proto__"))
	m.WaitGone(browser.Role("group", "Variable 2"))
}

// TestMediaPageByKeyboard uses only the keyboard, except to choose the file, because the browser's file dialog is not
// part of the page.
func TestMediaPageByKeyboard(t *testing.T) {
	m := visitMedia(t, e2etest.Shared(t))
	e2etest.TabTo(t, m.Page, "Summarize")
	m.Press("ArrowDown")
	m.WaitFor(browser.Heading("Variables"))
	m.Upload(chooseFiles, m.example(t, "contrato.txt"))
	e2etest.TabTo(t, m.Page, "Add variable")
	m.Press("Enter")
	m.WaitFor(browser.Role("group", "Variable 1"))
	e2etest.TabTo(t, m.Page, "Name") // the page moves the focus there
	m.Type("landlord")
	e2etest.TabTo(t, m.Page, "Description (optional)")
	m.Type("arrendador")
	m.Press("Enter") // sends the form
	m.WaitFor(browser.Row("landlord"))
	e2etest.TabTo(t, m.Page, "Show where landlord was found")
	m.Press("Enter")
	m.WaitFor(browser.Role("region", "Text of the file"))
	e2etest.TabTo(t, m.Page, "Close")
	m.Press("Enter")
	m.WaitGone(browser.Role("region", "Text of the file"))
	if got := m.Focused(); got.Name != "Show where landlord was found" || !got.Visible {
		t.Errorf("after the text is closed, the focus is on %+v", got)
	}
}
