package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"portside/shared/charts"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/web/resource"
	"portside/shared/web/server"
)

// noRedirect is the query parameter for clients that send their login again to the target of a redirect. With it, they
// get the file itself. S3 refuses a signed link together with an Authorization header.
const noRedirect = "redirect"

var (
	errRedirect = fault.Invalid(fault.Field{Pointer: "query/" + noRedirect, Detail: "must be true or false"})
	errChanged  = fault.New(fault.Precondition, "The file does not have the ETag in If-Match.")
)

// wantsNoRedirect reports whether a request has redirect=false.
func wantsNoRedirect(r *http.Request) (bool, error) {
	switch value := r.URL.Query().Get(noRedirect); {
	case value == "false":
		return true, nil
	case value == "true", value == "" && !r.URL.Query().Has(noRedirect):
		return false, nil
	}
	return false, errRedirect
}

// send sends a file. The ETag is a hash of the content, so that a client can resume or verify a download.
func (h *handlers) send(w http.ResponseWriter, r *http.Request, caller principal.Principal, want charts.Wanted) error {
	found, err := h.library.Read(r.Context(), caller, want)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(found.Content)
	tag := `"` + hex.EncodeToString(sum[:]) + `"`
	wanted := resource.Condition{IfMatch: strings.Join(r.Header.Values("If-Match"), ",")}.WantedTag()
	if wanted != nil && !wanted(tag) {
		return errChanged
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache") // as for the index
	w.Header().Set("Vary", "Authorization")
	w.Header().Set("Content-Type", found.Type)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": want.File}))
	http.ServeContent(w, readable(r, len(found.Content)), "", time.Time{}, bytes.NewReader(found.Content))
	isUnchanged := server.MatchesTag(r.Header.Values("If-None-Match"), tag)
	if part := w.Header().Get("Content-Range"); !isUnchanged && (part == "" || strings.HasPrefix(part, "bytes 0-")) {
		h.logPull(r, caller, found.Delivery) // requests for later parts belong to the same download
	}
	return nil
}

// readable returns a request that http.ServeContent can answer without an error, because that error would not be
// problem details. It removes a Range header that does not select one existing part, which a server may ignore (RFC
// 9110, section 14.2), and replaces HEAD by GET; see lambdahttp.
func readable(r *http.Request, size int) *http.Request {
	readable := r.Clone(r.Context())
	readable.Method = http.MethodGet
	if r.Method == http.MethodHead || !isPart(r.Header.Get("Range"), size) {
		readable.Header.Del("Range")
	}
	return readable
}

var oneRange = regexp.MustCompile(`^bytes=([0-9]{0,15})-([0-9]{0,15})$`)

// isPart reports whether a Range header selects exactly one existing part of the content.
func isPart(header string, size int) bool {
	match := oneRange.FindStringSubmatch(header)
	if match == nil {
		return false
	}
	first, errFirst := strconv.Atoi(match[1])
	last, errLast := strconv.Atoi(match[2])
	switch {
	case match[1] == "":
		return errLast == nil && last > 0 && size > 0 // the last bytes
	case match[2] == "":
		return errFirst == nil && first < size
	}
	return errFirst == nil && errLast == nil && first <= last && first < size
}
