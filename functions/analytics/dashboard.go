package main

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/core/fault"
	"portside/shared/web"
)

// PeriodInput is how a request names a period. It is exported, like every struct that is embedded here, because huma passes
// over the fields of an embedded struct that is not.
type PeriodInput struct {
	Period    analytics.PeriodKind `query:"period" default:"this_month" enum:"today,yesterday,this_week,last_week,this_month,last_month,this_quarter,last_quarter,this_year,last_year,custom" doc:"Those that begin with this_ end today, those that begin with last_ are the whole week, month, quarter or year before; custom needs startDate and endDate."`
	StartDate string               `query:"startDate" doc:"First day of a custom period, as an ISO 8601 date; at most 5 years before endDate." example:"2026-11-01"`
	EndDate   string               `query:"endDate" doc:"Last day of a custom period, which belongs to it; today in UTC at the latest." example:"2026-11-21"`
}

// Resolve implements huma.Resolver: it tells dates that are none together with all other failures.
func (in *PeriodInput) Resolve(huma.Context) []error {
	var failures []fault.Field
	for _, date := range []struct{ name, text string }{{"startDate", in.StartDate}, {"endDate", in.EndDate}} {
		if _, err := calendar.ParseDay(date.text); date.text != "" && err != nil {
			failures = append(failures, fault.Field{
				Pointer: "query/" + date.name, Detail: "must be a date of the calendar such as 2026-11-21, from 1970-01-01 on",
			})
		}
	}
	return web.Failures(failures)
}

// asked is the period that is meant, once Resolve has passed it.
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

type dashboardInput struct {
	PeriodInput
	Compare string `query:"compare" enum:"previous" doc:"Adds the numbers of the equally long period that ends the day before."`
}

type dashboardOutput struct {
	Body struct {
		Data dashboardData `json:"data"`
	}
}

type dashboardData struct {
	Period   Period    `json:"period"`
	Metrics  Metrics   `json:"metrics"`
	Previous *Previous `json:"previous,omitempty" doc:"The period before; only with compare=previous."`
	Meta     Meta      `json:"meta"`
}

// Period is a stretch of days with both its ends.
type Period struct {
	Type      analytics.PeriodKind `json:"type" enum:"today,yesterday,this_week,last_week,this_month,last_month,this_quarter,last_quarter,this_year,last_year,custom" doc:"As it was asked for."`
	StartDate string               `json:"startDate" format:"date" doc:"First day." example:"2026-11-01"`
	EndDate   string               `json:"endDate" format:"date" doc:"Last day." example:"2026-11-21"`
}

func periodForm(p analytics.Period) Period {
	return Period{Type: p.Kind, StartDate: p.First.String(), EndDate: p.Last.String()}
}

// Previous is the period before, and its numbers.
type Previous struct {
	Period  Period  `json:"period"`
	Metrics Metrics `json:"metrics"`
}

// Meta says how current an answer is.
type Meta struct {
	AsOf    time.Time `json:"asOf" doc:"When it was computed, UTC." example:"2026-11-21T15:30:00Z"`
	Partial bool      `json:"partial" doc:"Whether the period includes today, and so is not over."`
}

func (h *handlers) dashboard(ctx context.Context, in *dashboardInput) (*dashboardOutput, error) {
	d, err := h.analytics.Dashboard(ctx, in.asked(), in.Compare != "")
	if err != nil {
		return nil, err
	}
	out := &dashboardOutput{}
	out.Body.Data = dashboardData{
		Period: periodForm(d.Period), Metrics: metricsForm(d.Metrics), Meta: Meta{AsOf: d.AsOf, Partial: d.Partial},
	}
	if d.Previous != nil {
		out.Body.Data.Previous = &Previous{Period: periodForm(d.Previous.Period), Metrics: metricsForm(d.Previous.Metrics)}
	}
	return out, nil
}
