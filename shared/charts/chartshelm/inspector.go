// Package chartshelm reads chart archives with helm's own loader, so that the index lists what helm
// would list.
//
// The vendor publishes the archives, but an attacker may have a leaked key of the vendor, and an
// archive can make helm's loader use any amount of memory and time. So this package first measures
// the archive and everything nested in it against one budget: the number of files, their bytes, and
// the size of their YAML when it is expanded. Helm reads only what fits. Archives that other tools
// would read differently than helm (links, files with holes, duplicate files, two top directories)
// are rejected.
package chartshelm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"

	"portside/shared/charts"
	"portside/shared/core/principal"
)

// Limits of names, from helm and from the length of keys and URLs.
const (
	maxName = 250
	maxFile = 512
)

// strictVersion is the grammar of Semantic Versioning 2.0.0. Helm accepts more, such as v1 and
// 01.0, and then treats them as equal to other versions.
var strictVersion = regexp.MustCompile(`^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)` +
	`(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?` +
	`(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$`)

// isChartName accepts only names that a scope or an entitlement can contain. Helm accepts more, such as a..b or -a, but
// no user could get access to such a chart.
func isChartName(name string) bool {
	return !strings.Contains(name, "/") && (principal.ReadCharts + ":" + principal.Scope(name)).Known()
}

const packageIt = "create the archive with `helm package`"

// Inspector implements charts.Inspector.
type Inspector struct{ maxBytes int64 }

var _ charts.Inspector = (*Inspector)(nil)

// New returns an Inspector. An archive, with everything nested in it, may have at most maxBytes
// after decompression.
func New(maxBytes int64) *Inspector { return &Inspector{maxBytes} }

// Inspect implements charts.Inspector. It returns when the context ends; helm may keep working for
// a moment.
func (i *Inspector) Inspect(ctx context.Context, file string, archive []byte) (charts.Version, error) {
	if err := measure(ctx, archive, i.maxBytes); err != nil {
		return charts.Version{}, err
	}
	type result struct {
		version charts.Version
		err     error
	}
	done := make(chan result, 1)
	go func() {
		version, err := load(archive)
		done <- result{version, err}
	}()
	select {
	case r := <-done:
		if r.err == nil {
			r.err = checkName(file, r.version)
		}
		return r.version, r.err
	case <-ctx.Done():
		return charts.Version{}, fmt.Errorf("read %s: %w", file, context.Cause(ctx))
	}
}

// load reads the archive with helm. A panic in helm is a fault of the archive and must not end the
// process.
func load(archive []byte) (version charts.Version, err error) {
	defer func() {
		if p := recover(); p != nil {
			version, err = charts.Version{}, unreadable(fmt.Errorf("the reader failed with %v", p))
		}
	}()
	loaded, err := loader.LoadArchive(bytes.NewReader(archive))
	if err != nil {
		return charts.Version{}, unreadable(err)
	}
	return describe(loaded.Metadata)
}

func describe(metadata *chart.Metadata) (charts.Version, error) {
	if err := metadata.Validate(); err != nil {
		return charts.Version{}, unreadable(err)
	}
	text, err := json.Marshal(metadata)
	if err != nil {
		return charts.Version{}, unreadable(err)
	}
	return charts.Version{Name: metadata.Name, Version: metadata.Version, Metadata: text}, nil
}

func unreadable(err error) error {
	return refuse("run `helm lint`, then "+packageIt, "helm cannot read the chart: %s", shorten(err))
}

func shorten(err error) string {
	const longest = 300
	text := strings.ToValidUTF8(strings.Join(strings.Fields(err.Error()), " "), "?")
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return text
}

func checkName(file string, v charts.Version) error {
	switch {
	case len(v.Name) > maxName || !isChartName(v.Name):
		return &charts.Refusal{
			Reason: fmt.Sprintf("the chart's name %s is not one of at most %d letters and digits, with a dot, one or two underscores, or dashes "+
				"between them. Helm accepts it, but neither scopes nor entitlements could name the chart, so nobody could be allowed to fetch it",
				quote(v.Name), maxName),
			Fix: "rename the chart in Chart.yaml",
		}
	case !strictVersion.MatchString(v.Version):
		return &charts.Refusal{
			Reason: fmt.Sprintf("the chart's version %s is not a version of Semantic Versioning 2.0.0, such as 1.2.0 "+
				"or 1.2.0-rc.1", quote(v.Version)),
			Fix: "give it three numbers without a v and without leading zeros in Chart.yaml",
		}
	case len(v.File()) > maxFile:
		return &charts.Refusal{
			Reason: fmt.Sprintf("the chart's name and version have more than %d characters", maxFile),
			Fix:    "shorten the version in Chart.yaml",
		}
	case v.File() != file:
		return &charts.Refusal{
			Reason: fmt.Sprintf("the archive contains version %s of the chart %s", quote(v.Version), quote(v.Name)),
			Fix:    "publish it as " + v.File(),
		}
	}
	return nil
}

// quote shows a name from an archive without characters that could affect a terminal.
func quote(name string) string {
	const longest = 100
	if len(name) > longest {
		return fmt.Sprintf("%.*q…", longest, name)
	}
	return fmt.Sprintf("%q", name)
}

// isRefusal reports whether the error is a fault of the archive, and not the end of the context.
func isRefusal(err error) bool {
	_, is := errors.AsType[*charts.Refusal](err)
	return is
}
