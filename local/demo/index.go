package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"portside/local/retry"
)

const (
	indexTimeout = 60 * time.Second
	indexDelay   = 250 * time.Millisecond
)

// awaitIndex waits until the chart repository lists all versions. It does so shortly after their
// publication.
func (d *demo) awaitIndex(ctx context.Context) error {
	token, err := d.secret(tokenFile)
	if err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, indexTimeout)
	defer cancel()
	var missing []string
	err = retry.Until(limit, retry.Policy{Delay: indexDelay}, func() (bool, error) {
		var err error
		missing, err = d.missingVersions(limit, token)
		return err == nil && len(missing) == 0, err
	})
	switch {
	case err == nil:
		d.report("index of the chart repository", "complete")
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("the index does not list %s after %v: the stack's output or rejected/ in the bucket shows why: %w",
		strings.Join(missing, " and "), indexTimeout, err)
}

// missingVersions returns the versions that the index does not list.
func (d *demo) missingVersions(ctx context.Context, token string) ([]string, error) {
	missing := versions()
	status, body, err := d.send(ctx, request{http.MethodGet, "/charts/index.yaml", "", bearer(token)})
	if err != nil {
		return missing, err
	}
	if status != http.StatusOK {
		return missing, fmt.Errorf("GET /charts/index.yaml: %d", status)
	}
	var index struct {
		Entries map[string][]struct {
			Version string `json:"version"`
		} `json:"entries"`
	}
	if err := json.Unmarshal(body, &index); err != nil { // the index is JSON, a subset of YAML
		return missing, fmt.Errorf("GET /charts/index.yaml: %w", err)
	}
	for _, entry := range index.Entries[chartName] {
		missing = slices.DeleteFunc(missing, func(version string) bool { return version == entry.Version })
	}
	return missing, nil
}
