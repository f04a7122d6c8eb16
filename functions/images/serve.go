package main

import (
	"maps"
	"net/http"
	"strconv"

	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/web"
)

// serve lets a request pass to what reads its target.
func (g *gateway) serve(reads map[images.Kind]read) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
		target, mistake := images.Parse(r.URL.Path)
		answer, err := g.answer(w, r, func(c call) (imagesecr.Answer, error) {
			if mistake != nil {
				return imagesecr.Answer{}, mistake
			}
			c.target, c.reach = target, images.ReachOf(c.who, target.Repository)
			if target.Repository != "" && c.reach == images.Nothing {
				return imagesecr.Answer{}, images.ErrDenied
			}
			return reads[target.Kind](r, c)
		})
		web.Note(r, r.Method+" "+target.Route(), err)
		if err != nil {
			refuse(w, err)
			return
		}
		write(w, answer)
	}
}

// answer admits the caller before anything is said of the path: a client's first request asks nothing but how to log in.
func (g *gateway) answer(
	w http.ResponseWriter, r *http.Request, next func(call) (imagesecr.Answer, error),
) (imagesecr.Answer, error) {
	who, err := web.Admit(w, r, g.auth)
	if err != nil {
		return imagesecr.Answer{}, err
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return imagesecr.Answer{}, errMethod
	}
	return next(call{who: who})
}

// write sends an answer. That to a HEAD has its body too where it is known; see lambdahttp.
func write(w http.ResponseWriter, answer imagesecr.Answer) {
	maps.Copy(w.Header(), answer.Header)
	if len(answer.Body) > 0 {
		w.Header().Set("Content-Length", strconv.Itoa(len(answer.Body)))
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body) // a client that has gone needs no answer
}
