package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"portside/shared/core/principal"
	"portside/shared/images"
	"portside/shared/images/imagesecr"
)

var errJunk = fmt.Errorf("%w: what it answered is not what the specification says", images.ErrAway)

// maxPage is how many names a page has at most, and how many are asked of the registry at once.
const maxPage = 1000

// tags lists the tags of a repository.
func (g *gateway) tags(r *http.Request, c call) (imagesecr.Answer, error) {
	page, err := pageOf(r.URL.Query())
	if err != nil {
		return imagesecr.Answer{}, err
	}
	if c.reach == images.ChartsOnly {
		if err := g.holdsCharts(r, c.target); err != nil {
			return imagesecr.Answer{}, err
		}
	}
	return g.registry.Fetch(r.Context(), imagesecr.Ask{Method: http.MethodGet, Target: c.target, Query: page.query()})
}

// holdsCharts returns ErrDenied unless the repository is one of charts, for which its first tag stands: Helm puts each chart
// into a repository of its own. What page the client wants makes no difference, or it could search for the names of tags.
func (g *gateway) holdsCharts(r *http.Request, tags images.Target) error {
	answer, err := g.registry.Fetch(r.Context(), imagesecr.Ask{Method: http.MethodGet, Target: tags, Query: page{size: 1}.query()})
	if err != nil {
		return unknownIsDenied(err)
	}
	var list struct {
		Tags []string `json:"tags"`
	}
	if err := decode(answer, &list); err != nil {
		return err
	}
	if len(list.Tags) == 0 {
		return images.ErrDenied
	}
	return g.isChart(r, tags.Repository, list.Tags[0])
}

// unknownIsDenied is for callers who may fetch charts only: they learn nothing of images, not even that there is none.
func unknownIsDenied(err error) error {
	if errors.Is(err, images.ErrRepositoryUnknown) || errors.Is(err, images.ErrManifestUnknown) {
		return images.ErrDenied
	}
	return err
}

// page is the part of a list that a client asks for.
type page struct {
	size int    // most names; -1: as many as the registry gives
	last string // what the page before ended with, in the registry's words; empty: the first page
}

// maxLast is how long what a page ended with may be: registries are free to put more than a name there.
const maxLast = 1024

func pageOf(query url.Values) (page, error) {
	p := page{size: -1, last: query.Get("last")}
	if len(p.last) > maxLast || strings.ContainsFunc(p.last, unicode.IsControl) {
		return page{}, images.ErrPage
	}
	text := query.Get("n")
	if text == "" {
		return p, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return page{}, images.ErrPage
	}
	p.size = min(n, maxPage)
	return p, nil
}

func (p page) query() url.Values {
	query := url.Values{}
	if p.size >= 0 {
		query.Set("n", strconv.Itoa(p.size))
	}
	if p.last != "" {
		query.Set("last", p.last)
	}
	return query
}

// catalog lists the repositories that the scopes let the caller see. Whoever sees all gets the registry's own pages.
func (g *gateway) catalog(r *http.Request, c call) (imagesecr.Answer, error) {
	wanted, err := pageOf(r.URL.Query())
	if err != nil {
		return imagesecr.Answer{}, err
	}
	if c.who.FetchesAll(principal.ReadImages) {
		return g.registry.Fetch(r.Context(), imagesecr.Ask{Method: http.MethodGet, Target: c.target, Query: wanted.query()})
	}
	names, err := g.listed(r, c.who)
	if err != nil {
		return imagesecr.Answer{}, err
	}
	names, more := wanted.of(names)
	body, err := json.Marshal(map[string][]string{"repositories": names})
	if err != nil {
		return imagesecr.Answer{}, err
	}
	answer := imagesecr.Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
	if more {
		next := page{size: wanted.size, last: names[len(names)-1]}
		answer.Header.Set("Link", "<"+c.target.Path()+"?"+next.query().Encode()+`>; rel="next"`)
	}
	return answer, nil
}

// of cuts the page out of sorted names, and reports whether there are names after it.
func (p page) of(names []string) (cut []string, more bool) {
	from, found := slices.BinarySearch(names, p.last)
	if found {
		from++
	}
	names = names[from:]
	if p.size >= 0 && p.size < len(names) {
		return names[:p.size], p.size > 0
	}
	return names, false
}

// maxPages bounds how much of the registry's catalog is read to find what a narrowed credential may see: beyond maxPages ×
// maxPage repositories its list is cut short.
const maxPages = 20

// listed returns every repository that the caller may see, sorted.
func (g *gateway) listed(r *http.Request, who principal.Principal) ([]string, error) {
	names := []string{}
	at := page{size: maxPage}.query()
	for range maxPages {
		all, next, err := g.repositories(r, at)
		if err != nil {
			return nil, err
		}
		names = append(names, slices.DeleteFunc(all, func(name string) bool { return !images.Listed(who, name) })...)
		if next == nil {
			break
		}
		at = next
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// repositories returns one page of the registry's own catalog, and how to ask for the next; nil: it was the last.
func (g *gateway) repositories(r *http.Request, at url.Values) (names []string, next url.Values, err error) {
	answer, err := g.registry.Fetch(r.Context(), imagesecr.Ask{
		Method: http.MethodGet, Target: images.Target{Kind: images.Catalog}, Query: at,
	})
	if err != nil {
		return nil, nil, err
	}
	var list struct {
		Repositories []string `json:"repositories"`
	}
	if err := decode(answer, &list); err != nil {
		return nil, nil, err
	}
	return list.Repositories, nextOf(answer.Header.Get("Link")), nil
}

// nextOf reads a Link header with the address of the next page (RFC 8288).
func nextOf(link string) url.Values {
	address, _, found := strings.Cut(strings.TrimPrefix(link, "<"), ">")
	if !found {
		return nil
	}
	next, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return next.Query()
}
