package main

import (
	"context"
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

var errInvalidResponse = fmt.Errorf("%w: its response does not follow the specification", images.ErrUnavailable)

// maxPageNames is the largest page in names, for clients and for requests to the registry.
const maxPageNames = 1000

// tags lists the tags of a repository.
func (g *gateway) tags(r *http.Request, c call) (imagesecr.Response, error) {
	page, err := pageOf(r.URL.Query())
	if err != nil {
		return imagesecr.Response{}, err
	}
	if c.reach == images.ChartsOnly {
		if err := g.requireChartRepository(r.Context(), c.target); err != nil {
			return imagesecr.Response{}, err
		}
	}
	return g.registry.Fetch(r.Context(), imagesecr.Request{Method: http.MethodGet, Target: c.target, Query: page.query()})
}

// requireChartRepository returns ErrDenied unless the repository has charts. It checks only the first tag, because Helm puts
// each chart into a separate repository. It ignores which page the client requests, because otherwise a client could search
// for tag names.
func (g *gateway) requireChartRepository(ctx context.Context, tags images.Target) error {
	answer, err := g.registry.Fetch(ctx, imagesecr.Request{Method: http.MethodGet, Target: tags, Query: page{size: 1}.query()})
	if err != nil {
		return denyUnknown(err)
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
	return g.requireChart(ctx, tags.Repository, list.Tags[0])
}

// denyUnknown replaces "not found" errors by ErrDenied, for callers that may download only charts. They must not learn
// whether an image exists.
func denyUnknown(err error) error {
	if errors.Is(err, images.ErrRepositoryUnknown) || errors.Is(err, images.ErrManifestUnknown) {
		return images.ErrDenied
	}
	return err
}

// page is the part of a list that a client requests.
type page struct {
	size int    // maximum number of names; -1: the registry decides
	last string // last name of the previous page; empty: the first page
}

// maxLastBytes is the limit of last. Registries may put more than a name there.
const maxLastBytes = 1024

func pageOf(query url.Values) (page, error) {
	p := page{size: -1, last: query.Get("last")}
	if len(p.last) > maxLastBytes || strings.ContainsFunc(p.last, unicode.IsControl) {
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
	p.size = min(n, maxPageNames)
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

// catalog lists the repositories that the caller's scopes cover. A caller who may see all gets the registry's pages.
func (g *gateway) catalog(r *http.Request, c call) (imagesecr.Response, error) {
	wanted, err := pageOf(r.URL.Query())
	if err != nil {
		return imagesecr.Response{}, err
	}
	if c.who.FetchesAll(principal.ReadImages) {
		return g.registry.Fetch(r.Context(), imagesecr.Request{Method: http.MethodGet, Target: c.target, Query: wanted.query()})
	}
	names, err := g.visibleRepositories(r.Context(), c.who)
	if err != nil {
		return imagesecr.Response{}, err
	}
	names, more := wanted.cut(names)
	body, err := json.Marshal(map[string][]string{"repositories": names})
	if err != nil {
		return imagesecr.Response{}, err
	}
	answer := imagesecr.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body}
	if more {
		next := page{size: wanted.size, last: names[len(names)-1]}
		answer.Header.Set("Link", "<"+c.target.Path()+"?"+next.query().Encode()+`>; rel="next"`)
	}
	return answer, nil
}

// cut returns the names on the page, and reports whether there are more. The names must be sorted.
func (p page) cut(names []string) (onPage []string, more bool) {
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

// maxPages limits how many pages of a list of the registry are read for one response. The list of a caller who may see only
// some repositories is incomplete if the registry has more than maxPages × maxPageNames repositories.
const maxPages = 20

// visibleRepositories returns all repositories that the caller may see, sorted.
func (g *gateway) visibleRepositories(ctx context.Context, who principal.Principal) ([]string, error) {
	names := []string{}
	at := page{size: maxPageNames}.query()
	for range maxPages {
		all, next, err := g.repositories(ctx, at)
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

// repositories returns one page of the registry's catalog, and the query for the next page, or nil if it was the last.
func (g *gateway) repositories(ctx context.Context, at url.Values) (names []string, next url.Values, err error) {
	answer, err := g.registry.Fetch(ctx, imagesecr.Request{
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

// nextOf parses a Link header with the address of the next page (RFC 8288).
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
