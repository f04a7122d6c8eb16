package resources

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"portside/client"
	"portside/cmd/portside/cli"
)

func (a *app) dashboardCommand() *cobra.Command {
	var months monthFlags
	var compare string
	c := &cobra.Command{
		Use: "dashboard", Short: "show the figures of this month, or of another one", Args: cli.Exactly(),
		Example: "  portside dashboard --last-month\n  portside dashboard --month 2026-10 --compare=calendar --csv > october.csv",
		RunE: func(c *cobra.Command, _ []string) error {
			params, err := dashboardPeriod(months, a.Now())
			if err != nil {
				return err
			}
			if compare != "" {
				params.Compare = new(client.GetDashboardParamsCompare(compare))
			}
			api, err := a.Connect()
			if err != nil {
				return err
			}
			answer, err := api.GetDashboard(c.Context(), params)
			if err != nil {
				return err
			}
			return a.printDashboard(answer)
		},
	}
	months.add(c)
	c.Flags().StringVar(&compare, "compare", "", "add the figures of another `PERIOD`: previous, the same number of days before; year_ago, "+
		"the same dates; or calendar, the month before, up to the same date if this one is not over")
	c.Flag("compare").NoOptDefVal = "previous"
	return a.Printing(c)
}

func dashboardPeriod(months monthFlags, now time.Time) (*client.GetDashboardParams, error) {
	period, isSet, err := months.days(now)
	if err != nil {
		return nil, err
	}
	if !isSet || months.month == now.UTC().Format("2006-01") { // a month that is not over, also if it is a day or a week old
		return &client.GetDashboardParams{Period: new(client.GetDashboardParamsPeriod("this_month"))}, nil
	}
	return &client.GetDashboardParams{
		Period: new(client.GetDashboardParamsPeriod("custom")), StartDate: &period.first, EndDate: &period.last,
	}, nil
}

func (a *app) printDashboard(answer client.DashboardData) error {
	if a.Format.JSON {
		return cli.PrintOne[client.DashboardData](a.App, nil, answer)
	}
	figures, err := figuresOf(answer)
	if err != nil {
		return err
	}
	if !a.Format.CSV {
		_, err = fmt.Fprintf(a.Stdout, "%s\n\n", shownDays(answer))
	}
	if err != nil {
		return err
	}
	columns := []cli.Column[figure]{
		cli.Field("metric", "METRIC", func(f figure) any { return f.name }),
		cli.Field("value", "VALUE", func(f figure) any { return f.value }),
		cli.Field("unit", "UNIT", func(f figure) any { return f.unit }),
	}
	if answer.Previous != nil {
		columns = append(columns, cli.Field("previous", "PREVIOUS", func(f figure) any { return f.previous }))
	}
	return cli.PrintList(a.App, columns, cli.Each(figures))
}

// shownDays returns the days of the period and of its comparison, and their numbers if they differ.
func shownDays(answer client.DashboardData) string {
	text := func(p client.Period) string { return fmt.Sprintf("%s to %s", p.StartDate, p.EndDate) }
	if answer.Previous == nil {
		return text(answer.Period)
	}
	if answer.Period.Days != answer.Previous.Period.Days {
		text = func(p client.Period) string {
			return fmt.Sprintf("%s to %s (days: %d)", p.StartDate, p.EndDate, p.Days)
		}
	}
	return text(answer.Period) + ", compared with " + text(answer.Previous.Period)
}

// figure is one value of the dashboard. Its name is the path of the value in the answer.
type figure struct{ name, value, unit, previous string }

// fixedUnits are the units of values for which the answer has none. Counts have no unit.
var fixedUnits = map[string]string{
	"performance.responseTime.avg": "ms", "performance.responseTime.p95": "ms", "performance.responseTime.p99": "ms",
	"performance.uptime": "%", "usage.api.avgResponseTime": "ms", "users.growth": "%",
}

// unitOf returns the unit of a value, or "" for counts and texts.
func unitOf(name string, metrics client.Metrics) string {
	switch name {
	case "usage.storage.used", "usage.storage.total":
		return string(metrics.Usage.Storage.Unit)
	case "usage.media.cost":
		return string(metrics.Usage.Media.Currency)
	}
	return fixedUnits[name]
}

// figuresOf returns the values in the order of the answer.
func figuresOf(answer client.DashboardData) ([]figure, error) {
	figures, err := flatten(answer.Metrics)
	if err != nil {
		return nil, err
	}
	for i, f := range figures {
		figures[i].unit = unitOf(f.name, answer.Metrics)
	}
	if answer.Previous == nil {
		return figures, nil
	}
	before, err := flatten(answer.Previous.Metrics)
	if err != nil {
		return nil, err
	}
	previous := map[string]string{}
	for _, f := range before {
		previous[f.name] = f.value
	}
	for i := range figures {
		figures[i].previous = previous[figures[i].name]
	}
	return figures, nil
}

// flatten returns the values of an object and of the objects in it, so that a new metric of the service needs no change
// here.
func flatten(metrics client.Metrics) ([]figure, error) {
	encoded, err := json.Marshal(metrics)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(encoded))
	d.UseNumber()
	_, err = d.Token() // the opening brace
	if err != nil {
		return nil, err
	}
	return flattenObject(d, nil)
}

func flattenObject(d *json.Decoder, path []string) ([]figure, error) {
	var figures []figure
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := slices.Concat(path, []string{fmt.Sprint(key)})
		value, err := d.Token()
		if err != nil {
			return nil, err
		}
		if value == json.Delim('{') {
			below, err := flattenObject(d, name)
			if err != nil {
				return nil, err
			}
			figures = append(figures, below...)
			continue
		}
		figures = append(figures, figure{name: strings.Join(name, "."), value: cli.Cell(value, "")})
	}
	_, err := d.Token() // the closing brace
	return figures, err
}
