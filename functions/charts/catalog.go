package main

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/charts"
	"portside/shared/core/paging"
	"portside/shared/core/principal"
	"portside/shared/core/text"
	"portside/shared/web"
)

// ChartSummary is a chart in the list of charts.
type ChartSummary struct {
	Name        string    `json:"name" example:"product"`
	Version     string    `json:"version" doc:"Version that Helm installs by default: the newest that is not a prerelease, or the newest if all are." example:"1.2.0"`
	AppVersion  *string   `json:"appVersion" doc:"Version of the packaged product; null if the chart has none." example:"4.1"`
	Description string    `json:"description" doc:"At most 500 characters." example:"Runs the product in a cluster."`
	Icon        *string   `json:"icon" doc:"HTTPS address of the chart's icon; null if the chart has no icon." example:"https://www.example.com/icon.svg"`
	Deprecated  bool      `json:"deprecated"`
	Versions    int       `json:"versions" doc:"Number of published versions." example:"12"`
	UpdatedAt   time.Time `json:"updatedAt" doc:"When the last version was published. UTC."`
}

// Limits of texts in the list, so that every page fits into a response.
const (
	maxDescription = 500 // characters
	maxAppVersion  = 100 // characters
	maxIcon        = 500 // bytes
)

func encodeSummary(s charts.Summary) (ChartSummary, error) {
	about, err := s.Latest.DecodeMetadata()
	if err != nil {
		return ChartSummary{}, err
	}
	return ChartSummary{
		Name: s.Latest.Name, Version: s.Latest.Version, AppVersion: web.NullIfZero(text.Shorten(about.AppVersion, maxAppVersion)),
		Description: text.Shorten(about.Description, maxDescription), Icon: web.NullIfZero(safeIcon(about.Icon)),
		Deprecated: about.Deprecated, Versions: s.Versions, UpdatedAt: s.UpdatedAt,
	}, nil
}

// safeIcon returns the address of an icon, or "" unless it is an ordinary HTTPS address.
func safeIcon(icon string) string {
	address, err := url.Parse(icon)
	if err != nil || address.Scheme != "https" || address.Host == "" || address.User != nil || len(icon) > maxIcon {
		return ""
	}
	return address.String()
}

type listChartsInput struct {
	web.CursorPaging
	Filter string `query:"q" maxLength:"250" doc:"Only charts whose name contains this text." example:"prod"`
}

type listChartsOutput struct {
	Body struct {
		Data       []ChartSummary        `json:"data"`
		Pagination web.CountedPagination `json:"pagination"`
	}
}

var listCharts = huma.Operation{
	OperationID: "listCharts", Tags: []string{"Charts"},
	Summary:     "List charts",
	Description: "Returns the charts of the repository, sorted by name, each with the version that Helm installs by default. " + seen,
}

func (h *handlers) listCharts(ctx context.Context, in *listChartsInput) (*listChartsOutput, error) {
	viewer, err := h.viewer(ctx)
	if err != nil {
		return nil, err
	}
	after, err := in.After()
	if err != nil {
		return nil, err
	}
	page, err := h.library.Charts(ctx, viewer, charts.ChartQuery{
		Filter: strings.ToLower(in.Filter), After: string(after), Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	out := &listChartsOutput{}
	out.Body.Data = make([]ChartSummary, len(page.Charts))
	var next paging.Position
	for i, summary := range page.Charts {
		if out.Body.Data[i], err = encodeSummary(summary); err != nil {
			return nil, err
		}
		if page.More {
			next = paging.Position(summary.Latest.Name)
		}
	}
	out.Body.Pagination = web.CountedPagination{Total: page.Total, CursorPagination: in.Pagination(next)}
	return out, nil
}

func (h *handlers) viewer(ctx context.Context) (principal.Principal, error) {
	caller, _ := principal.From(ctx)
	return h.visibility.Of(ctx, caller)
}
