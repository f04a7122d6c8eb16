package chartshelm_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"testing"

	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
)

const (
	maxBytes = 64 << 10
	minimal  = "apiVersion: v2\nname: app\nversion: 1.0.0\n"
	file     = "app-1.0.0.tgz"
)

// member is a member of an archive. Without a type it is a file.
type member struct {
	name, text string
	kind       byte
}

func pack(tb testing.TB, members ...member) []byte {
	tb.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	for _, m := range members {
		header := &tar.Header{Name: m.name, Size: int64(len(m.text)), Mode: 0o644, Typeflag: tar.TypeReg,
			Format: tar.FormatPAX}
		if m.kind != 0 {
			header.Typeflag, header.Linkname = m.kind, "/etc/passwd"
		}
		if err := out.WriteHeader(header); err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(out, m.text); err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(out.Close(), zip.Close()); err != nil {
		tb.Fatal(err)
	}
	return packed.Bytes()
}

var chartYAML = member{name: "app/Chart.yaml", text: minimal}

// nested returns a chart that contains a chart and so on, to that many levels.
func nested(tb testing.TB, levels int) []byte {
	tb.Helper()
	inner := pack(tb, chartYAML)
	for range levels {
		inner = pack(tb, chartYAML, member{name: "app/charts/app-1.0.0.tgz", text: string(inner)})
	}
	return inner
}

func zeros(n int) string { return strings.Repeat("\x00", n) }

// refused returns archives that must not be accepted, each with a part of the reason.
func refused(tb testing.TB) map[string]badArchive {
	tb.Helper()
	sound := pack(tb, chartYAML)
	flipped := bytes.Clone(sound)
	flipped[len(flipped)-6] ^= 1
	with := func(more ...member) []byte { return pack(tb, append([]member{chartYAML}, more...)...) }
	many := make([]member, 10_001)
	for i := range many {
		many[i] = member{name: fmt.Sprintf("app/%d", i), kind: tar.TypeDir}
	}
	all := map[string]badArchive{
		"empty":                   {nil, "not a gzip-compressed tar archive"},
		"no gzip":                 {[]byte("hello"), "not a gzip-compressed tar archive"},
		"no tar":                  {gzipped(tb, strings.Repeat("hello", 500)), "not a gzip-compressed tar archive"},
		"truncated":               {sound[:len(sound)-20], "damaged"},
		"truncated at the end":    {sound[:len(sound)-1], "damaged"},
		"wrong checksum":          {flipped, "damaged"},
		"trailing data":           {append(bytes.Clone(sound), "hello"...), "damaged"},
		"bomb in one file":        {with(member{name: "app/zeros", text: zeros(maxBytes)}), "more than 65536 bytes"},
		"bomb behind the archive": {append(bytes.Clone(sound), gzipped(tb, zeros(10*maxBytes))...), "more than 65536 bytes"},
		"bomb in a subchart":      {with(member{name: "app/charts/x.tgz", text: string(with(member{name: "app/z", text: zeros(maxBytes)}))}), "more than 65536 bytes"},
		"nested too deep":         {nested(tb, 6), "nested deeper than 5"},
		"too many files":          {pack(tb, many...), "more than"},
		"absolute":                {with(member{name: "/etc/passwd"}), "may lead out of the chart"},
		"parent":                  {with(member{name: "app/../../etc/passwd"}), "may lead out of the chart"},
		"parent as the top":       {pack(tb, member{name: "../Chart.yaml", text: minimal}), "may lead out of the chart"},
		"dot as the top":          {pack(tb, member{name: "./app/Chart.yaml", text: minimal}), "may lead out of the chart"},
		"backslash":               {with(member{name: `app\..\..\x`}), "may lead out of the chart"},
		"two top directories":     {with(member{name: "other/x"}), "two top directories"},
		"outside of a directory":  {pack(tb, member{name: "Chart.yaml", text: minimal}), "outside of the chart's directory"},
		"long path":               {with(member{name: "app/" + strings.Repeat("x", 600)}), "more than 512 bytes"},
		"symbolic link":           {with(member{name: "app/x", kind: tar.TypeSymlink}), "neither a file nor a directory"},
		"hard link":               {with(member{name: "app/x", kind: tar.TypeLink}), "neither a file nor a directory"},
		"device":                  {with(member{name: "app/x", kind: tar.TypeChar}), "neither a file nor a directory"},
		"pipe":                    {with(member{name: "app/x", kind: tar.TypeFifo}), "neither a file nor a directory"},
		"link in a subchart":      {with(member{name: "app/charts/x.tgz", text: string(with(member{name: "app/x", kind: tar.TypeSymlink}))}), "neither a file"},
		"Chart.yaml twice":        {with(chartYAML), "twice"},
	}
	maps.Copy(all, refusedContents(tb))
	return all
}

// badArchive is an archive that must not be accepted, with a part of the reason.
type badArchive struct {
	archive []byte
	reason  string
}

// refusedContents returns well-formed archives of invalid charts.
func refusedContents(tb testing.TB) map[string]badArchive {
	tb.Helper()
	with := func(more ...member) []byte { return pack(tb, append([]member{chartYAML}, more...)...) }
	yaml := func(text string) []byte { return pack(tb, member{name: "app/Chart.yaml", text: text}) }
	return map[string]badArchive{
		"no Chart.yaml":       {pack(tb, member{name: "app/values.yaml"}), "Chart.yaml file is missing"},
		"no files":            {pack(tb), "no files in chart archive"},
		"no YAML":             {yaml("a: [\n"), "cannot load Chart.yaml"},
		"no name":             {yaml("version: 1.0.0\n"), "name is required"},
		"no version":          {yaml("name: app\n"), "version is required"},
		"no semantic version": {yaml("name: app\nversion: latest\n"), `version "latest" is invalid`},
		"unknown type":        {yaml(minimal + "type: plugin\n"), "application or library"},
		"empty dependency":    {yaml(minimal + "dependencies: [null]\n"), "dependencies must not contain"},
		"path as a name":      {yaml("name: ../app\nversion: 1.0.0\n"), "is invalid"},
		"odd name":            {yaml("name: 'a b'\nversion: 1.0.0\n"), "letters and digits"},
		"long name":           {yaml("name: " + strings.Repeat("a", 251) + "\nversion: 1.0.0\n"), "letters and digits"},
		"long version":        {yaml("name: " + strings.Repeat("a", 249) + "\nversion: 1.0.0-" + strings.Repeat("a", 300) + "\n"), ""},
		"another name":        {yaml("name: other\nversion: 1.0.0\n"), "publish it as other-1.0.0.tgz"},
		"another spelling":    {yaml("name: app\nversion: v1.0.0\n"), "not a version of Semantic Versioning"},
		"name of a terminal":  {yaml("name: \"app\\e[31m\"\nversion: 1.0.0\n"), ""},
		"YAML bomb":           {yaml(minimal + yamlBomb), "when their aliases are expanded"},
		"broken values":       {with(member{name: "app/values.yaml", text: "{"}), "cannot load values.yaml"},
		"broken subchart":     {with(member{name: "app/charts/x.tgz", text: string(pack(tb, member{name: "x/y"}))}), "error unpacking subchart"},
	}
}

const yamlBomb = "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n" +
	"c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n" +
	"e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]\n" +
	"g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]\nh: &h [*g, *g, *g, *g, *g, *g, *g, *g, *g]\nannotations: {x: *h}\n"

func gzipped(tb testing.TB, text string) []byte {
	tb.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := io.WriteString(zip, text)
	if err := errors.Join(err, zip.Close()); err != nil {
		tb.Fatal(err)
	}
	return packed.Bytes()
}

func TestInspectRejectsBadArchives(t *testing.T) {
	for name, bad := range refused(t) {
		t.Run(name, func(t *testing.T) {
			version, err := chartshelm.New(maxBytes).Inspect(t.Context(), file, bad.archive)
			refusal, is := errors.AsType[*charts.Refusal](err)
			if !is || !strings.Contains(err.Error(), bad.reason) {
				t.Fatalf("%+v, %v; want a refusal with %q", version, err, bad.reason)
			}
			checkRefusal(t, refusal)
		})
	}
}

// checkRefusal checks that a refusal is a sentence, says how to fix the problem, and can be shown
// on a terminal.
func checkRefusal(t *testing.T, r *charts.Refusal) {
	t.Helper()
	text := r.Error()
	if r.Reason == "" || r.Fix == "" || len(text) > 1000 || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == '\uFFFD' }) {
		t.Errorf("refusal: %q", text)
	}
}

func TestInspectAcceptsValidCharts(t *testing.T) {
	for name, archive := range map[string][]byte{
		"smallest":          pack(t, chartYAML),
		"with a directory":  pack(t, member{name: "app/", kind: tar.TypeDir}, chartYAML),
		"another directory": pack(t, member{name: "a/Chart.yaml", text: minimal}),
		"charts in charts":  nested(t, 5),
		"largest":           pack(t, chartYAML, member{name: "app/x", text: zeros(maxBytes - 6*512)}),
	} {
		t.Run(name, func(t *testing.T) {
			version, err := chartshelm.New(maxBytes).Inspect(t.Context(), file, archive)
			if err != nil || version.File() != file {
				t.Errorf("%s: %+v, %v", name, version, err)
			}
		})
	}
}

func TestCanceledContextIsNotARefusal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := chartshelm.New(maxBytes).Inspect(ctx, file, pack(t, chartYAML))
	if _, is := errors.AsType[*charts.Refusal](err); is || !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want the context's error", err)
	}
}

// FuzzInspect checks that every archive ends as a chart that can be listed, or as a refusal.
func FuzzInspect(f *testing.F) {
	f.Add(pack(f, chartYAML))
	f.Add(nested(f, 2))
	for _, bad := range refused(f) {
		if len(bad.archive) < 10_000 {
			f.Add(bad.archive)
		}
	}
	f.Fuzz(func(t *testing.T, archive []byte) {
		version, err := chartshelm.New(maxBytes).Inspect(t.Context(), file, archive)
		if refusal, is := errors.AsType[*charts.Refusal](err); is {
			checkRefusal(t, refusal)
			return
		}
		if err != nil || version.File() != file || !json.Valid(version.Metadata) {
			t.Fatalf("%+v, %v", version, err)
		}
		index := charts.NewIndex()
		if changed, err := index.Set(version); err != nil || !changed {
			t.Fatalf("%+v cannot be listed: %v", version, err)
		}
	})
}

// FuzzChartYAML skips the compression, because a fuzzer rarely creates valid compressed data.
func FuzzChartYAML(f *testing.F) {
	f.Add(minimal, "")
	f.Add(minimal+"dependencies: [{name: a, import-values: [{x: 1}, .inf]}]\nmaintainers: [null]\n", "a: 1")
	f.Add("name: app\nversion: 1.0.0\n"+yamlBomb, "dependencies:\n- name: a\n")
	f.Fuzz(func(t *testing.T, chart, requirements string) {
		if len(chart)+len(requirements) > maxBytes/2 {
			return
		}
		archive := pack(t, member{name: "app/Chart.yaml", text: chart},
			member{name: "app/requirements.yaml", text: requirements})
		_, err := chartshelm.New(maxBytes).Inspect(t.Context(), file, archive)
		if refusal, is := errors.AsType[*charts.Refusal](err); is {
			checkRefusal(t, refusal)
		} else if err != nil {
			t.Fatal(err)
		}
	})
}
