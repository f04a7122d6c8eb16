package chartshelm

import (
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
)

func TestIsParsed(t *testing.T) {
	for inside, want := range map[string]bool{
		"Chart.yaml": true, "Chart.lock": true, "values.yaml": true, "requirements.yaml": true, "requirements.lock": true,
		"charts/x/values.yaml": true, "charts/x/charts/y/Chart.yaml": true, "charts/values.yaml": false,
		"charts/x/charts/values.yaml": false,
		"values.schema.json":          false, "templates/values.yaml": false, "files/values.yaml": false,
		"charts/x/files/values.yaml": false,
		"x/charts/y/values.yaml":     false, "values.yml": false, "": false, "charts/": false, "charts/x.tgz": false,
	} {
		if got := isParsed(inside); got != want {
			t.Errorf("%s is parsed: %v, want %v", inside, got, want)
		}
	}
}

func TestOrdinaryYAMLIsAccepted(t *testing.T) {
	const anchors = "base: &base {a: 1, b: [x, y]}\nlist:\n- <<: *base\n  c: 2\n- *base\n# & and * in a comment\nurl: 'http://*&'\n"
	for name, text := range map[string]string{
		"empty": "", "null": "null", "anchors": anchors, "comment": strings.Repeat("# -------- a, b: c? [d] {e}\n", 5000),
		"dashes": strings.Repeat("#"+strings.Repeat("-", 80)+"\n", 20_000), "no alias": "a: &b c\n", "text": "a: |\n  %TAG of a text\n",
	} {
		t.Run(name, func(t *testing.T) {
			g := &gauge{text: maxYAML, values: maxValues, limit: maxYAML}
			if err := g.yaml("values.yaml", strings.NewReader(text), int64(len(text))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

//proves:docs/security.md
func TestAliasWithinItsAnchorIsRejected(t *testing.T) {
	g := &gauge{text: maxYAML, values: maxValues, limit: maxYAML}
	const text = "a: &a [b, *a]\n"
	err := g.yaml("values.yaml", strings.NewReader(text), int64(len(text)))
	if !isRefusal(err) || !strings.Contains(err.Error(), errCycle.Error()) {
		t.Error(err)
	}
}

// FuzzExpand compares the charged size of a file with the size of what helm reads from it.
func FuzzExpand(f *testing.F) {
	for _, text := range []string{
		"a: &a xxxxxxxxxxxxxxxxxxxxxxxx\nb: [*a, *a, {c: *a}]\n", "a: &a {x: y}\nb: {<<: *a}\nc: {<<: [*a, {d: &e f}], *e : *e}\n", "a: [?,?,:,:,{},{b},[]]",
		"- -\n- - x\n? a\n: b\n", "a: &a [1, 2]\na2: &a [*a, *a]\nb: [*a, *a]\n---\nc: &c d\ne: *c\n", "%TAG ! tag:x\n---\na: !y z\n", "a: !!binary /////w==\n",
		"x: {2001-01-01: y, 1e3: .inf, ~: no}\n\u2028%TAG\u2028y: &z |\n  a\n  b\nv: *z\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := &gauge{text: maxYAML, values: maxValues, limit: maxYAML}
		if len(text) > 1<<16 || g.yaml("values.yaml", strings.NewReader(text), int64(len(text))) != nil {
			return
		}
		chart, err := loader.LoadFiles([]*loader.BufferedFile{
			{Name: "Chart.yaml", Data: []byte("apiVersion: v2\nname: app\nversion: 1.0.0\n")}, {Name: "values.yaml", Data: []byte(text)},
		})
		if err != nil {
			return
		}
		made, charged := countOf(chart.Values), weight{bytes: maxYAML - g.text, values: maxValues - g.values}
		// A byte of base64 may become a character of three, and a short value its longer, canonical form.
		if made.values > 2*charged.values+4 || made.bytes > 3*charged.bytes+24*made.values {
			t.Errorf("helm creates %+v from text that was charged as %+v: %q", made, charged, text)
		}
	})
}

// countOf adds up the size of what helm read.
func countOf(value any) weight {
	total := weight{values: 1}
	add := func(key string, part weight) {
		total = weight{total.bytes + part.bytes + int64(len(key)), total.values + part.values}
	}
	switch v := value.(type) {
	case string:
		total.bytes = int64(len(v))
	case []any:
		for _, part := range v {
			add("", countOf(part))
		}
	case map[string]any:
		for key, part := range v {
			add(key, countOf(part))
		}
	}
	return total
}
