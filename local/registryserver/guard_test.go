package main

import (
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestAllRequestsNeedPassword(t *testing.T) {
	s := startServer(t, startS3(t))
	push(t, s.ref(t, "acme/api:1"), randomImage(t, 100))
	callers := []struct{ user, password string }{
		{}, {"AWS", ""}, {"AWS", "wrong"}, {"AWS", password + " "}, {"aws", password}, {"", password},
	}
	for _, path := range []string{"/", "/v2/", "/v2/_catalog", "/v2/acme/api/manifests/1", "/v2/acme/api/tags/list",
		"/unknown"} {
		for _, c := range callers {
			t.Run(path+" as "+c.user+" with "+c.password, func(t *testing.T) {
				response, body := s.do(t, call{method: http.MethodGet, path: path, user: c.user, password: c.password})
				if response.StatusCode != http.StatusUnauthorized ||
					!strings.HasPrefix(body, `{"errors":[{"code":"UNAUTHORIZED",`) ||
					response.Header.Get("WWW-Authenticate") != `Basic realm="registry"` {
					t.Errorf("%s %v %s", response.Status, response.Header, body)
				}
			})
		}
	}
	response, _ := s.do(t, authorized(http.MethodGet, "/v2/", nil))
	if response.StatusCode != http.StatusOK {
		t.Errorf("with the password: %s", response.Status)
	}
	s.stopQuietly(t)
}

func TestMissingSettingsAreReported(t *testing.T) {
	keys := []string{"REGISTRYSERVER_ACCESS_KEY=a", "REGISTRYSERVER_SECRET_KEY=b"}
	flags := []string{"-addr", "127.0.0.1:0", "-s3", "http://localhost:1", "-bucket", "b"}
	for _, test := range []struct {
		args, env []string
		want      string
	}{
		{flags[:2], keys, "-s3 is missing"},
		{flags[:4], keys, "-bucket is missing"},
		{flags, nil, "set REGISTRYSERVER_ACCESS_KEY and REGISTRYSERVER_SECRET_KEY"},
		{slices.Concat(flags, []string{"-addr", "nowhere"}), keys, "missing port"},
	} {
		t.Run(test.want, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), os.Args[0], test.args...)
			command.Env = append([]string{serveVar + "=" + password}, test.env...)
			out, err := command.CombinedOutput()
			if err == nil || !strings.HasPrefix(string(out), "registryserver: ") || !strings.Contains(string(out), test.want) {
				t.Errorf("%v: %v %s", test.args, err, out)
			}
		})
	}
	if err := run(t.Context(), settings{s3: "x", bucket: "x", accessKey: "x", secretKey: "x"}); err == nil ||
		!strings.Contains(err.Error(), "set REGISTRYSERVER_PASSWORD") {
		t.Errorf("without a password: %v", err)
	}
}
