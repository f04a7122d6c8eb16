package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
)

// upstream is the registry behind the gateway, which the vendor pushes to.
type upstream struct {
	address string // without a trailing slash
	login   string // value of Authorization
}

func basic(username, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(username+":"+password))
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// pushImage pushes an image with one small layer and the tag latest, and returns the digest of the
// layer.
func (u upstream) pushImage(ctx context.Context) (string, error) {
	config, layer := []byte("{}"), bytes.Repeat([]byte("portside"), 1000)
	for _, blob := range [][]byte{config, layer} {
		if err := u.pushBlob(ctx, blob); err != nil {
			return "", err
		}
	}
	manifest := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":"application/vnd.oci.image.config.v1+json",`+
		`"digest":%q,"size":%d},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":%q,"size":%d}]}`,
		manifestType, digest(config), len(config), digest(layer), len(layer))
	_, err := u.send(ctx, http.MethodPut, u.address+"/v2/"+benchRepository+"/manifests/latest", []byte(manifest))
	return digest(layer), err
}

func (u upstream) pushBlob(ctx context.Context, content []byte) error {
	location, err := u.send(ctx, http.MethodPost, u.address+"/v2/"+benchRepository+"/blobs/uploads/", nil)
	if err != nil {
		return err
	}
	query := location.Query()
	query.Set("digest", digest(content))
	location.RawQuery = query.Encode()
	_, err = u.send(ctx, http.MethodPut, location.String(), content)
	return err
}

// send sends a request and returns the Location of the response.
func (u upstream) send(ctx context.Context, method, address string, content []byte) (*url.URL, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", u.login)
	r.Header.Set("Content-Type", "application/octet-stream")
	if bytes.Contains(content, []byte(manifestType)) {
		r.Header.Set("Content-Type", manifestType)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return nil, fmt.Errorf("%s %s: %s", method, address, response.Status)
	}
	return response.Location()
}
