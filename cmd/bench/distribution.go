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

	"portside/cmd/bench/figures"
	"portside/cmd/bench/upstream"
	"portside/shared/charts"
)

// Targets of the chart repository and the container registry.
const (
	manifestRatio  = 2.5 // latency through the gateway divided by the latency of the upstream registry
	manifestRate   = 0.4 // requests per second divided by those of the upstream registry, with many connections
	manifestGets   = 1_000
	manifestLoad   = 4_000
	manifestRounds = 5
	chartVersions  = 5_000
	indexGets      = 200
	indexRatio     = 3 // times a bare GetObject
	indexUpdate    = 4 // times reading, decoding, encoding and storing the index
	indexUploads   = 15
	indexTimeout   = 30 * time.Second
)

// customer fetches like helm: with a token as the password and without HTTP compression.
type customer struct {
	client *http.Client
	login  string // value of Authorization; "" sends none
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
		login: upstream.Basic("bench", made.Data.Token),
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
	if c.login != "" {
		r.Header.Set("Authorization", c.login)
	}
	r.Header.Set("Accept", upstream.ManifestType)
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

// registry measures fetching a manifest by tag, through the gateway and directly from the upstream
// registry.
func (b *bench) registry(ctx context.Context, s *stack) error {
	password, err := os.ReadFile(filepath.Join(s.data, "registry-password"))
	if err != nil {
		return err
	}
	behind := upstream.Registry{Address: s.Registry, Login: upstream.Basic("AWS", strings.TrimSpace(string(password)))}
	blob, err := behind.PushImage(ctx)
	if err != nil {
		return err
	}
	through, err := s.customer(ctx)
	if err != nil {
		return err
	}
	bare := customer{client: through.client, login: behind.Login}
	b.logProgress("%d manifests from the registry and through the gateway", 2*manifestGets)
	const path = "/v2/" + upstream.Repository + "/manifests/latest"
	times, err := figures.Alternate(manifestGets, through.fetch(ctx, s.API+path), bare.fetch(ctx, s.Registry+path))
	if err != nil {
		return err
	}
	c := figures.Comparison{What: "manifest by tag through the gateway", With: "the upstream registry", Times: times[0], Baseline: times[1]}
	b.table.AddComparison(c, manifestRatio)
	if err := b.manifestRate(ctx, place{through, s.API + path}, place{bare, s.Registry + path}); err != nil {
		return err
	}
	through.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	passed, err := through.get(ctx, s.API+"/v2/"+upstream.Repository+"/blobs/"+blob, http.StatusTemporaryRedirect)
	b.table.AddAtMost("bytes of a blob that pass through the function", float64(len(passed)), 0, "B")
	return err
}

// place is an address with a customer who may read it.
type place struct {
	customer
	address string
}

// rate sends requests over all connections in rounds that alternate with those of the upstream registry.
func (b *bench) manifestRate(ctx context.Context, gateway, behind place) error {
	b.logProgress("%d manifests each from both over %d connections", manifestLoad, connections)
	times, err := figures.Alternate(manifestRounds, gateway.load(ctx), behind.load(ctx))
	if err != nil {
		return err
	}
	const what = "manifest by tag, %d connections"
	rate := func(times []float64) float64 {
		return manifestLoad / manifestRounds / figures.Quantile(times, 0.5) * 1e3
	}
	b.table.AddFigure(fmt.Sprintf(what+": through the gateway and from the upstream registry", connections), "%s and %s requests/s",
		figures.Number(rate(times[0])), figures.Number(rate(times[1])))
	b.table.AddAtLeast(fmt.Sprintf(what+": rate, times the upstream registry", connections), rate(times[0])/rate(times[1]), manifestRate, "×")
	return nil
}

// load measures a round of requests over all connections.
func (p place) load(ctx context.Context) figures.Measurement {
	return timed(func(int) error {
		failed := make([]error, connections)
		var all sync.WaitGroup
		for i := range failed {
			all.Go(func() { _, failed[i] = p.times(ctx, manifestLoad/manifestRounds/connections, p.address) })
		}
		all.Wait()
		return errors.Join(failed...)
	})
}

// fetch measures one GET request.
func (c customer) fetch(ctx context.Context, address string) figures.Measurement {
	return timed(func(int) error {
		_, err := c.get(ctx, address, http.StatusOK)
		return err
	})
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
	served, err := figures.Alternate(indexGets, c.fetch(ctx, address), s.getIndex(ctx))
	if err != nil {
		return err
	}
	what := fmt.Sprintf("index of %s chart versions (%s KB)", figures.Number(chartVersions), figures.Number(float64(len(index))/1e3))
	b.table.AddComparison(figures.Comparison{What: what + ": served", With: bareObject, Times: served[0], Baseline: served[1]}, indexRatio)
	updates, err := figures.Alternate(indexUploads, func(i int) (float64, error) {
		took, err := s.update(ctx, c, fmt.Sprintf("9.0.%d", i))
		return milliseconds(took), err
	}, s.rewriteIndex(ctx))
	if err != nil {
		return err
	}
	b.table.AddComparison(figures.Comparison{
		What: what + ": from an upload to being listed", With: "rewriting the index without checks", Times: updates[0], Baseline: updates[1],
	}, indexUpdate)
	b.table.AddFigure(what+": from an upload to being listed, slowest", "%s ms", figures.Number(figures.Quantile(updates[0], 1)))
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
			"digest": strings.TrimPrefix(upstream.Digest([]byte(version)), "sha256:"),
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
