// Package demo publishes example data on a running local stack: a signed chart in the chart
// repository, the same chart and multi-platform images in the container registry, and a token to
// fetch them. With it, a developer can try all commands of docs/install.md.
//
// It uses only public interfaces, as vendors and customers do: it uploads to the bucket, pushes to
// the registry, and reads from the API. Its output is reproducible, because a version must never
// change; a second run finds everything in place.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"portside/local/stack/folder"
)

// Options are the parameters of Run. Repo is the folder of this repository, which has the source of
// the images' program. Data is the data folder of the stack. Addr is the address that the stack
// must serve; empty means any. Out receives a line for each published item and then the commands.
type Options struct {
	Repo, Data, Addr string
	Out              io.Writer
}

// Names of files in the data folder.
const (
	adminKeyFile = "admin-key"
	passwordFile = "registry-password"
	tokenFile    = "demo-token"
	keyringFile  = "demo-keyring.gpg" // the public key of the charts' signatures
)

// epoch is the modification time of all files, so that archives are reproducible.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// versions of the chart and of the image, oldest first.
func versions() []string { return []string{"1.0.0", newestVersion} }

const newestVersion = "1.1.0" // the version in Chart.yaml

// demo is the state of one run.
type demo struct {
	Options
	info     folder.Info
	key      string // API key of the first admin
	password string // of the upstream registry
	archives map[string][]byte
}

// Run publishes the items that do not exist yet and prints commands that use them. It may be
// interrupted and run again at any time. Its errors are one line for the user.
func Run(ctx context.Context, o Options) error {
	d, err := open(o)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{d.awaitRegistry, d.publishCharts, d.push, d.ensureToken, d.awaitIndex} {
		err := step(ctx)
		if ctx.Err() != nil {
			return errors.New("interrupted; run `make demo` again to continue")
		}
		if err != nil {
			return err
		}
	}
	_, err = io.WriteString(d.Out, d.commands())
	return err
}

func open(o Options) (*demo, error) {
	d := &demo{Options: o, archives: map[string][]byte{}}
	var err error
	if d.info, err = findStack(o.Data, o.Addr); err != nil {
		return nil, err
	}
	if d.key, err = d.secret(adminKeyFile); err != nil {
		return nil, fmt.Errorf("%w: restart the stack to create it", err)
	}
	if d.password, err = d.secret(passwordFile); err != nil {
		return nil, fmt.Errorf("%w: restart the stack to create it", err)
	}
	for _, version := range versions() {
		if d.archives[version], err = archive(version); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func findStack(data, addr string) (folder.Info, error) {
	info, err := folder.ReadInfo(data)
	if errors.Is(err, folder.ErrNotRunning) {
		return info, fmt.Errorf("no local stack runs in %s: start one with `make run DATA=%s`, or set DATA to the folder of the running stack",
			data, shellQuoted(data))
	}
	if err != nil {
		return info, err
	}
	if info.Registry == "" || info.Buckets[chartsBucket] == "" {
		return info, fmt.Errorf("the local stack on %s has no registry or no bucket for charts: restart it with `make run DATA=%s`",
			data, shellQuoted(data))
	}
	if serves := strings.TrimPrefix(info.API, "http://"); addr != "" && serves != addr {
		return info, fmt.Errorf("the local stack on %s serves %s, not %s: use that ADDR, or the DATA folder of the other stack",
			data, serves, addr)
	}
	return info, nil
}

// secret reads a secret from a file in the data folder.
func (d *demo) secret(file string) (string, error) {
	path := filepath.Join(d.Data, file)
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s is missing", path)
	}
	if err != nil {
		return "", err
	}
	if secret := strings.TrimSpace(string(content)); secret != "" {
		return secret, nil
	}
	return "", fmt.Errorf("%s is empty", path)
}

// report prints the result for one item.
func (d *demo) report(item, result string) {
	_, _ = fmt.Fprintf(d.Out, "%-34s %s\n", item, result) // the error has no other output
}

const exists = "already exists"

// writeFileAtomically writes a file that only its owner may read. Readers never see partial
// content.
func writeFileAtomically(path string, content []byte) error {
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
