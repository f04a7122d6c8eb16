package e2etest

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"portside/testclient"
)

// Client sends requests to a stack on behalf of one caller. It is immutable; With returns a copy.
type Client struct {
	testclient.Client

	t       *testing.T
	secrets *Secrets
}

// Response is a response with assertions.
type Response = testclient.Response

// Anonymous returns a client without a credential.
func (p *Stack) Anonymous(t *testing.T) Client {
	t.Helper()
	conns, secrets := p.Conns, p.Secrets
	send := func(r *http.Request) (*http.Response, error) {
		reply, err := conns.RoundTrip(r) // does not follow redirects
		if err != nil {
			return nil, err
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		secrets.AddFrom(text)
		secrets.AddFrom([]byte(reply.Header.Get("Set-Cookie")))
		reply.Body = io.NopCloser(bytes.NewReader(text))
		return reply, err
	}
	sender := testclient.Client{TB: t, BaseURL: p.Info.API, RoundTrip: send, Check: checkFunctionResponse}
	return Client{Client: sender, t: t, secrets: secrets}
}

// Admin returns a client with the first admin's key.
func (p *Stack) Admin(t *testing.T) Client {
	t.Helper()
	return p.As(t, p.adminKey())
}

func (p *Stack) adminKey() string {
	key, _ := os.ReadFile(filepath.Join(p.Data, "admin-key")) // without it, the request gets a 401
	return strings.TrimSpace(string(key))
}

// As returns a client with an API key.
func (p *Stack) As(t *testing.T, key string) Client {
	t.Helper()
	return p.Anonymous(t).As(key)
}

// WithToken returns a client with an access token.
func (p *Stack) WithToken(t *testing.T, token string) Client {
	t.Helper()
	return p.Anonymous(t).With("Authorization", "Bearer "+token)
}

// With returns a client that also sends the header.
func (c Client) With(name, value string) Client {
	c.Client = c.Client.With(name, value)
	if name == "X-API-Key" || name == "Authorization" {
		c.secrets.AddFrom([]byte(value))
		c.secrets.Add(value)
	}
	return c
}

// As returns a client with an API key.
func (c Client) As(key string) Client { return c.With("X-API-Key", key) }

// For returns the same client for a subtest.
func (c Client) For(t *testing.T) Client {
	t.Helper()
	c.Client, c.t = c.Client.For(t), t
	return c
}

// FromGateway returns a client that expects responses of the gateway itself or of the pages below /_local. They lack
// the headers that functions set.
func (c Client) FromGateway() Client {
	c.Check = checkNoServerError
	return c
}

func checkNoServerError(tb testing.TB, a Response) {
	tb.Helper()
	if a.Status >= http.StatusInternalServerError {
		tb.Errorf("%s: status %d: %s", a.Request(), a.Status, a.Body)
	}
}

// checkFunctionResponse checks what all responses of functions have in common.
func checkFunctionResponse(tb testing.TB, a Response) {
	tb.Helper()
	checkNoServerError(tb, a)
	checkRequestID(tb, a)
	if a.Status >= http.StatusBadRequest && a.Method != http.MethodHead {
		a.WantProblem()
	}
}

// checkRequestID checks that the X-Request-Id is the gateway's.
func checkRequestID(tb testing.TB, a Response) {
	tb.Helper()
	if id := a.Header.Get("X-Request-Id"); id == "" || id != a.Header.Get("Apigw-Requestid") {
		tb.Errorf("%s: X-Request-Id %q, the gateway's is %q", a.Request(), id, a.Header.Get("Apigw-Requestid"))
	}
}

// WantFilesOf checks that the files exist that a page loads from its host.
func (c Client) WantFilesOf(page string) {
	c.t.Helper()
	for _, path := range References(c.Get(page)) {
		c.Get(path).WantStatus(http.StatusOK)
	}
}

// References returns the paths of the files that a page loads from its host.
func References(page Response) (files []string) {
	for _, match := range regexp.MustCompile(`(?:src|href)="(/[^"]*)"`).FindAllSubmatch(page.Body, -1) {
		if path := string(match[1]); !strings.HasPrefix(path, "/v1/") { // the shell also preloads the session
			files = append(files, path)
		}
	}
	return files
}

// Paths of the media operations.
const (
	SummarizeMedia = "/v1/capabilities/summarize/media"
	ExtractMedia   = "/v1/capabilities/extract/media"
	CompareMedia   = "/v1/capabilities/compare/media"
)

// FormFile is a file of a form.
type FormFile struct{ field, content string }

// File returns the file of a field of a form.
func File(field, content string) FormFile { return FormFile{field, content} }

// Form posts a form with fields and then files.
func (c Client) Form(target string, fields map[string]string, files ...FormFile) Response {
	c.t.Helper()
	contentType, body := c.FormBody(fields, files...)
	return c.With("Content-Type", contentType).Post(target, body)
}

// FormBody returns a form and its content type.
func (c Client) FormBody(fields map[string]string, files ...FormFile) (contentType, text string) {
	c.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	var failed []error
	for name, value := range fields {
		failed = append(failed, form.WriteField(name, value))
	}
	for _, f := range files {
		part, err := form.CreateFormFile(f.field, "upload")
		if err == nil {
			_, err = io.WriteString(part, f.content)
		}
		failed = append(failed, err)
	}
	if err := errors.Join(append(failed, form.Close())...); err != nil {
		c.t.Fatal(err)
	}
	return form.FormDataContentType(), body.String()
}

// Upload uploads a file in the way for large files, and returns its upload ID.
func (c Client) Upload(content string) string {
	c.t.Helper()
	offer := c.Post("/v1/uploads", "").WantStatus(http.StatusCreated)
	fields := map[string]string{}
	for name := range offer.JSON("fields").(map[string]any) {
		fields[name], _ = offer.JSON("fields").(map[string]any)[name].(string)
	}
	store := c.FromGateway()
	store.BaseURL, store.Header = "", nil // S3 gets no API key
	store.Form(offer.Text("url"), fields, File("file", content)).WantStatus(http.StatusNoContent)
	return offer.Text("uploadId")
}

// Finished waits until a job has ended.
func (c Client) Finished(at string) (job Response) {
	c.t.Helper()
	Await(c.t, at+" to end", func() bool {
		job = c.Get(at).WantStatus(http.StatusOK)
		status := job.Text("status")
		return status == "succeeded" || status == "failed"
	})
	return job
}

// Fetch requests a presigned link, with a header Range unless it is empty.
func Fetch(t *testing.T, method, link, byteRange string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, link, nil)
	if err != nil {
		t.Fatal(err)
	}
	if byteRange != "" {
		r.Header.Set("Range", byteRange)
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

// AtOnce calls a function n times at once, and returns how often it returned each value. Use it only for requests to
// other processes, in which the race detector finds nothing: gate searches for calls of testclient.Concurrently, and
// runs only those tests under it.
func AtOnce(n int, f func() int) map[int]int {
	return testclient.Concurrently(n, func(int) int { return f() })
}
