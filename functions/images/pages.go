package main

import (
	"context"
	"encoding/json"
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

// maxPageNames is the largest page in names, for clients and for requests to the registry.
const maxPageNames = 1000

// tags lists the tags of a repository that the caller may see. A caller who may see all gets the registry's pages.
func (g *gateway) tags(r *http.Request, c call) (imagesecr.Response, error) {
	wanted, err := pageOf(r.URL.Query())
	if err != nil {
		return imagesecr.Response{}, err
	}
	isChart, err := g.mayHaveCharts(r.Context(), c)
	if err != nil {
		return imagesecr.Response{}, err
	}
	if c.reach.HasAllVersions(isChart) {
		return g.registry.Fetch(r.Context(),
			imagesecr.Request{Method: http.MethodGet, Target: c.target, Query: wanted.query()})
	}
	names, err := g.visibleTags(r.Context(), c, isChart)
	if err != nil {
		return imagesecr.Response{}, err
	}
	if len(names) == 0 {
		return imagesecr.Response{}, c.outside(images.ErrRepositoryUnknown)
	}
	return cutList(c, wanted, names, func(onPage []string) any { return tagList{c.target.Repository, onPage} })
}

// tagList is the body of a list of tags.
type tagList struct {
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

// visibleTags returns the tags of the target's repository that a list shows to a caller who may not see everything,
// sorted.
func (g *gateway) visibleTags(ctx context.Context, c call, isChart bool) ([]string, error) {
	all, err := g.allTags(ctx, c.target.Repository)
	return slices.DeleteFunc(all, func(tag string) bool { return !isVisibleTag(c, tag, isChart) }), err
}

// isVisibleTag reports whether a list shows a tag to a caller who may not see everything. isChart says whether the
// repository has charts.
func isVisibleTag(c call, tag string, isChart bool) bool {
	return !images.IsAttachmentTag(tag) && c.reach.HasTag(tag, isChart)
}

// mayHaveCharts reports whether a repository has charts, of which the caller may see some. It returns an error if the
// caller may see only charts, and the repository has none. It does not look if the caller may see everything.
func (g *gateway) mayHaveCharts(ctx context.Context, c call) (bool, error) {
	if c.reach.IsEverything() || !c.reach.HasCharts() {
		return c.reach.HasCharts(), nil
	}
	err := g.requireCharts(ctx, c)
	if images.IsUnknown(err) && !c.reach.IsOnlyCharts() {
		return false, nil
	}
	return err == nil, err
}

// firstTags is how many tags requireCharts reads. Several, because tags of signatures, such as "sha256-….sig", can come
// before "v1.0.0".
const firstTags = 100

// requireCharts returns c.outside unless the repository has charts. It checks only the first tag, because Helm puts
// each chart into a separate repository. It ignores which page the client requests, because otherwise a client could
// search for tag names.
func (g *gateway) requireCharts(ctx context.Context, c call) error {
	first, _, err := g.readTags(ctx, c.target.Repository, page{size: firstTags})
	if i := slices.IndexFunc(first, func(tag string) bool { return !images.IsAttachmentTag(tag) }); err == nil && i >= 0 {
		var isChart bool
		if isChart, err = g.isChart(ctx, c.target.Repository, first[i]); isChart {
			return nil
		}
	}
	if err == nil || images.IsUnknown(err) {
		err = c.outside(images.ErrRepositoryUnknown)
	}
	return err
}

// isChart reports whether a tag or digest leads to a chart.
func (g *gateway) isChart(ctx context.Context, repository, reference string) (bool, error) {
	found, err := g.manifests.Read(ctx, repository, reference)
	return err == nil && found.IsChart(), err
}

// allTags returns the tags of a repository on its first maxPages pages.
func (g *gateway) allTags(ctx context.Context, repository string) ([]string, error) {
	tags, err := imagesecr.All(ctx, maxPages, func(ctx context.Context, at url.Values) ([]string, url.Values, error) {
		return g.registry.Tags(ctx, repository, at)
	})
	slices.Sort(tags)
	return slices.Compact(tags), err
}

// readTags returns one page of the tags of a repository, and the start of the next one, or "" after the last one.
func (g *gateway) readTags(ctx context.Context, repository string, at page) (tags []string, next string, err error) {
	tags, query, err := g.registry.Tags(ctx, repository, at.query())
	return tags, query.Get("last"), err
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

// catalog lists the repositories that the caller may see. A caller who may see all gets the registry's pages, which can
// have fewer names than wanted.
func (g *gateway) catalog(r *http.Request, c call) (imagesecr.Response, error) {
	wanted, err := pageOf(r.URL.Query())
	if err != nil {
		return imagesecr.Response{}, err
	}
	if images.SeesAll(c.who) {
		names, next, err := g.registry.Repositories(r.Context(), wanted.query())
		if err != nil {
			return imagesecr.Response{}, err
		}
		return listOf(c, map[string][]string{"repositories": names}, next)
	}
	names, err := g.visibleRepositories(r.Context(), c.who)
	if err != nil {
		return imagesecr.Response{}, err
	}
	return cutList(c, wanted, names, func(onPage []string) any { return map[string][]string{"repositories": onPage} })
}

// cutList returns the response with the wanted page of a sorted list.
func cutList(c call, wanted page, names []string, body func(onPage []string) any) (imagesecr.Response, error) {
	onPage, more := wanted.cut(names)
	var next url.Values
	if more {
		next = page{size: wanted.size, last: onPage[len(onPage)-1]}.query()
	}
	return listOf(c, body(onPage), next)
}

// listOf returns the response with a page of a list, and a link to the next page if its query is not nil.
func listOf(c call, body any, next url.Values) (imagesecr.Response, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return imagesecr.Response{}, err
	}
	answer := imagesecr.Response{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: encoded}
	if next != nil {
		answer.Header.Set("Link", "<"+c.target.Path()+"?"+next.Encode()+`>; rel="next"`)
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

// maxPages limits how many pages of a list of the registry are read for one response. The list of a caller who may see
// only some repositories is incomplete if the registry has more than maxPages × maxPageNames repositories.
const maxPages = 20

// visibleRepositories returns all repositories that the caller may see, sorted.
func (g *gateway) visibleRepositories(ctx context.Context, who principal.Principal) ([]string, error) {
	names, err := imagesecr.All(ctx, maxPages, g.registry.Repositories)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !images.Listed(who, name) })
	slices.Sort(names)
	return slices.Compact(names), nil
}
