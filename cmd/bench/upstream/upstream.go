// Package upstream pushes an image to the registry behind the gateway, as the vendor does.
package upstream

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

const (
	// ManifestType is the media type of the manifest of an image.
	ManifestType = "application/vnd.oci.image.manifest.v1+json"
	// Repository is the repository of the images that are pushed.
	Repository = "bench/api"
)

// Registry is the registry behind the gateway, which the vendor pushes to.
type Registry struct {
	Address string // without a trailing slash
	Login   string // value of Authorization
}

// Basic returns the header Authorization of a login.
func Basic(username, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(username+":"+password))
}

// Digest returns the digest by which a registry names the content.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// PushImage pushes an image with one small layer and the tag latest, and returns the digest of the
// layer.
func (u Registry) PushImage(ctx context.Context) (string, error) {
	config, layer := []byte("{}"), bytes.Repeat([]byte("portside"), 1000)
	for _, blob := range [][]byte{config, layer} {
		if err := u.pushBlob(ctx, blob); err != nil {
			return "", err
		}
	}
	manifest := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":"application/vnd.oci.image.config.v1+json",`+
		`"digest":%q,"size":%d},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar","digest":%q,"size":%d}]}`,
		ManifestType, Digest(config), len(config), Digest(layer), len(layer))
	_, err := u.send(ctx, http.MethodPut, u.Address+"/v2/"+Repository+"/manifests/latest", []byte(manifest))
	return Digest(layer), err
}

func (u Registry) pushBlob(ctx context.Context, content []byte) error {
	location, err := u.send(ctx, http.MethodPost, u.Address+"/v2/"+Repository+"/blobs/uploads/", nil)
	if err != nil {
		return err
	}
	query := location.Query()
	query.Set("digest", Digest(content))
	location.RawQuery = query.Encode()
	_, err = u.send(ctx, http.MethodPut, location.String(), content)
	return err
}

// send sends a request and returns the Location of the response.
func (u Registry) send(ctx context.Context, method, address string, content []byte) (*url.URL, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", u.Login)
	r.Header.Set("Content-Type", "application/octet-stream")
	if bytes.Contains(content, []byte(ManifestType)) {
		r.Header.Set("Content-Type", ManifestType)
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
