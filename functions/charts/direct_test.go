package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"pgregory.net/rapid"

	"portside/shared/charts"
	"portside/shared/lambda/lambdahttp"
	"portside/shared/testkit/webtest"
	"portside/testclient/scale"
)

const (
	direct     = "?redirect=false"
	directPath = archivePath + direct
)

func TestFilesWithoutRedirect(t *testing.T) {
	h := newFixture(t)
	v := h.publish("product", "1.0.0", "\x1f\x8b archive")
	h.put("charts/product-1.0.0.tgz.prov", []byte("signed"))
	helm := h.withAllCharts()
	for _, c := range []struct{ path, content, mediaType, name string }{
		{archivePath, "\x1f\x8b archive", "application/gzip", "product-1.0.0.tgz"},
		{archivePath + ".prov", "signed", "text/plain; charset=utf-8", "product-1.0.0.tgz.prov"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				answer := helm.For(t).Do(method, c.path+direct, "").WantStatus(200).WantHeader("Content-Type", c.mediaType).
					WantHeader("Content-Length", strconv.Itoa(len(c.content))).WantHeader("Cache-Control", "private, no-cache").
					WantHeader("Content-Disposition", "attachment; filename="+c.name).WantHeader("Accept-Ranges", "bytes")
				if string(answer.Body) != c.content { // also for HEAD; see lambdahttp
					t.Errorf("%s %s: %q", method, c.path, answer.Body)
				}
			}
			helm.For(t).Get(c.path + "?redirect=true").WantStatus(302)
		})
	}
	helm.Get(directPath).WantHeader("ETag", `"`+v.Digest+`"`)
	helm.Get(indexPath+direct).WantStatus(200).WantHeader("Content-Type", charts.IndexType)
	for _, value := range []string{"", "False", "0", "no"} {
		for _, path := range []string{archivePath, indexPath} {
			helm.Get(path+"?redirect="+value).WantStatus(400).WantValue("errors.0.pointer", "query/redirect")
		}
	}
}

// TestErrorsWithoutRedirect compares the errors with those of the same request with a redirect.
//
//proves:docs/security.md
func TestErrorsWithoutRedirect(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "one")
	h.put("archives/bad-1.0.0.tgz", []byte("bad"))
	for name, client := range map[string]webtest.Client{
		"all": h.withAllCharts(), "nobody": h.anonymous(), "outage": h.withoutS3(),
		"images":  h.withToken(h.token("read:docker-images")),
		"product": h.withToken(h.token("read:helm-charts:product")), "other": h.withToken(h.token("read:helm-charts:other")),
	} {
		t.Run(name, func(t *testing.T) {
			for _, file := range []string{
				"product-1.0.0.tgz", "product-1.0.0.tgz.prov", "product-2.0.0.tgz", "bad-1.0.0.tgz", "other-1.0.0.tgz", "x", "..%2Fx",
			} {
				want, got := client.Get("/charts/"+file), client.Get("/charts/"+file+direct)
				switch {
				case want.Status == 302 && got.Status == 200:
				case want.Status == 302 || want.Status != got.Status || want.Text("detail") != got.Text("detail"):
					t.Errorf("%s, %s: %v, with a redirect %v", name, file, got, want)
				}
			}
		})
	}
	h.list("gone", "1.0.0", "x")
	h.putIndex()
	h.withAllCharts().Get("/charts/gone-1.0.0.tgz" + direct).WantStatus(404)
}

func TestRangesWithoutRedirect(t *testing.T) {
	h := newFixture(t)
	h.limit = 0
	const content = "0123456789abcdefghij"
	h.publish("product", "1.0.0", content)
	helm := h.withAllCharts()
	number := rapid.IntRange(0, len(content)+5)
	rapid.Check(scale.Checks(t), func(rt *rapid.T) {
		first, last, form := number.Draw(rt, "first"), number.Draw(rt, "last"), rapid.IntRange(0, 2).Draw(rt, "form")
		header := [...]string{fmt.Sprintf("bytes=%d-%d", first, last), fmt.Sprintf("bytes=%d-", first),
			fmt.Sprintf("bytes=-%d", last)}[form]
		from, to := first, min(last+1, len(content))
		switch form {
		case 1:
			to = len(content)
		case 2:
			from, to = max(0, len(content)-last), len(content)
		}
		status, want, part := 200, content, ""
		if from < to {
			status, want, part = 206, content[from:to], fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(content))
		}
		got := helm.With("Range", header).Get(directPath).WantStatus(status).WantHeader("Content-Range", part)
		if string(got.Body) != want {
			rt.Errorf("%s: %q, want %q", header, got.Body, want)
		}
	})
	for _, header := range []string{
		"bytes=0-1,4-5", "bytes=", "bytes=-", "bytes=a-b", "bytes=-0", "items=0-1", "bytes=99999999999999999999-", "0-1",
	} {
		helm.With("Range", header).Get(directPath).WantStatus(200).WantHeader("Content-Range", "")
	}
	size := strconv.Itoa(len(content))
	helm.With("Range", "bytes=1-2").Do(http.MethodHead, directPath, "").WantStatus(200).WantHeader("Content-Length", size)
}

func TestConditionsWithoutRedirect(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "0123456789")
	helm := h.withAllCharts()
	tag := helm.Get(directPath).Header.Get("ETag")
	for _, c := range []struct {
		name, value string
		status      int
	}{
		{"If-None-Match", tag, 304}, {"If-None-Match", "W/" + tag, 304}, {"If-None-Match", "*", 304}, {"If-None-Match", `"x"`, 206},
		{"If-Match", tag, 206}, {"If-Match", `"x", ` + tag, 206}, {"If-Match", "*", 206}, {"If-Match", `"x"`, 412},
		{"If-Range", tag, 206}, {"If-Range", `"x"`, 200},
	} {
		t.Run(c.name+" "+c.value, func(t *testing.T) {
			answer := helm.For(t).With("Range", "bytes=5-").With(c.name, c.value).Get(directPath).WantStatus(c.status)
			if c.status == 304 && len(answer.Body) != 0 {
				t.Errorf("%s has the body %q", c.value, answer.Body)
			}
		})
	}
}

// TestLargeFilesNeedARedirect sends the largest file through the adapter, which refuses what Lambda would refuse.
func TestLargeFilesNeedARedirect(t *testing.T) {
	h := newFixture(t)
	content := make([]byte, charts.MaxReadBytes+1)
	_, _ = rand.Read(content)
	h.publish("product", "1.0.0", string(content))
	h.publish("fits", "1.0.0", string(content[1:]))
	helm := h.withAllCharts()
	helm.Get(directPath).WantStatus(422).WantValue("code", "UNPROCESSABLE")
	helm.Get(archivePath).WantStatus(302)
	event := events.APIGatewayV2HTTPRequest{RawPath: "/charts/fits-1.0.0.tgz", RawQueryString: direct[1:],
		Headers: map[string]string{
			"authorization": basic("helm", h.token("read:helm-charts").Reveal()),
		}}
	event.RequestContext.HTTP.Method = http.MethodGet
	answer, err := lambdahttp.Handler(h.handler())(context.WithoutCancel(t.Context()), event)
	got, decodeErr := base64.StdEncoding.DecodeString(answer.Body)
	if err != nil || decodeErr != nil || answer.StatusCode != http.StatusOK || !bytes.Equal(got, content[1:]) {
		t.Errorf("status %d, %d bytes, %v, %v", answer.StatusCode, len(got), err, decodeErr)
	}
}

func TestPullsWithoutRedirectAreLogged(t *testing.T) {
	h := newFixture(t)
	h.publish("product", "1.0.0", "0123456789")
	h.put("charts/product-1.0.0.tgz.prov", []byte("signed"))
	helm := h.withAllCharts()
	tag := helm.Get(directPath).Header.Get("ETag")
	for name, c := range map[string]struct {
		pulls int
		ask   func()
	}{
		"whole":           {1, func() { helm.Get(directPath) }},
		"first part":      {1, func() { helm.With("Range", "bytes=0-4").Get(directPath) }},
		"second part":     {0, func() { helm.With("Range", "bytes=5-").Get(directPath) }},
		"unchanged":       {0, func() { helm.With("If-None-Match", tag).Get(directPath) }},
		"changed":         {0, func() { helm.With("If-Match", `"x"`).Get(directPath) }},
		"HEAD":            {0, func() { helm.Do(http.MethodHead, directPath, "") }},
		"provenance file": {0, func() { helm.Get(archivePath + ".prov" + direct) }},
	} {
		t.Run(name, func(t *testing.T) {
			if got := logged(t, c.ask); len(got) != c.pulls || c.pulls == 1 && got[0].Repository != "product" {
				t.Errorf("%s: logged %+v", name, got)
			}
		})
	}
}
