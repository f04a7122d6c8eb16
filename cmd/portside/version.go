package main

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"

	"portside/shared/dynamo/layout"
)

// commit is set by the linker. If it is empty, revision reads the build information.
var commit = ""

func versionCommand() command {
	return command{
		name: "version", summary: "show what this command was built from",
		help: "Shows the commit and the Go version that this command was built from, and the data layout that it knows.",
		prepare: func(*flag.FlagSet) action {
			return func(_ context.Context, p process, arguments []string) error {
				if err := rejectArguments(arguments); err != nil {
					return err
				}
				_, err := fmt.Fprintf(p.stdout, "portside %s (%s, %s/%s, data layout %d)\n",
					revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH, layout.Version)
				return err
			}
		},
	}
}

func revision() string {
	build, _ := debug.ReadBuildInfo()
	return revisionOf(commit, build)
}

// revisionOf returns the commit that the Makefile passed to the linker, or that `go build` found in the checkout, or else the version
// of the module, whose last part is the commit if no tag names it.
func revisionOf(linked string, build *debug.BuildInfo) string {
	if linked != "" {
		return linked
	}
	if build == nil {
		return "unknown"
	}
	settings := map[string]string{}
	for _, s := range build.Settings {
		settings[s.Key] = s.Value
	}
	found := settings["vcs.revision"]
	if found == "" {
		found = moduleRevision(build.Main.Version)
	} else if settings["vcs.modified"] == "true" {
		found += ", with changes"
	}
	return found
}

// pseudoVersion is a version that Go makes for a commit without a tag, such as v0.0.0-20261104101112-1f3a9c07be24.
var pseudoVersion = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})(?:\+dirty)?$`)

func moduleRevision(version string) string {
	if parts := pseudoVersion.FindStringSubmatch(version); parts != nil {
		return parts[1]
	}
	if version == "" || version == "(devel)" {
		return "unknown"
	}
	return version
}
