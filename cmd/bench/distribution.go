package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/shared/charts"
)

// Targets of the chart repository and the container registry.
const (
	manifestRatio   = 3   // latency through the gateway divided by the latency of the upstream registry
	manifestRate    = 400 // requests/s
	manifestGets    = 1_000
	manifestLoad    = 4_000
	chartVersions   = 5_000
	indexGets       = 200
	indexTarget     = 20  // ms
	indexUpdate     = 300 // ms
	indexUploads    = 15
	indexTimeout    = 30 * time.Second
	benchRepository = "bench/api"
)

// customer fetches like helm: with a token as the password and without HTTP compression.
type customer struct {
	client *http.Client
	login  string // value of Authorization
}

func (s *stack) customer(ctx context.Context) (customer, error) {
	body, err := s.send(ctx, postRequest("/api/v1/tokens", `{"name":"bench","scopes":["read:helm-charts","read:docker-images"]}`))
	if err != nil {
		return customer{}, err
	}
	var made struct {
		Data struct{ Token string } `json:"data"`
	}
	err = json.Unmarshal(body, &made)
	return customer{
		login: basic("bench", made.Data.Token),
		client: &http.Client{
			Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true},
		},
	}, err
}

// get fetches an address. It returns an error unless the response has the status.
func (c customer) get(ctx context.Context, address string, status int) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", c.login)
	r.Header.Set("Accept", manifestType)
	response, err := c.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != status {
		err = fmt.Errorf("GET %s: %s: %s", address, response.Status, body)
	}
	return body, err
}

// times fetches an address n times, one after the other, and returns the duration of each request
// in milliseconds.
func (c customer) times(ctx context.Context, n int, address string) ([]float64, error) {
	times := make([]float64, n)
	for i := range times {
		began := time.Now()
		if _, err := c.get(ctx, address, http.StatusOK); err != nil {
			return nil, err
		}
		times[i] = milliseconds(time.Since(began))
	}
	return times, nil
}

const manifestType = "application/vnd.oci.image.manifest.v1+json"

// registry measures fetching a manifest by tag, through the gateway and directly from the upstream
// registry.
func (b *bench) registry(ctx context.Context, s *stack) error {
	password, err := os.ReadFile(filepath.Join(s.data, "registry-password"))
	if err != nil {
		return err
	}
	behind := upstream{address: s.Registry, login: basic("AWS", strings.TrimSpace(string(password)))}
	blob, err := behind.pushImage(ctx)
	if err != nil {
		return err
	}
	through, err := s.customer(ctx)
	if err != nil {
		return err
	}
	bare := customer{client: through.client, login: behind.login}
	b.logProgress("%d manifests from the registry and through the gateway", 2*manifestGets)
	const path = "/v2/" + benchRepository + "/manifests/latest"
	direct, err := bare.times(ctx, manifestGets, s.Registry+path)
	if err != nil {
		return err
	}
	proxied, err := through.times(ctx, manifestGets, s.API+path)
	if err != nil {
		return err
	}
	b.table.addFigure("manifest by tag from the upstream registry, median", "%s ms", formatNumber(quantile(direct, 0.5)))
	b.table.addFigure("manifest by tag through the gateway, median", "%s ms", formatNumber(quantile(proxied, 0.5)))
	b.table.addAtMost("the same, times the upstream registry", quantile(proxied, 0.5)/quantile(direct, 0.5), manifestRatio, "×")
	if err := b.manifestRate(ctx, through, s.API+path); err != nil {
		return err
	}
	through.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	passed, err := through.get(ctx, s.API+"/v2/"+benchRepository+"/blobs/"+blob, http.StatusTemporaryRedirect)
	b.table.addAtMost("bytes of a blob that pass through the function", float64(len(passed)), 0, "B")
	return err
}

func (b *bench) manifestRate(ctx context.Context, c customer, address string) error {
	b.logProgress("%d manifests over %d connections", manifestLoad, connections)
	failed := make([]error, connections)
	began := time.Now()
	var all sync.WaitGroup
	for i := range failed {
		all.Go(func() { _, failed[i] = c.times(ctx, manifestLoad/connections, address) })
	}
	all.Wait()
	rate := manifestLoad / time.Since(began).Seconds()
	b.table.addAtLeast(fmt.Sprintf("manifest by tag through the gateway, %d connections", connections), rate, manifestRate, "requests/s")
	return errors.Join(failed...)
}

// charts measures the index of a large chart repository: fetching it, and updating it after an
// upload.
func (b *bench) charts(ctx context.Context, s *stack) error {
	b.logProgress("an index of %d chart versions", chartVersions)
	if err := s.put(ctx, charts.IndexKey, largeIndex()); err != nil {
		return err
	}
	c, err := s.customer(ctx)
	if err != nil {
		return err
	}
	address := s.API + "/charts/" + charts.IndexKey
	index, err := c.get(ctx, address, http.StatusOK)
	if err != nil {
		return err
	}
	served, err := c.times(ctx, indexGets, address)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("index of %s chart versions (%s KB)", formatNumber(chartVersions), formatNumber(float64(len(index))/1e3))
	b.table.addAtMost(what+": served, median of "+formatNumber(indexGets), quantile(served, 0.5), indexTarget, "ms")
	var updates []float64
	for i := range indexUploads {
		took, err := s.update(ctx, c, fmt.Sprintf("9.0.%d", i))
		if err != nil {
			return err
		}
		updates = append(updates, milliseconds(took))
	}
	b.table.addAtMost(what+": from an upload to being listed, median of "+formatNumber(indexUploads),
		quantile(updates, 0.5), indexUpdate, "ms")
	b.table.addFigure(what+": from an upload to being listed, slowest", "%s ms", formatNumber(quantile(updates, 1)))
	return nil
}

// update uploads a version and waits until the index lists it. The figure includes the polling
// requests.
func (s *stack) update(ctx context.Context, c customer, version string) (time.Duration, error) {
	file := "product-" + version + ".tgz"
	if err := s.put(ctx, charts.PublishedPrefix+file, chartArchive(version)); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, indexTimeout, errors.New("the index did not list "+file))
	defer cancel()
	began := time.Now()
	for {
		index, err := c.get(ctx, s.API+"/charts/"+charts.IndexKey, http.StatusOK)
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if err != nil || bytes.Contains(index, []byte(file)) {
			return time.Since(began), err
		}
	}
}

// largeIndex returns the index that the function would have after chartVersions uploads.
func largeIndex() []byte {
	entries := make([]map[string]any, chartVersions)
	for i := range entries {
		version := fmt.Sprintf("1.%d.%d", (chartVersions-1-i)/100, (chartVersions-1-i)%100)
		entries[i] = map[string]any{
			"apiVersion": "v2", "name": "product", "version": version, "appVersion": version, "type": "application",
			"description": "An example that is measured", "home": "https://example.com",
			"maintainers": []map[string]string{{"name": "Ada", "email": "ada@example.com"}},
			"urls":        []string{"product-" + version + ".tgz"}, "created": "2026-11-21T08:00:00Z",
			"digest": strings.TrimPrefix(digest([]byte(version)), "sha256:"),
		}
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "generated": "2026-11-21T08:00:00Z", "entries": map[string]any{"product": entries},
	})
	if err != nil {
		panic(err) // strings always encode
	}
	return text
}

// chartArchive returns a minimal chart.
func chartArchive(version string) []byte {
	text := []byte("apiVersion: v2\nname: product\nversion: " + version + "\ndescription: An example that is measured\n")
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	err := archive.WriteHeader(&tar.Header{Name: "product/Chart.yaml", Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg})
	_, written := archive.Write(text)
	if err := errors.Join(err, written, archive.Close(), zipped.Close()); err != nil {
		panic(err) // writing to memory cannot fail
	}
	return packed.Bytes()
}

// put stores an object in the charts bucket.
func (s *stack) put(ctx context.Context, key string, content []byte) error {
	client := s.s3()
	bucket := s.Buckets["ChartsBucket"]
	_, err := client.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(content)})
	if err != nil {
		return fmt.Errorf("put %s: %w", url.PathEscape(key), err)
	}
	return nil
}
