package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"portside/cmd/bench/papers"
	"portside/cmd/bench/upstream"
	"portside/shared/charts"
)

const (
	costTokens  = 30 // a user has at most 50
	costReports = 5
	costSignIns = 10 // a network may ask for few mails in an hour
)

// costOperations returns the operations in the order of measurement.
func (b *bench) costOperations(ctx context.Context, s *stack) ([]costOperation, error) {
	path, err := s.adminPath(ctx)
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(b.repo, "docs", "media", "invoice-march.pdf"))
	if err != nil {
		return nil, err
	}
	created := &newUsers{stack: s}
	fixed := func(path string) func(context.Context, int) error { return s.getting(func(int) string { return path }) }
	all := []costOperation{
		request1("get a user", fixed(path)),
		request1("list a page of users", s.getting(func(i int) string { return fmt.Sprint("/v1/users?limit=20&offset=", 100+i*17) })),
		request1("create a user", created.create),
		request1("update a user", created.update),
		request1("delete a user", created.delete),
		{name: "create a token", runs: costTokens, requests: 1, send: s.createToken},
		request1("list tokens", fixed("/api/v1/tokens")),
		request1("create a project", s.createProject),
		request1("read the dashboard", fixed("/v1/analytics/dashboard?period=today")),
		request1("extract 3 values from an invoice", func(ctx context.Context, i int) error {
			_, err := s.send(ctx, uploadRequest(extractMedia, fmt.Appendf(bytes.Clone(page), "%%%% cost %d\n", i), threeValues))
			return err
		}),
		request1("the same invoice again", func(ctx context.Context, _ int) error {
			_, err := s.send(ctx, uploadRequest(extractMedia, page, threeValues))
			return err
		}),
		{name: "summary of 100 pages", runs: costReports, requests: 1, send: func(ctx context.Context, i int) error {
			_, err := s.send(ctx, uploadRequest(summarizeMedia, papers.Print(papers.Prose(i, reportPages), nil), nil))
			return err
		}},
		request1("health", fixed("/v1/health")),
	}
	fetched, err := b.fetchOperations(ctx, s)
	if err != nil {
		return nil, err
	}
	return slices.Concat(all, fetched, s.signInOperations()), nil
}

// request1 is an operation of one request.
func request1(name string, send func(context.Context, int) error) costOperation {
	return costOperation{name: name, runs: costRequests, requests: 1, send: send}
}

func (s *stack) getting(path func(int) string) func(context.Context, int) error {
	return func(ctx context.Context, i int) error {
		_, err := s.send(ctx, getRequest(path(i)))
		return err
	}
}

func (s *stack) createProject(ctx context.Context, i int) error {
	_, err := s.send(ctx, postRequest("/v1/projects", fmt.Sprintf(`{"name":"Cost %d"}`, i)))
	return err
}

// fetchOperations are those of helm and of container clients.
func (b *bench) fetchOperations(ctx context.Context, s *stack) ([]costOperation, error) {
	password, err := os.ReadFile(filepath.Join(s.data, "registry-password"))
	if err != nil {
		return nil, err
	}
	blob, err := upstream.Registry{Address: s.Registry, Login: upstream.Basic("AWS", strings.TrimSpace(string(password)))}.PushImage(ctx)
	if err != nil {
		return nil, err
	}
	c, err := s.customer(ctx)
	if err != nil {
		return nil, err
	}
	c.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for i := range costRequests + costWarmUps { // an archive each, so that the index grows
		if err := s.put(ctx, charts.PublishedPrefix+fmt.Sprintf("product-8.0.%d.tgz", i), chartArchive(fmt.Sprintf("8.0.%d", i))); err != nil {
			return nil, err
		}
	}
	manifest, err := c.get(ctx, s.API+"/v2/"+upstream.Repository+"/manifests/latest", http.StatusOK)
	if err != nil {
		return nil, err
	}
	fetch := func(path string, status int) func(context.Context, int) error {
		return func(ctx context.Context, _ int) error {
			_, err := c.get(ctx, s.API+path, status)
			return err
		}
	}
	image := "/v2/" + upstream.Repository
	return []costOperation{
		request1("index of the charts", fetch("/charts/index.yaml", http.StatusOK)),
		{name: "pull of a chart", runs: costRequests, requests: 1, isPull: true, send: func(ctx context.Context, i int) error {
			_, err := c.get(ctx, s.API+fmt.Sprintf("/charts/product-8.0.%d.tgz", i), http.StatusFound)
			return err
		}},
		request1("image pull: sign-in", func(ctx context.Context, _ int) error { // clients first ask how to log in
			_, err := customer{client: c.client}.get(ctx, s.API+"/v2/", http.StatusUnauthorized)
			return err
		}),
		{name: "image pull: manifest by tag", runs: costRequests, requests: 1, registry: 1,
			send: fetch(image+"/manifests/latest", http.StatusOK)},
		// The function has kept the list that the tag names, but perhaps not the manifest in it.
		{name: "image pull: manifest by digest", runs: costRequests, requests: 1, registry: 0.5,
			send: fetch(image+"/manifests/"+upstream.Digest(manifest), http.StatusOK)},
		{name: "image pull: blob", runs: costRequests, requests: 1, registry: 1,
			send: fetch(image+"/blobs/"+blob, http.StatusTemporaryRedirect)},
	}, nil
}

// signIns are sign-ins by mail. Each is of another user, because an address gets few mails in an hour.
type signIns struct {
	stack   *stack
	cookies [][]*http.Cookie
	tokens  []string
}

func (s *stack) signInOperations() []costOperation {
	all := &signIns{stack: s}
	return []costOperation{
		{name: "sign-in: ask for a mail", runs: costSignIns, requests: 1, send: all.ask},
		{name: "sign-in: open the link", runs: costSignIns, requests: 1, send: all.open},
	}
}

func (a *signIns) ask(ctx context.Context, i int) error {
	r, err := a.stack.siteRequest(ctx, "/v1/sign-in/links", fmt.Sprintf(`{"email":%q}`, signInAddress(i)))
	if err != nil {
		return err
	}
	response, err := a.stack.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusAccepted {
		return fmt.Errorf("ask for a mail: %s", response.Status)
	}
	token, err := a.stack.mailedToken(signInAddress(i))
	a.cookies, a.tokens = append(a.cookies, response.Cookies()), append(a.tokens, token)
	return err
}

// open signs in.
func (a *signIns) open(ctx context.Context, i int) error {
	body, err := json.Marshal(map[string]string{"token": a.tokens[i]})
	if err != nil {
		return err
	}
	r, err := a.stack.siteRequest(ctx, "/v1/sessions", string(body))
	if err != nil {
		return err
	}
	for _, cookie := range a.cookies[i] {
		r.AddCookie(cookie)
	}
	response, err := a.stack.client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		return fmt.Errorf("sign in: %s", response.Status)
	}
	return nil
}

// signInAddress returns the email address of an imported user.
func signInAddress(i int) string {
	return fmt.Sprintf("alexandra.example.%07d@customer.example.com", i)
}

// siteRequest returns a request as the portal sends it.
func (s *stack) siteRequest(ctx context.Context, path, body string) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.API+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", jsonType)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r, nil
}

var linkToken = regexp.MustCompile(`psl_[A-Za-z0-9_-]+`)

// mailedToken returns the token of the newest mail.
func (s *stack) mailedToken(address string) (string, error) {
	mails, err := filepath.Glob(filepath.Join(s.data, "outbox", "*.eml"))
	if err != nil || len(mails) == 0 {
		return "", errors.Join(fmt.Errorf("no mail to %s", address), err)
	}
	text, err := os.ReadFile(slices.Max(mails))
	if err != nil {
		return "", err
	}
	joined := bytes.ReplaceAll(text, []byte("=\r\n"), nil) // quoted-printable breaks lines
	token := linkToken.FindString(string(joined))
	if token == "" || !bytes.Contains(text, []byte(address)) {
		return "", fmt.Errorf("no link to %s in the newest mail", address)
	}
	return token, nil
}
