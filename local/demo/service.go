package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"portside/local/retry"
)

const (
	indexTimeout     = 60 * time.Second
	indexDelay       = 250 * time.Millisecond
	requestTimeout   = 30 * time.Second
	maxResponseBytes = 16 << 20
)

const tokensPath = "/api/v1/tokens"

// tokenRequest is the request body for the demo's token.
const tokenRequest = `{"name":"make demo","scopes":["read:helm-charts","read:docker-images"],"expiration_days":30}`

// ensureToken creates a token unless the stored one is valid.
func (d *demo) ensureToken(ctx context.Context) error {
	path := filepath.Join(d.Data, tokenFile)
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if token := strings.TrimSpace(string(content)); token != "" {
		if works, err := d.isTokenValid(ctx, token); err != nil || works {
			d.report("token "+tokenFile, exists)
			return err
		}
	}
	token, err := d.newToken(ctx)
	if err != nil {
		return err
	}
	d.report("token "+tokenFile, "created for charts and images, valid for 30 days")
	return writeFileAtomically(path, []byte(token+"\n"))
}

// isTokenValid reports whether the token may fetch the index.
func (d *demo) isTokenValid(ctx context.Context, token string) (bool, error) {
	status, _, err := d.send(ctx, request{http.MethodGet, "/charts/index.yaml", "", bearer(token)})
	return status != http.StatusUnauthorized && status != http.StatusForbidden, err
}

func (d *demo) newToken(ctx context.Context) (string, error) {
	status, body, err := d.send(ctx, request{http.MethodPost, tokensPath, tokenRequest, header{"X-API-Key", d.key}})
	if err != nil {
		return "", err
	}
	var answer struct {
		Data struct {
			Token string `json:"token"`
		} `json:"data"`
		Detail string `json:"detail"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return "", fmt.Errorf("POST %s%s: %d with no JSON: %w", d.info.API, tokensPath, status, err)
	}
	if status != http.StatusCreated {
		return "", fmt.Errorf("cannot create a token with the key in %s: %d %s", filepath.Join(d.Data, adminKeyFile), status, answer.Detail)
	}
	return answer.Data.Token, nil
}

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

type header struct{ name, value string }

func bearer(token string) header { return header{"Authorization", "Bearer " + token} }

// request is a request to the stack's API.
type request struct {
	method, path, body string
	credential         header
}

func (d *demo) send(ctx context.Context, q request) (status int, body []byte, err error) {
	ctx, stop := context.WithTimeout(ctx, requestTimeout)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, q.method, d.info.API+q.path, strings.NewReader(q.body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set(q.credential.name, q.credential.value)
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, fmt.Errorf("the stack does not respond: %w", err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxResponseBytes))
	if err != nil {
		return 0, nil, fmt.Errorf("the stack does not respond: %w", err)
	}
	return response.StatusCode, body, nil
}
