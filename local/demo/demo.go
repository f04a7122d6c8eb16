// Package demo fills a running local stack with an example of what a vendor publishes: a signed chart in the chart
// repository, the same chart and images for two processors in the container registry, and a token to fetch them with. So
// whatever docs/install.md tells customers can be tried at once.
//
// It works from outside, as a vendor and a customer do: it publishes to the bucket and pushes to the registry, and reads by
// the API. What it makes has the same bytes each time, for a version number means the same bytes for ever; so a second run
// finds everything there.
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

	"portside/local/stack"
)

// Options are which stack to fill. Repo is the folder of this repository, from which the images' program is built. Addr is
// empty, or the address that the stack must serve. Out gets a line for each thing that is there, and then the commands.
type Options struct {
	Repo, Data, Addr string
	Out              io.Writer
}

// Names of files in the data folder.
const (
	adminKeyFile = "admin-key"
	passwordFile = "registry-password"
	tokenFile    = "demo-token"
	keyringFile  = "demo-keyring.gpg" // the public key that the charts are signed with
)

// epoch is when all files of the demo were written, for the sake of the same bytes.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// versions of the chart and of the image, oldest first.
func versions() []string { return []string{"1.0.0", newest} }

const newest = "1.1.0" // as in Chart.yaml

// demo is one run.
type demo struct {
	Options
	info     stack.Info
	key      string // API key of the first admin
	password string // of the registry behind the gateway
	archives map[string][]byte
}

// Run publishes what is not there yet, and prints commands to try it with. It may be stopped and run again at any time. Its
// errors are one line for whoever typed the command.
func Run(ctx context.Context, o Options) error {
	d, err := open(o)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{d.publish, d.push, d.makeToken, d.awaitIndex} {
		err := step(ctx)
		if ctx.Err() != nil {
			return errors.New("interrupted; run `make demo` again, it goes on where it stopped")
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
	if d.info, err = find(o.Data, o.Addr); err != nil {
		return nil, err
	}
	if d.key, err = d.secret(adminKeyFile); err != nil {
		return nil, fmt.Errorf("%w: restart the stack, which makes another", err)
	}
	if d.password, err = d.secret(passwordFile); err != nil {
		return nil, fmt.Errorf("%w: restart the stack, which makes another", err)
	}
	for _, version := range versions() {
		if d.archives[version], err = archive(version); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func find(data, addr string) (stack.Info, error) {
	info, err := stack.ReadInfo(data)
	if errors.Is(err, stack.ErrNotRunning) {
		return info, fmt.Errorf("no local stack runs in %s: start it with `make run DATA=%s`, or name the DATA folder of the one that runs",
			data, quoted(data))
	}
	if err != nil {
		return info, err
	}
	if info.Registry == "" || info.Buckets[chartsBucket] == "" {
		return info, fmt.Errorf("the local stack in %s has no registry or no bucket for charts: restart it with `make run DATA=%s`",
			data, quoted(data))
	}
	if serves := strings.TrimPrefix(info.API, "http://"); addr != "" && serves != addr {
		return info, fmt.Errorf("the local stack in %s serves %s, not %s: give that address, or the DATA folder of the other stack",
			data, serves, addr)
	}
	return info, nil
}

// secret reads a file that has nothing but a secret.
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

// say prints what became of one thing.
func (d *demo) say(what, became string) {
	_, _ = fmt.Fprintf(d.Out, "%-34s %s\n", what, became) // of a lost line nobody can be told
}

const alreadyThere = "already there"

// replace writes a file as a whole, for its owner only.
func replace(path string, content []byte) error {
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
