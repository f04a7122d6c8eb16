package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// sizeTarget is the maximum size of a function in MB, unless sizeTargets has another value.
const sizeTarget = 14

// sizeTargets are the maximum sizes of functions in MB.
var sizeTargets = map[string]float64{"charts": 12, "indexcharts": 16, "images": 12, "media": 25, "portal": 10, "runmediajobs": 25}

// sizes measures the binary of every function, built as for deployment.
func (b *bench) sizes(ctx context.Context) error {
	directories, err := filepath.Glob(filepath.Join(b.repo, "functions", "*"))
	if err != nil {
		return err
	}
	for _, directory := range directories {
		name := filepath.Base(directory)
		b.logProgress("building %s for arm64", name)
		size, err := b.sizeOf(ctx, name)
		if err != nil {
			return err
		}
		b.table.AddAtMost("size of the function "+name+", arm64", size, cmp.Or(sizeTargets[name], sizeTarget), "MB")
	}
	return nil
}

func (b *bench) sizeOf(ctx context.Context, name string) (float64, error) {
	target, dir := "build-"+strings.ToUpper(name[:1])+name[1:]+"Function", filepath.Join(b.dir, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, "make", "-s", "-C", b.repo, target, "ARTIFACTS_DIR="+dir, "LAMBDA_GOARCH=arm64")
	if output, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("make %s: %w: %s", target, err, output)
	}
	file, err := os.Stat(filepath.Join(dir, "bootstrap"))
	if err != nil {
		return 0, err
	}
	return float64(file.Size()) / 1e6, nil
}
