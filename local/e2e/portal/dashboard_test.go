package portal

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

const dashboardPage = "/portal/dashboard"

// finalViews returns the parameters of views whose figures cannot change any more, because their periods have ended.
func (d *dashboard) finalViews() []string {
	d.t.Helper()
	month := d.api("period=last_month").JSON("data.period").(map[string]any)
	return []string{
		"period=last_month", "period=last_month&compare=year_ago", "period=last_week&compare=none", "period=last_quarter", "period=last_year",
		"period=last_month&compare=calendar",
		fmt.Sprintf("period=custom&startDate=%v&endDate=%v", month["startDate"], month["endDate"]),
	}
}

// currentViews are the parameters of views whose figures may change between two requests, because they count the
// requests of the test, with a delay.
var currentViews = []string{
	"", "compare=calendar", "period=today", "period=yesterday", "period=this_week", "period=this_quarter&compare=none", "period=this_year&compare=year_ago",
}

// TestDashboardNumbers compares the page with the responses that it has received.
func TestDashboardNumbers(t *testing.T) {
	d := newDashboard(t, "manager")
	for _, view := range currentViews {
		d.open(view)
		d.wantShown(view)
	}
}

// TestDashboardOfEndedPeriods compares the page also with the API's responses for another user. The figures of
// yesterday grow until all its requests are counted. So the test opens a page again if the figures have changed
// meanwhile.
func TestDashboardOfEndedPeriods(t *testing.T) {
	d := newDashboard(t, "manager")
	for _, view := range d.finalViews() {
		var before map[string]any
		e2etest.Await(t, "figures that do not change", func() bool {
			before = d.fromAPI(view)
			d.open(view)
			return reflect.DeepEqual(before, d.fromAPI(view))
		})
		d.wantShown(view)
		got := partsOf(view, d.received)
		for part, want := range before {
			if values, isMap := want.(map[string]any); isMap && part == dashboardDays+" data.values" {
				keepShown(values, got[part])
			}
			if !reflect.DeepEqual(got[part], want) {
				t.Errorf("%s: the page has %s = %v, the API %v", view, part, got[part], want)
			}
		}
	}
}

// keepShown removes the values that the page has not received, because it asks only for figures that have a chart.
func keepShown(values map[string]any, received any) {
	shown, _ := received.(map[string]any)
	maps.DeleteFunc(values, func(path string, _ any) bool {
		_, isShown := shown[path]
		return !isShown
	})
}

// wantShown compares the page with the responses that it has received for the view.
func (d *dashboard) wantShown(view string) {
	d.t.Helper()
	if differences := d.differences(view); len(differences) > 0 {
		d.t.Errorf("%s: the page differs from its responses: %q", view, differences)
	}
}

// fromAPI returns what the API says about a view.
func (d *dashboard) fromAPI(view string) map[string]any {
	d.t.Helper()
	return partsOf(view, d.get)
}

// partsOf returns the parts of the responses for a view that do not depend on the time of the request.
func partsOf(view string, get func(path, view string) e2etest.Response) map[string]any {
	parts := map[string]any{}
	for _, request := range [][2]string{
		{dashboardFigures, view}, {dashboardDays, view}, {dashboardPulls, view + "&by=artifact"}, {dashboardPulls, view + "&by=person"},
	} {
		response := get(request[0], request[1])
		for _, part := range []string{
			"data.period", "data.metrics", "data.previous.period", "data.previous.metrics", "data.dates", "data.values", "data.entries",
		} {
			key := request[0] + " " + part
			if request[0] == dashboardPulls {
				key = request[1] + " " + part
			}
			parts[key] = response.JSON(part)
		}
	}
	return parts
}

func TestDashboardSeries(t *testing.T) {
	d := newDashboard(t, "manager")
	for _, view := range []string{"period=last_month&compare=previous", "period=last_week&compare=none"} {
		d.open(view)
		daily := d.received(dashboardDays, view)
		for _, path := range d.charts() {
			title := browser.Eval[string](d.page, `document.querySelector("[data-series='`+path+`'] h3").innerText`)
			d.page.Click(browser.Button("Show as table: " + title))
			d.page.WaitFor(browser.Button("Hide the table: " + title))
			rows := d.tableRows(path)
			want := expectedRows(daily, path)
			if len(rows) != len(want) {
				t.Fatalf("%s, %s: the table has %d rows, want %d", view, path, len(rows), len(want))
			}
			for i, row := range want {
				d.wantRow(path, rows[i], row)
			}
			d.wantFile(path, title, want)
			d.page.Click(browser.Button("Hide the table: " + title))
		}
		d.wantBars("usage.api.calls", daily)
	}
}

// wantFile downloads the file of a chart and compares it with the rows.
func (d *dashboard) wantFile(path, title string, want [][]any) {
	d.t.Helper()
	name, content := d.page.Download(func() { d.page.Click(browser.Button("Download CSV: " + title)) })
	if first, last := want[0][0], want[len(want)-1][0]; name != fmt.Sprintf("%s_%s_%s.csv", path, first, last) {
		d.t.Errorf("the file of %s has the name %s", path, name)
	}
	content, hasMark := bytes.CutPrefix(content, []byte("\uFEFF"))
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil || !hasMark || len(rows) != len(want)+1 || !bytes.HasSuffix(content, []byte("\r\n")) {
		d.t.Fatalf("%s: %d rows, error %v: %q", name, len(rows), err, content)
	}
	for i, row := range want {
		for j, cell := range row {
			if got := rows[i+1][j]; got != csvCell(cell) {
				d.t.Errorf("%s has %q in row %d, want %v", name, got, i+1, cell)
			}
		}
	}
}

func csvCell(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(cell)
}

// wantBars compares the heights of the bars with the values.
func (d *dashboard) wantBars(path string, daily e2etest.Response) {
	d.t.Helper()
	heights := browser.Eval[[]float64](d.page, `[...document.querySelectorAll("[data-series='`+path+`'] .bar")].map(
		bar => Number(bar.getAttribute("height")))`)
	var values []float64
	for _, value := range daily.JSON("data.values").(map[string]any)[path].([]any) {
		if v, _ := value.(float64); v > 0 {
			values = append(values, v)
		}
	}
	if len(heights) != len(values) {
		d.t.Fatalf("%s has %d bars for %d days with values", path, len(heights), len(values))
	}
	highest, most := slices.Max(heights), slices.Max(values)
	for i, value := range values {
		if want := value / most * highest; heights[i] < want-1.5 || heights[i] > want+1.5 {
			d.t.Errorf("%s: bar %d is %v high, want %v", path, i, heights[i], want)
		}
	}
}

// TestDashboardByKeyboard reaches a chart with Tab and walks over its days.
func TestDashboardByKeyboard(t *testing.T) {
	d := newDashboard(t, "manager")
	d.open("period=last_month")
	rows := expectedRows(d.received(dashboardDays, "period=last_month"), "usage.api.calls")
	const limit = 80
	for range limit {
		if strings.HasPrefix(d.page.Focused().Name, "API requests,") {
			break
		}
		d.page.Press("Tab")
	}
	if focus := d.page.Focused(); !strings.HasPrefix(focus.Name, "API requests,") || !focus.Visible {
		t.Fatalf("Tab leads to %+v, want the chart of requests", focus)
	}
	last := len(rows) - 1
	for _, step := range []struct {
		key string
		at  int
	}{
		{"ArrowRight", last}, {"ArrowLeft", last - 1}, {"PageUp", last - 8}, {"Home", 0}, {"ArrowLeft", 0}, {"PageDown", 7}, {"ArrowRight", 8},
		{"End", last},
	} {
		d.page.Press(step.key)
		d.wantPointed(rows[step.at])
	}
	d.page.Press("Escape")
	d.page.WaitUntil("the end of the tooltip", `!document.querySelector(".tooltip")`)
	d.page.Press("Tab", "Enter") // the button of the table
	d.page.WaitFor(browser.Button("Hide the table: API requests"))
}

// wantPointed waits until the chart of requests shows and announces the row.
func (d *dashboard) wantPointed(row []any) {
	d.t.Helper()
	want := fmt.Sprintf("%s: %s; %s: %s", longDay(row[0]), grouped(row[1]), longDay(row[2]), grouped(row[3]))
	var got []string
	e2etest.Await(d.t, "the chart to announce "+want, func() bool {
		got = browser.Eval[[]string](d.page, `[document.activeElement.querySelector("[role=status]").textContent,
			[...document.activeElement.querySelectorAll(".tooltip p")].map(p => p.innerText).join("; ")]`)
		return got[0] == want && got[1] == want
	})
}

// TestDashboardAddress checks that the address keeps the view, and that the browser's buttons lead through the views.
func TestDashboardAddress(t *testing.T) {
	d := newDashboard(t, "manager")
	const month, year = "period=last_month", "period=last_month&compare=year_ago"
	d.open("")
	d.after(func() { d.page.Select("Period", "Last month") })
	d.wantView(month, "last_month", "previous")
	d.after(func() { d.page.Select("Compare with", "The same dates a year ago") })
	d.wantView(year, "last_month", "year_ago")
	d.after(d.page.Reload)
	d.wantView(year, "last_month", "year_ago")
	d.after(d.page.Back)
	d.wantView(month, "last_month", "previous")
	d.after(func() { d.page.Select("Compare with", "The month before") })
	d.wantView("period=last_month&compare=calendar", "last_month", "calendar")
	d.after(d.page.Back)
	d.after(d.page.Back)
	d.wantView("", "this_month", "previous")
}

// wantView checks that the address, the fields and the figures are those of a view.
func (d *dashboard) wantView(view, period, compare string) {
	d.t.Helper()
	d.page.WaitURL(strings.TrimSuffix(dashboardPage+"?"+view, "?"))
	if p, c := d.page.Value("Period"), d.page.Value("Compare with"); p != period || c != compare {
		d.t.Errorf("%s: the fields have %q and %q", view, p, c)
	}
	d.wantShown(view)
}

func TestDashboardCustomDates(t *testing.T) {
	d := newDashboard(t, "manager")
	d.open("period=last_month&compare=none")
	days := d.received(dashboardFigures, "period=last_month&compare=none").JSON("data.period").(map[string]any)
	d.after(func() { d.page.Select("Period", "Custom dates") })
	d.page.WaitURL(fmt.Sprintf("%s?period=custom&compare=none&startDate=%v&endDate=%v", dashboardPage, days["startDate"],
		days["endDate"]))
	d.page.Allow("400 GET /v1/analytics/")
	d.page.Fill("First day", fmt.Sprint(days["endDate"]))
	d.page.Fill("Last day", fmt.Sprint(days["startDate"]))
	d.page.Click(browser.Button("Show"))
	d.page.WaitText("must not be after endDate")
	if value := d.page.Value("First day"); value != days["endDate"] {
		t.Errorf("the field has %q, want what was typed", value)
	}
	d.page.Fill("First day", fmt.Sprint(days["startDate"]))
	d.after(func() { d.page.Click(browser.Button("Show")) })
	d.page.WaitNoText("must not be after endDate")
	day := longDay(days["startDate"])
	if line := d.shown().Line; !strings.HasPrefix(line, day+". ") {
		t.Errorf("the page shows %q, want %s", line, day)
	}
}

// TestDashboardFormulas gives the user with the most pulls a name that a spreadsheet would run.
//
//proves:docs/security.md
func TestDashboardFormulas(t *testing.T) {
	d := newDashboard(t, "manager")
	const formula = `=HYPERLINK("mailto:x@example.com","<b>x</b>")`
	ranking := d.get(dashboardPulls, "by=person&period=last_month")
	entries := ranking.List("data.entries")
	entries[0].(map[string]any)["name"] = formula
	renamed, err := json.Marshal(map[string]any{"data": map[string]any{
		"period": ranking.JSON("data.period"), "meta": ranking.JSON("data.meta"), "entries": entries, "complete": true,
	}})
	if err != nil {
		t.Fatal(err)
	}
	stop := d.page.Network.Respond("*"+dashboardPulls+"?by=person*", http.StatusOK, string(renamed))
	defer stop()
	d.open("period=last_month")
	d.page.WaitText(formula)
	_, content := d.page.Download(func() { d.page.Click(browser.Button("Download CSV: Pulls by user")) })
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\uFEFF")))).ReadAll()
	if err != nil || rows[1][0] != "'"+formula {
		t.Errorf("the file begins with %q, error %v", rows[:2], err)
	}
}

func TestDashboardFailures(t *testing.T) {
	d := newDashboard(t, "manager")
	d.open("period=yesterday")
	for pattern, shown := range map[string]int{
		"*/v1/analytics/dashboard*": 0, "*/v1/analytics/daily*": 22, "*/v1/analytics/pulls?by=person*": 22,
	} {
		stop := d.page.Network.Respond(pattern, http.StatusServiceUnavailable,
			`{"detail":"The service is busy.","requestId":"r-1"}`)
		d.page.Click(browser.Button("Refresh"))
		d.page.WaitText("The service is busy.")
		d.page.WaitText("request ID r-1")
		stop()
		if n := len(d.shown().Figures); n != shown {
			t.Errorf("with %s failing, the page has %d figures, want %d", pattern, n, shown)
		}
		d.page.Click(browser.Button("Try again"))
		d.page.WaitNoText("The service is busy.")
		d.ready() // the page has asked again, because it does not show the problem any more
		if n := len(d.shown().Figures); n != 22 {
			t.Errorf("after another try, the page has %d figures", n)
		}
	}
}

func TestDashboardWithoutData(t *testing.T) {
	d := newDashboard(t, "manager")
	d.open("period=custom&startDate=2024-02-01&endDate=2024-02-29")
	d.page.WaitText("API requests: no values in this period.")
	d.page.WaitText("There were no pulls in this period.")
	if line := d.shown().Line; !strings.HasPrefix(line,
		"Feb 1, 2024 to Feb 29, 2024, compared with Jan 3, 2024 to Jan 31, 2024.") {
		t.Errorf("the page shows %q", line)
	}
	d.page.Axe()
}

// TestDashboardCalendarUnits compares units of different length, and asks for dates that are no unit.
func TestDashboardCalendarUnits(t *testing.T) {
	d := newDashboard(t, "manager")
	d.open("period=custom&compare=calendar&startDate=2024-02-01&endDate=2024-02-29")
	const days = "Feb 1, 2024 to Feb 29, 2024 (29 days), compared with Jan 1, 2024 to Jan 31, 2024 (31 days). "
	if line := d.shown().Line; !strings.HasPrefix(line, days) {
		t.Errorf("the page shows %q", line)
	}
	e2etest.FitsWindow(t, d.page)
	d.page.Axe()
	d.page.Allow("400 GET /v1/analytics/")
	d.page.Fill("First day", "2024-02-10")
	d.page.Click(browser.Button("Show"))
	d.page.WaitText("calendar needs one day, or a startDate that begins a week (Monday), month, quarter or year")
	d.after(func() { d.page.Select("Compare with", "Previous period") })
	d.page.WaitNoText("calendar needs one day")
	for period, label := range map[string]string{
		"Today": "The day before", "This week": "The same days of the week before", "Last quarter": "The quarter before",
	} {
		d.after(func() { d.page.Select("Period", period) })
		if got := browser.Eval[string](d.page, `document.querySelector("option[value=calendar]").text`); got != label {
			t.Errorf("for %s, the comparison is %q, want %q", period, got, label)
		}
	}
}

func TestDashboardAccessibility(t *testing.T) {
	d := newDashboard(t, "manager")
	d.open("period=last_month")
	d.page.Click(browser.Button("Show as table: API requests"))
	d.page.Axe()
	e2etest.FitsWindow(t, d.page)
}

// TestDashboardLoading checks that what loads later does not move what people already read, and that one view sends few
// requests.
func TestDashboardLoading(t *testing.T) {
	d := newDashboard(t, "manager")
	for _, size := range []browser.Size{browser.Phone, browser.Desktop} {
		d.page.Window.Resize(size)
		d.open("period=last_month")
		shift := browser.Eval[float64](d.page, `new Promise(done => new PerformanceObserver(
			list => done(list.getEntries().reduce((sum, e) => sum + e.value, 0))).observe({ type: "layout-shift", buffered: true })
			?? setTimeout(() => done(0), 500))`)
		t.Logf("at %v, the layout shifts by %v", size, shift)
		if shift > 0.1 { // the limit of a good page: https://web.dev/articles/cls
			t.Errorf("at %v, the layout shifts by %v", size, shift)
		}
	}
	before := len(d.page.Network.Requests())
	d.after(func() { d.page.Click(browser.Button("Refresh")) })
	var analytics, others []string
	for _, request := range d.page.Network.Requests()[before:] {
		if at, _ := url.Parse(request.URL); strings.HasPrefix(at.Path, "/v1/analytics/") {
			analytics = append(analytics, at.Path)
		} else {
			others = append(others, at.Path)
		}
	}
	if len(analytics) != 4 || len(others) > 0 { // the ranking of users has their names
		t.Errorf("one view sends %v and %v", analytics, others)
	}
}

// TestDashboardOfViewer checks that without tokens:read, the page does not ask who pulls, and names no artifact that
// the user cannot pull.
func TestDashboardOfViewer(t *testing.T) {
	d := newDashboard(t, "viewer")
	d.open("period=last_month")
	rankings := d.shown().Rankings
	if _, people := rankings["person"]; people || len(rankings["artifact"]) == 0 {
		t.Errorf("a viewer sees the rankings %v", rankings)
	}
	for _, row := range rankings["artifact"] {
		if row[0] != "Another chart" && row[0] != "Another image" {
			t.Errorf("a viewer without tokens sees the name %q", row[0])
		}
	}
}
