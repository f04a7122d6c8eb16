package charts_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"portside/shared/charts"
)

//proves:docs/security.md
func TestPublishingAndWithdrawing(t *testing.T) {
	p := newFixture(t)
	one, other := chart(t, "app", "1.0.0", "one"), chart(t, "app", "1.0.0", "other")
	const file = "app-1.0.0.tgz"
	steps := []struct {
		name string
		do   func()
		want string // outcomes
		list string // index
	}{
		{"first", func() { p.publish(file, one) }, "listed " + file, file},
		{"event again", func() {}, "", file},
		{"same bytes again", func() { p.publish(file, one) }, "", file},
		{"other bytes", func() { p.publish(file, other) }, "rejected " + file, file},
		{"withdrawn", func() { p.withdraw(file) }, "unlisted " + file, ""},
		{"event of the withdrawal again", func() {}, "", ""},
		{"other bytes after the withdrawal", func() { p.publish(file, other) }, "rejected " + file, ""},
		{"same bytes after the withdrawal", func() { p.publish(file, one) }, "listed " + file, file},
	}
	for _, step := range steps {
		step.do()
		if got := p.sync(file); got != step.want || p.listed() != step.list {
			t.Errorf("%s: %q, index %q; want %q, %q", step.name, got, p.listed(), step.want, step.list)
		}
		if kept := p.get(charts.ArchivesPrefix + file); !bytes.Equal(kept, one) {
			t.Errorf("%s: the archive that was accepted first has changed", step.name)
		}
	}
	if got := p.get(charts.PublishedPrefix + file); !bytes.Equal(got, one) {
		t.Error("the published file is not the listed one")
	}
	if got := p.get(charts.RejectedPrefix + file); !bytes.Equal(got, other) {
		t.Error("there is no copy of the rejected file")
	}
}

//proves:docs/security.md
func TestRejections(t *testing.T) {
	p := newFixture(t)
	p.publish("app-1.0.0.tgz", chart(t, "app", "1.0.0", ""))
	p.sync("app-1.0.0.tgz")
	const signed = "-----BEGIN PGP SIGNED MESSAGE-----\n"
	tests := []struct{ name, file, contents, reason string }{
		{"not a chart", "x-1.0.0.tgz", "hello", "not a gzip-compressed tar archive"},
		{"nothing", "x-1.0.1.tgz", "", "not a gzip-compressed tar archive"},
		{"another version", "app-2.0.0.tgz", string(chart(t, "app", "3.0.0", "")), "publish it as app-3.0.0.tgz"},
		{"too large", "x-1.0.2.tgz", strings.Repeat("x", maxBytes+1), "more than the maximum of 1048576"},
		{"in a folder", "sub/app-1.0.0.tgz", string(chart(t, "app", "1.0.0", "")), "directly below charts/"},
		{"another kind of file", "README.md", "# Charts", "belong below charts/"},
		{"without a suffix", "app-1.0.0", "x", "belong below charts/"},
		{"provenance of no chart", "app.prov", signed, "belong below charts/"},
		{"invalid provenance", "app-1.0.0.tgz.prov", "hello", "helm package --sign"},
		{"provenance too large", "app-1.0.1.tgz.prov", signed + strings.Repeat("x", 64<<10), "more than the maximum of 65536"},
		{"long name", strings.Repeat("x/", 120) + "a.tgz", "x", "directly below charts/"},
		{"version with a v", "app-v5.0.0.tgz", string(chart(t, "app", "v5.0.0", "")), "Semantic Versioning"},
		{"version of two parts", "app-5.0.tgz", string(chart(t, "app", "'5.0'", "")), "Semantic Versioning"},
		{"version with a leading zero", "app-05.0.0.tgz", string(chart(t, "app", "05.0.0", "")), ""},
		{"prerelease with a leading zero", "app-5.0.0-01.tgz", string(chart(t, "app", "5.0.0-01", "")), ""},
		{"name that is invalid in scopes", "a..b-5.0.0.tgz", string(chart(t, "a..b", "5.0.0", "")), "neither scopes nor"},
		{"name with a trailing dot", "app.-5.0.0.tgz", string(chart(t, "app.", "5.0.0", "")), "neither scopes nor"},
		{"metadata too deep", "app-4.0.0.tgz", string(archive(t, files{"app/Chart.yaml": "apiVersion: v2\nname: app\nversion: 4.0.0\n" +
			"dependencies: [{name: x, import-values: " + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "}]\n"})), "nested deeper than"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p.publish(test.file, []byte(test.contents))
			if got := p.sync(test.file); got != "rejected "+test.file {
				t.Errorf("outcomes = %q", got)
			}
			reason := string(p.get(charts.RejectedPrefix + test.file + ".reason.txt"))
			if !strings.Contains(reason, test.reason) || !strings.Contains(reason, "charts/"+test.file) ||
				strings.Count(reason, "\n") != 4 {
				t.Errorf("reason: %s", reason)
			}
			if p.get(charts.PublishedPrefix+test.file) != nil ||
				string(p.get(charts.RejectedPrefix+test.file)) != test.contents {
				t.Error("the file was not moved")
			}
			if p.listed() != "app-1.0.0.tgz" || p.get(charts.ArchivesPrefix+test.file) != nil {
				t.Errorf("index: %s", p.listed())
			}
			if got := p.sync(test.file); got != "" {
				t.Errorf("event of the removal: %q", got)
			}
		})
	}
}

func TestOtherFilesAreNotListed(t *testing.T) {
	p := newFixture(t)
	p.publish("app-1.0.0.tgz.prov", []byte("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n"))
	p.publish("folder/", nil)
	p.publish("", nil)
	for _, file := range []string{"app-1.0.0.tgz.prov", "folder/", "", "never/there/"} {
		if got := p.sync(file); got != "" {
			t.Errorf("%s: %s", file, got)
		}
	}
	if p.get("charts/app-1.0.0.tgz.prov") == nil || p.get(charts.IndexKey) != nil {
		t.Error("a provenance file must stay and must not create an index")
	}
	if done, err := p.indexer.Sync(t.Context(), "rejected/x.tgz"); err != nil || done != nil {
		t.Errorf("a key that is not published: %v, %v", done, err)
	}
}

func TestLostOrDamagedIndexIsRebuilt(t *testing.T) {
	p := newFixture(t)
	for _, version := range []string{"1.0.0", "1.1.0"} {
		p.publish("app-"+version+".tgz", chart(t, "app", version, ""))
		p.sync("app-" + version + ".tgz")
	}
	var before map[string]any
	if err := json.Unmarshal(p.get(charts.IndexKey), &before); err != nil {
		t.Fatal(err)
	}
	for _, damage := range []string{"", "{", `{"apiVersion":"v1","entries":{"app":[7]}}`,
		`{"apiVersion":"v1","entries":{"app":7}}`} {
		if err := p.bucket.Put(t.Context(), charts.IndexKey, []byte(damage), charts.Anything); err != nil {
			t.Fatal(err)
		}
		if got := p.sync("app-1.0.0.tgz"); !strings.HasPrefix(got,
			"rejected index.yaml, listed app-1.0.0.tgz, listed app-1.1.0.tgz") {
			t.Errorf("%q: %s", damage, got)
		}
		if p.listed() != "app-1.0.0.tgz app-1.1.0.tgz" || string(p.get("rejected/index.yaml")) != damage {
			t.Errorf("%q: index %s", damage, p.listed())
		}
	}
	entries := p.index()
	if err := p.bucket.Delete(t.Context(), stored(t, p, charts.IndexKey)); err != nil {
		t.Fatal(err)
	}
	p.sync("app-1.0.0.tgz")
	if !p.index().Equal(entries) {
		t.Error("the rebuilt index differs")
	}
}

func stored(t *testing.T, p *fixture, key string) charts.Object {
	t.Helper()
	object, err := p.bucket.Get(t.Context(), key, 0)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

func TestRebuild(t *testing.T) {
	p := newFixture(t)
	p.publish("app-1.0.0.tgz", chart(t, "app", "1.0.0", ""))
	p.publish("app-1.0.0.tgz.prov", []byte("-----BEGIN PGP SIGNED MESSAGE-----\n"))
	p.publish("app-1.1.0.tgz", chart(t, "app", "1.1.0", ""))
	p.publish("bad-1.0.0.tgz", []byte("bad"))
	p.publish("folder/", nil)
	steps := []struct {
		name string
		do   func()
		want string
	}{
		{"first", func() {}, "rejected bad-1.0.0.tgz, listed app-1.0.0.tgz, listed app-1.1.0.tgz"},
		{"no changes", func() {}, ""},
		{"changed without events", func() {
			p.withdraw("app-1.0.0.tgz")
			p.publish("app-1.1.0.tgz", chart(t, "app", "1.1.0", "changed"))
			p.publish("app-2.0.0.tgz", chart(t, "app", "2.0.0", ""))
		}, "rejected app-1.1.0.tgz, listed app-2.0.0.tgz, unlisted app-1.0.0.tgz"},
		{"no changes again", func() {}, ""},
	}
	for _, step := range steps {
		step.do()
		before := p.get(charts.IndexKey)
		done, err := p.indexer.Rebuild(t.Context())
		if err != nil || describe(done) != step.want {
			t.Errorf("%s: %q, %v; want %q", step.name, describe(done), err, step.want)
		}
		if step.want == "" && !bytes.Equal(before, p.get(charts.IndexKey)) {
			t.Errorf("%s: the index was written", step.name)
		}
	}
}
