package main

import (
	"context"
	"time"
)

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
