package engines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"portside/local/process"
)

// DynoxideVersion is the version with which the tests run.
const DynoxideVersion = "1.2.1"

// pin holds the SHA-256 sums of an npm package and of the binary in it.
type pin struct{ archive, binary string }

// pins returns the pinned checksums by platform, in Node.js's notation. Review a platform's package
// before adding it.
func pins() map[string]pin {
	return map[string]pin{
		"linux-x64": {
			archive: "80e1ed33e33ec33c7bdcb1779ea09678e5c6f87c5c225f44c2037d2b2ea71164",
			binary:  "be909b7910d3fb552e85db10ef3c8ebae4bd35fee0f26dffdb6dfa5cc656426e",
		},
	}
}

// Dynoxide holds the parameters for installing the DynamoDB engine.
type Dynoxide struct {
	// Path is the path at which Install puts the binary.
	Path string
	// Binary is the path of a binary to use instead of installing one. The environment variable
	// DYNOXIDE sets it.
	Binary string
	// Progress receives a line before a download. Nil discards it.
	Progress io.Writer
}

// Install returns the engine's path. It downloads the engine if the file is missing or has the
// wrong checksum. It checks the checksum on every call, which takes some ten milliseconds.
func (d Dynoxide) Install(ctx context.Context) (string, error) {
	if d.Binary != "" {
		return d.Binary, checkExecutable(d.Binary)
	}
	return d.installFor(ctx, nodePlatform(runtime.GOOS, runtime.GOARCH))
}

func (d Dynoxide) installFor(ctx context.Context, platform string) (string, error) {
	want, pinned := pins()[platform]
	if !pinned {
		return d.Path, d.checkUnpinned(ctx, platform)
	}
	if sum, err := fileSum(d.Path); err == nil && sum == want.binary {
		return d.Path, checkExecutable(d.Path)
	}
	if err := d.download(ctx, platform, want); err != nil {
		return "", fmt.Errorf("cannot get dynoxide, the DynamoDB engine: %w", err)
	}
	return d.Path, nil
}

func nodePlatform(system, arch string) string {
	if arch == "amd64" {
		arch = "x64"
	}
	return system + "-" + arch
}

// ownBinaryHint ends errors that the developer can avoid by providing a binary.
func (d Dynoxide) ownBinaryHint() string {
	return fmt.Sprintf("put your own build of dynoxide %s at %s or set DYNOXIDE=/path", DynoxideVersion, d.Path)
}

func (d Dynoxide) checkUnpinned(ctx context.Context, platform string) error {
	if _, err := os.Stat(d.Path); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("no checksum of dynoxide is pinned for %s, so it is not downloaded: %s", platform,
			d.ownBinaryHint())
	}
	if err := checkExecutable(d.Path); err != nil {
		return err
	}
	output, err := exec.CommandContext(ctx, d.Path, "--version").Output()
	if err != nil || strings.TrimSpace(string(output)) != "dynoxide "+DynoxideVersion {
		return fmt.Errorf("%s is not dynoxide %s: --version prints %.80q; replace it", d.Path, DynoxideVersion, output)
	}
	return nil
}

func checkExecutable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("dynoxide cannot be used: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("dynoxide cannot be used: %s is not an executable file", path)
	}
	return nil
}

func (d Dynoxide) download(ctx context.Context, platform string, want pin) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("npm is missing: install Node.js 20 or later, or %s", d.ownBinaryHint())
	}
	if d.Progress != nil {
		_, _ = fmt.Fprintf(d.Progress, "downloading dynoxide %s (3.5 MB) …\n", DynoxideVersion)
	}
	if err := os.MkdirAll(filepath.Dir(d.Path), 0o755); err != nil {
		return err
	}
	// A folder beside the target, so that the last step can be a rename.
	dir, err := os.MkdirTemp(filepath.Dir(d.Path), ".dynoxide-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	archive, err := d.pack(ctx, npm, dir, platform)
	if err != nil {
		return err
	}
	return d.unpack(archive, filepath.Join(dir, "dynoxide"), want)
}

// pack downloads the package with npm, which uses this machine's settings for registry, proxy and
// certificates.
func (d Dynoxide) pack(ctx context.Context, npm, dir, platform string) (string, error) {
	name := "@dynoxide/" + platform + "@" + DynoxideVersion
	p, err := process.Start(process.Options{
		Name: "npm", Path: npm, Dir: dir, Env: os.Environ(),
		Args: []string{"pack", name, "--ignore-scripts", "--loglevel=error"},
	})
	if err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, p.Kill)()
	<-p.Done()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err := p.Err(); err != nil {
		return "", fmt.Errorf("npm pack %s failed (%s): check the network and npm's settings with `npm view %s`, or %s",
			name, npmReason(p.Tail()), name, d.ownBinaryHint())
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("npm pack %s created %d archives instead of one: update npm, or %s", name, len(found),
			d.ownBinaryHint())
	}
	return found[0], nil
}

// npmReason extracts the error code and its first explanation from npm's output.
func npmReason(output string) string {
	var reasons []string
	for line := range strings.Lines(output) {
		reason, ok := strings.CutPrefix(strings.TrimSpace(line), "npm error ")
		if ok && len(reasons) < 2 && !strings.HasPrefix(reason, "errno") && !strings.HasPrefix(reason, "syscall") {
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) == 0 {
		return oneLine(output)
	}
	return strings.Join(reasons, ": ")
}

func (d Dynoxide) unpack(archive, temp string, want pin) error {
	sum, err := fileSum(archive)
	if err != nil {
		return err
	}
	if sum != want.archive {
		return fmt.Errorf("the package's checksum is %s, but %s is pinned: do not use it; look for a broken mirror or proxy, or %s",
			sum, want.archive, d.ownBinaryHint())
	}
	if err := extract(archive, temp); err != nil {
		return fmt.Errorf("the package cannot be unpacked: %w", err)
	}
	if sum, err = fileSum(temp); err != nil {
		return err
	}
	if sum != want.binary {
		return fmt.Errorf("the binary's checksum is %s, but %s is pinned: do not use it; %s", sum, want.binary,
			d.ownBinaryHint())
	}
	return os.Rename(temp, d.Path)
}

func fileSum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
