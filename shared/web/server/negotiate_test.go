package server_test

import (
	"strings"
	"testing"

	"portside/shared/web/server"
)

func TestAcceptEncoding(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "x-gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "gzip; q=0.000": false, "*": true,
		"*;q=0": false, "gzip;q=0, *;q=1": false, "gzip, *;q=0": true, "identity": false, "gzip;q=2": false, "gzip;q=NaN": false,
		"gzip;level=9": false, "deflate, br": false, ",, ,": false, "gzipped": false,
	} {
		if got := server.AcceptsGzip([]string{header}); got != want {
			t.Errorf("%q accepts gzip: %v, want %v", header, got, want)
		}
	}
}

func FuzzHeaders(f *testing.F) {
	f.Add(`W/"a", *`, "gzip;q=0.1, *;q=0")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, condition, accept string) {
		if server.MatchesTag([]string{condition}, `"tag"`) && !strings.Contains(condition, `"tag"`) && !strings.Contains(condition, "*") {
			t.Errorf("%q matches a different tag", condition)
		}
		if server.AcceptsGzip([]string{accept}) && !strings.Contains(strings.ToLower(accept), "gzip") && !strings.Contains(accept, "*") {
			t.Errorf("%q accepts gzip", accept)
		}
	})
}
