package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Repositories in the registry.
const (
	imageRepository = "acme/hello"
	chartRepository = "charts/" + chartName
)

// Media types of charts, like those of helm push.
const (
	chartConfig  types.MediaType = "application/vnd.cncf.helm.config.v1+json"
	chartContent types.MediaType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// push pushes images and charts to the upstream registry, because the gateway accepts no pushes.
func (d *demo) push(ctx context.Context) error {
	layers, err := d.layers(ctx)
	if err != nil {
		return err
	}
	for _, version := range versions() {
		made, err := index(version, layers)
		if err != nil {
			return err
		}
		err = d.pushUnlessPresent(ctx, imageRepository+":"+version, made, func(tag name.Tag) error {
			return remote.WriteIndex(tag, made, d.remoteOptions(ctx)...)
		})
		if err != nil {
			return err
		}
	}
	for _, version := range versions() {
		if err := d.pushChart(ctx, version); err != nil {
			return err
		}
	}
	return nil
}

// pushUnlessPresent calls write unless the registry has the manifest already.
func (d *demo) pushUnlessPresent(ctx context.Context, at string, made digester, write func(name.Tag) error) error {
	host := strings.TrimPrefix(d.info.Registry, "http://")
	tag, err := name.NewTag(host+"/"+at, name.Insecure)
	if err != nil {
		return err
	}
	want, err := made.Digest()
	if err != nil {
		return err
	}
	there, err := remote.Head(tag, d.remoteOptions(ctx)...)
	if err == nil && there.Digest == want {
		d.report("registry "+at, exists)
		return nil
	}
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("the registry at %s refused to return %s: %w", host, at, err)
	}
	if err := write(tag); err != nil {
		return fmt.Errorf("the registry at %s refused %s: %w", host, at, err)
	}
	d.report("registry "+at, "pushed")
	return nil
}

type digester interface{ Digest() (v1.Hash, error) }

func isNotFound(err error) bool {
	answer, is := errors.AsType[*transport.Error](err)
	return is && answer.StatusCode == http.StatusNotFound
}

func (d *demo) remoteOptions(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuth(&authn.Basic{Username: "AWS", Password: d.password})}
}

// pushChart pushes the archive like helm push, but without the time of creation.
func (d *demo) pushChart(ctx context.Context, version string) error {
	text, fields, err := metadata(version)
	if err != nil {
		return err
	}
	config, content := static.NewLayer(text, chartConfig), static.NewLayer(d.archives[version], chartContent)
	made, err := newManifest(config, content)
	if err != nil {
		return err
	}
	made.Annotations = map[string]string{"org.opencontainers.image.title": chartName,
		"org.opencontainers.image.version": version}
	made.Annotations["org.opencontainers.image.description"], _ = fields["description"].(string)
	return d.pushUnlessPresent(ctx, chartRepository+":"+version, made, func(tag name.Tag) error {
		for _, blob := range []v1.Layer{config, content} {
			if err := remote.WriteLayer(tag.Context(), blob, d.remoteOptions(ctx)...); err != nil {
				return err
			}
		}
		return remote.Put(tag, made, d.remoteOptions(ctx)...)
	})
}

// chartManifest is the manifest of a chart, whose config is not an image config.
type chartManifest struct{ v1.Manifest }

func newManifest(config, content v1.Layer) (chartManifest, error) {
	made := chartManifest{v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1}}
	for _, blob := range []v1.Layer{config, content} {
		digest, err := blob.Digest()
		if err != nil {
			return chartManifest{}, err
		}
		size, err := blob.Size()
		if err != nil {
			return chartManifest{}, err
		}
		kind, err := blob.MediaType()
		if err != nil {
			return chartManifest{}, err
		}
		made.Layers = append(made.Layers, v1.Descriptor{MediaType: kind, Digest: digest, Size: size})
	}
	made.Config, made.Layers = made.Layers[0], made.Layers[1:]
	return made, nil
}

// RawManifest implements remote.Taggable.
func (m chartManifest) RawManifest() ([]byte, error) { return json.Marshal(m.Manifest) }

// MediaType implements remote.Taggable.
func (m chartManifest) MediaType() (types.MediaType, error) { return m.Manifest.MediaType, nil }

// Digest returns the manifest's digest.
func (m chartManifest) Digest() (v1.Hash, error) {
	text, err := m.RawManifest()
	if err != nil {
		return v1.Hash{}, err
	}
	hash, _, err := v1.SHA256(strings.NewReader(string(text)))
	return hash, err
}
