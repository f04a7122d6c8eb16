package main

import (
	"net/http"
	"strconv"

	"portside/shared/charts"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/pulls"
	"portside/shared/web/server"
)

// Limits of the index that this function sends.
const (
	// maxSentBytes is the largest index that the function can send. Base64 or escaped quotes make it a third larger.
	maxSentBytes = charts.MaxReadBytes
	// maxCompleteBytes is the limit of the complete, uncompressed index, which is what Helm requests. Downloading a
	// larger one from S3 is faster, because it is not encoded as JSON twice.
	maxCompleteBytes = 512 << 10
)

var errIndexTooLarge = fault.NewFinal(fault.Unavailable, "The index of the charts that this credential may see is too large. "+
	"Send Accept-Encoding: gzip, use a credential for fewer charts, or use one with the unlimited scope read:helm-charts.")

// index sends the index of the charts that the caller may see.
func (h *handlers) index(w http.ResponseWriter, r *http.Request) error {
	isDirect, err := wantsNoRedirect(r)
	if err != nil {
		return err
	}
	caller, _ := principal.From(r.Context())
	listing, err := h.library.Index(r.Context(), caller)
	if err != nil {
		return err
	}
	chosen := chooseRepresentation(listing, r.Header)
	isUnchanged := server.MatchesTag(r.Header.Values("If-None-Match"), chosen.tag)
	switch {
	case isUnchanged, isDirect && len(chosen.body) <= maxSentBytes, len(chosen.body) <= maxBytes(listing, chosen):
	case isDirect:
		return charts.ErrLarge
	default:
		return h.redirectToIndex(w, r, listing)
	}
	chosen.setHeaders(w.Header())
	if isUnchanged {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w.Header().Set("Content-Type", charts.IndexType)
	w.Header().Set("Content-Length", strconv.Itoa(len(chosen.body)))
	_, _ = w.Write(chosen.body) // the client may have disconnected
	return nil
}

// maxBytes returns the limit for the representation.
func maxBytes(listing *charts.Listing, chosen representation) int {
	if listing.Complete && !chosen.isGzip {
		return maxCompleteBytes
	}
	return maxSentBytes
}

// redirectToIndex redirects the client to the complete index in S3.
func (h *handlers) redirectToIndex(w http.ResponseWriter, r *http.Request, listing *charts.Listing) error {
	if !listing.Complete {
		return errIndexTooLarge
	}
	link, err := h.library.LinkIndex(r.Context(), r.Method == http.MethodHead)
	if err != nil {
		return err
	}
	redirect(w, link)
	return nil
}

// file redirects the client to an archive or provenance file in S3, or sends the file with redirect=false. It logs the
// pull of an archive.
func (h *handlers) file(w http.ResponseWriter, r *http.Request) error {
	isDirect, err := wantsNoRedirect(r)
	if err != nil {
		return err
	}
	caller, _ := principal.From(r.Context())
	want := charts.Wanted{File: r.PathValue("file"), Head: r.Method == http.MethodHead}
	if isDirect {
		return h.send(w, r, caller, want)
	}
	found, err := h.library.Fetch(r.Context(), caller, want)
	if err != nil {
		return err
	}
	redirect(w, found.Link)
	h.logPull(r, caller, found)
	return nil
}

// logPull logs the pull of an archive by GET.
func (h *handlers) logPull(r *http.Request, caller principal.Principal, found charts.Delivery) {
	if r.Method == http.MethodHead || found.Signed {
		return
	}
	pulls.Log(r.Context(), pulls.Pull{
		At: h.now(), Kind: pulls.Chart, Repository: found.Version.Name, Reference: found.Version.Version,
		Digest: "sha256:" + found.Version.Digest, CredentialID: caller.CredentialID, OwnerID: caller.UserID,
		CustomerID: caller.CustomerID,
		Address:    server.Address(r), Client: r.UserAgent(),
	})
}

// redirect sends a redirect that must not be cached, because the link grants access to the file until it expires.
func redirect(w http.ResponseWriter, link string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", link)
	w.Header().Set("Content-Length", "0")
	w.WriteHeader(http.StatusFound)
}
