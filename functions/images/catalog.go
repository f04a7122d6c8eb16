package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/paging"
	"portside/shared/core/parallel"
	"portside/shared/core/principal"
	"portside/shared/images"
	"portside/shared/images/imagesecr"
	"portside/shared/web"
)

// Limits of the requests to the registry for one response.
const (
	maxTags            = 50 // on a page, because each tag costs a request
	maxConcurrentCalls = 8
)

// NamePaging is the input of an operation that lists repositories or tags, for embedding.
type NamePaging struct {
	Filter string `query:"q" maxLength:"255" doc:"Only names that contain this text." example:"api"`
	web.CursorPaging
}

// position is a place in a list of the registry. Last is opaque: some registries encode more than a name, so names are
// compared only within one upstream page.
//
// Clients can read a position, because the cursor does not encrypt it. Last can be a name that was not returned, so a
// list with names that the caller may not see has positions without Last.
type position struct {
	Last  string `json:"l,omitempty"` // the registry's start of its page; empty for the first one
	After string `json:"a,omitempty"` // last name on that page that was returned
}

func (p NamePaging) position() (position, error) {
	var at position
	text, err := p.After()
	if err != nil || text == "" {
		return at, err
	}
	if json.Unmarshal([]byte(text), &at) != nil || len(at.Last) > maxLastBytes ||
		strings.ContainsFunc(at.Last, unicode.IsControl) {
		return position{}, paging.ErrCursor
	}
	return at, nil
}

func (p NamePaging) pagination(next *position) (web.CursorPagination, error) {
	if next == nil {
		return p.Pagination(""), nil
	}
	text, err := json.Marshal(next)
	return p.Pagination(paging.Position(text)), err
}

// reader returns a page of names of the registry, and the start of the next page, or "" after the last one.
type reader func(ctx context.Context, at page) (names []string, next string, err error)

// find returns the names that accept permits and the filter matches, and the position of the next page, or nil after
// the last one. It reads at most maxPages pages of the registry, so a page of a filtered list can have few names, or
// none, although more follow.
func (p NamePaging) find(ctx context.Context, read reader, accept func(name string) bool) ([]string, *position, error) {
	at, err := p.position()
	if err != nil {
		return nil, nil, err
	}
	found := []string{}
	for range maxPages {
		names, next, err := read(ctx, page{size: maxPageNames, last: at.Last})
		if err != nil {
			return nil, nil, err
		}
		slices.Sort(names)
		for _, name := range names {
			if name <= at.After || !strings.Contains(name, p.Filter) || !accept(name) {
				continue
			}
			if len(found) == p.Limit {
				return found, &position{Last: at.Last, After: found[len(found)-1]}, nil
			}
			found = append(found, name)
		}
		if next == "" {
			return found, nil, nil
		}
		at = position{Last: next}
	}
	return found, &at, nil
}

// findIn returns the names on a page of a complete, sorted list that match the filter, and the position of the next
// page, or nil after the last one. Its positions have no Last, so they name nothing that the caller may not see.
func (p NamePaging) findIn(read func() ([]string, error)) ([]string, *position, error) {
	at, err := p.position()
	if err == nil && at.Last != "" { // the caller could see all when the cursor was returned
		err = paging.ErrCursor
	}
	if err != nil {
		return nil, nil, err
	}
	names, err := read()
	if err != nil {
		return nil, nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.Contains(name, p.Filter) })
	names, more := page{size: p.Limit, last: at.After}.cut(names)
	if !more {
		return names, nil, nil
	}
	return names, &position{After: names[len(names)-1]}, nil
}

// ImageRepository is a repository of the registry.
type ImageRepository struct {
	Repository string `json:"repository" example:"acme/api"`
}

type listRepositoriesInput struct{ NamePaging }

type listRepositoriesOutput struct {
	Body struct {
		Data       []ImageRepository    `json:"data"`
		Pagination web.CursorPagination `json:"pagination"`
	}
}

var listRepositories = huma.Operation{
	OperationID: "listImageRepositories", Tags: []string{"Images"},
	Summary: "List repositories",
	Description: "Returns the repositories of the container registry, which have images and charts, in the registry's order. " + seen +
		" A scope for all charts lists no repositories, because the name does not show whether a repository has charts. If you may not see " +
		"everything, the list has only repositories among the first 20,000 of the registry.\n\n" +
		"A page can have fewer items than its limit, or none, although there is a next page.",
}

func (c *catalog) listRepositories(ctx context.Context, in *listRepositoriesInput) (*listRepositoriesOutput, error) {
	viewer, err := c.viewer(ctx)
	if err != nil {
		return nil, err
	}
	names, next, err := c.findRepositories(ctx, in.NamePaging, viewer)
	if err != nil {
		return nil, err
	}
	out := &listRepositoriesOutput{}
	out.Body.Data = make([]ImageRepository, len(names))
	for i, name := range names {
		out.Body.Data[i].Repository = name
	}
	out.Body.Pagination, err = in.pagination(next)
	return out, err
}

// findRepositories returns the repositories on a page that the viewer may see, and the position of the next page, or
// nil after the last one.
func (c *catalog) findRepositories(ctx context.Context, p NamePaging,
	viewer principal.Principal) ([]string, *position, error) {
	if images.SeesAll(viewer) {
		return p.find(ctx, c.readRepositories, func(string) bool { return true })
	}
	return p.findIn(func() ([]string, error) { return c.gateway.visibleRepositories(ctx, viewer) })
}

func (c *catalog) viewer(ctx context.Context) (principal.Principal, error) {
	caller, _ := principal.From(ctx)
	return c.visibility.Of(ctx, caller)
}

func (c *catalog) readRepositories(ctx context.Context, at page) (names []string, next string, err error) {
	names, query, err := c.gateway.registry.Repositories(ctx, at.query())
	return names, query.Get("last"), err
}

// ImageTag is a tag of a repository.
type ImageTag struct {
	Tag       string  `json:"tag" example:"1.2.0"`
	Digest    *string `json:"digest" doc:"Digest of its manifest; null if the tag was removed a moment ago, or if it is not a chart and you may pull only charts." example:"sha256:…"`
	MediaType *string `json:"mediaType" doc:"Media type of its manifest; null if unknown or if digest is null." example:"application/vnd.oci.image.index.v1+json"`
}

type listTagsInput struct {
	NamePaging
	RepositoryInput
}

// RepositoryInput is the input of the operations on one repository, for embedding.
type RepositoryInput struct {
	Repository string `query:"repository" required:"true" maxLength:"255" doc:"Name of the repository." example:"acme/api"`
}

type listTagsOutput struct {
	Body struct {
		Data       []ImageTag           `json:"data"`
		Pagination web.CursorPagination `json:"pagination"`
	}
}

var listTags = huma.Operation{
	OperationID: "listImageTags", Tags: []string{"Images"},
	Summary: "List tags",
	Description: "Returns the tags of a repository with their digests, in the registry's order. Tags under which clients store " +
		"signatures are left out. " + seen + "\n\n" +
		"A page has at most 50 tags. It can have fewer items than its limit, or none, although there is a next page.",
	Errors: []int{http.StatusNotFound},
}

func (c *catalog) listTags(ctx context.Context, in *listTagsInput) (*listTagsOutput, error) {
	seen, err := c.visiblePart(ctx, images.Target{Kind: images.Tags, Repository: in.Repository})
	if err != nil {
		return nil, err
	}
	in.Limit = min(in.Limit, maxTags)
	isChart, err := c.gateway.mayHaveCharts(ctx, seen)
	if err != nil {
		return nil, maskMissing(err)
	}
	names, next, err := c.findTags(ctx, in, seen, isChart)
	if err == nil && len(names) == 0 && next == nil && in.Filter == "" && in.Cursor == "" {
		err = images.ErrRepositoryUnknown // some registries send an empty list instead
	}
	if err != nil {
		return nil, maskMissing(err)
	}
	out := &listTagsOutput{}
	out.Body.Data = make([]ImageTag, len(names))
	err = parallel.Each(len(names), maxConcurrentCalls, func(i int) (err error) {
		out.Body.Data[i], err = c.resolveTag(ctx, seen, names[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Body.Pagination, err = in.pagination(next)
	return out, err
}

// findTags returns the tags on a page that the caller may see, and the position of the next page, or nil after the last
// one. isChart says whether the repository has charts.
func (c *catalog) findTags(ctx context.Context, in *listTagsInput, seen call,
	isChart bool) ([]string, *position, error) {
	if seen.reach.HasAllVersions(isChart) {
		read := func(ctx context.Context, at page) ([]string, string, error) {
			return c.gateway.readTags(ctx, in.Repository, at)
		}
		return in.find(ctx, read, func(tag string) bool { return isVisibleTag(seen, tag, isChart) })
	}
	return in.findIn(func() ([]string, error) { return c.gateway.visibleTags(ctx, seen, isChart) })
}

// visiblePart returns the caller, as the person's credentials would call, with how much of the target's repository it
// may see. Errors: images.ErrNotVisible, also for invalid names.
func (c *catalog) visiblePart(ctx context.Context, target images.Target) (call, error) {
	viewer, err := c.viewer(ctx)
	if err != nil {
		return call{}, err
	}
	seen := call{who: viewer, target: target, reach: images.ReachOf(viewer, target.Repository)}
	if seen.reach.IsNothing() || !images.IsRepository(target.Repository) {
		return call{}, images.ErrNotVisible
	}
	return seen, nil
}

// maskMissing returns ErrNotVisible for every error that would reveal whether something exists.
func maskMissing(err error) error {
	if images.IsUnknown(err) {
		return images.ErrNotVisible
	}
	return err
}

// resolveTag reads a manifest only if the caller may pull it only if it is a chart, to find out whether it is one. The
// headers are enough otherwise.
func (c *catalog) resolveTag(ctx context.Context, seen call, tag string) (ImageTag, error) {
	repository := seen.target.Repository
	if !seen.reach.HasTag(tag, false) {
		return c.resolveChart(ctx, repository, tag)
	}
	answer, err := c.gateway.registry.Fetch(ctx, imagesecr.Request{
		Method: http.MethodHead, Accept: manifestTypes,
		Target: images.Target{Kind: images.Manifest, Repository: repository, Reference: tag},
	})
	if err != nil && !errors.Is(maskMissing(err), images.ErrNotVisible) {
		return ImageTag{}, err
	}
	return ImageTag{
		Tag: tag, Digest: web.NullIfZero(answer.Digest()),
		MediaType: web.NullIfZero(shorten(answer.Header.Get("Content-Type"))),
	}, nil
}

// resolveChart leaves out the digest and media type unless the tag leads to a chart.
func (c *catalog) resolveChart(ctx context.Context, repository, tag string) (ImageTag, error) {
	found, err := c.readManifest(ctx, repository, tag)
	if errors.Is(err, images.ErrDocument) || errors.Is(maskMissing(err), images.ErrNotVisible) || err == nil && !found.isChart {
		return ImageTag{Tag: tag}, nil
	}
	return ImageTag{Tag: tag, Digest: &found.digest, MediaType: web.NullIfZero(shorten(found.MediaType))}, err
}
