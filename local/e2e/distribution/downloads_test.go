package distribution

import (
	"encoding/base64"
	"net/http"
	"testing"

	"portside/local/e2e/e2etest"
)

// urllib downloads like Ansible's get_url: it sends the header in the first request and in each request that follows a
// redirect.
const urllib = `
import base64, sys, urllib.request
url, file, login = sys.argv[1], sys.argv[2], sys.stdin.read()
request = urllib.request.Request(url, headers={"Authorization": "Basic " + base64.b64encode(login.encode()).decode()})
with urllib.request.urlopen(request) as response, open(file, "wb") as saved:
    saved.write(response.read())
`

// TestDownloadsWithoutRedirect runs programs that repeat their login at the target of a redirect.
func TestDownloadsWithoutRedirect(t *testing.T) {
	m := newShop(t)
	for kind, login := range map[string]e2etest.Login{
		"token": m.createToken(t, "read:helm-charts:anchor"), "password": m.requestPassword(t, "charts"),
	} {
		t.Run(kind, func(t *testing.T) {
			c := m.machine(t, login)
			wgetrc := "user = " + c.User + "\npassword = " + c.Password + "\n"
			c.WriteFile(t, "wgetrc", "auth_no_challenge = on\n"+wgetrc)
			c.WriteFile(t, "challenged", wgetrc)
			basic := base64.StdEncoding.EncodeToString([]byte(c.User + ":" + c.Password))
			m.Secrets.Add(basic)
			c.WriteFile(t, "header", "header = Authorization: Basic "+basic+"\n")
			const file = "anchor-1.0.0.tgz"
			url := m.Info.API + "/charts/" + file + "?redirect=false"
			for _, config := range []string{"wgetrc", "challenged", "header"} {
				c.RunClient(t, "wget", "--config", config, "-O", config+".tgz", url).WantExit(t, 0)
				c.wantFile(t, config+".tgz", m.files[file])
			}
			c.WriteFile(t, "part.tgz", m.files[file][:100])
			c.RunClient(t, "wget", "--config", "wgetrc", "--continue", "-O", "part.tgz", url).
				WantExit(t, 0, "206 Partial Content")
			c.wantFile(t, "part.tgz", m.files[file])
			c.RunClient(t, "wget", "--config", "wgetrc", "--continue", "-O", "part.tgz", url).WantExit(t, 0)
			c.wantFile(t, "part.tgz", m.files[file])

			c.Input = c.User + ":" + c.Password
			c.RunClient(t, "python3", "-c", urllib, url, "urllib.tgz").WantExit(t, 0)
			c.wantFile(t, "urllib.tgz", m.files[file])
		})
	}
}

func (c machine) wantFile(t *testing.T, file, content string) {
	t.Helper()
	if got := c.ReadFile(t, file); got != content {
		t.Errorf("%s has %d bytes, want %d", file, len(got), len(content))
	}
}

// TestStorageRefusesTwoLogins shows that some programs need redirect=false: S3 refuses a signed link with an
// Authorization header.
func TestStorageRefusesTwoLogins(t *testing.T) {
	m := newShop(t)
	c := m.WithLogin(t, m.createToken(t, "read:helm-charts"))
	link := m.redirectTarget(t, c.Get("/charts/anchor-1.0.0.tgz").WantStatus(http.StatusFound))
	for _, authorization := range []string{"Basic dG9rZW46eA==", "Bearer x", "AWS4-HMAC-SHA256 x"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", authorization)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if response.Body.Close(); response.StatusCode != http.StatusBadRequest {
			t.Errorf("S3 answers %s to %s", response.Status, authorization)
		}
	}
}
