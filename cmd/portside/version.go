package main

import (
	"context"
	"flag"
	"fmt"
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
	if commit != "" {
		return commit
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" {
				return setting.Value
			}
		}
	}
	return "unknown"
}
