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

// dataTypes are the media types of a list.
var dataTypes = []string{"application/json", "text/csv", "application/x-ndjson"}

func prefersCSV(lines ...string) bool { return server.Preferred(lines, dataTypes) == "text/csv" }

func TestAcceptCSV(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "*/*": false, "text/html": false, "application/json": false, "application/json, text/csv;q=0.5": false,
		"text/csv, application/json": false, "text/csv": true, "TEXT/CSV": true, "text/csv; charset=utf-8": true, "text/csv;header=present": true,
		"text/csv; charset=utf-8; q=0.5, */*;q=0.1": true, "text/csv; charset=utf-8; q=0.1, Application/JSON; Q=0.2": false,
		"text/csv;q=0": false, "text/csv;q=0, */*;q=0.1": false, "text/csv;q=2": false, "text/csv;q=0.5;q=1": false, "text/*": true,
		"text/*, text/csv;q=0.1, */*;q=0.5": false, "text/csv;": true, ";, text/csv": true, "text/csvx": false,
		"text/html, application/xhtml+xml, */*;q=0.8": false,
	} {
		if got := prefersCSV(header); got != want {
			t.Errorf("%q prefers CSV: %v, want %v", header, got, want)
		}
	}
	if !prefersCSV("application/json;q=0.5", "text/csv") {
		t.Error("the second line of Accept does not count")
	}
}

func TestAcceptOneOfSeveralTypes(t *testing.T) {
	for header, want := range map[string]string{
		"": "application/json", "image/png": "application/json", "application/x-ndjson": "application/x-ndjson",
		"application/x-ndjson, */*": "application/x-ndjson", "text/csv, application/x-ndjson": "text/csv",
		"text/csv;q=0.5, application/x-ndjson": "application/x-ndjson", "application/*": "application/json",
		"application/x-ndjson;q=0, text/*;q=0.1": "text/csv", "application/x-ndjson, application/json": "application/json",
	} {
		if got := server.Preferred([]string{header}, dataTypes); got != want {
			t.Errorf("%q prefers %s, want %s", header, got, want)
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
		if prefersCSV(accept) && !strings.Contains(strings.ToLower(accept), "text/") {
			t.Errorf("%q prefers CSV", accept)
		}
	})
}
