package main

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"portside/local/engines"
)

func randomImage(t *testing.T, size int64) v1.Image {
	t.Helper()
	image, err := random.Image(size, 3)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func push(t *testing.T, ref name.Reference, image v1.Image) v1.Hash {
	t.Helper()
	if err := remote.Write(ref, image, access(t.Context())...); err != nil {
		t.Fatalf("push %s: %v", ref, err)
	}
	digest, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

// expectImage pulls the complete image; package validate compares every byte with its digest.
func expectImage(t *testing.T, ref name.Reference, want v1.Hash) {
	t.Helper()
	image, err := remote.Image(ref, access(t.Context())...)
	if err != nil {
		t.Errorf("pull %s: %v", ref, err)
		return
	}
	if digest, err := image.Digest(); err != nil || digest != want {
		t.Errorf("%s is %v (%v), want %v", ref, digest, err, want)
	}
	if err := validate.Image(image); err != nil {
		t.Errorf("%s: %v", ref, err)
	}
}

func TestImagesSurviveRestart(t *testing.T) {
	s3 := startS3(t)
	s := startServer(t, s3)
	digest := push(t, s.ref(t, "acme/api:1.0.0"), randomImage(t, 4096))
	large := push(t, s.ref(t, "acme/api:large"), randomImage(t, 2*partBytes+1)) // three parts per layer
	for range 2 {
		expectImage(t, s.ref(t, "acme/api:1.0.0"), digest)
		expectImage(t, s.ref(t, "acme/api@"+digest.String()), digest)
		expectImage(t, s.ref(t, "acme/api:large"), large)
		s.stopQuietly(t)
		s = startServer(t, s3)
	}
}

func TestIndex(t *testing.T) {
	s := startServer(t, startS3(t))
	index, err := random.Index(1024, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	ref := s.ref(t, "acme/worker:2")
	if err := remote.WriteIndex(ref, index, access(t.Context())...); err != nil {
		t.Fatal(err)
	}
	back, err := remote.Index(ref, access(t.Context())...)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(back); err != nil {
		t.Error(err)
	}
	s.stopQuietly(t)
}

func TestEmptyBlobs(t *testing.T) {
	s := startServer(t, startS3(t))
	layer := static.NewLayer([]byte{}, types.OCILayer)
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		t.Fatal(err)
	}
	digest := push(t, s.ref(t, "acme/empty:1"), image)
	back, err := remote.Image(s.ref(t, "acme/empty@"+digest.String()), access(t.Context())...)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := back.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers, %v", len(layers), err)
	}
	if size := layerSize(t, layers[0]); size != 0 {
		t.Errorf("the empty layer has %d bytes", size)
	}
	config := static.NewLayer([]byte("{}"), "application/vnd.oci.empty.v1+json")
	if err := remote.WriteLayer(s.ref(t, "acme/empty:1").Context(), config, access(t.Context())...); err != nil {
		t.Error(err)
	}
	s.stopQuietly(t)
}

func layerSize(t *testing.T, layer v1.Layer) int64 {
	t.Helper()
	content, err := layer.Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	n, err := io.Copy(io.Discard, content)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBlobInChunks(t *testing.T) {
	s := startServer(t, startS3(t))
	content := bytes.Repeat([]byte("portside"), partBytes/8+1)
	digest, _, err := v1.SHA256(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	response, _ := s.do(t, authorized(http.MethodPost, "/v2/acme/chunks/blobs/uploads/", nil))
	for chunk := range slices.Chunk(content, partBytes/2) { // smaller than a part, so the registry has to rewrite the object in S3
		response, _ = s.do(t, authorized(http.MethodPatch, s.uploadPath(response), bytes.NewReader(chunk)))
	}
	response, body := s.do(t, authorized(http.MethodPut, s.uploadPath(response)+"&digest="+digest.String(), nil))
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("the end of the upload: %s %s", response.Status, body)
	}
	layer, err := remote.Layer(s.ref(t, "acme/chunks").Context().Digest(digest.String()), access(t.Context())...)
	if err != nil {
		t.Fatal(err)
	}
	if size := layerSize(t, layer); size != int64(len(content)) {
		t.Errorf("%d bytes came back of %d", size, len(content))
	}
	s.stopQuietly(t)
}

func authorized(method, path string, body io.Reader) call {
	return call{method: method, path: path, user: "AWS", password: password, body: body}
}

// uploadPath returns the path for the next request of an upload.
func (s server) uploadPath(response *http.Response) string {
	return strings.TrimPrefix(response.Header.Get("Location"), s.Endpoint)
}

func TestListsAndDeletions(t *testing.T) {
	s := startServer(t, startS3(t))
	image := randomImage(t, 100)
	digest := push(t, s.ref(t, "acme/api:1"), image)
	push(t, s.ref(t, "acme/api:2"), image)
	push(t, s.ref(t, "acme/web:1"), randomImage(t, 100))
	s.expectRepositories(t, "acme/api", "acme/web")
	s.expectTags(t, "1", "2")
	if err := remote.Delete(s.ref(t, "acme/api:1"), access(t.Context())...); err != nil {
		t.Fatal(err)
	}
	s.expectTags(t, "2")
	if err := remote.Delete(s.ref(t, "acme/api@"+digest.String()), access(t.Context())...); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"acme/api:2", "acme/api@" + digest.String()} {
		if _, err := remote.Get(s.ref(t, gone), access(t.Context())...); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
	s.stopQuietly(t)
}

func (s server) expectRepositories(t *testing.T, want ...string) {
	t.Helper()
	got, err := remote.Catalog(t.Context(), s.ref(t, "any").Context().Registry, access(t.Context())...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("repositories (%v): -want +got\n%s", err, diff)
	}
}

func (s server) expectTags(t *testing.T, want ...string) {
	t.Helper()
	got, err := remote.List(s.ref(t, "acme/api").Context(), access(t.Context())...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tags (%v): -want +got\n%s", err, diff)
	}
}

func TestBlobsAreRedirectedToS3(t *testing.T) {
	s3 := startS3(t)
	s := startServer(t, s3)
	image := randomImage(t, 100)
	push(t, s.ref(t, "acme/api:1"), image)
	config, err := image.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	response, _ := s.do(t, authorized(http.MethodGet, "/v2/acme/api/blobs/"+config.String(), nil))
	location := response.Header.Get("Location")
	if response.StatusCode != http.StatusTemporaryRedirect || !strings.HasPrefix(location, s3.Endpoint+"/"+bucket+"/") {
		t.Errorf("%s to %s, want a redirect to %s", response.Status, location, s3.Endpoint)
	}
	s.stopQuietly(t)
}

func TestStorageFailuresAreLogged(t *testing.T) {
	s := startServer(t, engines.S3Access{Endpoint: "http://localhost:1", AccessKey: "a", SecretKey: "b"})
	response, _ := s.do(t, authorized(http.MethodGet, "/v2/acme/api/manifests/1", nil))
	if response.StatusCode != http.StatusInternalServerError {
		t.Errorf("without storage: %s", response.Status)
	}
	s.Stop(stopTimeout)
	const want = "registryserver: GET /v2/acme/api/manifests/1 was answered with 500: "
	if output := s.Tail(); !strings.HasPrefix(output, want) || !strings.Contains(output, "localhost:1") ||
		strings.Count(output, "\n") != 1 {
		t.Errorf("output %q", output)
	}
}
