package main

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
)

const archivePath = "/charts/product-1.0.0.tgz"

//proves:docs/security.md
func TestChartCredentials(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "one")
	token := h.token("read:helm-charts")
	password := h.issue(credentials.Password, func(c *credentials.Credential) { c.Username = "acme" })
	revoked := h.token("read:helm-charts")
	h.revoke(revoked)
	expired := h.issue(credentials.AccessToken, func(c *credentials.Credential) { c.ExpiresAt = h.now })
	suspended := h.issue(credentials.AccessToken, func(c *credentials.Credential) { c.Owner.Active = false })
	key := h.issue(credentials.APIKey, func(c *credentials.Credential) { c.Scopes = nil })
	for name, c := range map[string]struct {
		header, value string
		index, file   int
	}{
		"token as Basic":             {"Authorization", basic("anyone", token.Reveal()), 200, 302},
		"token as Bearer":            {"Authorization", "Bearer " + token.Reveal(), 200, 302},
		"password":                   {"Authorization", basic("acme", password.Reveal()), 200, 302},
		"password of another user":   {"Authorization", basic("emca", password.Reveal()), 401, 401},
		"password as Bearer":         {"Authorization", "Bearer " + password.Reveal(), 401, 401},
		"wrong password":             {"Authorization", basic("acme", credentials.Mint(credentials.Password).Reveal()), 401, 401},
		"nonsense":                   {"Authorization", "Basic !", 401, 401},
		"no credential":              {"Accept", "*/*", 401, 401},
		"revoked token":              {"Authorization", basic("x", revoked.Reveal()), 401, 401},
		"expired token":              {"Authorization", basic("x", expired.Reveal()), 401, 401},
		"token of an inactive user":  {"Authorization", basic("x", suspended.Reveal()), 401, 401},
		"API key":                    {"X-API-Key", key.Reveal(), 401, 401},
		"API key as Basic":           {"Authorization", basic("x", key.Reveal()), 401, 401},
		"token for images only":      {"Authorization", basic("x", h.token("read:docker-images").Reveal()), 403, 403},
		"token for this chart":       {"Authorization", basic("x", h.token("read:helm-charts:product").Reveal()), 200, 302},
		"token for another chart":    {"Authorization", basic("x", h.token("read:helm-charts:other").Reveal()), 200, 403},
		"image token of that name":   {"Authorization", basic("x", h.token("read:docker-images:product").Reveal()), 403, 403},
		"token for charts below one": {"Authorization", basic("x", h.token("read:helm-charts:product/*").Reveal()), 200, 403},
	} {
		t.Run(name, func(t *testing.T) {
			caller, signed := h.anonymous().For(t).With(c.header, c.value), c.file
			if signed == 302 {
				signed = 404 // permitted, but does not exist
			}
			for path, status := range map[string]int{indexPath: c.index, archivePath: c.file, archivePath + ".prov": signed} {
				response := caller.Get(path).WantStatus(status)
				if status == 401 {
					response.WantHeader("WWW-Authenticate", `Basic realm="Portside"`)
				}
			}
		})
	}
}

func TestLimitedCredentialGetsItsPartOfTheIndex(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "one")
	h.publish("extra", "2.0.0", "two")
	h.publish("third", "3.0.0", "three")
	whole := h.withAllCharts()
	all := entries(whole.Get(indexPath))
	if want := []string{"extra", "product", "third"}; !slices.Equal(all, want) {
		t.Errorf("the complete index lists %v, want %v", all, want)
	}
	mine := whole.With("Authorization", basic("x", h.token("read:helm-charts:product").Reveal()))
	both := whole.With("Authorization", basic("x", h.token("read:helm-charts:product", "read:helm-charts:extra").Reveal()))
	tags := map[string]bool{whole.Get(indexPath).Header.Get("ETag"): true}
	for _, c := range []struct {
		client webtest.Client
		want   []string
	}{{mine, []string{"product"}}, {both, []string{"extra", "product"}}, {mine, []string{"product"}}} {
		response := c.client.Get(indexPath).WantStatus(200)
		if got := entries(response); !slices.Equal(got, c.want) {
			t.Errorf("the index lists %v, want %v", got, c.want)
		}
		tags[response.Header.Get("ETag")] = true
		c.client.With("If-None-Match", response.Header.Get("ETag")).Get(indexPath).WantStatus(304)
		whole.With("If-None-Match", response.Header.Get("ETag")).Get(indexPath).WantStatus(200)
	}
	if len(tags) != 3 {
		t.Errorf("three indexes have %d ETags, want 3", len(tags))
	}
	h.publish("product", "1.1.0", "more")
	mine.Get(indexPath).WantStatus(200).WantValue("entries.product.0.version", "1.1.0")
}

func entries(response webtest.Response) []string {
	listed, _ := response.JSON("entries").(map[string]any)
	return slices.Sorted(maps.Keys(listed))
}

//proves:docs/security.md
func TestLimitedCredentialCannotDetectOtherCharts(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "mine")
	narrowed := h.withToken(h.token("read:helm-charts:product"))
	paths := map[string]int{
		"/charts/secret-1.0.0.tgz":      403,
		"/charts/secret-1.0.0.tgz.prov": 403,
		"/charts/product-2.0.0.tgz":     404, // the same as in its index
		"/charts/product-7-1.0.0.tgz":   404, // could be a version of product, but is one of product-7
		"/charts/product-x-1.0.0.tgz":   403,
	}
	before := map[string]string{}
	for path, status := range paths {
		before[path] = reply(t, narrowed.Get(path).WantStatus(status))
	}
	h.publish("secret", "1.0.0", "theirs")
	h.put("charts/secret-1.0.0.tgz.prov", []byte("signed"))
	h.publish("product-7", "1.0.0", "theirs")
	h.publish("product-x", "1.0.0", "theirs")
	for path, status := range paths {
		if after := reply(t, narrowed.Get(path).WantStatus(status)); after != before[path] {
			t.Errorf("%s: the response after publishing is\n%s\nand was before\n%s", path, after, before[path])
		}
	}
	h.publish("product", "2.0.0", "mine")
	narrowed.Get("/charts/product-2.0.0.tgz").WantStatus(302)
	h.withAllCharts().Get("/charts/product-7-1.0.0.tgz").WantStatus(302)
}

// reply is a response without its rate limit headers.
func reply(tb testing.TB, response webtest.Response) string {
	tb.Helper()
	header := response.Header.Clone()
	header.Del("RateLimit")
	text, err := json.Marshal(header)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text) + string(response.Body)
}
