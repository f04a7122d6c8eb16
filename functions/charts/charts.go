package main

import (
	"net/http"
	"net/netip"
	"strconv"

	"portside/shared/charts"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/pulls"
)

// The sizes in bytes above which the index is not sent from here.
const (
	// maxSent is what can be sent. Lambda takes 6 MB as JSON, in which packed bytes become base64 and the quotes of an index
	// get backslashes: a third more either way.
	maxSent = 4 << 20
	// maxWorthSending is for callers who may see everything: a larger index reaches them sooner from S3 itself, since it does
	// not pass through JSON twice. Helm takes no packed answers, so that this is what it gets.
	maxWorthSending = 512 << 10
)

var errTooLong = fault.NewFinal(fault.Unavailable, "The index of all charts that this credential may see is too large to be sent. "+
	"Accept it in gzip, or use a credential for fewer charts, or one with the scope read:helm-charts that is not narrowed.")

// index answers with the table of contents, as far as the caller may see it.
func (h *handlers) index(w http.ResponseWriter, r *http.Request) error {
	caller, _ := principal.From(r.Context())
	listing, err := h.library.Index(r.Context(), caller)
	if err != nil {
		return err
	}
	chosen := choose(listing, r.Header)
	unchanged := matches(r.Header.Values("If-None-Match"), chosen.tag)
	if len(chosen.body) > most(listing, chosen) && !unchanged {
		return h.elsewhere(w, r, listing)
	}
	chosen.describe(w.Header())
	if unchanged {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w.Header().Set("Content-Type", charts.IndexType)
	w.Header().Set("Content-Length", strconv.Itoa(len(chosen.body)))
	_, _ = w.Write(chosen.body) // a client that has gone needs no answer
	return nil
}

func most(listing *charts.Listing, chosen representation) int {
	if listing.Complete && !chosen.packed {
		return maxWorthSending
	}
	return maxSent
}

// elsewhere sends the client to the index in S3, which nobody narrows.
func (h *handlers) elsewhere(w http.ResponseWriter, r *http.Request, listing *charts.Listing) error {
	if !listing.Complete {
		return errTooLong
	}
	link, err := h.library.LinkIndex(r.Context(), r.Method == http.MethodHead)
	if err != nil {
		return err
	}
	redirect(w, link)
	return nil
}

// file answers with where an archive or its provenance file is, and notes the pull of an archive.
func (h *handlers) file(w http.ResponseWriter, r *http.Request) error {
	caller, _ := principal.From(r.Context())
	want := charts.Wanted{File: r.PathValue("file"), Head: r.Method == http.MethodHead}
	found, err := h.library.Fetch(r.Context(), caller, want)
	if err != nil {
		return err
	}
	redirect(w, found.Link)
	if !want.Head && !found.Signed {
		pulls.Log(r.Context(), pulls.Pull{
			At: h.now(), Kind: pulls.Chart, Repository: found.Version.Name, Reference: found.Version.Version,
			Digest: "sha256:" + found.Version.Digest, CredentialID: caller.CredentialID, OwnerID: caller.UserID,
			Address: address(r), Client: r.UserAgent(),
		})
	}
	return nil
}

// redirect has no body, and is not to be kept: the link is a key to the file while it lives.
func redirect(w http.ResponseWriter, link string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", link)
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusFound)
}

// address is the client's, which lambdahttp puts into RemoteAddr; empty where there is none.
func address(r *http.Request) string {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	return at.Addr().Unmap().String()
}
