package faults

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/charts"
	"portside/shared/charts/chartshelm"
	"portside/shared/charts/chartss3"
	"portside/shared/core/principal"
	"portside/shared/images"
	"portside/shared/images/imagesdynamo"
	"portside/shared/images/imagesecr"
)

// newBucket creates the bucket of a run.
func (r *run) newBucket() (string, error) { return r.engines.newBucket(r.tb.Context()) }

// putObject stores an object without faults.
func (r *run) putObject(bucket, key string, body []byte) error {
	_, err := r.engines.objects.PutObject(r.tb.Context(),
		&s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
	return err
}

const maxChartBytes = 1 << 20

func packChart(version string) ([]byte, error) {
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	out := tar.NewWriter(zip)
	text := "apiVersion: v2\nname: app\nversion: " + version + "\n"
	err := out.WriteHeader(&tar.Header{Name: "app/Chart.yaml", Size: int64(len(text)), Mode: 0o644, Typeflag: tar.TypeReg})
	if err != nil {
		return nil, err
	}
	_, err = out.Write([]byte(text))
	err = errors.Join(err, out.Close(), zip.Close())
	return packed.Bytes(), err
}

// publishChart publishes two charts and a damaged one, lists and fetches them, and removes one.
func publishChart(r *run) {
	bucket, err := r.newBucket()
	r.must(err)
	store := chartss3.NewBucket(r.objects, bucket)
	indexer := charts.NewIndexer(charts.Parts{
		Bucket: store, Inspector: chartshelm.New(maxChartBytes), MaxBytes: maxChartBytes, Now: r.clock,
	})
	sync := func(key string) {
		r.event("index "+key, func(ctx context.Context) error {
			_, err := indexer.Sync(ctx, key)
			return err
		})
	}
	for _, version := range []string{"1.0.0", "2.0.0", "damaged"} {
		packed, err := packChart(version)
		r.must(err)
		key := charts.PublishedPrefix + "app-" + version + ".tgz"
		r.must(r.putObject(bucket, key, packed))
		sync(key)
	}
	library := charts.NewLibrary(chartss3.NewReader(r.objects, bucket))
	viewer := principal.Principal{UserID: "u", Scopes: []principal.Scope{principal.ReadCharts}}
	r.do("read the index", func(ctx context.Context) error {
		_, err := library.Index(ctx, viewer)
		return err
	})
	r.do("fetch a chart", func(ctx context.Context) error {
		_, err := library.Fetch(ctx, viewer, charts.Wanted{File: "app-1.0.0.tgz"})
		return err
	})
	r.do("read the details", func(ctx context.Context) error {
		_, err := library.Details(ctx, viewer, "app", "2.0.0")
		return err
	})
	r.do("fetch a provenance file that does not exist", func(ctx context.Context) error {
		_, err := library.Fetch(ctx, viewer, charts.Wanted{File: "app-2.0.0.tgz.prov"})
		return swap(err, charts.ErrNotServed)
	})
	gone := charts.PublishedPrefix + "app-1.0.0.tgz"
	_, err = r.engines.objects.DeleteObject(r.tb.Context(), &s3.DeleteObjectInput{Bucket: &bucket, Key: &gone})
	r.must(err)
	sync(gone)
	page, err := library.Versions(r.tb.Context(), viewer, charts.VersionQuery{Chart: "app", Limit: 10})
	r.must(err)
	r.check(len(page.Releases) == 1 && page.Releases[0].Version.Version == "2.0.0", "the versions are %+v", page.Releases)
}

// indexImage puts versions of an image into the index, and logs in to the vendor's registry.
func indexImage(r *run) {
	index := imagesdynamo.New(r.client, r.tables["ImageVersionsTable"], r.clock)
	digest := func(name string) string { return "sha256:" + name }
	put := func(ctx context.Context, tag, manifest string, digests []string) error {
		return index.Put(ctx, "acme/api", images.VersionContent{
			Version: images.Version{Tag: tag}, Manifest: digest(manifest), Digests: func() ([]string, error) { return digests, nil },
		})
	}
	r.do("put a version", func(ctx context.Context) error {
		return put(ctx, "1.0.0", "one", []string{digest("one"), digest("layer")})
	})
	r.do("attach a signature", func(ctx context.Context) error {
		return index.Attach(ctx, "acme/api", digest("one"), []string{digest("signature")})
	})
	r.do("move a tag", func(ctx context.Context) error {
		return put(ctx, "latest", "one", []string{digest("one"), digest("layer")})
	})
	r.do("move the tag again", func(ctx context.Context) error {
		return put(ctx, "latest", "two", []string{digest("two")})
	})
	r.do("remove a tag", func(ctx context.Context) error { return index.Remove(ctx, "acme/api", "1.0.0") })
	r.do("list the tags", func(ctx context.Context) error {
		tags, err := index.Tags(ctx, "acme/api")
		if err == nil && (len(tags) != 1 || !tags["latest"]) {
			r.problem("the tags are %v", tags)
		}
		return err
	})
	for name, want := range map[string]bool{"one": false, "layer": false, "signature": false, "two": true} {
		r.do("ask for the versions of "+name, func(ctx context.Context) error {
			isFound, err := index.Any(ctx, "acme/api", digest(name), func(images.Version) bool { return true })
			if err == nil && isFound != want {
				r.problem("a version has %s: %v", name, isFound)
			}
			return err
		})
	}
	logins := imagesecr.New(ecr.NewFromConfig(r.engines.config(r, "ECR")), func() time.Time { return r.clock() })
	r.do("log in to the registry", func(ctx context.Context) error {
		_, err := logins.Login(ctx)
		return err
	})
}
