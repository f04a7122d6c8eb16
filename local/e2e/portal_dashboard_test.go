package e2e

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"portside/local/browser"
)

const dashboardPage = "/portal/dashboard"

// TestPortalDashboard fills the stack with demo data and compares everything that the dashboard shows with the API.
func TestPortalDashboard(t *testing.T) {
	const wholeTest, onePart = 6 * time.Minute, 2 * time.Minute
	awaitQuietDay(t, wholeTest)
	p := newTestStack(t)
	p.start(t, noRateLimit())
	p.runCommand(t, filepath.Join(repository, ".local", "bin", "portside"), "demo-data", "--local", p.data, "--days", "75")
	checkDemoLists(t, p)
	p.createUser(t, "manager@example.com", "manager")
	p.createUser(t, "viewer@example.com", "viewer")
	d := &dashboard{t: t, testStack: p, page: p.visitAs(t, "manager@example.com")}
	for _, part := range []struct {
		name string
		run  func(*testing.T, *dashboard)
	}{
		{"numbers", testDashboardNumbers},
		{"charts, tables and files", testDashboardSeries},
		{"keyboard", testDashboardByKeyboard},
		{"address", testDashboardAddress},
		{"custom dates", testDashboardCustomDates},
		{"names like formulas", testDashboardFormulas},
		{"failures", testDashboardFailures},
		{"nothing", testDashboardWithoutData},
		{"accessibility", testDashboardAccessibility},
		{"loading", testDashboardLoading},
		{"modules", testDashboardModules},
		{"viewer", testDashboardOfViewer},
	} {
		t.Run(part.name, func(t *testing.T) {
			awaitQuietDay(t, onePart) // on a busy machine, the parts before may have taken long
			part.run(t, d.in(t))
		})
	}
	p.checkNoSecretsLeaked(t)
}

// finalViews returns the parameters of views whose figures cannot change any more, because their periods have ended.
func (d *dashboard) finalViews() []string {
	d.t.Helper()
	month := d.api("period=last_month").JSON("data.period").(map[string]any)
	return []string{
		"period=last_month", "period=last_month&compare=year_ago", "period=last_week&compare=none", "period=last_quarter", "period=last_year",
		fmt.Sprintf("period=custom&startDate=%v&endDate=%v", month["startDate"], month["endDate"]),
	}
}

// currentViews are the parameters of views whose figures may change between two requests, because they count the requests of
// the test, with a delay.
var currentViews = []string{
	"", "period=today", "period=yesterday", "period=this_week", "period=this_quarter&compare=none", "period=this_year&compare=year_ago",
}

// testDashboardNumbers compares the page with the responses that it has received, and those that cannot change with the API.
func testDashboardNumbers(t *testing.T, d *dashboard) {
	final := d.finalViews()
	for _, view := range slices.Concat(final, currentViews) {
		d.open(view)
		if differences := d.differences(view); len(differences) > 0 {
			t.Errorf("%s: the page differs from its responses: %q", view, differences)
		}
		if slices.Contains(final, view) {
			d.wantSameFromAPI(view)
		}
	}
}

// wantSameFromAPI compares the responses that the page has received with the API's for another user.
func (d *dashboard) wantSameFromAPI(view string) {
	d.t.Helper()
	for _, request := range [][2]string{
		{dashboardFigures, view}, {dashboardPulls, view + "&by=artifact"}, {dashboardPulls, view + "&by=person"},
	} {
		got, want := d.received(request[0], request[1]), d.get(request[0], request[1])
		for _, part := range []string{"data.period", "data.metrics", "data.previous", "data.entries"} {
			if !reflect.DeepEqual(got.JSON(part), want.JSON(part)) {
				d.t.Errorf("%s: the page has %s = %v, the API %v", got.Request(), part, got.JSON(part), want.JSON(part))
			}
		}
	}
}

func testDashboardSeries(t *testing.T, d *dashboard) {
	for _, view := range []string{"period=last_month&compare=previous", "period=last_week&compare=none"} {
		d.open(view)
		daily := d.get(dashboardDays, view)
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
func (d *dashboard) wantBars(path string, daily response) {
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

// testDashboardByKeyboard reaches a chart with Tab and walks over its days.
func testDashboardByKeyboard(t *testing.T, d *dashboard) {
	d.open("period=last_month")
	rows := expectedRows(d.get(dashboardDays, "period=last_month&compare=previous"), "usage.api.calls")
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
	await(d.t, "the chart to announce "+want, func() bool {
		got = browser.Eval[[]string](d.page, `[document.activeElement.querySelector("[role=status]").textContent,
			[...document.activeElement.querySelectorAll(".tooltip p")].map(p => p.innerText).join("; ")]`)
		return got[0] == want && got[1] == want
	})
}

// testDashboardAddress checks that the address keeps the view, and that the browser's buttons lead through the views.
func testDashboardAddress(t *testing.T, d *dashboard) {
	d.open("")
	d.after(func() { d.page.Select("Period", "Last month") })
	d.page.WaitURL(dashboardPage + "?period=last_month")
	d.after(func() { d.page.Select("Compare with", "The same dates a year ago") })
	d.page.WaitURL(dashboardPage + "?period=last_month&compare=year_ago")
	line := d.shown().Line
	d.after(d.page.Reload)
	if again := d.shown().Line; withoutTime(again) != withoutTime(line) || d.page.Value("Period") != "last_month" {
		t.Errorf("after reloading, the page shows %q, want %q", again, line)
	}
	d.after(d.page.Back)
	d.page.WaitURL(dashboardPage + "?period=last_month")
	if value := d.page.Value("Compare with"); value != "previous" || withoutTime(d.shown().Line) == withoutTime(line) {
		t.Errorf("back shows the comparison %q and %q", value, d.shown().Line)
	}
	d.after(d.page.Back)
	d.page.WaitURL(dashboardPage)
	if value := d.page.Value("Period"); value != "this_month" {
		t.Errorf("back to the beginning shows %q", value)
	}
}

func testDashboardCustomDates(t *testing.T, d *dashboard) {
	d.open("period=last_month&compare=none")
	days := d.api("period=last_month").JSON("data.period").(map[string]any)
	d.after(func() { d.page.Select("Period", "Custom dates") })
	d.page.WaitURL(fmt.Sprintf("%s?period=custom&compare=none&startDate=%v&endDate=%v", dashboardPage, days["startDate"], days["endDate"]))
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

// testDashboardFormulas gives the user with the most pulls a name that a spreadsheet would run.
func testDashboardFormulas(t *testing.T, d *dashboard) {
	const formula = `=HYPERLINK("mailto:x@example.com","<b>x</b>")`
	first := d.get(dashboardPulls, "by=person&period=last_month").Text("data.entries.0.userId")
	d.admin(t).Do(http.MethodPut, "/v1/users/"+first, `{"name":`+strconv.Quote(formula)+`}`).WantStatus(http.StatusOK)
	d.page.Open("about:blank") // the names that the page knows are gone
	d.open("period=last_month")
	d.page.WaitText(formula)
	_, content := d.page.Download(func() { d.page.Click(browser.Button("Download CSV: Pulls by user")) })
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\uFEFF")))).ReadAll()
	if err != nil || rows[1][0] != "'"+formula {
		t.Errorf("the file begins with %q, error %v", rows[:2], err)
	}
}

func testDashboardFailures(t *testing.T, d *dashboard) {
	d.open("period=yesterday")
	for pattern, shown := range map[string]int{
		"*/v1/analytics/dashboard*": 0, "*/v1/analytics/daily*": 21, "*/v1/analytics/pulls?by=person*": 21,
	} {
		stop := d.page.Respond(pattern, http.StatusServiceUnavailable, `{"detail":"The service is busy.","requestId":"r-1"}`)
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
		if n := len(d.shown().Figures); n != 21 {
			t.Errorf("after another try, the page has %d figures", n)
		}
	}
}

func testDashboardWithoutData(t *testing.T, d *dashboard) {
	d.open("period=custom&startDate=2024-02-01&endDate=2024-02-29")
	d.page.WaitText("API requests: no values in this period.")
	d.page.WaitText("There were no pulls in this period.")
	if line := d.shown().Line; !strings.HasPrefix(line, "Feb 1, 2024 to Feb 29, 2024, compared with Jan 3, 2024 to Jan 31, 2024.") {
		t.Errorf("the page shows %q", line)
	}
	d.page.Axe()
}

func testDashboardAccessibility(t *testing.T, d *dashboard) {
	d.open("period=last_month")
	d.page.Click(browser.Button("Show as table: API requests"))
	d.page.Axe()
	for _, size := range []browser.Size{browser.Phone, browser.Desktop} {
		d.page.Resize(size)
		d.page.Settle()
		if wide := d.page.Overflow(); len(wide) > 0 {
			t.Errorf("at %v, too wide: %q", size, wide)
		}
	}
}

// testDashboardLoading checks that what loads later does not move what people already read, and that one view sends few requests.
func testDashboardLoading(t *testing.T, d *dashboard) {
	for _, size := range []browser.Size{browser.Phone, browser.Desktop} {
		d.page.Resize(size)
		d.open("period=last_month")
		shift := browser.Eval[float64](d.page, `new Promise(done => new PerformanceObserver(
			list => done(list.getEntries().reduce((sum, e) => sum + e.value, 0))).observe({ type: "layout-shift", buffered: true })
			?? setTimeout(() => done(0), 500))`)
		t.Logf("at %v, the layout shifts by %v", size, shift)
		if shift > 0.1 { // the limit of a good page: https://web.dev/articles/cls
			t.Errorf("at %v, the layout shifts by %v", size, shift)
		}
	}
	before := len(d.page.Requests())
	d.after(func() { d.page.Click(browser.Button("Refresh")) })
	var analytics, others []string
	for _, request := range d.page.Requests()[before:] {
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

// testDashboardOfViewer checks that without tokens:read, the page does not ask who pulls, and names no artifact that the user
// cannot pull.
func testDashboardOfViewer(t *testing.T, d *dashboard) {
	d.page = d.visitAs(t, "viewer@example.com")
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
