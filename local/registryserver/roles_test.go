package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portside/local/engines"
	"portside/local/iam"
)

// TestRolesNeedThePermissionsOfECR has a role for acme/*, with the list of all repositories and without it.
func TestRolesNeedThePermissionsOfECR(t *testing.T) {
	const arn = "arn:aws:ecr:us-east-1:000000000000:repository/"
	pull := iam.Statement{
		Actions:   []string{"ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer", "ecr:ListImages"},
		Resources: []string{arn + "acme/*"},
	}
	list := iam.Statement{Actions: []string{"ecr:DescribeRepositories"}, Resources: []string{arn + "*"}}
	narrow := iam.Statement{Actions: []string{"ecr:DescribeRepositories"}, Resources: []string{arn + "acme/*"}}
	authorizer := iam.NewAuthorizer("000000000000", func(string) {})
	authorizer.SetRoles([]iam.Role{
		{ID: "ListerRole", Statements: []iam.Statement{pull, list}}, {ID: "PullerRole", Statements: []iam.Statement{pull, narrow}},
	})
	stack := httptest.NewServer(authorizer)
	t.Cleanup(stack.Close)
	s := startRegistry(t, engines.Registry{S3: startS3(t), AuthorizeURL: stack.URL, RepositoryARN: arn})
	push(t, s.ref(t, "acme/api:1"), randomImage(t, 100))
	push(t, s.ref(t, "other/api:1"), randomImage(t, 100))
	for _, test := range []struct {
		role, method, path string
		want               int
	}{
		{"", http.MethodGet, "/v2/_catalog", http.StatusOK},
		{"ListerRole", http.MethodGet, "/v2/", http.StatusOK},
		{"ListerRole", http.MethodGet, "/v2/_catalog", http.StatusOK},
		{"PullerRole", http.MethodGet, "/v2/_catalog", http.StatusForbidden},
		{"PullerRole", http.MethodGet, "/v2/acme/api/tags/list", http.StatusOK},
		{"PullerRole", http.MethodGet, "/v2/acme/api/manifests/1", http.StatusOK},
		{"PullerRole", http.MethodHead, "/v2/acme/api/manifests/1", http.StatusOK},
		{"PullerRole", http.MethodGet, "/v2/other/api/tags/list", http.StatusForbidden},
		{"PullerRole", http.MethodGet, "/v2/other/api/manifests/1", http.StatusForbidden},
		{"PullerRole", http.MethodGet, "/v2/other/api/blobs/sha256:" + strings.Repeat("0", 64), http.StatusForbidden},
		{"PullerRole", http.MethodPost, "/v2/acme/api/blobs/uploads/", http.StatusForbidden},
		{"PullerRole", http.MethodDelete, "/v2/acme/api/manifests/1", http.StatusForbidden},
		{"GoneRole", http.MethodGet, "/v2/acme/api/tags/list", http.StatusForbidden},
	} {
		t.Run(test.role+" "+test.method+" "+test.path, func(t *testing.T) {
			login := password
			if test.role != "" {
				login += "|role=" + test.role
			}
			response, body := s.do(t, call{method: test.method, path: test.path, user: "AWS", password: login})
			refused := response.StatusCode == http.StatusForbidden
			if response.StatusCode != test.want || refused && !strings.HasPrefix(body, `{"errors":[{"code":"DENIED",`) {
				t.Errorf("%s %s", response.Status, body)
			}
		})
	}
	s.stopQuietly(t)
}
