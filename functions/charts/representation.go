package main

import (
	"net/http"
	"strconv"
	"strings"

	"portside/shared/charts"
)

// minPacked is the size in bytes up to which packing is not worth its while.
const minPacked = 1 << 10

// vary names what decides about the answer besides the address.
const vary = "Accept-Encoding, Authorization"

// representation is one of the forms in which a listing is sent, with an entity tag of its own: strong tags tell byte from
// byte, and the packed bytes are others (RFC 9110, section 8.8.3.3).
type representation struct {
	body   []byte
	tag    string
	packed bool
}

func choose(listing *charts.Listing, header http.Header) representation {
	if len(listing.Body) > minPacked && acceptsGzip(header.Values("Accept-Encoding")) {
		return representation{body: listing.Packed(), tag: `"` + listing.Tag + `-gzip"`, packed: true}
	}
	return representation{body: listing.Body, tag: `"` + listing.Tag + `"`}
}

// describe sets what a 200 and a 304 have in common. The index may be kept but not used unasked: what was published, or
// taken from the credential, holds from the next request on.
func (p representation) describe(header http.Header) {
	header.Set("ETag", p.tag)
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Vary", vary)
	if p.packed {
		header.Set("Content-Encoding", "gzip")
	}
}

// matches evaluates If-None-Match (RFC 9110, section 13.1.2): with the weak comparison, since proxies weaken tags.
func matches(lines []string, tag string) bool {
	for member := range members(lines) {
		if member == "*" || strings.TrimPrefix(member, "W/") == tag {
			return true
		}
	}
	return false
}

// acceptsGzip evaluates Accept-Encoding (RFC 9110, section 12.5.3). What names gzip outweighs what names everything.
func acceptsGzip(lines []string) bool {
	named, everything := -1.0, -1.0
	for member := range members(lines) {
		coding, parameter, _ := strings.Cut(member, ";")
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			named = max(named, weight(parameter))
		case "*":
			everything = max(everything, weight(parameter))
		}
	}
	if named >= 0 {
		return named > 0
	}
	return everything > 0
}

// weight reads "q=0.5": 1 where nothing is said, 0 where that is no weight.
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

// members returns the members of a list header. Our tags hold no comma, so one inside a stranger's tag does no harm.
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
