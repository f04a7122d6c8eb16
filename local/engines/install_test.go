package engines

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func write(t *testing.T, path, content string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// archive returns a package of files, given as alternating names and contents.
func archive(tb testing.TB, files ...string) []byte {
	tb.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	entries := tar.NewWriter(zip)
	for i := 0; i < len(files); i += 2 {
		if err := entries.WriteHeader(&tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o755}); err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(entries, files[i+1]); err != nil {
			tb.Fatal(err)
		}
	}
	if err := errors.Join(entries.Close(), zip.Close()); err != nil {
		tb.Fatal(err)
	}
	return packed.Bytes()
}

func expectError(t *testing.T, err error, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want one line with %q", err, want)
		}
	}
}

// This is the only test that downloads the binary, as setup on a fresh machine does.
func TestInstallReplacesDamagedBinary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bin", "dynoxide")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, path, "half a binary", 0o755)
	var progress bytes.Buffer
	d := Dynoxide{Path: path, Progress: &progress}
	for range 2 {
		if got, err := d.installFor(t.Context(), "linux-x64"); err != nil || got != path {
			t.Fatalf("installFor: %s, %v", got, err)
		}
	}
	if strings.Count(progress.String(), "downloading") != 1 {
		t.Errorf("progress: %q", progress.String())
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("it left %v, %v", entries, err)
	}
}

func TestDownloadReportsFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dynoxide")
	d := Dynoxide{Path: path}
	want := pins()["linux-x64"]
	t.Run("the registry cannot be reached", func(t *testing.T) {
		t.Setenv("npm_config_registry", "http://127.0.0.1:1/")
		t.Setenv("npm_config_fetch_retries", "0")
		t.Setenv("npm_config_cache", t.TempDir())
		expectError(t, d.download(t.Context(), "linux-x64", want), "ECONNREFUSED", "check the network", "DYNOXIDE=/path")
	})
	t.Run("there is no npm", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		expectError(t, d.download(t.Context(), "linux-x64", want), "npm is missing: install Node.js", "DYNOXIDE=/path")
	})
	t.Run("the context ends", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.download(ctx, "linux-x64", want); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 0 {
		t.Errorf("files left: %v, %v", entries, err)
	}
}

func TestUnpackRejectsWrongChecksums(t *testing.T) {
	dir := t.TempDir()
	d := Dynoxide{Path: filepath.Join(dir, "dynoxide")}
	packed := write(t, filepath.Join(dir, "p.tgz"), string(archive(t, "package/dynoxide", "evil")), 0o600)
	sum, err := fileSum(packed)
	if err != nil {
		t.Fatal(err)
	}
	temp := filepath.Join(dir, "temp")
	expectError(t, d.unpack(packed, temp, pin{archive: strings.Repeat("0", 64)}), "the package's checksum is "+sum)
	expectError(t, d.unpack(packed, temp, pin{archive: sum, binary: strings.Repeat("0", 64)}), "the binary's checksum is")
	if _, err := os.Stat(d.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a binary with a wrong checksum was installed: %v", err)
	}
}

func TestInstallUsesGivenBinary(t *testing.T) {
	dir := t.TempDir()
	own := write(t, filepath.Join(dir, "own"), "#!/bin/sh\n", 0o755)
	if got, err := (Dynoxide{Binary: own}).Install(t.Context()); err != nil || got != own {
		t.Errorf("DYNOXIDE: %s, %v", got, err)
	}
	_, err := Dynoxide{Binary: filepath.Join(dir, "none")}.Install(t.Context())
	expectError(t, err, "dynoxide cannot be used", "no such file")
	_, err = Dynoxide{Binary: write(t, filepath.Join(dir, "text"), "x", 0o644)}.Install(t.Context())
	expectError(t, err, "is not an executable file")
}

func TestUnpinnedPlatformNeedsGivenBinary(t *testing.T) {
	dir := t.TempDir()
	d := Dynoxide{Path: filepath.Join(dir, "dynoxide")}
	expectError(t, d.checkUnpinned(t.Context(), "darwin-arm64"),
		"no checksum of dynoxide is pinned for darwin-arm64", "put your own build of dynoxide 1.2.1 at "+d.Path,
		"DYNOXIDE=/path")
	write(t, d.Path, "#!/bin/sh\necho dynoxide 1.1.0\n", 0o755)
	expectError(t, d.checkUnpinned(t.Context(), "darwin-arm64"), `is not dynoxide 1.2.1: --version prints "dynoxide 1.1.0`)
	write(t, d.Path, "#!/bin/sh\necho dynoxide 1.2.1\n", 0o755)
	if err := d.checkUnpinned(t.Context(), "darwin-arm64"); err != nil {
		t.Error(err)
	}
}

func TestNodePlatform(t *testing.T) {
	for want, pair := range map[string][2]string{
		"linux-x64": {"linux", "amd64"}, "linux-arm64": {"linux", "arm64"}, "darwin-arm64": {"darwin", "arm64"},
	} {
		t.Run(want, func(t *testing.T) {
			if got := nodePlatform(pair[0], pair[1]); got != want {
				t.Errorf("platform of %v = %s, want %s", pair, got, want)
			}
		})
	}
}

func TestExtractIsBounded(t *testing.T) {
	many := make([]string, 0, 2*(maxEntries+1))
	for range maxEntries {
		many = append(many, "package/x", "")
	}
	for want, packed := range map[string][]byte{
		"the archive unpacks to more than": archive(t, "package/zeros", strings.Repeat("\x00", maxUnpackedBytes),
			"package/dynoxide", "x"),
		"among its first":    archive(t, append(many, "package/dynoxide", "x")...),
		"the archive has no": archive(t, "../package/dynoxide", "x", "dynoxide", "y"),
		"gzip":               []byte("<html>proxy says no</html>"),
		"EOF":                archive(t, "package/dynoxide", strings.Repeat("x", 9999))[:60],
	} {
		t.Run(want, func(t *testing.T) {
			dir := t.TempDir()
			packed := write(t, filepath.Join(dir, "p.tgz"), string(packed), 0o600)
			expectError(t, extract(packed, filepath.Join(dir, "out")), want)
		})
	}
}

// On any input, openBinary finds a binary within the limits or returns an error.
func FuzzOpenBinary(f *testing.F) {
	f.Add(archive(f, "package/package.json", "{}", "package/dynoxide", "binary"))
	f.Add(archive(f, "package/dynoxide", ""))
	f.Fuzz(func(t *testing.T, packed []byte) {
		binary, err := openBinary(bytes.NewReader(packed))
		if err != nil {
			return
		}
		if n, err := io.Copy(io.Discard, binary); err == nil && n > maxUnpackedBytes {
			t.Errorf("%d bytes", n)
		}
	})
}
