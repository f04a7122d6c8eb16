package images_test

import (
	"errors"
	"path"
	"strings"
	"testing"

	"portside/shared/images"
)

var (
	sha256Digest = "sha256:" + strings.Repeat("a1", 32)
	sha512Digest = "sha512:" + strings.Repeat("b2", 64)
)

func TestParseReadsFromTheRight(t *testing.T) {
	for address, want := range map[string]images.Target{
		"/v2":                                {Kind: images.Base},
		"/v2/":                               {Kind: images.Base},
		"/v2/_catalog":                       {Kind: images.Catalog},
		"/v2/acme/api/manifests/1.2.0":       {Kind: images.Manifest, Repository: "acme/api", Reference: "1.2.0"},
		"/v2/a/manifests/" + sha512Digest:    {Kind: images.Manifest, Repository: "a", Reference: sha512Digest},
		"/v2/acme/api/blobs/" + sha256Digest: {Kind: images.Blob, Repository: "acme/api", Reference: sha256Digest},
		"/v2/acme/api/tags/list":             {Kind: images.Tags, Repository: "acme/api"},
		"/v2/acme/referrers/" + sha256Digest: {Kind: images.Referrers, Repository: "acme", Reference: sha256Digest},
		"/v2/manifests/manifests/manifests":  {Kind: images.Manifest, Repository: "manifests", Reference: "manifests"},
		"/v2/acme/manifests/v1/blobs/" + sha256Digest: {Kind: images.Blob, Repository: "acme/manifests/v1",
			Reference: sha256Digest},
		"/v2/tags/list/tags/list": {Kind: images.Tags, Repository: "tags/list"},
	} {
		t.Run(address, func(t *testing.T) {
			got, err := images.Parse(address)
			if err != nil || got != want {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
		})
	}
}

func TestParseRejectsOtherPaths(t *testing.T) {
	long := strings.Repeat("a", 256)
	for address, want := range map[string]error{
		"":                                images.ErrRoute,
		"/":                               images.ErrRoute,
		"/v1/users":                       images.ErrRoute,
		"/v20":                            images.ErrRoute,
		"/v2//":                           images.ErrRoute,
		"/v2/acme":                        images.ErrRoute,
		"/v2/manifests/latest":            images.ErrRoute,
		"/v2/acme/tags/all":               images.ErrRoute,
		"/v2/acme/uploads/1":              images.ErrRoute,
		"/v2/acme/manifests/latest/":      images.ErrRoute,
		"/v2/../acme/manifests/latest":    images.ErrName,
		"/v2/acme/../x/manifests/latest":  images.ErrName,
		"/v2//manifests/latest":           images.ErrName,
		"/v2/acme//api/manifests/latest":  images.ErrName,
		"/v2/Acme/manifests/latest":       images.ErrName,
		"/v2/acme%2Fapi/manifests/latest": images.ErrName,
		"/v2/acme\x00/manifests/latest":   images.ErrName,
		"/v2/" + long + "/tags/list":      images.ErrName,
		"/v2/acme/manifests/":             images.ErrTag,
		"/v2/acme/manifests/..":           images.ErrTag,
		"/v2/acme/manifests/la test":      images.ErrTag,
		"/v2/acme/manifests/" + long:      images.ErrTag,
		"/v2/acme/manifests/md5:abc":      images.ErrDigest,
		"/v2/acme/blobs/latest":           images.ErrDigest,
		"/v2/acme/blobs/sha256:abc":       images.ErrDigest,
		"/v2/acme/blobs/" + strings.ToUpper(sha256Digest):      images.ErrDigest,
		"/v2/acme/referrers/sha256:" + strings.Repeat("g", 64): images.ErrDigest,
	} {
		if got, err := images.Parse(address); !errors.Is(err, want) {
			t.Errorf("%q: %+v, %v; want %v", address, got, err, want)
		}
	}
}

// FuzzParse checks that the upstream registry reads a parsed path in the same way: the path made
// from it is clean, parses to the same target, and stays below the repository.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"/v2/", "/v2/_catalog", "/v2/acme/api/manifests/latest", "/v2/a/../b/blobs/" + sha256Digest, "/v2/acme%2fapi/tags/list", "/v2/a//b/tags/list",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		target, err := images.Parse(address)
		if err != nil {
			return
		}
		made := target.Path()
		again, err := images.Parse(made)
		if err != nil || again != target {
			t.Fatalf("%q is %+v, and its path %q is %+v, %v", address, target, made, again, err)
		}
		if path.Clean(made) != strings.TrimSuffix(made, "/") || strings.ContainsAny(made, "%?#\\ \x00") {
			t.Fatalf("%q makes the path %q", address, made)
		}
		if target.Repository != "" && !strings.HasPrefix(made, "/v2/"+target.Repository+"/") {
			t.Fatalf("%q leaves its repository: %q", address, made)
		}
	})
}
