package charts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/parallel"
	"portside/shared/core/principal"
)

// The errors of the catalog. They are the same for a chart that does not exist and for one that the
// viewer may not see.
var (
	ErrNoChart = fault.New(fault.NotFound, "There is no such chart, or none of your working tokens and passwords may download it. "+
		"GET /v1/charts lists the charts that you can see.")
	ErrNoVersion = fault.New(fault.NotFound, "The chart has no such version. GET /v1/charts/{name} lists its versions.")
)

// ChartQuery selects a page of charts.
type ChartQuery struct {
	Filter string // part of the name, in lower case; empty means all
	After  string // name of the last chart on the previous page
	Limit  int
}

// ChartPage is a page of charts, sorted by name. Total counts all charts that match.
type ChartPage struct {
	Charts []Summary
	Total  int
	More   bool
}

// Summary describes a chart in a list. Latest is the version that Helm installs by default: the
// newest one that is not a prerelease, or the newest one if all are.
type Summary struct {
	Latest    Version
	Versions  int
	UpdatedAt time.Time // when the last version was published
}

// Charts returns a page of the charts that the viewer may see. It looks at every name, but decodes
// only the charts on the page. The part of a limited viewer is the one that Index keeps.
func (l *Library) Charts(ctx context.Context, viewer principal.Principal, q ChartQuery) (ChartPage, error) {
	current, err := l.current(ctx)
	if err != nil {
		return ChartPage{}, err
	}
	seen := part{index: current.index}
	if viewer.FetchesAllCharts() {
		seen.names = current.names()
	} else if seen, err = current.partFor(viewer); err != nil {
		return ChartPage{}, err
	}
	var page ChartPage
	for _, name := range seen.names {
		if !strings.Contains(strings.ToLower(name), q.Filter) {
			continue
		}
		page.Total++
		if name <= q.After || page.More {
			continue
		}
		if page.More = len(page.Charts) == q.Limit; page.More {
			continue
		}
		summary, err := seen.index.charts[name].summary()
		if err != nil {
			return ChartPage{}, fmt.Errorf("%w: chart %s: %w", ErrDamaged, name, err)
		}
		page.Charts = append(page.Charts, summary)
	}
	return page, nil
}

// sortedNames returns the names of all charts.
func (x *Index) sortedNames() []string { return slices.Sorted(maps.Keys(x.charts)) }

// summary decodes the entries one at a time, to limit memory. It returns the default version, the number
// of versions and the newest time.
func (r *releases) summary() (Summary, error) {
	entries := json.NewDecoder(bytes.NewReader(r.raw))
	_, err := entries.Token() // the bracket
	var s Summary
	hasStable := false
	for err == nil && entries.More() {
		var entry struct {
			Version string    `json:"version"`
			Created time.Time `json:"created"`
		}
		var raw json.RawMessage
		if err = entries.Decode(&raw); err == nil {
			err = json.Unmarshal(raw, &entry)
		}
		stable := err == nil && !isPrerelease(entry.Version)
		if err == nil && (s.Versions == 0 || !hasStable && stable) {
			hasStable = stable
			s.Latest, err = decodeEntry(raw)
		}
		s.Versions++
		if entry.Created.After(s.UpdatedAt) {
			s.UpdatedAt = entry.Created
		}
	}
	if err == nil && s.Versions == 0 {
		err = errors.New("it has no versions")
	}
	return s, err
}

// isPrerelease reports whether Helm installs the version only on request. It returns true for invalid
// versions.
func isPrerelease(version string) bool {
	_, pre, ok := cutVersion(version)
	return !ok || pre != ""
}

// maxConcurrentCalls limits the calls to the bucket that one request makes at the same time.
const maxConcurrentCalls = 16

// VersionQuery selects a page of the versions of a chart.
type VersionQuery struct {
	Chart string
	After string // last version on the previous page
	Limit int
}

// VersionPage is a page of versions, newest first. Total counts all versions.
type VersionPage struct {
	Releases []Release
	Total    int
	More     bool
}

// Release is a published version.
type Release struct {
	Version  Version
	Size     int64 // of the archive in bytes
	IsSigned bool  // whether it has a provenance file
}

// Versions returns a page of the versions of a chart. Errors: ErrNoChart.
func (l *Library) Versions(ctx context.Context, viewer principal.Principal, q VersionQuery) (VersionPage, error) {
	all, err := l.versionsOf(ctx, viewer, q.Chart)
	if err != nil {
		return VersionPage{}, err
	}
	page, rest := VersionPage{Total: len(all)}, all
	if q.After != "" {
		from, found := slices.BinarySearchFunc(all, Version{Version: q.After}, newestFirst)
		if found {
			from++
		}
		rest = all[from:]
	}
	page.More = len(rest) > q.Limit
	rest = rest[:min(len(rest), q.Limit)]
	page.Releases = make([]Release, len(rest))
	return page, parallel.Each(len(rest), maxConcurrentCalls, func(i int) (err error) {
		page.Releases[i], err = l.describeRelease(ctx, rest[i])
		return err
	})
}

func (l *Library) versionsOf(ctx context.Context, viewer principal.Principal, chart string) ([]Version, error) {
	allowed := viewer.Charts(chart)
	if len(allowed) == 0 {
		return nil, ErrNoChart
	}
	current, err := l.current(ctx)
	if err != nil {
		return nil, err
	}
	list, listed := current.index.charts[chart]
	if !listed {
		return nil, ErrNoChart
	}
	mine, some, err := list.only(allowed)
	if err != nil {
		return nil, fmt.Errorf("%w: chart %s: %w", ErrDamaged, chart, err)
	}
	if !some {
		return nil, ErrNoChart
	}
	all, err := mine.decode()
	if err != nil {
		return nil, fmt.Errorf("%w: chart %s: %w", ErrDamaged, chart, err)
	}
	return all, nil
}

// describeRelease reads the size of the archive and whether a provenance file exists, which the index
// does not contain.
func (l *Library) describeRelease(ctx context.Context, v Version) (Release, error) {
	size, _, err := l.reader.Stat(ctx, ArchivesPrefix+v.File())
	if err != nil {
		return Release{}, err
	}
	_, signed, err := l.reader.Stat(ctx, PublishedPrefix+v.File()+provenanceSuffix)
	return Release{Version: v, Size: size, IsSigned: signed}, err
}

// Details is everything about one version. Files that the chart does not have are nil.
type Details struct {
	Release
	Metadata   Metadata
	Files      Files
	Provenance *Text
}

// Details returns everything about one version. Errors: ErrNoChart, ErrNoVersion.
func (l *Library) Details(ctx context.Context, viewer principal.Principal, chart, version string) (Details, error) {
	all, err := l.versionsOf(ctx, viewer, chart)
	if err != nil {
		return Details{}, err
	}
	i := slices.IndexFunc(all, func(v Version) bool { return v.Version == version })
	if i < 0 {
		return Details{}, ErrNoVersion
	}
	d := Details{Release: Release{Version: all[i]}}
	if d.Metadata, err = all[i].DecodeMetadata(); err != nil {
		return Details{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if d.Files, d.Size, err = l.files(ctx, all[i]); err != nil {
		return Details{}, err
	}
	d.Provenance, err = l.provenance(ctx, all[i])
	d.IsSigned = d.Provenance != nil
	if errors.Is(err, ErrNoObject) {
		return d, nil
	}
	return d, err
}

// files reads an archive. The archives of listed versions have passed the inspection.
func (l *Library) files(ctx context.Context, v Version) (Files, int64, error) {
	archive, err := l.reader.Open(ctx, ArchivesPrefix+v.File())
	if errors.Is(err, ErrNoObject) {
		return Files{}, 0, ErrNoVersion // it was removed in the meantime
	}
	if err != nil {
		return Files{}, 0, err
	}
	files, err := readFiles(archive.Body)
	if err != nil {
		err = fmt.Errorf("%w: read the archive %s: %w", ErrUnavailable, v.File(), err)
	}
	return files, archive.Size, errors.Join(err, archive.Body.Close())
}

// provenance reads the provenance file. Errors: ErrNoObject.
func (l *Library) provenance(ctx context.Context, v Version) (*Text, error) {
	file, err := l.reader.Open(ctx, PublishedPrefix+v.File()+provenanceSuffix)
	if err != nil {
		return nil, err
	}
	text, err := readText(file.Body, file.Size)
	if err != nil {
		err = fmt.Errorf("%w: provenance of %s: %w", ErrUnavailable, v.File(), err)
	}
	return text, errors.Join(err, file.Body.Close())
}
