package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"portside/cmd/portside/operator"
	"portside/shared/dynamo/layout"
)

// unknownRevision is the revision of a command that was built without the git history.
const unknownRevision = "unknown"

// commit is what `make release` sets. Its builds have no record of the git history, so that copies of the sources make
// the same bytes.
var commit string

func versionCommand() operator.Command {
	return operator.Command{
		Name: "version", Summary: "show what this command was built from",
		Help: `Shows the commit and the Go version that this command was built from, and the data layout
that it knows. The commit is unknown if the sources have no git history, such as those of an
archive, or if -buildvcs=false was set.`,
		Prepare: func(*flag.FlagSet) operator.Action {
			return func(ctx context.Context, p operator.Process, arguments []string) error {
				if err := operator.RejectArguments(arguments); err != nil {
					return err
				}
				_, err := fmt.Fprintf(p.Stdout, "portside %s (%s, %s/%s, data layout %d)\n",
					describe(revision(ctx)), runtime.Version(), runtime.GOOS, runtime.GOARCH, layout.Version)
				return err
			}
		},
	}
}

// describe returns the revision as text, or explains that it is unknown.
func describe(revision string) string {
	if revision == unknownRevision {
		return "of an unknown commit, built without the git history"
	}
	return revision
}

func revision(ctx context.Context) string {
	if commit != "" {
		return commit
	}
	build, _ := debug.ReadBuildInfo()
	if found := revisionOf(build); found != unknownRevision {
		return found
	}
	executable, err := os.Executable()
	_, source, _, found := runtime.Caller(0)
	if err != nil || !found {
		return unknownRevision
	}
	return checkoutRevision(ctx, executable, filepath.Dir(source))
}

// checkoutRevision returns the commit of the folder with the sources if `go run` has just built the command from them.
// `go run` does not record the commit. Other commands without a record can be older than the folder.
func checkoutRevision(ctx context.Context, executable, sources string) string {
	if !strings.Contains(filepath.ToSlash(executable), "/go-build") {
		return unknownRevision
	}
	output, err := exec.CommandContext(ctx, "git", "-C", sources,
		"describe", "--always", "--exclude=*", fmt.Sprint("--abbrev=", shortRevision), "--dirty="+changesSuffix).Output()
	if err != nil {
		return unknownRevision
	}
	return strings.TrimSpace(string(output))
}

const (
	shortRevision = 12 // digits of a commit
	changesSuffix = ", with changes"
)

// revisionOf returns the commit that `go build` found in the checkout, or else the version of the module, whose last
// part is the commit if no tag names it.
func revisionOf(build *debug.BuildInfo) string {
	if build == nil {
		return unknownRevision
	}
	settings := map[string]string{}
	for _, s := range build.Settings {
		settings[s.Key] = s.Value
	}
	found := settings["vcs.revision"]
	if found == "" {
		return moduleRevision(build.Main.Version)
	}
	found = found[:min(len(found), shortRevision)]
	if settings["vcs.modified"] == "true" {
		found += changesSuffix
	}
	return found
}

// pseudoVersion is a version that Go makes for a commit without a tag, such as v0.0.0-20261104101112-1f3a9c07be24.
var pseudoVersion = regexp.MustCompile(`[-.]\d{14}-([0-9a-f]{12})$`)

func moduleRevision(version string) string {
	version, isChanged := strings.CutSuffix(version, "+dirty")
	if isChanged {
		return moduleRevision(version) + changesSuffix
	}
	if parts := pseudoVersion.FindStringSubmatch(version); parts != nil {
		return parts[1]
	}
	if version == "" || version == "(devel)" {
		return unknownRevision
	}
	return version
}
