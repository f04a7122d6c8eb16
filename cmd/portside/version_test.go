package main

import (
	"runtime/debug"
	"testing"
)

func TestRevision(t *testing.T) {
	t.Parallel()
	checkout := func(modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "1f3a9c07be24"}, {Key: "vcs.modified", Value: modified},
		}}
	}
	module := func(version string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: version}} }
	cases := map[string]struct {
		linked string
		build  *debug.BuildInfo
		want   string
	}{
		"make":                      {"abc123", checkout("false"), "abc123"},
		"a checkout":                {"", checkout("false"), "1f3a9c07be24"},
		"a checkout with changes":   {"", checkout("true"), "1f3a9c07be24, with changes"},
		"a module without a tag":    {"", module("v0.0.0-20261104101112-1f3a9c07be24"), "1f3a9c07be24"},
		"a module after a tag":      {"", module("v1.2.1-0.20261104101112-1f3a9c07be24+dirty"), "1f3a9c07be24"},
		"a module with a tag":       {"", module("v1.2.0"), "v1.2.0"},
		"sources without a history": {"", module("(devel)"), "unknown"},
		"no build information":      {"", nil, "unknown"},
	}
	for name, c := range cases {
		if got := revisionOf(c.linked, c.build); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
