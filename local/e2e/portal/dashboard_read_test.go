package portal

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"portside/local/browser"
	"portside/local/e2e/e2etest"
)

// dashboard is the portal's dashboard of a stack in a browser.
type dashboard struct {
	*e2etest.Stack

	t    *testing.T
	page *browser.Page
}

// newDashboard returns the dashboard of a stack with demo data, for a new user.
func newDashboard(t *testing.T, role string) *dashboard {
	t.Helper()
	p := withDemoData(t)
	return &dashboard{Stack: p, t: t, page: p.Portal.VisitAsNew(t, role, role)}
}

// open opens a view and waits until it has loaded.
func (d *dashboard) open(view string) {
	d.t.Helper()
	d.page.Open(strings.TrimSuffix(dashboardPage+"?"+view, "?"))
	d.ready()
}

func (d *dashboard) ready() {
	d.t.Helper()
	d.page.Settle()
	e2etest.Await(d.t, "the dashboard", func() bool {
		return browser.Eval[bool](d.page, `!!document.querySelector("[data-figure]") &&
			!document.querySelector("main [aria-busy=true], main .placeholder, main .ranking-placeholder")`)
	})
}

// after does a step that loads the view again, and waits until it has loaded.
func (d *dashboard) after(step func()) {
	d.t.Helper()
	before := d.countLoads()
	step()
	e2etest.Await(d.t, "the page to load the view", func() bool { return d.countLoads() > before })
	d.ready()
}

// countLoads returns how often the page has asked for the figures of a view. With them, it asks for everything else in
// the view.
func (d *dashboard) countLoads() (count int) {
	d.t.Helper()
	for _, request := range d.page.Network.Requests() {
		if strings.Contains(request.URL, dashboardFigures+"?") {
			count++
		}
	}
	return count
}

// Paths of the API from which the page loads a view.
const (
	dashboardFigures = "/v1/analytics/dashboard"
	dashboardDays    = "/v1/analytics/daily"
	dashboardPulls   = "/v1/analytics/pulls"
)

// query returns the parameters that the page sends for a view.
func (d *dashboard) query(view string) string {
	d.t.Helper()
	query, err := url.ParseQuery(view)
	if err != nil {
		d.t.Fatal(err)
	}
	if !query.Has("period") {
		query.Set("period", "this_month")
	}
	switch query.Get("compare") {
	case "":
		query.Set("compare", "previous")
	case "none":
		query.Del("compare")
	}
	return query.Encode()
}

// get asks the API for a view, as the page does.
func (d *dashboard) get(path, view string) e2etest.Response {
	d.t.Helper()
	return d.Admin(d.t).Get(path + "?" + d.query(view)).WantStatus(http.StatusOK)
}

// received returns the newest response for a view that the page has received from a path.
func (d *dashboard) received(path, view string) e2etest.Response {
	d.t.Helper()
	sender := d.Anonymous(d.t).FromGateway()
	sender.RoundTrip = d.answer
	return sender.Get(path + "?" + d.query(view)).WantStatus(http.StatusOK)
}

// answer answers a request with the newest response that the page has received from the same address.
func (d *dashboard) answer(r *http.Request) (*http.Response, error) {
	for _, request := range slices.Backward(d.page.Network.Requests()) {
		address, err := url.Parse(request.URL)
		if err != nil {
			return nil, err
		}
		query := address.Query()
		query.Del("metrics") // the test names no figures
		if address.Path == r.URL.Path && query.Encode() == r.URL.RawQuery {
			return &http.Response{StatusCode: int(request.Status),
				Body: io.NopCloser(bytes.NewReader(d.page.Network.Body(request)))}, nil
		}
	}
	return nil, fmt.Errorf("the page has not asked for %s", r.URL)
}

func (d *dashboard) api(view string) e2etest.Response {
	d.t.Helper()
	return d.get(dashboardFigures, view)
}

// shownDashboard is what people read on the page.
type shownDashboard struct {
	Line             string
	Figures, Before  map[string]string
	Rankings, Groups map[string][][2]string // labels and numbers
}

func (d *dashboard) shown() shownDashboard {
	d.t.Helper()
	return browser.Eval[shownDashboard](d.page, `(() => {
		const read = (selector, name, of) => Object.fromEntries([...document.querySelectorAll(selector)].map(e => [e.dataset[name], of(e)]));
		const text = e => e.innerText.trim();
		const bars = e => [...e.querySelectorAll(".bar-list li")].map(
			li => [text(li.querySelector(".bar-label")), text(li.querySelector(".bar-value"))]);
		const line = document.querySelector(".view-of");
		return {
			line: line ? text(line) : "", figures: read("[data-figure]", "figure", text), before: read("[data-before]", "before", text),
			rankings: read("[data-ranking]", "ranking", bars), groups: read("[data-group]", "group", bars),
		};
	})()`)
}

// differences returns how the page differs from the responses that it has received.
func (d *dashboard) differences(view string) (all []string) {
	d.t.Helper()
	shown, answer := d.shown(), d.received(dashboardFigures, view)
	if len(shown.Figures) != 22 {
		all = append(all, fmt.Sprintf("%d figures", len(shown.Figures)))
	}
	for path, text := range shown.Figures {
		all = append(all, differs(path, text, answer.JSON("data.metrics."+path))...)
	}
	for path, text := range shown.Before {
		all = append(all, differs(path, strings.TrimPrefix(text, "was "), answer.JSON("data.previous.metrics."+path))...)
	}
	period := answer.JSON("data.period").(map[string]any)
	if first := longDay(period["startDate"]); !strings.HasPrefix(shown.Line, first) {
		all = append(all, "the line "+shown.Line)
	}
	for by, rows := range shown.Rankings {
		if want := d.ranking(by, view); !slices.Equal(rows, want) {
			all = append(all, fmt.Sprintf("pulls by %s: %v, want %v", by, rows, want))
		}
	}
	for group, of := range groups {
		if rows, want := shown.Groups[group], of.rows(answer); !slices.Equal(rows, want) {
			all = append(all, fmt.Sprintf("%s: %v, want %v", group, rows, want))
		}
	}
	return all
}

// groups are the bars that belong together, in order: where their numbers are, and their keys and labels.
var groups = map[string]group{
	"users-by-role": {"users.byRole", [][2]string{
		{"admin", "Admins"}, {"manager", "Managers"}, {"user", "Users"}, {"viewer", "Viewers"},
	}},
	"projects-by-status": {"projects.byStatus", [][2]string{
		{"draft", "Draft"}, {"active", "Active"}, {"on_hold", "On hold"}, {"completed", "Completed"}, {"archived", "Archived"},
	}},
	"media-by-task": {"usage.media.byTask",
		[][2]string{{"summarize", "Summarize"}, {"extract", "Extract"}, {"compare", "Compare"}}},
}

type group struct {
	path   string
	labels [][2]string
}

func (g group) rows(answer e2etest.Response) (rows [][2]string) {
	for _, label := range g.labels {
		rows = append(rows, [2]string{label[1], grouped(answer.JSON("data.metrics." + g.path + "." + label[0]))})
	}
	return rows
}

// ranking returns the rows of a ranking in the response that the page has received.
func (d *dashboard) ranking(by, view string) (rows [][2]string) {
	d.t.Helper()
	for _, entry := range d.received(dashboardPulls, view+"&by="+by).List("data.entries") {
		e := entry.(map[string]any)
		name := fmt.Sprintf("%v (%v)", e["repository"], e["kind"])
		if by == "person" {
			name = nameOfPerson(e)
		}
		rows = append(rows, [2]string{name, grouped(e["pulls"])})
	}
	return rows
}

func nameOfPerson(entry map[string]any) string {
	if name, exists := entry["name"].(string); exists {
		return name
	}
	return "Deleted user " + entry["userId"].(string)[:8]
}

// differs compares a number on the page with the API's: it has the right unit, and at most the last shown digit is
// rounded.
func differs(path, text string, want any) []string {
	prefix, suffix, decimals := unitOf(path)
	if want == nil && text == "–" {
		return nil
	}
	number, hasUnit := strings.CutSuffix(text, suffix)
	number, hasPrefix := strings.CutPrefix(number, prefix)
	got, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	value, isNumber := want.(float64)
	if err != nil || !hasUnit || !hasPrefix || !isNumber || math.Abs(got-value) > 0.5000001*math.Pow10(-decimals) {
		return []string{fmt.Sprintf("%s: %q, want %v", path, text, want)}
	}
	return nil
}

// unitOf returns the text before and after a number, and its number of decimals.
func unitOf(path string) (prefix, suffix string, decimals int) {
	switch {
	case strings.HasPrefix(path, "performance.responseTime"):
		return "", " ms", 1
	case path == "performance.uptime" || path == "users.growth":
		return "", "%", 3
	case strings.HasPrefix(path, "usage.storage"):
		return "", " GB", 2
	case path == "usage.media.cost":
		return "$", "", 4
	}
	return "", "", 0
}

// charts returns the figures that have a chart.
func (d *dashboard) charts() []string {
	d.t.Helper()
	return browser.Eval[[]string](d.page, `[...document.querySelectorAll("[data-series]")].map(e => e.dataset.series)`)
}

func (d *dashboard) tableRows(path string) [][]string {
	d.t.Helper()
	return browser.Eval[[][]string](d.page, `[...document.querySelectorAll("[data-series='`+path+`'] tbody tr")].map(
		row => [...row.cells].map(cell => cell.innerText.trim()))`)
}

// expectedRows returns the table of a figure: days and values, and those of the comparison.
func expectedRows(daily e2etest.Response, path string) [][]any {
	columns := []any{daily.JSON("data.dates"), daily.JSON("data.values").(map[string]any)[path]}
	if previous, ok := daily.JSON("data.previous").(map[string]any); ok {
		columns = append(columns, previous["dates"], previous["values"].(map[string]any)[path])
	}
	var rows [][]any
	for j, column := range columns {
		for i, cell := range column.([]any) {
			if i == len(rows) {
				rows = append(rows, make([]any, len(columns)))
			}
			rows[i][j] = cell
		}
	}
	return rows
}

// wantRow compares a row of a table with the expected days and values.
func (d *dashboard) wantRow(path string, got []string, want []any) {
	d.t.Helper()
	if len(got) != len(want) {
		d.t.Fatalf("%s: the row is %q, want %v", path, got, want)
	}
	for i, cell := range want {
		switch value := cell.(type) {
		case nil:
			if got[i] != "–" {
				d.t.Errorf("%s: %q, want no value", path, got[i])
			}
		case float64:
			for _, difference := range differs(path, got[i], value) {
				d.t.Error(difference)
			}
		default:
			if got[i] != longDay(cell) {
				d.t.Errorf("%s: %q, want %v", path, got[i], cell)
			}
		}
	}
}

// longDay writes a date as the portal does: Nov 21, 2026.
func longDay(date any) string {
	day, err := time.Parse(time.DateOnly, fmt.Sprint(date))
	if err != nil {
		return err.Error()
	}
	return day.Format("Jan 2, 2006")
}

// grouped writes a whole number as the portal does: 12,345.
func grouped(number any) string {
	digits := fmt.Sprintf("%.0f", number)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
