package main

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
)

type dailyInput struct {
	Metrics []analytics.Metric `query:"metrics" enum:"users.total,users.active,projects.total,projects.created,projects.archived,usage.api.calls,usage.api.avgResponseTime,usage.storage.used,usage.pulls.charts,usage.pulls.images,usage.pulls.checks,usage.media.calls,usage.media.cost,performance.uptime,performance.responseTime.avg,performance.responseTime.p95,performance.responseTime.p99,performance.errors" uniqueItems:"true" doc:"The figures, separated by commas; all if left out." example:"usage.api.calls,performance.errors"`
	ComparedInput
}

type dailyOutput struct {
	Body struct {
		Data Daily `json:"data"`
	}
}

// Daily has several figures by day.
type Daily struct {
	Columns
	Previous *Columns `json:"previous,omitempty" doc:"The period of the comparison; only with compare. It can have more or fewer days: see days of both."`
	Meta     Meta     `json:"meta"`
}

// Columns are figures by day, as one list for each figure.
type Columns struct {
	Period Period                          `json:"period"`
	Dates  []string                        `json:"dates" doc:"The days of the period, oldest first." example:"[\"2026-03-01\",\"2026-03-02\"]"`
	Values map[analytics.Metric][]*float64 `json:"values" doc:"The values of each figure in the order of dates, as in a time series. A day without a value has null." example:"{\"usage.api.calls\":[2210,2340]}"`
}

func encodeColumns(c analytics.Columns) Columns {
	dates := make([]string, c.Period.Days())
	for i := range dates {
		dates[i] = (c.Period.First + calendar.Day(i)).String()
	}
	return Columns{Period: encodePeriod(c.Period), Dates: dates, Values: c.Values}
}

var getDaily = huma.Operation{
	OperationID: "getDailyFigures", Tags: tags,
	Summary: "Get several figures by day",
	Description: "Returns the values of several time series in one response, for a page with many charts. `compare` adds the values of " +
		"another period." + daysNote,
}

func (h *handlers) daily(ctx context.Context, in *dailyInput) (*dailyOutput, error) {
	daily, err := h.analytics.Daily(ctx, in.asked(), in.Metrics, in.Compare)
	if err != nil {
		return nil, err
	}
	out := &dailyOutput{}
	out.Body.Data = Daily{Columns: encodeColumns(daily.Columns), Meta: Meta{AsOf: daily.AsOf, Partial: daily.Partial}}
	if daily.Compared != nil {
		previous := encodeColumns(*daily.Compared)
		out.Body.Data.Previous = &previous
	}
	return out, nil
}
