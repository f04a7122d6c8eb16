// Package chartshelm reads chart archives with helm's own loader, so that what is listed is what helm would list.
//
// Archives are the vendor's, but a leaked key of the vendor's may be at work, and helm's loader takes memory and time as the
// archive likes. So the archive is measured first, with everything nested in it and within one budget: its files, the bytes of
// all of them, and what their YAML holds when it is expanded. Helm sees only what fits. What other tools would read differently
// than helm (links, files with holes, files that are there twice, two top directories) is refused.
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

// What helm demands of a name, and what fits into keys and addresses.
const (
	maxName = 250
	maxFile = 512
)

// strictVersion is the grammar of Semantic Versioning 2.0.0. Helm takes more, such as v1 and 01.0, which it then holds for the
// same version as others.
var strictVersion = regexp.MustCompile(`^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)` +
	`(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?` +
	`(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$`)

// isChartName takes the names that a scope can name: nobody could be given another chart alone.
func isChartName(name string) bool {
	return !strings.Contains(name, "/") && (principal.ReadCharts + ":" + principal.Scope(name)).Known()
}

const packageIt = "make the archive with `helm package`"

// Inspector is a charts.Inspector.
type Inspector struct{ maxBytes int64 }

var _ charts.Inspector = (*Inspector)(nil)

// New returns an Inspector that takes archives of at most maxBytes when inflated, with all that is nested in them.
func New(maxBytes int64) *Inspector { return &Inspector{maxBytes} }

// Inspect implements charts.Inspector. It returns when the context ends; helm may then still be busy for a moment.
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

// load has helm read the archive. A panic in there is the archive's doing and no reason to end the process.
func load(archive []byte) (version charts.Version, err error) {
	defer func() {
		if p := recover(); p != nil {
			version, err = charts.Version{}, unreadable(fmt.Errorf("it fails with %v", p))
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
	return refuse("see what `helm lint` says, then "+packageIt, "helm cannot read the chart: %s", shorten(err))
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
			Why: fmt.Sprintf("the chart's name %s is not one of at most %d lower-case letters and digits, with dots, dashes and "+
				"underscores between them, as scopes name charts", quote(v.Name), maxName),
			Mend: "rename the chart in Chart.yaml",
		}
	case !strictVersion.MatchString(v.Version):
		return &charts.Refusal{
			Why:  fmt.Sprintf("the chart's version %s is none of Semantic Versioning 2.0.0, such as 1.2.0 or 1.2.0-rc.1", quote(v.Version)),
			Mend: "give it three numbers without a v and without leading zeros in Chart.yaml",
		}
	case len(v.File()) > maxFile:
		return &charts.Refusal{
			Why:  fmt.Sprintf("the chart's name and version have more than %d characters", maxFile),
			Mend: "shorten the version in Chart.yaml",
		}
	case v.File() != file:
		return &charts.Refusal{
			Why:  fmt.Sprintf("the archive holds version %s of the chart %s", quote(v.Version), quote(v.Name)),
			Mend: "publish it as " + v.File(),
		}
	}
	return nil
}

// quote shows a name from an archive without what it could do to a terminal.
func quote(name string) string {
	const longest = 100
	if len(name) > longest {
		return fmt.Sprintf("%.*q…", longest, name)
	}
	return fmt.Sprintf("%q", name)
}

// isRefusal tells what is wrong with the archive from what ended the reading of it.
func isRefusal(err error) bool {
	_, is := errors.AsType[*charts.Refusal](err)
	return is
}
