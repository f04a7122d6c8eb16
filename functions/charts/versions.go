package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/charts"
	"portside/shared/core/paging"
	"portside/shared/core/text"
	"portside/shared/web"
)

// ChartVersion is a published version of a chart.
type ChartVersion struct {
	Version    string    `json:"version" example:"1.2.0"`
	AppVersion *string   `json:"appVersion" doc:"Version of the packaged product; null if the chart has none." example:"4.1"`
	CreatedAt  time.Time `json:"createdAt" doc:"When it was published. UTC."`
	Digest     string    `json:"digest" doc:"SHA-256 of the archive." example:"sha256:…"`
	Size       int64     `json:"size" doc:"Size of the archive in bytes." example:"4096"`
	Signed     bool      `json:"signed" doc:"Whether it has a provenance file, which helm pull --verify checks."`
	Deprecated bool      `json:"deprecated"`
}

func encodeVersion(r charts.Release, about charts.Metadata) ChartVersion {
	return ChartVersion{
		Version: r.Version.Version, AppVersion: web.NullIfZero(text.Shorten(about.AppVersion, maxAppVersion)), CreatedAt: r.Version.Created,
		Digest: "sha256:" + r.Version.Digest, Size: r.Size, Signed: r.IsSigned, Deprecated: about.Deprecated,
	}
}

type listVersionsInput struct {
	web.CursorPaging
	Name string `path:"name" maxLength:"250" doc:"Name of the chart." example:"product"`
}

type listVersionsOutput struct {
	Body struct {
		Data       []ChartVersion        `json:"data"`
		Pagination web.CountedPagination `json:"pagination"`
	}
}

var listChartVersions = huma.Operation{
	OperationID: "listChartVersions", Tags: []string{"Charts"},
	Summary:     "List the versions of a chart",
	Description: "Returns the published versions of a chart, newest first. " + seen,
	Errors:      []int{http.StatusNotFound},
}

func (h *handlers) listVersions(ctx context.Context, in *listVersionsInput) (*listVersionsOutput, error) {
	viewer, err := h.viewer(ctx)
	if err != nil {
		return nil, err
	}
	after, err := in.After()
	if err != nil {
		return nil, err
	}
	page, err := h.library.Versions(ctx, viewer,
		charts.VersionQuery{Chart: in.Name, After: string(after), Limit: in.Limit})
	if err != nil {
		return nil, err
	}
	out := &listVersionsOutput{}
	out.Body.Data = make([]ChartVersion, len(page.Releases))
	var next paging.Position
	for i, release := range page.Releases {
		about, err := release.Version.DecodeMetadata()
		if err != nil {
			return nil, err
		}
		out.Body.Data[i] = encodeVersion(release, about)
		if page.More {
			next = paging.Position(release.Version.Version)
		}
	}
	out.Body.Pagination = web.CountedPagination{Total: page.Total, CursorPagination: in.Pagination(next)}
	return out, nil
}

// ChartText is a text file of a chart.
type ChartText struct {
	Text string `json:"text" doc:"The file, or its first 128 KiB. Bytes that are not UTF-8 are replaced." example:"replicas: 2\n"`
	Size int64  `json:"size" doc:"Size of the whole file in bytes." example:"2048"`
	Cut  bool   `json:"cut" doc:"Whether the text is only the beginning of the file."`
}

func encodeText(t *charts.Text) *ChartText {
	if t == nil {
		return nil
	}
	return &ChartText{Text: strings.ToValidUTF8(t.Content, "\uFFFD"), Size: t.Size, Cut: int64(len(t.Content)) < t.Size}
}

// ChartMaintainer is a person or organization that maintains a chart.
type ChartMaintainer struct {
	Name  string `json:"name" example:"Ada"`
	Email string `json:"email" example:"ada@example.com"`
	URL   string `json:"url" example:"https://www.example.com"`
}

// ChartDependency is a chart on which a chart depends.
type ChartDependency struct {
	Name       string `json:"name" example:"postgresql"`
	Version    string `json:"version" doc:"Range of accepted versions." example:"^15.0.0"`
	Repository string `json:"repository" example:"https://charts.example.com"`
	Alias      string `json:"alias" doc:"Name under which the chart uses it; empty if it is the same as name." example:"db"`
	Condition  string `json:"condition" doc:"Value that enables it; empty if it is always enabled." example:"postgresql.enabled"`
}

// ChartDetails is a version of a chart with its metadata and files.
type ChartDetails struct {
	Name         string            `json:"name" example:"product"`
	ChartVersion                   // its fields are at the same level
	Description  string            `json:"description" example:"Runs the product in a cluster."`
	Type         string            `json:"type" doc:"application or library; empty means application." example:"application"`
	KubeVersion  string            `json:"kubeVersion" doc:"Range of supported Kubernetes versions; empty for all." example:">=1.28.0-0"`
	Home         string            `json:"home" doc:"Address given by the author; not validated. The same applies to sources and maintainers." example:"https://www.example.com"`
	Icon         *string           `json:"icon" doc:"HTTPS address of the chart's icon; null if the version has no icon."`
	Keywords     []string          `json:"keywords" example:"[\"lantern\"]"`
	Sources      []string          `json:"sources" example:"[\"https://git.example.com/lantern\"]"`
	Maintainers  []ChartMaintainer `json:"maintainers"`
	Dependencies []ChartDependency `json:"dependencies"`
	Annotations  map[string]string `json:"annotations"`
	Readme       *ChartText        `json:"readme,omitempty" doc:"README of the chart; missing if it has none."`
	Values       *ChartText        `json:"values,omitempty" doc:"values.yaml; missing if the chart has none."`
	Schema       *ChartText        `json:"schema,omitempty" doc:"values.schema.json; missing if the chart has none."`
	Provenance   *ChartText        `json:"provenance,omitempty" doc:"Provenance file; missing if the version is not signed."`
}

type getVersionInput struct {
	Name    string `path:"name" maxLength:"250" doc:"Name of the chart." example:"product"`
	Version string `path:"version" maxLength:"512" doc:"Version of the chart." example:"1.2.0"`
}

type getVersionOutput struct {
	Body struct {
		Data ChartDetails `json:"data"`
	}
}

var getChartVersion = huma.Operation{
	OperationID: "getChartVersion", Tags: []string{"Charts"},
	Summary: "Get a version of a chart",
	Description: "Returns the metadata of a version, and its README, default values, schema and provenance file, each up to 128 KiB. " +
		"The author of the chart controls these texts, so they are untrusted. " + seen,
	Errors: []int{http.StatusNotFound},
}

func (h *handlers) getVersion(ctx context.Context, in *getVersionInput) (*getVersionOutput, error) {
	viewer, err := h.viewer(ctx)
	if err != nil {
		return nil, err
	}
	found, err := h.library.Details(ctx, viewer, in.Name, in.Version)
	if err != nil {
		return nil, err
	}
	out := &getVersionOutput{}
	out.Body.Data = encodeDetails(found)
	return out, nil
}

func encodeDetails(d charts.Details) ChartDetails {
	m := d.Metadata
	details := ChartDetails{
		Name: d.Version.Name, ChartVersion: encodeVersion(d.Release, m), Description: m.Description, Type: m.Type,
		KubeVersion: m.KubeVersion,
		Home:        m.Home, Icon: web.NullIfZero(safeIcon(m.Icon)), Keywords: orEmpty(m.Keywords), Sources: orEmpty(m.Sources),
		Maintainers: make([]ChartMaintainer, len(m.Maintainers)), Dependencies: make([]ChartDependency, len(m.Dependencies)),
		Annotations: m.Annotations,
		Readme:      encodeText(d.Files.Readme), Values: encodeText(d.Files.Values), Schema: encodeText(d.Files.Schema),
		Provenance: encodeText(d.Provenance),
	}
	for i, maintainer := range m.Maintainers {
		details.Maintainers[i] = ChartMaintainer(maintainer)
	}
	for i, dependency := range m.Dependencies {
		details.Dependencies[i] = ChartDependency(dependency)
	}
	if details.Annotations == nil {
		details.Annotations = map[string]string{}
	}
	return details
}

// orEmpty returns a list that is encoded as [] instead of null.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
