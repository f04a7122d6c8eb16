package main

import (
	"context"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"portside/shared/charts"
	"portside/shared/core/principal"
	"portside/shared/web"
)

// ChartSummary is a chart in the list of charts.
type ChartSummary struct {
	Name        string    `json:"name" example:"product"`
	Version     string    `json:"version" doc:"Version that Helm installs unless it is told otherwise: the newest that is not a prerelease, or the newest if all are." example:"1.2.0"`
	AppVersion  *string   `json:"appVersion" doc:"Version of the packaged product; null if the chart has none." example:"4.1"`
	Description string    `json:"description" doc:"At most 500 characters." example:"Runs the product in a cluster."`
	Icon        *string   `json:"icon" doc:"HTTPS address of a picture; null if there is none." example:"https://www.example.com/icon.svg"`
	Deprecated  bool      `json:"deprecated"`
	Versions    int       `json:"versions" doc:"Number of published versions." example:"12"`
	UpdatedAt   time.Time `json:"updatedAt" doc:"When the last version was published. UTC."`
}

// Limits of texts in the list, so that a page of any charts fits into a response.
const (
	maxDescription = 500 // characters
	maxAppVersion  = 100 // characters
	maxIcon        = 500 // bytes
)

func encodeSummary(s charts.Summary) (ChartSummary, error) {
	about, err := s.Latest.Describe()
	if err != nil {
		return ChartSummary{}, err
	}
	return ChartSummary{
		Name: s.Latest.Name, Version: s.Latest.Version, AppVersion: web.NullIfZero(shorten(about.AppVersion, maxAppVersion)),
		Description: shorten(about.Description, maxDescription), Icon: web.NullIfZero(safeIcon(about.Icon)),
		Deprecated: about.Deprecated, Versions: s.Versions, UpdatedAt: s.UpdatedAt,
	}, nil
}

// shorten cuts a text to that many characters.
func shorten(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// safeIcon returns the address of an icon, or "" unless it is an ordinary HTTPS address.
func safeIcon(icon string) string {
	address, err := url.Parse(icon)
	if err != nil || address.Scheme != "https" || address.Host == "" || address.User != nil || len(icon) > maxIcon {
		return ""
	}
	return address.String()
}

// CatalogPagination describes the position of a page in a list of charts or versions.
type CatalogPagination struct {
	Total   int     `json:"total" doc:"Exact number of all items that match." example:"41"`
	Limit   int     `json:"limit" doc:"Maximum number of items on the page." example:"20"`
	HasMore bool    `json:"hasMore" doc:"Whether there is a next page."`
	Next    *string `json:"next" doc:"Value of cursor for the next page; null on the last page."`
}

// CatalogPaging is the input of an operation that lists charts or versions, for embedding.
type CatalogPaging struct {
	Limit  int    `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"Maximum number of items on the page."`
	Cursor string `query:"cursor" maxLength:"512" doc:"Start of the page: pagination.next of the previous page. The other parameters must be the same."`
}

func (p CatalogPaging) pagination(total int, more bool, last string) CatalogPagination {
	position := CatalogPagination{Total: total, Limit: p.Limit, HasMore: more}
	if more {
		position.Next = &last
	}
	return position
}

type listChartsInput struct {
	CatalogPaging
	Filter string `query:"q" maxLength:"250" doc:"Only charts whose name contains this text." example:"prod"`
}

type listChartsOutput struct {
	Body struct {
		Data       []ChartSummary    `json:"data"`
		Pagination CatalogPagination `json:"pagination"`
	}
}

func (h *handlers) listCharts(ctx context.Context, in *listChartsInput) (*listChartsOutput, error) {
	viewer, err := h.viewer(ctx)
	if err != nil {
		return nil, err
	}
	page, err := h.library.Charts(ctx, viewer, charts.ChartQuery{
		Filter: strings.ToLower(in.Filter), After: in.Cursor, Limit: in.Limit,
	})
	if err != nil {
		return nil, err
	}
	out := &listChartsOutput{}
	out.Body.Data = make([]ChartSummary, len(page.Charts))
	last := ""
	for i, summary := range page.Charts {
		if out.Body.Data[i], err = encodeSummary(summary); err != nil {
			return nil, err
		}
		last = summary.Latest.Name
	}
	out.Body.Pagination = in.pagination(page.Total, page.More, last)
	return out, nil
}

func (h *handlers) viewer(ctx context.Context) (principal.Principal, error) {
	caller, _ := principal.From(ctx)
	return h.visibility.Of(ctx, caller)
}
