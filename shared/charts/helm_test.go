package charts_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"portside/shared/charts"
)

const fullChart = `apiVersion: v2
name: full
version: 2.0.0-rc.1+build.7
kubeVersion: ">= 1.28.0-0 < 2.0.0"
description: "Über <b>alles</b> &\u0007 with\ttab"
type: application
keywords: [a, "b c", '<&>']
home: https://example.com/?a=1&b=2
sources: [https://example.com/src, oci://example.com/x]
dependencies:
  - name: inner
    version: ">=0.1.0"
    repository: "@alias"
    condition: inner.enabled, all.enabled
    tags: [front, back]
    import-values: [data, {child: a.b, parent: c}]
    alias: other
  - {name: plain, repository: ""}
maintainers:
  - {name: Ada, email: ada@example.com, url: https://example.com/ada}
  - name: "Zoë"
icon: https://example.com/icon.svg
appVersion: 1.10
condition: some.thing
tags: some-tags
deprecated: true
annotations:
  example.com/long: |
    two
    lines
  number: "1"
`

// varied returns charts with every field and every unusual form that helm accepts.
func varied(tb testing.TB) map[string][]byte {
	tb.Helper()
	all := map[string][]byte{
		"full-2.0.0-rc.1+build.7.tgz": archive(tb, files{
			"full/Chart.yaml": fullChart, "full/charts/inner/Chart.yaml": "apiVersion: v2\nname: inner\nversion: 0.1.0\n",
		}),
		"old-0.1.0.tgz": archive(tb, files{
			"old/Chart.yaml": "name: old\nversion: 0.1.0\nappVersion: 2\nengine: gotpl\nunknown: {a: 1}\n",
			"old/requirements.yaml": "dependencies:\n- name: a\n  version: 1.x.x\n  repository: https://example.com\n" +
				"- name: b\n  version: '*'\n  repository: file://../b\n",
		}),
		"lib-1.0.0.tgz": archive(tb, files{"lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: '1.0.0'\ntype: library\n"}),
		"lib-1.2.0.tgz": archive(tb, files{"other-top/Chart.yaml": "\uFEFFapiVersion: v2\nname: lib\nversion: 1.2.0\n"}),
	}
	for _, version := range []string{
		"1.0.0", "1.10.0", "1.9.9", "2.0.0-alpha", "2.0.0-alpha.1", "2.0.0-alpha.beta", "2.0.0-alpha.10", "2.0.0-alpha.9", "2.0.0-1",
		"2.0.0-rc-1", "10.0.0", "2.0.0",
	} {
		all["many-"+version+".tgz"] = chart(tb, "many", version, "version "+version)
	}
	for _, name := range []string{"a", "a-1", "a--b", "a.b_c", "Product", "product", "My-Chart__X.2"} {
		all[name+"-1.0.0.tgz"] = chart(tb, name, "1.0.0", "named "+name)
	}
	return all
}

func TestIndexMatchesHelmRepoIndex(t *testing.T) {
	dir, p := t.TempDir(), newFixture(t)
	for file, contents := range varied(t) {
		if err := os.WriteFile(filepath.Join(dir, file), contents, 0o600); err != nil {
			t.Fatal(err)
		}
		p.publish(file, contents)
		if got := p.sync(file); got != "listed "+file {
			t.Errorf("%s: %s\n%s", file, got, p.get(charts.RejectedPrefix+file+".reason.txt"))
		}
	}
	want := helmIndex(t, dir)
	var got map[string]any
	if err := json.Unmarshal(p.get(charts.IndexKey), &got); err != nil {
		t.Fatal(err)
	}
	for _, index := range []map[string]any{got, want} {
		dropTimes(t, index)
	}
	if diff := cmp.Diff(plain(t, want), plain(t, got)); diff != "" {
		t.Errorf("the index differs from helm's (-helm +portside):\n%s", diff)
	}
}

func helmIndex(t *testing.T, dir string) map[string]any {
	t.Helper()
	binary, err := filepath.Abs("../../.local/bin/helm")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Fatal("helm is missing: run `make clients`")
	}
	cmd := exec.CommandContext(t.Context(), binary, "repo", "index", dir)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("helm repo index: %v: %s", err, output)
	}
	text, err := os.ReadFile(filepath.Join(dir, "index.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var index map[string]any
	if err := yaml.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	return index
}

// dropTimes removes the timestamps, after checking that they exist.
func dropTimes(t *testing.T, index map[string]any) {
	t.Helper()
	if index["generated"] == nil {
		t.Error("generated is missing")
	}
	delete(index, "generated")
	for name, versions := range index["entries"].(map[string]any) {
		for _, v := range versions.([]any) {
			entry := v.(map[string]any)
			if entry["created"] == nil {
				t.Errorf("%s: created is missing", name)
			}
			delete(entry, "created")
		}
	}
}

// plain converts YAML values to the types of JSON values.
func plain(t *testing.T, index map[string]any) map[string]any {
	t.Helper()
	text, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
