package imagesecr

import (
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"portside/shared/images"
)

// MaxBody is the largest response body that is passed on: the size of the largest manifest that the
// specification requires registries to accept, which is also within the limit of a Lambda response.
// Blobs do not count, because the registry redirects to them.
const MaxBody = 4 << 20

// Registry reads from the upstream registry. It does not follow redirects.
type Registry struct {
	logins    *Logins
	transport http.RoundTripper
	offered   []string // what the names of the repositories that exist for clients have around any text
}

// NewRegistry returns a Registry that uses the logins. It offers only the repositories whose names match the pattern,
// in which * is any text: the role may read only these, but ECR lists all of the account.
func NewRegistry(logins *Logins, repositories string) *Registry {
	return &Registry{logins: logins, offered: strings.Split(repositories, "*"), transport: &http.Transport{
		DisableCompression:  true, // bodies must match their digests
		MaxIdleConnsPerHost: 16, IdleConnTimeout: 50 * time.Second,
		TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: 10 * time.Second,
		ForceAttemptHTTP2: true,
	}}
}

// Offers reports whether the repository matches the pattern.
func (r *Registry) Offers(repository string) bool {
	first, others := r.offered[0], r.offered[1:]
	if len(others) == 0 {
		return repository == first
	}
	rest, found := strings.CutPrefix(repository, first)
	for _, part := range others[:len(others)-1] {
		if found {
			_, rest, found = strings.Cut(rest, part)
		}
	}
	return found && strings.HasSuffix(rest, others[len(others)-1])
}

// Request is a request to the registry.
type Request struct {
	Method string // GET or HEAD
	Target images.Target
	Query  url.Values
	Accept []string // media types of manifests, as the client sent them
	Range  string   // of a blob, as the client sent it
}

// Response is the registry's response, with only those header fields that a client may see.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// Fetch sends a request to the registry. It returns successful responses, redirects and 416.
// Everything else is an error of package images, so that no client sees the registry's own texts,
// which contain accounts and addresses. It does not ask for repositories that are not offered: ECR refuses them with
// the status of an expired login.
func (r *Registry) Fetch(ctx context.Context, ask Request) (Response, error) {
	if ask.Target.Repository != "" && !r.Offers(ask.Target.Repository) {
		return Response{}, images.ErrRepositoryUnknown
	}
	for {
		login, err := r.logins.Login(ctx)
		if err != nil {
			return Response{}, err
		}
		response, err := r.send(ctx, ask, login)
		if err != nil {
			return Response{}, fmt.Errorf("%w: %w", images.ErrUnavailable, err)
		}
		if isLoginRejected(response) && r.logins.Reject(login) {
			_ = response.Body.Close() // the body is not needed
			continue
		}
		answer, err := readResponse(response, ask.Target.Kind)
		if err == nil {
			makeRelative(answer.Header, login.Endpoint)
		}
		return answer, errors.Join(err, response.Body.Close())
	}
}

// ReadBlob returns a blob of at most that many bytes, such as the configuration of an image. A size of 0 is unknown. It
// follows the redirect to the storage, without the login, and checks the digest. Errors:
// images.ErrBlobUnknown, images.ErrLarge, images.ErrUnavailable.
func (r *Registry) ReadBlob(ctx context.Context, repository string, blob images.Descriptor,
	most int64) ([]byte, error) {
	if blob.Size > most {
		return nil, images.ErrLarge
	}
	answer, err := r.Fetch(ctx, Request{
		Method: http.MethodGet, Target: images.Target{Kind: images.Blob, Repository: repository, Reference: blob.Digest},
	})
	if err != nil {
		return nil, err
	}
	if location := answer.Header.Get("Location"); location != "" {
		answer.Body, err = r.download(ctx, location, most)
		if errors.Is(err, images.ErrLarge) {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("%w: read a blob: %w", images.ErrUnavailable, err)
		}
	}
	if !isDigestOf(blob.Digest, answer.Body) {
		return nil, fmt.Errorf("%w: a blob differs from its digest", images.ErrUnavailable)
	}
	return answer.Body, nil
}

// isDigestOf reports whether the content has the digest. The algorithms are those that images.Parse accepts.
func isDigestOf(digest string, content []byte) bool {
	if strings.HasPrefix(digest, "sha512:") {
		sum := sha512.Sum512(content)
		return digest == "sha512:"+hex.EncodeToString(sum[:])
	}
	sum := sha256.Sum256(content)
	return digest == "sha256:"+hex.EncodeToString(sum[:])
}

// download reads a blob from the storage of the registry. Errors: images.ErrLarge.
func (r *Registry) download(ctx context.Context, location string, most int64) (body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, location, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := r.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the storage responded with %d", response.StatusCode)
	}
	if response.ContentLength > most {
		return nil, images.ErrLarge
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, most+1))
	if int64(len(body)) > most {
		return nil, images.ErrLarge
	}
	return body, err
}

// isLoginRejected reports whether the registry rejected the login: ECR with 403, others with 401.
func isLoginRejected(response *http.Response) bool {
	return response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden
}

func (r *Registry) send(ctx context.Context, ask Request, login Login) (*http.Response, error) {
	address := *login.Endpoint
	address.Path, address.RawQuery = ask.Target.Path(), ask.Query.Encode()
	request, err := http.NewRequestWithContext(ctx, ask.Method, address.String(), http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"Authorization": {login.Authorization}, "User-Agent": {"portside"}}
	if len(ask.Accept) > 0 {
		request.Header["Accept"] = ask.Accept
	}
	if ask.Range != "" {
		request.Header.Set("Range", ask.Range)
	}
	return r.transport.RoundTrip(request)
}

// readResponse returns the part of the response that a client may see, or the error that the status means.
func readResponse(response *http.Response, kind images.Kind) (Response, error) {
	if err := errorFor(response, kind); err != nil {
		return Response{}, err
	}
	answer := Response{Status: response.StatusCode, Header: visible(response.Header)}
	if response.StatusCode >= http.StatusMultipleChoices || response.Request.Method == http.MethodHead {
		return answer, nil // bodies of redirects and 416 also contain addresses
	}
	if response.ContentLength > MaxBody {
		return Response{}, images.ErrLarge
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, MaxBody+1))
	if err != nil {
		return Response{}, fmt.Errorf("%w: read the response: %w", images.ErrUnavailable, err)
	}
	if len(body) > MaxBody {
		return Response{}, images.ErrLarge
	}
	answer.Body = body
	return answer, nil
}

// visible returns the header fields that the specification defines for responses to reads.
func visible(from http.Header) http.Header {
	header := http.Header{}
	for _, name := range []string{
		"Accept-Ranges", "Content-Length", "Content-Range", "Content-Type", digestHeader, "Etag", "Link", "Location",
		"Oci-Filters-Applied",
	} {
		if values := from.Values(name); len(values) > 0 {
			header[name] = values
		}
	}
	return header
}

// makeRelative makes addresses of the registry relative, so that the client sends its next request to
// this service. Addresses of other hosts, which have the blobs, stay unchanged, because they are
// signed.
func makeRelative(header http.Header, registry *url.URL) {
	if location, err := url.Parse(header.Get("Location")); err == nil && strings.EqualFold(location.Host, registry.Host) {
		header.Set("Location", location.RequestURI())
	}
	link := header.Get("Link")
	if address, rest, found := strings.Cut(strings.TrimPrefix(link, "<"), ">"); found {
		if next, err := url.Parse(address); err == nil {
			header.Set("Link", "<"+next.RequestURI()+">"+rest)
		}
	}
}

// errorFor returns the error for a status that is not a success.
func errorFor(response *http.Response, kind images.Kind) error {
	status := response.StatusCode
	switch {
	case status < http.StatusBadRequest || status == http.StatusRequestedRangeNotSatisfiable:
		return nil
	case status == http.StatusNotFound || status == http.StatusBadRequest && kind != images.Tags && kind != images.Catalog:
		return unknown(response, kind)
	case status == http.StatusBadRequest:
		return images.ErrPage
	case status == http.StatusTooManyRequests:
		return images.ErrBusy
	case status == http.StatusForbidden && kind != images.Catalog: // this service has no access to it, so it does not exist for customers
		return fmt.Errorf("%w: the registry responded with 403; check that the parameter ImageRepositories includes "+
			"the repository", images.ErrRepositoryUnknown)
	default:
		return fmt.Errorf("%w: the registry responded with %d", images.ErrUnavailable, status)
	}
}

// maxFailure bounds how much of an error's body is read.
const maxFailure = 64 << 10

// unknown returns the error for a missing resource. The registry's error code distinguishes a
// missing repository from a missing manifest.
func unknown(response *http.Response, kind images.Kind) error {
	var failure struct {
		Errors []struct {
			Code string `json:"code"`
		} `json:"errors"`
	}
	err := json.NewDecoder(io.LimitReader(response.Body, maxFailure)).Decode(&failure)
	if err == nil && len(failure.Errors) > 0 && failure.Errors[0].Code == "NAME_UNKNOWN" {
		return images.ErrRepositoryUnknown
	}
	switch kind {
	case images.Manifest:
		return images.ErrManifestUnknown
	case images.Blob:
		return images.ErrBlobUnknown
	case images.Referrers:
		return images.ErrNoReferrers
	default:
		return images.ErrRepositoryUnknown
	}
}
