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
	_, err := r.engines.objects.PutObject(r.tb.Context(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
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

// grantImage keeps how a credential came to the blobs of an image, and logs in to the vendor's registry.
func grantImage(r *run) {
	grants := imagesdynamo.New(r.client, r.tables["GrantsTable"], r.clock)
	digests := []string{"sha256:" + "aa", "sha256:" + "bb", "sha256:" + "cc"}
	to := images.Grant{CredentialID: "c1", Repository: "acme/api", Way: images.Way{Tag: "1.0.0"}}
	r.do("grant", func(ctx context.Context) error { return grants.Grant(ctx, to, digests) })
	for _, digest := range digests {
		r.do("ask for a grant", func(ctx context.Context) error {
			way, isGranted, err := grants.Way(ctx, "c1", "acme/api", digest)
			if err == nil && (!isGranted || way != to.Way) {
				r.problem("the way to %s is %+v", digest, way)
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
