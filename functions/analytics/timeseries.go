package main

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/analytics"
)

type timeseriesInput struct {
	Metric analytics.Metric `query:"metric" required:"true" enum:"users.total,users.active,projects.total,projects.created,projects.archived,usage.api.calls,usage.api.avgResponseTime,usage.storage.used,usage.pulls.charts,usage.pulls.images,usage.pulls.checks,usage.media.calls,usage.media.cost,performance.uptime,performance.responseTime.avg,performance.responseTime.p95,performance.responseTime.p99,performance.errors" doc:"The figure, as its path in the metrics of the dashboard." example:"usage.api.calls"`
	PeriodInput
}

type timeseriesOutput struct {
	Body struct {
		Data timeseriesData `json:"data"`
	}
}

type timeseriesData struct {
	Metric analytics.Metric `json:"metric" doc:"Metric of the request." example:"usage.api.calls"`
	Period Period           `json:"period"`
	Points []Point          `json:"points" doc:"One for each day of the period, oldest first."`
	Meta   Meta             `json:"meta"`
}

// Point is the figure of one day.
type Point struct {
	Date  string   `json:"date" format:"date" example:"2026-11-21"`
	Value *float64 `json:"value" doc:"In the unit of the dashboard. null if the day had no requests, or if the week before it has no measurement." example:"2210"`
}

var getTimeseries = huma.Operation{
	OperationID: "getTimeseries", Tags: tags,
	Summary: "Get a time series",
	Description: "Returns one figure of the dashboard for each day of a period: the value that the dashboard has for that day, or null if " +
		"there is none." + daysNote,
}

func (h *handlers) timeseries(ctx context.Context, in *timeseriesInput) (*timeseriesOutput, error) {
	series, err := h.analytics.Series(ctx, in.asked(), in.Metric)
	if err != nil {
		return nil, err
	}
	points := make([]Point, len(series.Points))
	for i, point := range series.Points {
		points[i] = Point{Date: point.Day.String(), Value: point.Value}
	}
	out := &timeseriesOutput{}
	out.Body.Data = timeseriesData{
		Metric: series.Metric, Period: encodePeriod(series.Period), Points: points,
		Meta: Meta{AsOf: series.AsOf, Partial: series.Partial},
	}
	return out, nil
}
