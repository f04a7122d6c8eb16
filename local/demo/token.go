package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
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
		return "", fmt.Errorf("cannot create a token with the key in %s: %d %s", filepath.Join(d.Data, adminKeyFile), status,
			answer.Detail)
	}
	return answer.Data.Token, nil
}
