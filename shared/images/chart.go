package images

import "encoding/json"

// chartConfig is the media type that identifies a chart's manifest
// (helm.sh/docs/topics/registries).
const chartConfig = "application/vnd.cncf.helm.config.v1+json"

// maxChartBlobs is more than any chart has: its metadata, its archive and a signature.
const maxChartBlobs = 16

// ChartBlobs returns the digests of the blobs that a chart's manifest names. It returns false if
// the manifest does not describe a chart.
func ChartBlobs(manifest []byte) ([]string, bool) {
	type descriptor struct {
		MediaType string `json:"mediaType"`
		Digest    string `json:"digest"`
	}
	var m struct {
		Config descriptor   `json:"config"`
		Layers []descriptor `json:"layers"`
	}
	if json.Unmarshal(manifest, &m) != nil || m.Config.MediaType != chartConfig || len(m.Layers) >= maxChartBlobs {
		return nil, false
	}
	digests := []string{m.Config.Digest}
	for _, layer := range m.Layers {
		digests = append(digests, layer.Digest)
	}
	for _, d := range digests {
		if !digest.MatchString(d) {
			return nil, false
		}
	}
	return digests, true
}
