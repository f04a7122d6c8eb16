package main

import (
	"net/http"

	"portside/shared/charts"
	"portside/shared/web/server"
)

// minGzipBytes is the size from which compression is worthwhile.
const minGzipBytes = 1 << 10

// vary lists the request headers that the response depends on.
const vary = "Accept-Encoding, Authorization"

// representation is a listing, plain or compressed. Each form has a different entity tag, because strong tags identify
// exact bytes (RFC 9110, section 8.8.3.3).
type representation struct {
	body   []byte
	tag    string
	isGzip bool
}

func chooseRepresentation(listing *charts.Listing, header http.Header) representation {
	if len(listing.Body) > minGzipBytes && server.AcceptsGzip(header.Values("Accept-Encoding")) {
		return representation{body: listing.Packed(), tag: `"` + listing.Tag + `-gzip"`, isGzip: true}
	}
	return representation{body: listing.Body, tag: `"` + listing.Tag + `"`}
}

// setHeaders sets the headers that a 200 and a 304 have in common. Clients may cache the index but must revalidate it,
// so that a new chart, or a change to the credential, takes effect with the next request.
func (p representation) setHeaders(header http.Header) {
	header.Set("ETag", p.tag)
	header.Set("Cache-Control", "private, no-cache")
	header.Set("Vary", vary)
	if p.isGzip {
		header.Set("Content-Encoding", "gzip")
	}
}
