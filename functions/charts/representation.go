package main

import (
	"net/http"
	"strconv"
	"strings"

	"portside/shared/charts"
)

// minGzipBytes is the size from which compression is worthwhile.
const minGzipBytes = 1 << 10

// vary lists the request headers that the response depends on.
const vary = "Accept-Encoding, Authorization"

// representation is a listing, plain or compressed. Each form has a different entity tag, because strong tags identify exact
// bytes (RFC 9110, section 8.8.3.3).
type representation struct {
	body   []byte
	tag    string
	isGzip bool
}

func chooseRepresentation(listing *charts.Listing, header http.Header) representation {
	if len(listing.Body) > minGzipBytes && acceptsGzip(header.Values("Accept-Encoding")) {
		return representation{body: listing.Packed(), tag: `"` + listing.Tag + `-gzip"`, isGzip: true}
	}
	return representation{body: listing.Body, tag: `"` + listing.Tag + `"`}
}

// setHeaders sets the headers that a 200 and a 304 have in common. Clients may cache the index but must revalidate it, so
// that a new chart, or a change to the credential, takes effect with the next request.
func (p representation) setHeaders(header http.Header) {
	header.Set("ETag", p.tag)
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Vary", vary)
	if p.isGzip {
		header.Set("Content-Encoding", "gzip")
	}
}

// matches evaluates If-None-Match (RFC 9110, section 13.1.2). It uses the weak comparison, because proxies weaken tags.
func matches(lines []string, tag string) bool {
	for member := range members(lines) {
		if member == "*" || strings.TrimPrefix(member, "W/") == tag {
			return true
		}
	}
	return false
}

// acceptsGzip evaluates Accept-Encoding (RFC 9110, section 12.5.3). gzip takes precedence over *.
func acceptsGzip(lines []string) bool {
	gzip, wildcard := -1.0, -1.0
	for member := range members(lines) {
		coding, parameter, _ := strings.Cut(member, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			gzip = max(gzip, weight(parameter))
		case "*":
			wildcard = max(wildcard, weight(parameter))
		}
	}
	if gzip >= 0 {
		return gzip > 0
	}
	return wildcard > 0
}

// weight parses a weight such as "q=0.5". It returns 1 for no weight and 0 for an invalid one.
func weight(parameter string) float64 {
	parameter = strings.ToLower(strings.TrimSpace(parameter))
	if parameter == "" {
		return 1
	}
	q, err := strconv.ParseFloat(strings.TrimPrefix(parameter, "q="), 64)
	if err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}

// members returns the members of a list header. It also splits at commas inside tags, which does no harm because our tags
// have none.
func members(lines []string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, line := range lines {
			for member := range strings.SplitSeq(line, ",") {
				if member = strings.TrimSpace(member); member != "" && !yield(member) {
					return
				}
			}
		}
	}
}
