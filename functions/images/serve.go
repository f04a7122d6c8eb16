package main

import (
	"maps"
	"net/http"
	"strconv"

	"portside/shared/core/fault"
	"portside/shared/credentials"
	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/web"
	"portside/shared/web/server"
)

// serve returns a handler that passes a request on to the operation for the kind of its target.
func (g *gateway) serve(operations map[images.Kind]operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
		target, parseErr := images.Parse(r.URL.Path)
		counted, kind := countedAs(r, target)
		answer, err := g.answer(w, counted, kind, func(c call) (imagesecr.Response, error) {
			if parseErr != nil {
				return imagesecr.Response{}, parseErr
			}
			c.target, c.reach = target, images.ReachOf(c.who, target.Repository)
			if target.Repository != "" && c.reach.IsNothing() {
				return imagesecr.Response{}, nothingError(c)
			}
			return operations[target.Kind](r, c)
		})
		record := server.RecordFrom(r.Context())
		record.Route, record.Err = r.Method+" "+target.Route(), err
		web.CountRefusal(r, g.auth)
		record.Brief = true // an image takes about ten requests, and its pull has a separate record
		if err != nil {
			writeFault(w, err)
			return
		}
		write(w, answer)
	}
}

// countedAs returns the request that the limits count, and its kind. HEAD of a blob reads the blob, so it counts like
// GET of a manifest, and not a tenth of a redirect.
func countedAs(r *http.Request, target images.Target) (*http.Request, credentials.RequestKind) {
	switch {
	case target.Kind != images.Blob:
		return r, credentials.ArtifactRequest
	case r.Method != http.MethodHead:
		return r, credentials.BlobRequest
	}
	get := r.WithContext(r.Context())
	get.Method = http.MethodGet
	return get, credentials.ArtifactRequest
}

// answer authenticates the caller before it checks anything else: the first request of a client only finds out how to
// log in.
func (g *gateway) answer(
	w http.ResponseWriter, r *http.Request, kind credentials.RequestKind, next func(call) (imagesecr.Response, error),
) (imagesecr.Response, error) {
	who, err := web.AuthenticateTool(w, r, g.auth, kind)
	if fault.KindOf(err) == fault.Unauthorized {
		w.Header().Set("WWW-Authenticate", g.challenge(r))
	}
	if err != nil {
		return imagesecr.Response{}, err
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return imagesecr.Response{}, errMethod
	}
	return next(call{who: who})
}

// write sends a response. A response to HEAD also has its body; see lambdahttp.
func write(w http.ResponseWriter, answer imagesecr.Response) {
	maps.Copy(w.Header(), answer.Header)
	if len(answer.Body) > 0 {
		w.Header().Set("Content-Length", strconv.Itoa(len(answer.Body)))
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body) // the client may have disconnected
}
