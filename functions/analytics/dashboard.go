package main

import (
	"context"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/core/fault"
	"portside/shared/web"
)

// PeriodInput are the parameters of a period. Structs that are embedded in inputs and outputs are exported, because
// huma ignores the fields of unexported ones.
type PeriodInput struct {
	Period    analytics.PeriodKind `query:"period" default:"this_month" enum:"today,yesterday,this_week,last_week,this_month,last_month,this_quarter,last_quarter,this_year,last_year,custom" doc:"Periods that begin with this_ end today; periods that begin with last_ are the whole week, month, quarter or year before. custom requires startDate and endDate."`
	StartDate string               `query:"startDate" doc:"First day of a custom period, as an ISO 8601 date; at most 5 years before endDate." example:"2026-11-01"`
	EndDate   string               `query:"endDate" doc:"Last day of a custom period, included; at the latest today in UTC." example:"2026-11-21"`
}

// Resolve implements huma.Resolver. It reports invalid dates together with all other failures.
func (in *PeriodInput) Resolve(huma.Context) []error {
	var failures []fault.Field
	for _, date := range []struct{ name, text string }{{"startDate", in.StartDate}, {"endDate", in.EndDate}} {
		if _, err := calendar.ParseDay(date.text); date.text != "" && err != nil {
			failures = append(failures, fault.Field{
				Pointer: "query/" + date.name, Detail: "must be a date such as 2026-11-21, not before 1970-01-01",
			})
		}
	}
	for _, failure := range in.asked().CheckDates() {
		isReported := func(other fault.Field) bool { return other.Pointer == failure.Pointer }
		if !slices.ContainsFunc(failures, isReported) { // asked has no date in place of an unreadable one
			failures = append(failures, failure)
		}
	}
	return web.Failures(failures)
}

// asked returns the period that the request selects. Resolve has checked the dates.
func (in *PeriodInput) asked() analytics.PeriodQuery {
	return analytics.PeriodQuery{Kind: in.Period, From: optionalDay(in.StartDate), To: optionalDay(in.EndDate)}
}

func optionalDay(text string) *calendar.Day {
	day, err := calendar.ParseDay(text)
	if err != nil {
		return nil
	}
	return &day
}

// ComparedInput are the parameters of a period and of its comparison.
type ComparedInput struct {
	PeriodInput
	Compare analytics.Comparison `query:"compare" enum:"previous,year_ago,calendar" doc:"Adds the figures of another period: previous is the period of the same length that ends the day before, year_ago has the same dates one year earlier (28 February for 29 February), calendar is the day, ISO week, month, quarter or year before, up to the same date if the period has not ended or is only the beginning of its unit (the last day of February for 31 March). With custom dates, calendar needs a startDate that begins such a unit, and an endDate in it."`
}

// Resolve implements huma.Resolver. It replaces that of PeriodInput, because huma resolves no embedded inputs of a
// resolver.
func (in *ComparedInput) Resolve(ctx huma.Context) []error {
	return append(in.PeriodInput.Resolve(ctx), web.Failures(in.asked().CheckComparison(in.Compare))...)
}

type dashboardOutput struct {
	Body struct {
		Data dashboardData `json:"data"`
	}
}

type dashboardData struct {
	Period   Period    `json:"period"`
	Metrics  Metrics   `json:"metrics"`
	Previous *Previous `json:"previous,omitempty" doc:"The period of the comparison; only with compare."`
	Meta     Meta      `json:"meta"`
}

// Period is a range of days.
type Period struct {
	Type      analytics.PeriodKind `json:"type" enum:"today,yesterday,this_week,last_week,this_month,last_month,this_quarter,last_quarter,this_year,last_year,custom" doc:"Period type of the request."`
	StartDate string               `json:"startDate" format:"date" doc:"First day." example:"2026-11-01"`
	EndDate   string               `json:"endDate" format:"date" doc:"Last day." example:"2026-11-21"`
	Days      int                  `json:"days" doc:"Number of days, including both. The period of a comparison can have more or fewer." example:"21"`
}

func encodePeriod(p analytics.Period) Period {
	return Period{Type: p.Kind, StartDate: p.First.String(), EndDate: p.Last.String(), Days: p.Days()}
}

// Previous is the period of a comparison and its figures.
type Previous struct {
	Period  Period  `json:"period"`
	Metrics Metrics `json:"metrics"`
}

// Meta describes how current a response is.
type Meta struct {
	AsOf    time.Time `json:"asOf" doc:"When the figures were computed, UTC." example:"2026-11-21T15:30:00Z"`
	Partial bool      `json:"partial" doc:"Whether the period includes today and so has not ended."`
}

var getDashboard = huma.Operation{
	OperationID: "getDashboard", Tags: tags,
	Summary: "Get the dashboard",
	Description: "Returns the figures of a period: users and projects at its end, and usage and performance " +
		"within it. `compare` adds the figures of the previous period of the same length, of the same dates a year ago, or of the calendar " +
		"unit before. As CSV, each figure is a record with the columns `metric`, `value`, `unit` and, with `compare`, `previous`." + daysNote,
}

func (h *handlers) dashboard(ctx context.Context, in *ComparedInput) (*dashboardOutput, error) {
	d, err := h.analytics.Dashboard(ctx, in.asked(), in.Compare)
	if err != nil {
		return nil, err
	}
	out := &dashboardOutput{}
	out.Body.Data = dashboardData{
		Period: encodePeriod(d.Period), Metrics: encodeMetrics(d.Metrics), Meta: Meta{AsOf: d.AsOf, Partial: d.Partial},
	}
	if d.Compared != nil {
		out.Body.Data.Previous = &Previous{Period: encodePeriod(d.Compared.Period),
			Metrics: encodeMetrics(d.Compared.Metrics)}
	}
	return out, nil
}
