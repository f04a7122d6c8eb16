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
)

// How long to wait for the index, how often to look, and for each answer.
const (
	indexWait  = 60 * time.Second
	indexPause = 250 * time.Millisecond
	answerTime = 30 * time.Second
	maxAnswer  = 16 << 20
)

const tokensPath = "/api/v1/tokens"

// terms are what the demo's token is asked for with.
const terms = `{"name":"make demo","scopes":["read:helm-charts","read:docker-images"],"expiration_days":30}`

// makeToken keeps the token that is there, if it works.
func (d *demo) makeToken(ctx context.Context) error {
	path := filepath.Join(d.Data, tokenFile)
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if token := strings.TrimSpace(string(content)); token != "" {
		if works, err := d.works(ctx, token); err != nil || works {
			d.say("token "+tokenFile, alreadyThere)
			return err
		}
	}
	token, err := d.newToken(ctx)
	if err != nil {
		return err
	}
	d.say("token "+tokenFile, "made, for charts and images, for 30 days")
	return replace(path, []byte(token+"\n"))
}

// works says whether the index may be fetched with a token.
func (d *demo) works(ctx context.Context, token string) (bool, error) {
	status, _, err := d.ask(ctx, request{http.MethodGet, "/charts/index.yaml", "", bearer(token)})
	return status != http.StatusUnauthorized && status != http.StatusForbidden, err
}

func (d *demo) newToken(ctx context.Context) (string, error) {
	status, body, err := d.ask(ctx, request{http.MethodPost, tokensPath, terms, header{"X-API-Key", d.key}})
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
		return "", fmt.Errorf("cannot make a token with the key in %s: %d %s", filepath.Join(d.Data, adminKeyFile), status, answer.Detail)
	}
	return answer.Data.Token, nil
}

// awaitIndex returns when the repository lists all versions, which it does a moment after they were published.
func (d *demo) awaitIndex(ctx context.Context) error {
	token, err := d.secret(tokenFile)
	if err != nil {
		return err
	}
	limit, stop := context.WithTimeout(ctx, indexWait)
	defer stop()
	tick := time.NewTicker(indexPause)
	defer tick.Stop()
	for {
		missing, err := d.missing(limit, token)
		if err == nil && len(missing) == 0 {
			d.say("index of the chart repository", "complete")
			return nil
		}
		select {
		case <-tick.C:
		case <-limit.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return errors.Join(fmt.Errorf("the index does not list %s after %v: the stack's output, or rejected/ in the bucket, says why",
				strings.Join(missing, " and "), indexWait), err)
		}
	}
}

// missing are the versions that the index does not list.
func (d *demo) missing(ctx context.Context, token string) ([]string, error) {
	missing := versions()
	status, body, err := d.ask(ctx, request{http.MethodGet, "/charts/index.yaml", "", bearer(token)})
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
	if err := json.Unmarshal(body, &index); err != nil { // the index is JSON, which is YAML
		return missing, fmt.Errorf("GET /charts/index.yaml: %w", err)
	}
	for _, entry := range index.Entries[chartName] {
		missing = slices.DeleteFunc(missing, func(version string) bool { return version == entry.Version })
	}
	return missing, nil
}

type header struct{ name, value string }

func bearer(token string) header { return header{"Authorization", "Bearer " + token} }

// request is one to the stack's API.
type request struct {
	method, path, body string
	credential         header
}

func (d *demo) ask(ctx context.Context, q request) (status int, body []byte, err error) {
	ctx, stop := context.WithTimeout(ctx, answerTime)
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
		return 0, nil, fmt.Errorf("the stack does not answer: %w", err)
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return 0, nil, fmt.Errorf("the stack does not answer: %w", err)
	}
	return response.StatusCode, body, nil
}
