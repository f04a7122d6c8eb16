package images_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"portside/shared/images"
)

const chartManifest = `{"schemaVersion":2,"config":{"mediaType":"application/vnd.cncf.helm.config.v1+json","digest":"D1","size":1},
	"layers":[{"mediaType":"application/vnd.cncf.helm.chart.content.v1.tar+gzip","digest":"D2"},
	{"mediaType":"application/vnd.cncf.helm.chart.provenance.v1.prov","digest":"D3"}]}`

func TestChartBlobsRecognizesCharts(t *testing.T) {
	digests := []string{"sha256:" + strings.Repeat("1", 64), "sha256:" + strings.Repeat("2", 64),
		"sha512:" + strings.Repeat("3", 128)}
	manifest := strings.NewReplacer("D1", digests[0], "D2", digests[1], "D3", digests[2]).Replace(chartManifest)
	got, chart := images.ChartBlobs([]byte(manifest))
	if !chart || !slices.Equal(got, digests) {
		t.Errorf("got %v, %v", got, chart)
	}
	layer := `{"mediaType":"x","digest":"` + digests[0] + `"}`
	for _, other := range []string{
		"", "{", "null", "[]", `{"schemaVersion":2}`, chartManifest,
		strings.ReplaceAll(manifest, "helm.config", "oci.config"),
		`{"config":` + layer + `,"annotations":{"mediaType":"application/vnd.cncf.helm.config.v1+json"},"layers":[]}`,
		strings.Replace(manifest, `"layers":[`, `"layers":[`+strings.Repeat(layer+",", 20), 1),
	} {
		if got, chart := images.ChartBlobs([]byte(other)); chart {
			t.Errorf("%.60s is taken for a chart of %v", other, got)
		}
	}
}

// FuzzChartBlobs checks that no manifest allows a credential to fetch anything but blobs.
func FuzzChartBlobs(f *testing.F) {
	f.Add([]byte(chartManifest))
	f.Add([]byte(strings.ReplaceAll(chartManifest, `"D`, `"sha256:`+strings.Repeat("0", 63))))
	f.Fuzz(func(t *testing.T, manifest []byte) {
		digests, chart := images.ChartBlobs(manifest)
		if chart && !json.Valid(manifest) {
			t.Fatal("accepted a chart that is not JSON")
		}
		for _, digest := range digests {
			if target, err := images.Parse("/v2/a/blobs/" + digest); err != nil || target.Reference != digest {
				t.Fatalf("the blob %q: %v", digest, err)
			}
		}
	})
}
