package main

import (
	"net/http"
	"strings"
	"testing"

	"portside/shared/lambda/start"
	"portside/shared/testkit/webtest"
)

const testUploads = "https://uploads.s3.us-east-1.amazonaws.com"

func TestUploadsOriginIsThatOfTheBucketOrTheEndpoint(t *testing.T) {
	for _, test := range []struct{ bucket, endpoint, want string }{
		{testUploads, "", testUploads},
		{testUploads, "http://localhost:9000/", "http://localhost:9000"},
		{"https://uploads.example.com; script-src *", "", ""},
		{testUploads, "http://localhost:9000;x/", ""},
		{testUploads, "localhost:9000", ""},
		{"", "", ""},
	} {
		t.Run(test.bucket+" "+test.endpoint, func(t *testing.T) {
			variables := map[string]string{"UPLOADS_ORIGIN": test.bucket, "AWS_ENDPOINT_URL_S3": test.endpoint}
			origin, err := uploadsOrigin(start.NewSettings(func(name string) (string, bool) { return variables[name], true }))
			if origin != test.want || (err == nil) != (test.want != "") {
				t.Errorf("%v: got %q, %v; want %q", variables, origin, err, test.want)
			}
		})
	}
}

//proves:docs/security.md
func TestShellPolicyPermitsUploadsAndOneWorker(t *testing.T) {
	policy := webtest.New(t, handler(t)).Get("/portal").Header.Get("Content-Security-Policy")
	for _, want := range []string{"connect-src 'self' " + testUploads + ";", "trusted-types portside-pdf"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy has no %q: %s", want, policy)
		}
	}
}

//proves:docs/security.md
func TestPDFModulesAreScriptsThatTheShellDoesNotPreload(t *testing.T) {
	c := webtest.New(t, handler(t))
	shell := string(c.Get("/portal").WantStatus(http.StatusOK).Body)
	_, version, _ := strings.Cut(shell, "/portal/assets/")
	version, _, _ = strings.Cut(version, "/")
	for _, name := range []string{"vendor/pdf.js", "vendor/pdf.worker.js"} {
		c.Get("/portal/assets/"+version+"/"+name).WantStatus(http.StatusOK).WantHeader("Content-Type",
			"text/javascript; charset=utf-8").
			WantHeader("Content-Security-Policy", "default-src 'none'")
		if strings.Contains(shell, name) {
			t.Errorf("the shell preloads %s, which only results of PDFs need", name)
		}
	}
}
