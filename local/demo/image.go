package demo

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// program is the path of the only file in the images.
const program = "hello"

func architectures() []string { return []string{"amd64", "arm64"} }

// layers builds the program and returns a layer with it for each architecture.
func (d *demo) layers(ctx context.Context) (map[string]v1.Layer, error) {
	folder, err := os.MkdirTemp("", "portside-demo-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	layers := map[string]v1.Layer{}
	for _, architecture := range architectures() {
		binary, err := d.compile(ctx, folder, architecture)
		if err != nil {
			return nil, err
		}
		if layers[architecture], err = layer(binary); err != nil {
			return nil, err
		}
	}
	return layers, nil
}

// compile builds the program reproducibly: the output depends only on the source and Go's version.
func (d *demo) compile(ctx context.Context, folder, architecture string) ([]byte, error) {
	binary := filepath.Join(folder, architecture)
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=",
		"-o", binary, "./demo/hello")
	command.Dir = filepath.Join(d.Repo, "local")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+architecture, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=",
		"GOEXPERIMENT=")
	if output, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("cannot build the program of the images: %w: %s", err,
			strings.Join(strings.Fields(string(output)), " "))
	}
	return os.ReadFile(binary)
}

func layer(binary []byte) (v1.Layer, error) {
	var packed bytes.Buffer
	out := tar.NewWriter(&packed)
	if err := errors.Join(addFile(out, program, binary, 0o755), out.Close()); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(packed.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}

// index returns the multi-platform image of a version.
func index(version string, layers map[string]v1.Layer) (v1.ImageIndex, error) {
	all := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, architecture := range architectures() {
		made, err := image(version, architecture, layers[architecture])
		if err != nil {
			return nil, err
		}
		all = mutate.AppendManifests(all, mutate.IndexAddendum{
			Add: made, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}},
		})
	}
	return all, nil
}

func image(version, architecture string, program v1.Layer) (v1.Image, error) {
	made := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	made, err := mutate.Append(made, mutate.Addendum{
		Layer: program, History: v1.History{Created: v1.Time{Time: epoch}, CreatedBy: "make demo"},
	})
	if err != nil {
		return nil, err
	}
	file, err := made.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Created = "linux", architecture, v1.Time{Time: epoch}
	file.Config = v1.Config{
		Entrypoint: []string{"/hello"}, User: "65532:65532", Env: []string{"GREETING=hello", "VERSION=" + version},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Labels: map[string]string{"org.opencontainers.image.title": imageRepository,
			"org.opencontainers.image.version": version},
	}
	return mutate.ConfigFile(made, file)
}
