package smoketest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecr"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/cmd/portside/installation"
	"portside/shared/images/imagesecr"
)

const (
	probeType    = "application/vnd.oci.image.manifest.v1+json"
	pollInterval = 2 * time.Second // stays below the default rate limit
)

// checkChart publishes a chart as a vendor does, and pulls it as a customer does. It always has the
// same bytes, because a version must not change.
func (s *trial) checkChart(ctx context.Context) (string, error) {
	err := s.withChart(ctx, "0.0.1", func(archive []byte) error {
		pulled, err := s.pullChart(ctx, "/charts/"+s.chartFile("0.0.1"))
		if err == nil && !bytes.Equal(pulled, archive) {
			err = errors.New("the pulled archive differs from the published one")
		}
		return err
	})
	return "published, indexed, pulled, withdrawn", err
}

// withChart publishes a version of the probe chart, calls check with the archive when the index has it, and withdraws
// it.
func (s *trial) withChart(ctx context.Context, version string, check func(archive []byte) error) (err error) {
	archive, err := probeArchive(s.names.chart, version)
	if err != nil {
		return err
	}
	client, key := installation.S3Client(s.Config, s.Stack.S3), "charts/"+s.chartFile(version)
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		_, failed := client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &s.bucket, Key: &key})
		err = errors.Join(err, failed)
	}()
	during, cancel := context.WithTimeout(context.WithoutCancel(ctx), changeTimeout)
	defer cancel()
	if _, err := client.PutObject(during, &s3.PutObjectInput{Bucket: &s.bucket, Key: &key, Body: bytes.NewReader(archive)}); err != nil {
		return err
	}
	if err := s.awaitChart(ctx, s.chartFile(version)); err != nil {
		return err
	}
	return check(archive)
}

func (s *trial) chartFile(version string) string { return s.names.chart + "-" + version + ".tgz" }

// settleTimeout is how long the withdrawal of a chart by the test before can take to reach the index. The index could
// still have the chart when this test looked at it, and lack it a moment later.
const settleTimeout = 20 * time.Second

// pullChart requests a file of the chart repository. A chart that is not found is requested again for a while.
func (s *trial) pullChart(ctx context.Context, path string) ([]byte, error) {
	settled, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	for {
		body, _, err := s.api.send(ctx, request{http.MethodGet, path, nil, s.withToken(), http.StatusOK})
		if missing, isStatus := errors.AsType[*statusError](err); !isStatus || missing.status != http.StatusNotFound {
			return body, err
		}
		select {
		case <-settled.Done():
			return nil, err
		case <-time.After(pollInterval):
		}
	}
}

// awaitChart waits until the service has indexed a chart.
func (s *trial) awaitChart(ctx context.Context, file string) error {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		index, err := s.pullChart(ctx, "/charts/index.yaml")
		if err != nil {
			return err
		}
		if bytes.Contains(index, []byte(file)) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("the chart did not appear in the index: see rejected/ in the bucket, and the log of IndexChartsFunction")
		case <-tick.C:
		}
	}
}

// probeArchive returns a chart with only a Chart.yaml.
func probeArchive(name, version string) ([]byte, error) {
	content := []byte("apiVersion: v2\nname: " + name + "\nversion: " + version + "\ndescription: Published during a smoke test.\n")
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.NoCompression) // the output of other levels may change with Go's version
	if err != nil {
		return nil, err
	}
	out := tar.NewWriter(zip)
	err = out.WriteHeader(&tar.Header{Name: name + "/Chart.yaml", Mode: 0o644, Size: int64(len(content)), Format: tar.FormatUSTAR})
	_, failed := out.Write(content)
	err = errors.Join(err, failed, out.Close(), zip.Close())
	return packed.Bytes(), err
}

// probeImage is the manifest and the layer of an image.
type probeImage struct{ manifest, layer []byte }

// imagePath returns the path of a part of the probe image. The kind is manifests or blobs.
func (s *trial) imagePath(kind string, content []byte) string {
	return "/v2/" + s.repository + "/" + kind + "/" + digestOf(content)
}

// checkImage pushes an image without a tag to the vendor's registry, and pulls it through the
// gateway.
func (s *trial) checkImage(ctx context.Context) (string, error) {
	if s.repository == "" {
		return "", skippedStep("not tried, because --image-repository names no repository")
	}
	config, layer := []byte("{}"), []byte("portside smoke test\n")
	manifest := fmt.Appendf(nil, `{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":"application/vnd.oci.image.config.v1+json",`+
		`"digest":%q,"size":%d},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":%q,"size":%d}]}`,
		probeType, digestOf(config), len(config), digestOf(layer), len(layer))
	if err := s.push(ctx, manifest, config, layer); err != nil {
		return "", fmt.Errorf("push to the vendor's registry: %w", err)
	}
	s.probe = probeImage{manifest, layer}
	for path, want := range map[string][]byte{s.imagePath("manifests", manifest): manifest, s.imagePath("blobs", layer): layer} {
		header := s.withToken()
		header["Accept"] = probeType
		got, _, err := s.api.send(ctx, request{http.MethodGet, path, nil, header, http.StatusOK})
		if err != nil {
			return "", err
		}
		if !bytes.Equal(got, want) {
			return "", fmt.Errorf("the pulled %s differs from the pushed one", path)
		}
	}
	return "pushed to the vendor's registry, pulled through the gateway", nil
}

// push pushes the image unless the registry has it.
func (s *trial) push(ctx context.Context, manifest []byte, blobs ...[]byte) error {
	client := ecr.NewFromConfig(s.Config, func(o *ecr.Options) {
		if s.Stack.ECR != "" {
			o.BaseEndpoint = aws.String(s.Stack.ECR)
		}
	})
	login, err := imagesecr.New(client, s.Now).Login(ctx)
	if err != nil {
		return err
	}
	registry := &probeRegistry{newClient(login.Endpoint.String()), s.repository, login.Authorization}
	header := map[string]string{"Authorization": login.Authorization, "Accept": probeType, "Content-Type": probeType}
	path := s.imagePath("manifests", manifest)
	_, _, err = registry.send(ctx, request{http.MethodHead, path, nil, header, http.StatusOK})
	if missing, isStatus := errors.AsType[*statusError](err); !isStatus || missing.status != http.StatusNotFound {
		return err
	}
	for _, blob := range blobs {
		if err := registry.pushBlob(ctx, blob); err != nil {
			return err
		}
	}
	_, _, err = registry.send(ctx, request{http.MethodPut, path, manifest, header, http.StatusCreated})
	return err
}

// probeRegistry is the vendor's registry, with the repository of the probe image.
type probeRegistry struct {
	*client
	repository    string
	authorization string
}

// pushBlob uploads a blob in the way of most clients: start, one chunk, end.
func (r *probeRegistry) pushBlob(ctx context.Context, blob []byte) error {
	header := map[string]string{"Authorization": r.authorization, "Content-Type": "application/octet-stream"}
	at := "/v2/" + r.repository + "/blobs/uploads/"
	for _, part := range []request{
		{method: http.MethodPost, want: http.StatusAccepted},
		{method: http.MethodPatch, body: blob, want: http.StatusAccepted},
		{method: http.MethodPut, want: http.StatusCreated},
	} {
		if part.method == http.MethodPut {
			at = withDigest(at, digestOf(blob))
		}
		part.path, part.header = at, header
		_, answer, err := r.send(ctx, part)
		if err != nil {
			return err
		}
		at = answer.Get("Location")
	}
	return nil
}

func withDigest(location, digest string) string {
	target, err := url.Parse(location)
	if err != nil {
		return location // the request reports the error
	}
	query := target.Query()
	query.Set("digest", digest)
	target.RawQuery = query.Encode()
	return target.String()
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}
